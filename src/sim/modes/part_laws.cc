#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/substitute.h"
#include "flat/activity.h"
#include "flat/scalars.h"
#include "sim/modes/part.h"

// Complementarities by name: the instance, and in words which of their conditions is an equation.
namespace chi::sim {
namespace {

using expr::ExprId;
using flat::BranchId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// What the last name in a path begins with: `I` of `Net.D[3].iD`.
char initial(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
  return name.empty() ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
}

enum class Quantity : std::uint8_t { Current, Voltage, Force, Velocity, Other };

Quantity quantity_of(char initial) {
  switch (initial) {
    case 'i': return Quantity::Current;
    case 'u': return Quantity::Voltage;
    case 'f':
    case 'n':
    case 't':
    case 'm': return Quantity::Force;
    case 'w':
    case 'o': return Quantity::Velocity;
    default: return Quantity::Other;
  }
}

}  // namespace

/// The only equation of an alternative of a complementarity.
const flat::Equation& Part::equation_of(BranchId branch) const {
  const auto& equations = equations_.set.equations;
  return *std::ranges::find(equations, branch, [](const flat::Equation& e) { return e.branch; });
}

/// The same with its sides as they stand in the text.
const flat::Equation& Part::as_written(BranchId branch) const {
  const auto& equations = equations_.set.equations;
  const auto e =
      std::ranges::find(equations, branch, [](const flat::Equation& x) { return x.branch; });
  const flat::EquationId origin =
      equations_.origin[static_cast<std::size_t>(e - equations.begin())];
  return workshop_.model.equations.system.equations[origin];
}

bool Part::is_of_law(int border) const {
  bool is_in_law = false;
  const flat::EquationSet& set = equations_.set;
  for (BranchId b{0}; b.index < set.branches.size(); ++b.index) {
    const auto borders = conditions_.borders_of(guard_conditions_[at(b.index)]);
    if (std::ranges::find(borders, border) == borders.end()) continue;
    if (set.choices[set.branches[b].choice].form == flat::ChoiceForm::Guards) return false;
    is_in_law = true;
  }
  return is_in_law;
}

/// The instance; of several complementarities in one instance, what they are about.
std::string Part::law_name(const flat::Choice& choice) const {
  const flat::FlatModel& model = workshop_.model;
  const auto& all = model.equations.system.choices;
  const auto is_of_block = [&](const flat::Choice& other) {
    return other.block == choice.block && other.form != flat::ChoiceForm::Guards;
  };
  const std::string& path = model.blocks[at(choice.block)].path;
  if (!path.empty() && std::ranges::count_if(all, is_of_block) == 1) return path;
  return text(as_written(BranchId{choice.first}).left);
}

std::string Part::alternative_name(BranchId branch) const {
  const flat::Choice& choice = equations_.set.choices[equations_.set.branches[branch].choice];
  const std::int32_t number = branch.index - choice.first;
  const auto quantity = [&](ExprId e) {
    const std::vector<ExprId> leaves = expr::variables(workshop_.pool(), std::array{e}).node;
    if (leaves.empty()) return Quantity::Other;
    const char c = initial(variable_name(workshop_.pool().variable(leaves.front())));
    return c == 'v'
               ? (choice.form == flat::ChoiceForm::Pair ? Quantity::Voltage : Quantity::Velocity)
               : quantity_of(c);
  };
  const flat::Equation& first = as_written(BranchId{choice.first});
  const flat::Equation& last = as_written(BranchId{choice.first + choice.count - 1});
  const flat::Equation& here = as_written(branch);
  const Quantity one = quantity(first.left), other = quantity(last.left);
  const std::string holds = text(here.left) + " = " + text(here.right);
  const std::string name = law_name(choice);
  if (choice.form == flat::ChoiceForm::Range) {
    const std::string subject = text(first.left);
    if (number < 2) return subject + " at " + text(here.right);
    if (one == Quantity::Force && other == Quantity::Velocity) return name + " sticks";
    return subject + " inside its range";
  }
  if (one == Quantity::Current && other == Quantity::Voltage) {
    return name + (number == 0 ? " blocks" : " conducts");
  }
  if (one == Quantity::Voltage && other == Quantity::Current) {
    return name + (number == 0 ? " conducts" : " blocks");
  }
  if (other == Quantity::Force) return name + (number == 0 ? " closed" : " open");
  if (one == Quantity::Force) return name + (number == 0 ? " open" : " closed");
  return name == text(here.left) ? holds : name + ": " + holds;
}

std::vector<Part::NamedChange> Part::law_changes(const Sides& before, const Sides& now) {
  const flat::EquationSet& set = equations_.set;
  const bool has_laws = std::ranges::any_of(
      set.choices, [](const flat::Choice& c) { return c.form != flat::ChoiceForm::Guards; });
  if (!has_laws) return {};
  const auto activity_on = [&](const Sides& sides) {
    const std::vector<Truth> truths = condition_truths(sides);
    return flat::find_activity(
        set, [&](BranchId b) { return truths[at(guard_conditions_[at(b.index)])] == Truth::True; });
  };
  const flat::Activity was = activity_on(before), is = activity_on(now);
  std::vector<NamedChange> result;
  for (BranchId b{0}; b.index < set.branches.size(); ++b.index) {
    const flat::Choice& choice = set.choices[set.branches[b].choice];
    if (choice.form == flat::ChoiceForm::Guards || !is.is_active(b) || was.is_active(b)) continue;
    result.push_back({alternative_name(b), choice.span});
  }
  return result;
}

/// Ranges whose bounds are no constants.
void Part::enter_ranges() {
  expr::Pool& pool = workshop_.pool();
  const flat::EquationSet& set = equations_.set;
  std::vector<ExprId> widths;
  for (const flat::Choice& choice : set.choices) {
    if (choice.form != flat::ChoiceForm::Range) continue;
    const BranchId low{choice.first}, high{choice.first + 1};
    const ExprId distance = expr::sub(pool, as_written(high).right, as_written(low).right);
    const ExprId width = expr::plain_ifs(pool, distance);
    if (pool.op(width) == expr::Op::Constant && pool.constant(width) >= 0) continue;
    widths_.push_back({low, high, width});
    widths.push_back(width);
  }
  if (widths_.empty()) return;
  width_values_.resize(widths_.size());
  width_formulas_ = std::make_unique<code::Formulas>(pool, widths, leaves_, workshop_.boxes);
}

/// No range has its lower bound above its upper one.
bool Part::bounds_hold() {
  if (widths_.empty()) return true;
  fit(frame_);
  width_formulas_->evaluate_each(frame_.data(), width_values_.data());
  const flat::EquationSet& set = equations_.set;
  for (std::size_t k = 0; k < widths_.size(); ++k) {
    if (!(width_values_[k] < 0)) continue;
    const flat::Choice& choice = set.choices[set.branches[widths_[k].low].choice];
    const std::vector<Truth>& truths = condition_truths(sides_);
    const flat::Activity activity = flat::find_activity(set, [&](BranchId b) {
      return truths[at(guard_conditions_[at(b.index)])] == Truth::True;
    });
    if (!activity.is_active(choice.parent)) continue;
    const flat::Equation& low = as_written(widths_[k].low);
    const flat::Equation& high = as_written(widths_[k].high);
    const expr::Point here = point_here();
    const double below = expr::evaluate(workshop_.pool(), low.right, here).value;
    const double above = expr::evaluate(workshop_.pool(), high.right, here).value;
    const RunOptions& options = workshop_.options;
    const double size = std::max(std::abs(below), std::abs(above));
    if (width_values_[k] >= -kTolerances * (options.rtol * size + options.atol)) continue;
    failure_ = Diagnostic{
        .code = DiagCode::NoConsistentValues,
        .span = choice.span,
        .message = fmt::format("the lower bound `{}` is above the upper bound `{}` at t = {}",
                               text(low.right), text(high.right), frame_[at(time_place_)]),
        .notes = {fmt::format("they are {:.6g} and {:.6g}", below, above)},
        .help = "no value lies between them: bound the bounds themselves"};
    return false;
  }
  return true;
}

/// The contacts among the complementarities. The first alternative closes them, and its guard ends
/// with `gap < low`.
void Part::enter_contacts() {
  expr::Pool& pool = workshop_.pool();
  const flat::EquationSet& set = equations_.set;
  for (flat::EquationId e{0}; e.index < set.equations.size(); ++e.index) {
    const BranchId branch = set.equations[e].branch;
    if (!branch) continue;
    const flat::Choice& choice = set.choices[set.branches[branch].choice];
    if (!choice.restitution || branch.index != choice.first) continue;
    const ExprId row = set.equations[e].left;
    Contact contact{
        .closed = e, .restitution = choice.restitution, .rate = expr::time_derivative(pool, row)};
    const ExprId force = equation_of(BranchId{choice.first + 1}).left;
    for (const Relation& r : conditions_.relations()) {
      const bool is_less = r.op == expr::Op::Less;
      if (!is_less && r.op != expr::Op::Greater) continue;
      const ExprId small = pool.operand(r.node, is_less ? 0 : 1);
      const ExprId large = pool.operand(r.node, is_less ? 1 : 0);
      const Side holds = is_less == (r.orientation > 0) ? Side::Minus : Side::Plus;
      if (expr::sub(pool, small, large) == row) {
        contact.border = r.border;
        contact.closing = holds;
      } else if (expr::sub(pool, large, small) == force) {
        contact.force = r.border;
        contact.pulling = holds == Side::Plus ? Side::Minus : Side::Plus;
      }
    }
    if (contact.border >= 0) conditions_.mark_restitution(contact.border);
    contacts_.push_back(contact);
  }
}

}  // namespace chi::sim
