#include "sim/modes/part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/incidence.h"
#include "expr/linearity.h"
#include "expr/print.h"
#include "expr/substitute.h"
#include "flat/activity.h"
#include "flat/scalars.h"
#include "sim/algebra/isolate.h"
#include "sim/consistency/mode_search.h"
#include "sim/modes/tolerances.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Times that the values of `floor` may change at one instant before they are consistent.
constexpr int kMostRounds = 50;
constexpr int kMostStarts = 200;  // of delays that look back at what depends on them

}  // namespace

Part::Part(Workshop& workshop, PartEquations equations, std::int32_t number)
    : workshop_(workshop),
      equations_(std::move(equations)),
      number_(number),
      context_{.pool = workshop.pool(), .leaves = leaves_, .boxes = workshop.boxes},
      conditions_(workshop.pool(), leaves_, workshop.boxes),
      delays_(context_) {
  const auto bound = [this](VarRef x, bool upper) {
    const double none =
        upper ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
    if (x.order != 0 || x.var.index >= workshop_.model.variable_slots) return none;
    const flat::VariableId id = flat::variable_at(workshop_.model, x.var.index);
    const flat::Variable& variable = workshop_.model.variables[id];
    return (upper ? variable.high : variable.low).value_or(none);
  };
  context_.lower = [bound](VarRef x) { return bound(x, false); };
  context_.upper = [bound](VarRef x) { return bound(x, true); };
  expr::Pool& pool = workshop_.pool();
  time_place_ = leaves_.place(expr::time(pool));
  const flat::EquationSet& set = equations_.set;
  for (const flat::Branch& branch : set.branches) {
    guard_conditions_.push_back(conditions_.add(branch.guard));
  }
  std::vector<ExprId> rows;
  for (const flat::Equation& e : set.equations) rows.push_back(e.left);
  const expr::Occurrences found = expr::conditions(pool, rows);
  for (int i = 0; i < found.rows(); ++i) {
    std::vector<int>& mine = equation_conditions_.emplace_back();
    for (const ExprId c : found.row(i)) mine.push_back(conditions_.add(c));
  }
  for (int c = 0; c < conditions_.size(); ++c) mode_conditions_.push_back(c);
  switches_ = find_switches(pool, set, conditions_, guard_conditions_, equation_conditions_,
                            workshop_.options.fewest_switches);
  for (int b = 0; b < static_cast<int>(conditions_.borders().size()); ++b) {
    mode_borders_.push_back(b);
  }
  std::vector<ExprId> formulas = rows;
  for (const flat::Branch& branch : set.branches) formulas.push_back(branch.guard);
  for (const ExprId delay : expr::delays(pool, formulas).node) watch_kinks(delay);
  // What is loaded from memory has its place before the first mode is made.
  std::vector<ExprId> inputs = rows;
  for (const flat::Choice& choice : set.choices) {
    if (choice.restitution) inputs.push_back(choice.restitution);
  }
  enter_inputs(inputs);
  enter_contacts();
  enter_ranges();
  enter_steps();
  for (const flat::Unknown& unknown : set.unknowns) place({unknown.variable.var, 0});
  prepare();
}

void Part::enter_inputs(std::span<const ExprId> roots) {
  const expr::Pool& pool = workshop_.pool();
  const expr::Occurrences found = expr::occurrences(pool, roots, {}, [&](ExprId e) {
    const expr::Op op = pool.op(e);
    const bool is_input = op == expr::Op::Variable || op == expr::Op::DiscreteReal ||
                          op == expr::Op::DiscreteBool || op == expr::Op::Delay;
    return is_input ? e : ExprId{};
  });
  // In the order in which they were made: what copies of an equation read lies side by side then.
  std::vector<ExprId> inputs = found.node;
  std::ranges::sort(inputs);
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  for (const ExprId leaf : inputs) leaves_.place(leaf);
  for (const ExprId leaf : inputs) {
    if (pool.op(leaf) == expr::Op::Variable) place({pool.variable(leaf).var, 0});
  }
}

int Part::add_condition(ExprId condition, Span span, std::span<const HeldStep> steps) {
  add_steps(equations_.steps, steps);
  if (!steps.empty()) enter_steps();
  const int number = conditions_.add(condition);
  enter_inputs(std::span(&condition, 1));
  for (const int b : conditions_.borders_of(number)) statement_spans_.emplace(b, span);
  for (const ExprId delay : expr::delays(workshop_.pool(), std::span(&condition, 1)).node)
    watch_kinks(delay);
  return number;
}

void Part::prepare() {
  conditions_.prepare();
  std::vector<ExprId> ends;
  for (const Border& border : conditions_.borders()) {
    ends.push_back(border.left);
    ends.push_back(border.right);
  }
  border_formulas_ =
      std::make_unique<code::Formulas>(workshop_.pool(), ends, leaves_, workshop_.boxes);
  border_ends_.resize(ends.size());
  in_conditions_.clear();
  for (const ExprId leaf : expr::variables(workshop_.pool(), ends).node) {
    const VarRef x = workshop_.pool().variable(leaf);
    if (x.order > 0) in_conditions_.push_back(x);
  }
  std::sort(in_conditions_.begin(), in_conditions_.end());
  in_conditions_.erase(std::unique(in_conditions_.begin(), in_conditions_.end()),
                       in_conditions_.end());
  std::unordered_set<expr::VarId> moving = mentions().declared;
  for (const auto& [leaf, rows] : mentions().rows) {
    const VarRef x = workshop_.pool().variable(leaf);
    if (x.order > 0) moving.insert(x.var);
  }
  time_borders_.prepare(workshop_.pool(), conditions_.borders(), leaves_, workshop_.boxes,
                        [&](VarRef x) { return x.order > 0 || moving.count(x.var) != 0; });
  sides_.resize(conditions_.borders().size(), Side::On);
  sides_time_ = std::numeric_limits<double>::quiet_NaN();
  arrival_.resize(conditions_.borders().size());
  seen_reached_.resize(conditions_.borders().size(), 0);
  fit(frame_);
}

void Part::fit(std::vector<double>& frame) const {
  if (frame.size() < at(leaves_.size())) frame.resize(at(leaves_.size()), 0.0);
}

std::int32_t Part::place(VarRef x) {
  return leaves_.place(expr::variable(workshop_.pool(), x.var, x.order));
}

void Part::set_time(double time) { frame_[at(time_place_)] = time; }

void Part::load(double time) {
  fit(frame_);
  const expr::Pool& pool = workshop_.pool();
  for (; known_leaves_ < leaves_.size(); ++known_leaves_) {
    const ExprId leaf = leaves_.leaf(known_leaves_);
    std::int32_t slot = -1;
    expr::DiscreteId discrete;
    if (pool.op(leaf) == expr::Op::Variable) {
      const VarRef x = pool.variable(leaf);
      if (x.order == 0 && x.var.index < workshop_.model.variable_slots) slot = x.var.index;
    } else if (pool.op(leaf) == expr::Op::DiscreteReal || pool.op(leaf) == expr::Op::DiscreteBool) {
      if (pool.discrete(leaf).index < kFirstHeld) discrete = pool.discrete(leaf);
    }
    input_slots_.push_back(slot);
    input_memory_.push_back(slot < 0 ? -1 : memory_slot(workshop_.model, workshop_.frames, slot));
    discrete_.push_back(discrete);
  }
  has_missing_input_ = false;
  for (std::size_t i = 0; i < input_slots_.size(); ++i) {
    if (input_slots_[i] >= 0) {
      const double value = workshop_.machine.memory()[input_memory_[i]].r;
      if (frame_[i] != value && plan_ != nullptr) assigned_.push_back({input_slots_[i]});
      frame_[i] = value;
    }
    if (!discrete_[i]) continue;
    frame_[i] = workshop_.discrete(discrete_[i]);
    has_missing_input_ = has_missing_input_ || std::isnan(frame_[i]);
  }
  set_time(time);
  fill_delays(frame_);
}

bool Part::reload() {
  bool changed = false;
  const auto set = [&](std::size_t i, double value) {
    changed = changed || !(frame_[i] == value);
    frame_[i] = value;
  };
  for (std::size_t i = 0; i < input_slots_.size(); ++i) {
    if (discrete_[i]) set(i, workshop_.discrete(discrete_[i]));
    if (input_slots_[i] < 0) continue;
    if (plan_ != nullptr && plan_->analysis().unknown_index({input_slots_[i]}) >= 0) continue;
    set(i, workshop_.machine.memory()[input_memory_[i]].r);
  }
  if (changed) steps_time_ = std::numeric_limits<double>::quiet_NaN();
  return changed;
}

void Part::store(const std::vector<double>& frame) {
  if (plan_ == nullptr) return;
  if (stored_plan_ != plan_) {
    stored_plan_ = plan_;
    stores_.clear();
    for (const expr::VarId v : plan_->analysis().unknowns) {
      if (v.index >= workshop_.model.variable_slots) continue;
      stores_.emplace_back(place({v, 0}), memory_slot(workshop_.model, workshop_.frames, v.index));
    }
  }
  code::Slot* const memory = workshop_.machine.memory();
  for (const auto& [from, to] : stores_) memory[to].r = frame[at(from)];
}

bool Part::depends_on_time() const {
  const expr::Pool& pool = workshop_.pool();
  constexpr expr::Traits kByItself = expr::kHasTime | expr::kHasDelay;
  for (const flat::Equation& e : equations_.set.equations) {
    if (pool.has(e.left, kByItself)) return true;
  }
  for (const HeldStep& held : equations_.steps) {
    if (pool.has(held.argument, kByItself)) return true;
  }
  for (int c = 0; c < conditions_.size(); ++c) {
    if (pool.has(conditions_.condition(c), kByItself)) return true;
  }
  return delays_.keeps_past();
}

/// Of the guard or equation in which the border occurs first.
Span Part::border_span(int border) const {
  const auto has = [&](int condition) {
    const auto borders = conditions_.borders_of(condition);
    return std::find(borders.begin(), borders.end(), border) != borders.end();
  };
  for (flat::BranchId b{0}; b.index < equations_.set.branches.size(); ++b.index) {
    if (has(guard_conditions_[at(b.index)])) return equations_.set.branches[b].span;
  }
  for (flat::EquationId e{0}; e.index < equations_.set.equations.size(); ++e.index) {
    for (const int c : equation_conditions_[at(e.index)]) {
      if (has(c)) return equations_.set.equations[e].span;
    }
  }
  const auto statement = statement_spans_.find(border);
  return statement == statement_spans_.end() ? Span{} : statement->second;
}

Span Part::first_span() const {
  const auto& equations = equations_.set.equations;
  return equations.empty() ? Span{} : equations[flat::EquationId{0}].span;
}

Span Part::variable_span(VarRef x) const {
  if (x.var.index >= workshop_.model.variable_slots) return {};
  return workshop_.model.variables[flat::variable_at(workshop_.model, x.var.index)].span;
}

double Part::start_band(int border, double time) const {
  if (border < 0) return tolerance::kBandOfAtol * workshop_.options.atol;
  const double integrated =
      time_borders_.is_of_time(border) ? 0 : tolerance::kBandOfAtol * workshop_.options.atol;
  return std::max(integrated, arrival_.band(border, time));
}

void Part::look() {
  std::vector<Truth>& relations = relation_truths_;
  relations.clear();
  const std::span<const BorderValue> values = border_values(frame_);
  for (const Relation& relation : conditions_.relations()) {
    const BorderValue g = values[at(relation.border)];
    if (std::isnan(g.value)) {
      relations.push_back(Truth::Undefined);
      continue;
    }
    const int sign = std::abs(g.value) <= g.band ? 0 : g.value > 0 ? 1 : -1;
    relations.push_back(relation_holds(relation.op, sign * relation.orientation) ? Truth::True
                                                                                 : Truth::False);
  }
  conditions_.evaluate(frame_.data(), relations, seen_truths_);
  for (std::size_t b = 0; b < values.size(); ++b) {
    seen_reached_[b] = std::abs(values[b].value) <= values[b].band ? 1 : 0;
  }
}

bool Part::is_on_border() const {
  return std::ranges::any_of(seen_reached_, [](char reached) { return reached != 0; });
}

Part::TruthNow Part::truth_now(int condition) const {
  const auto borders = conditions_.borders_of(condition);
  const bool reached =
      std::any_of(borders.begin(), borders.end(), [&](int b) { return seen_reached_[at(b)] != 0; });
  return {seen_truths_[at(condition)], reached};
}

Truth Part::truth_after(int condition) { return condition_truths(sides_)[at(condition)]; }

std::span<const Part::BorderValue> Part::border_values(const std::vector<double>& frame) {
  std::vector<BorderValue>& out = border_values_;
  border_formulas_->evaluate_each(frame.data(), border_ends_.data());
  out.resize(sides_.size());
  for (std::size_t b = 0; b < out.size(); ++b) {
    out[b] = between(static_cast<int>(b), border_ends_[2 * b], border_ends_[2 * b + 1], frame);
  }
  return out;
}

Part::BorderValue Part::border_value(int border, const std::vector<double>& frame) {
  border_alone_.resize(conditions_.borders().size());
  std::unique_ptr<code::Formulas>& formulas = border_alone_[at(border)];
  if (!formulas) {
    const Border& b = conditions_.borders()[at(border)];
    formulas = std::make_unique<code::Formulas>(workshop_.pool(), std::array{b.left, b.right},
                                                leaves_, workshop_.boxes);
  }
  std::array<double, 2> ends{};
  formulas->evaluate_each(frame.data(), ends.data());
  return between(border, ends[0], ends[1], frame);
}

/// What is due at a time is as far from zero as it is from that time.
Part::BorderValue Part::between(int border, double left, double right,
                                const std::vector<double>& frame) {
  const double time = frame[at(time_place_)];
  if (const auto due = time_borders_.due(border, frame.data())) {
    return {due->direction * (time - due->time), TimeBorders::resolution(due->time)};
  }
  if (time_borders_.is_of_time(border)) {
    const double rounding = time_borders_.rounding(border, frame.data());
    return {left - right, rounding + start_band(border, time)};
  }
  const bool finite = std::isfinite(left) && std::isfinite(right);
  const double size = finite ? std::abs(left) + std::abs(right) : 0.0;
  return {left - right, kRelativeBand * size + start_band(border, time)};
}

std::span<const ExprId> Part::differences(const Sides& sides) {
  if (conditions_.has_corners()) condition_truths(sides);
  return conditions_.differences();
}

double Part::border_size(int border, const std::vector<double>& frame) {
  border_sizes_.resize(conditions_.borders().size());
  std::unique_ptr<code::Formulas>& formulas = border_sizes_[at(border)];
  if (!formulas) {
    expr::Pool& pool = workshop_.pool();
    const ExprId difference = conditions_.borders()[at(border)].difference;
    const ExprId terms = size_of_terms(pool, difference);
    const ExprId size = terms ? terms : expr::unary(pool, expr::Op::Abs, difference);
    formulas = std::make_unique<code::Formulas>(pool, std::array{size}, leaves_, workshop_.boxes);
  }
  double size = 0;
  formulas->evaluate_each(frame.data(), &size);
  return std::isfinite(size) ? size : 0;
}

double Part::tolerance_at(int border, const std::vector<double>& frame) {
  if (time_borders_.is_of_time(border)) return time_borders_.rounding(border, frame.data());
  return workshop_.options.atol + workshop_.options.rtol * border_size(border, frame);
}

bool Part::is_crowded() const { return arrival_.is_crowded(frame_[at(time_place_)]); }

bool Part::refresh_sides() {
  if (sides_time_ == frame_[at(time_place_)]) return false;
  update_sides();
  return true;
}

void Part::update_sides() {
  if (plan_ == nullptr) return;
  sides_time_ = frame_[at(time_place_)];
  Sides now;
  right_sides(*plan_, frame_, sides_, now);
  const std::vector<char>& deciding = deciding_borders();
  for (std::size_t b = 0; b < now.size(); ++b) {
    if (!deciding[b]) sides_[b] = now[b];
  }
}

const Part::CheapBorders& Part::cheap_borders() {
  const auto borders = conditions_.borders();
  CheapBorders& cheap = cheap_[variant_];
  if (cheap.is_cheap.size() == borders.size()) return cheap;
  cheap = {std::vector<char>(borders.size(), 1), true};
  if (plan_ == nullptr || variant_ == nullptr) return cheap;
  const expr::Pool& pool = workshop_.pool();
  std::vector<ExprId> differences;
  for (const Border& border : borders) differences.push_back(border.difference);
  const expr::Occurrences found = expr::variables(pool, differences);
  if (is_linear_.size() != borders.size()) {
    std::vector<ExprId> moving = found.node;
    moving.push_back(expr::time(workshop_.pool()));
    std::sort(moving.begin(), moving.end());
    moving.erase(std::unique(moving.begin(), moving.end()), moving.end());
    is_linear_.clear();
    for (const expr::Linearity kind : expr::linearity(pool, differences, moving)) {
      is_linear_.push_back(kind != expr::Linearity::Nonlinear ? 1 : 0);
    }
  }
  const std::vector<VarRef>& states = variant_->choice.states;
  for (int b = 0; b < found.rows(); ++b) {
    const auto leaves = found.row(b);
    const bool is_solved = std::any_of(leaves.begin(), leaves.end(), [&](ExprId leaf) {
      const VarRef x = pool.variable(leaf);
      return plan_->analysis().unknown_index(x.var) >= 0 &&
             !std::binary_search(states.begin(), states.end(), x);
    });
    // Others may have any number of roots, as sin(1/x) has.
    if (!is_solved && is_linear_[at(b)] != 0) continue;
    cheap.is_cheap[at(b)] = 0;
    cheap.are_all = false;
  }
  return cheap;
}

/// The borders of which the equations of the mode know both sides.
std::vector<char> Part::open_borders() const {
  std::vector<char> open;
  for (const Side side : sides_) open.push_back(is_open(side));
  return open;
}

const std::vector<char>& Part::deciding_borders() {
  if (!deciding_.empty()) return deciding_;
  deciding_.assign(sides_.size(), 0);
  const CheapBorders& cheap = cheap_borders();
  for (const int b : mode_borders_) {
    const bool is_kink = sides_[at(b)] == Side::Kink;
    if (cheap.is_cheap[at(b)] || is_kink || slides_on(b)) deciding_[at(b)] = 1;
  }
  if (cheap.are_all) return deciding_;
  conditions_.mark_deciding(active_conditions(), cheap.is_cheap, open_borders(), deciding_);
  return deciding_;
}

void Part::mark_deciding(std::span<const int> conditions, std::vector<char>& marked) {
  marked = deciding_borders();
  const CheapBorders& cheap = cheap_borders();
  for (const int c : conditions) {
    for (const int b : conditions_.borders_of(c)) {
      if (cheap.is_cheap[at(b)]) marked[at(b)] = 1;
    }
  }
  if (conditions.empty() || cheap.are_all) return;
  condition_truths(sides_);
  conditions_.mark_deciding(conditions, cheap.is_cheap, open_borders(), marked);
}

/// The only mode there is: nothing to search. False if its equations do not simply have a solution;
/// then the search will see why, and whether something jumps.
bool Part::settle_only_mode() {
  if (!has_started_ || !mode_conditions_.empty() || plan_ == nullptr || plan_->is_singular() ||
      plan_->is_static() || plans_.has_of_values() || !plan_->equations().checks.empty() ||
      !plan_->ip().under_unknowns.empty() || !plan_->switched_rows().empty()) {
    return false;
  }
  SystemSolver& solver = plan_->ip_solver();
  fit(frame_);
  loaded_ = frame_;
  const bool solved = solver.solve(frame_.data(), Effort::Near) && solver.rank_deficiency() == 0 &&
                      moved(*plan_, loaded_, frame_) <= 1;
  iterations_ += solver.iterations();
  if (!solved) {
    frame_ = loaded_;
    return false;
  }
  right_sides(*plan_, frame_, sides_, right_);
  std::swap(sides_, right_);
  sides_time_ = frame_[at(time_place_)];
  return true;
}

bool Part::settle(double time) {
  failure_.reset();
  failed_.reset();
  deciding_.clear();
  std::vector<Change> jumps;
  std::vector<ConservedSum> conserved;
  load(time);
  hold_others();
  Plan* const before = plan_;
  for (int round = 0;; ++round) {
    jumps_.clear();
    conserved_.clear();
    fill_missing_steps();
    found_by_.reset();
    bool found = settle_only_mode() || ModeSearch(*this, !has_started_).run();
    if (!found && !has_started_) found = jump_at_start();
    add_changes(jumps, jumps_);
    conserved.insert(conserved.end(), conserved_.begin(), conserved_.end());
    // With what is held from before there may be no mode.
    if (found) mark_needed_steps({}, false, needed_steps_);
    const bool stepped = hold_steps(found ? &needed_steps_ : nullptr);
    if (!found && (!stepped || round >= kMostRounds)) return false;
    const bool begins = !stepped && start_delays();
    if (!stepped && !begins) break;
    failure_.reset();
    failed_.reset();
    if (round < (stepped ? kMostRounds : kMostStarts)) continue;
    failure_ = Diagnostic{.code = DiagCode::NoConsistentMode,
                          .span = first_span(),
                          .message = fmt::format("{} has no consistent value at t = {}",
                                                 stepped ? "what moves in steps, such as `floor`,"
                                                         : "what a `delay` looks back at",
                                                 time)};
    if (begins) failure_->help = "say what was before the start: `delay(x, tau, x0)`";
    return false;
  }
  if (has_missing_input_ && plan_ != nullptr) {
    failure_ = explain_missing_input();
    if (failure_) return false;
  }
  if (needs_missing_step() || !bounds_hold()) return false;
  jumps_ = std::move(jumps);
  conserved_ = std::move(conserved);
  has_started_ = true;
  assigned_.clear();
  store();
  if (plan_ != before || variant_ == nullptr || plan_->has_choice()) choose_states();
  if (plan_ != before && !plan_->was_met()) {
    plan_->meet();
    const bool only_discrete = mode_borders_.empty() && has_modes();
    met_.push_back({plan_, variant_, sides_, time, only_discrete ? mode_text() : std::string()});
  }
  return variant_ != nullptr;
}

std::string Part::name() const {
  const auto& equations = equations_.set.equations;
  if (equations.empty()) return "time";
  const flat::FlatModel& model = workshop_.model;
  const std::int32_t block = equations[flat::EquationId{0}].block;
  for (const flat::Process& process : model.processes) {
    if (process.block == block) return process.name;
  }
  return model.blocks[at(block)].path;
}

namespace {

/// What holds where a condition does not, as a reader would write it.
ExprId opposite(expr::Pool& pool, ExprId condition) {
  using expr::Op;
  const auto with = [&](Op op) {
    return expr::binary(pool, op, pool.operand(condition, 0), pool.operand(condition, 1));
  };
  switch (pool.op(condition)) {
    case Op::Less: return with(Op::GreaterEqual);
    case Op::LessEqual: return with(Op::Greater);
    case Op::Greater: return with(Op::LessEqual);
    case Op::GreaterEqual: return with(Op::Less);
    default: return expr::negation(pool, condition);
  }
}

}  // namespace

bool Part::has_modes() const {
  return !guard_conditions_.empty() ||
         std::any_of(equation_conditions_.begin(), equation_conditions_.end(),
                     [](const std::vector<int>& conditions) { return !conditions.empty(); });
}

std::string Part::mode_text() {
  constexpr std::size_t kLongest = 120;
  const std::vector<Truth>& truths = condition_truths(sides_);
  std::vector<int> told;
  std::string all;
  const auto tell = [&](int condition, ExprId what, bool holds) {
    if (std::find(told.begin(), told.end(), condition) != told.end()) return;
    told.push_back(condition);
    if (!all.empty()) all += ", ";
    all += text(holds ? what : opposite(workshop_.pool(), what));
  };
  const flat::EquationSet& set = equations_.set;
  const flat::Activity activity = flat::find_activity(set, [&](flat::BranchId b) {
    return truths[at(guard_conditions_[at(b.index)])] == Truth::True;
  });
  for (flat::BranchId b{0}; b.index < set.branches.size() && all.size() < kLongest; ++b.index) {
    if (set.choices[set.branches[b].choice].form != flat::ChoiceForm::Guards) {
      if (activity.is_active(b)) all += (all.empty() ? "" : ", ") + alternative_name(b);
      continue;
    }
    const int condition = guard_conditions_[at(b.index)];
    if (truths[at(condition)] == Truth::True) tell(condition, set.branches[b].guard, true);
  }
  for (flat::EquationId e{0}; e.index < set.equations.size() && all.size() < kLongest; ++e.index) {
    if (!activity.is_active(set.equations[e].branch)) continue;
    for (const int condition : equation_conditions_[at(e.index)]) {
      if (truths[at(condition)] == Truth::Undefined) continue;
      tell(condition, conditions_.condition(condition), truths[at(condition)] == Truth::True);
    }
  }
  return all.empty() ? "no guard is open" : all;
}

std::string Part::text(ExprId e) const {
  expr::Names names;
  names.variable = [this](expr::VarId v) { return variable_name({v, 0}); };
  names.discrete = [this](expr::DiscreteId d) {
    if (d.index >= kFirstSwitch) return text(conditions_.condition(d.index - kFirstSwitch));
    if (d.index >= kFirstHeld) return std::string("floor(...)");
    const auto& input = workshop_.model.equations.discrete[d];
    const auto* slot = std::get_if<flat::DiscreteSlot>(&input.source);
    if (const auto* memory = std::get_if<flat::DiscreteMemory>(&input.source)) {
      return text(
          workshop_.model.equations.memories[static_cast<std::size_t>(memory->memory)].value);
    }
    return slot != nullptr ? flat::scalar_name(workshop_.model, slot->slot) : std::string("...");
  };
  // Functions by what they compute: the copies of a loop call one that nobody wrote.
  expr::Pool& pool = workshop_.pool();
  const ExprId open = expr::inline_calls(pool, e);
  // The gates of memories, which nobody wrote either, by what they are now.
  std::vector<expr::Replacement> gates;
  const expr::Cone cone(pool, std::array{open});
  for (const ExprId node : cone.nodes()) {
    if (pool.op(node) != expr::Op::DiscreteBool) continue;
    const expr::DiscreteId id = pool.discrete(node);
    if (id.index >= kFirstHeld) continue;
    const auto& source = workshop_.model.equations.discrete[id].source;
    const auto* memory = std::get_if<flat::DiscreteMemory>(&source);
    if (memory == nullptr) continue;
    const flat::Memory& m =
        workshop_.model.equations.memories[static_cast<std::size_t>(memory->memory)];
    if (pool.op(m.value) != expr::Op::Boolean) continue;
    gates.push_back({node, expr::boolean(pool, workshop_.discrete(id) != 0)});
  }
  return expr::to_text(pool, expr::substitute(pool, open, gates), names, 120);
}

}  // namespace chi::sim
