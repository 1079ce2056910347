#include "driver/analyse.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "driver/explain.h"
#include "expr/incidence.h"
#include "flat/scalars.h"
#include "structure/report.h"

namespace chi::driver {
namespace {

using expr::VarRef;
using structure::Analysis;
using structure::BlockOrder;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class ModeReader {
 public:
  ModeReader(const flat::FlatModel& model, sim::Part& part, const sim::Part::Met& met,
             const SourceFile& source)
      : model_(model),
        part_(part),
        plan_(*met.plan),
        met_(met),
        mode_(plan_.equations()),
        analysis_(plan_.analysis()),
        source_(source) {}

  ModeStructure operator()() {
    result_.part = part_.number();
    result_.time = met_.time;
    result_.mode = part_.mode_text(met_.sides);
    if (result_.mode.empty()) result_.mode = met_.text;
    equations();
    unknowns();
    if (plan_.is_singular()) {
      singular(analysis_);
      plain_incidence();
      return std::move(result_);
    }
    if (plan_.is_static()) {
      Analysis why = analysis_;
      why.singular = plan_.why_static();
      singular(why);
      result_.is_static = true;
      result_.ip = blocks(plan_.ip());
      return std::move(result_);
    }
    offsets();
    combinations();
    states();
    result_.ip = blocks(plan_.ip());
    warnings();
    return std::move(result_);
  }

 private:
  std::string name(VarRef x) const { return part_.variable_name(x); }
  expr::Pool& pool() const { return part_.context().pool; }

  ModeStructure::Equation equation(std::int32_t e, expr::ExprId row) const {
    ModeStructure::Equation result;
    if (e < 0) {
      result.text = fmt::format("0 = {}", part_.text(row));
      return result;
    }
    const flat::EquationId origin = part_.equations().origin[at(e)];
    const flat::Equation& written = model_.equations.system.equations[origin];
    result.text = fmt::format("{} = {}", part_.text(written.left), part_.text(written.right));
    result.where = source_.where(written.span);
    return result;
  }

  void equations() {
    for (std::size_t i = 0; i < mode_.system.rows.size(); ++i) {
      result_.equations.push_back(equation(mode_.equations[i], mode_.system.rows[i]));
    }
    for (std::size_t i = 0; i < mode_.checks.size(); ++i) {
      result_.equations.push_back(equation(mode_.checked_equations[i], mode_.checks[i]));
      result_.equations.back().is_check = true;
    }
    for (const std::int32_t r : analysis_.redundant) result_.equations[at(r)].is_redundant = true;
  }

  /// As P1 §4 defines them: derivatives in the equations and declared variables are unknown in the
  /// IP; variables whose derivative occurs and declared ones in the IVP.
  void unknowns() {
    const expr::Occurrences found = expr::variables(pool(), mode_.system.rows);
    std::set<VarRef> in_rows;
    for (const expr::ExprId node : found.node) in_rows.insert(pool().variable(node));
    std::map<expr::VarId, int> written;
    for (const VarRef x : in_rows) written[x.var] = std::max(written[x.var], x.order);
    for (const expr::VarId v : mode_.system.declared) {
      written.try_emplace(v, 0);
      result_.declared.push_back(name({v, 0}));
    }
    for (const auto& [v, order] : written) {
      if (const units::Unit* unit = flat::shown_unit(model_, v.index)) {
        result_.units.push_back(fmt::format("{} [{}]", name({v, 0}), unit->text));
      }
      const int j = analysis_.unknown_index(v);
      if (j < 0) {
        result_.knowns.push_back(name({v, 0}));
        continue;
      }
      result_.unknowns_ivp.push_back(name({v, 0}));
      for (int k = 0; k < order; ++k) {
        (analysis_.is_declared[at(j)] ? result_.unknowns_ip : result_.knowns_ip)
            .push_back(name({v, k}));
      }
      result_.unknowns_ip.push_back(name({v, order}));
    }
  }

  void singular(const Analysis& analysis) {
    const structure::Singular& why = *analysis.singular;
    using Kind = structure::Singular::Kind;
    ModeStructure::Singular singular{.kind = why.kind == Kind::Over    ? "over"
                                             : why.kind == Kind::Under ? "under"
                                                                       : "contradiction",
                                     .equations = why.rows,
                                     .unknowns = {},
                                     .why = part_.explain_singular(plan_, analysis)};
    for (const expr::VarId v : why.unknowns) singular.unknowns.push_back(name({v, 0}));
    result_.singular = std::move(singular);
  }

  /// Of a system without blocks: its equations against the unknowns of the IVP, as they come.
  void plain_incidence() {
    ModeStructure::Blocks& blocks = result_.ivp;
    for (const expr::VarId v : analysis_.unknowns) blocks.unknowns.push_back(name({v, 0}));
    const expr::Incidence incidence = expr::incidence(pool(), mode_.system.rows);
    for (int i = 0; i < incidence.rows(); ++i) {
      blocks.rows.push_back({i, 0});
      for (const VarRef x : incidence.row(i)) {
        const int j = analysis_.unknown_index(x.var);
        if (j >= 0) blocks.entries.emplace_back(i, j);
      }
    }
  }

  void offsets() {
    result_.index = structure::differential_index(analysis_);
    result_.structural_index = analysis_.structural_index;
    result_.degrees_of_freedom = analysis_.degrees_of_freedom;
    for (std::size_t i = 0; i < analysis_.kept.size(); ++i) {
      ModeStructure::Equation& equation = result_.equations[at(analysis_.kept[i])];
      equation.times = analysis_.c[i];
      const graph::EqId eq{static_cast<std::int32_t>(i)};
      const graph::VarId var = analysis_.transversal.var_of[eq];
      if (!var) continue;
      const graph::EdgeId edge = analysis_.sigma.pattern.find_edge(eq, var);
      equation.unknown = name({analysis_.unknowns[at(var.index)], analysis_.sigma.order[edge]});
    }
  }

  void combinations() {
    for (const structure::Combination& combination : analysis_.combinations) {
      std::string of = combination.by_values ? "a combination, by values, of " : "";
      const std::string start = of;
      for (const auto& term : combination.of) {
        const bool minus = term.coefficient < 0;
        of += of == start ? (minus ? "-" : "") : (minus ? " - " : " + ");
        const std::int64_t size = minus ? -term.coefficient : term.coefficient;
        if (size != 1) of += fmt::format("{} ", size);
        of += fmt::format("({}){}", term.row + 1, std::string(at(term.order), '\''));
      }
      result_.combined.push_back({combination.row, std::move(of)});
    }
  }

  void states() {
    const sim::StateVariant* const variant =
        met_.variant != nullptr ? met_.variant : plan_.structural_variant();
    if (variant == nullptr) return;
    for (const VarRef x : variant->choice.states) result_.states.push_back(name(x));
    for (const VarRef x : variant->choice.dummies) result_.dummies.push_back(name(x));
    result_.chose_states = variant->choice.was_free;
    result_.ivp = blocks(variant->order);
  }

  ModeStructure::Blocks blocks(const BlockOrder& order) const {
    ModeStructure::Blocks result;
    std::map<VarRef, std::int32_t> number;
    std::vector<expr::ExprId> exprs;
    const auto add = [&](const std::vector<BlockOrder::Row>& rows,
                         const std::vector<VarRef>& unknowns) {
      for (const BlockOrder::Row& row : rows) {
        result.rows.push_back({row.row, row.order});
        exprs.push_back(row.expr);
      }
      for (const VarRef x : unknowns) {
        number.emplace(x, static_cast<std::int32_t>(result.unknowns.size()));
        result.unknowns.push_back(name(x));
      }
    };
    add(order.rows, order.unknowns);
    add(order.over_rows, order.over_unknowns);
    add(order.under_rows, order.under_unknowns);
    result.too_many_rows = static_cast<int>(order.over_rows.size() - order.over_unknowns.size());
    result.too_many_unknowns =
        static_cast<int>(order.under_unknowns.size() - order.under_rows.size());
    const std::vector<structure::BlockShape> shapes = structure::block_shapes(pool(), order);
    for (std::size_t b = 0; b < order.blocks.size(); ++b) {
      ModeStructure::Block block{
          order.blocks[b].first, order.blocks[b].count, shapes[b].linearity, {}};
      for (const std::int32_t k : shapes[b].torn) block.torn.push_back(name(order.unknowns[at(k)]));
      result.blocks.push_back(std::move(block));
    }
    const expr::Occurrences found = expr::variables(pool(), exprs);
    for (int i = 0; i < found.rows(); ++i) {
      for (const expr::ExprId node : found.row(i)) {
        const auto place = number.find(pool().variable(node));
        if (place != number.end()) result.entries.emplace_back(i, place->second);
      }
    }
    return result;
  }

  void warnings() {
    const auto why = structure::explain_initial(
        pool(), analysis_, plan_.ip(),
        [this](expr::VarId v) {
          return name({v, 0});
        },
        met_.time > 0 ? "when the mode begins" : "at the start");
    if (why) result_.warnings.push_back(fmt::format("{}: {}", why->message, why->help));
    if (result_.chose_states) {
      result_.warnings.push_back(
          "the unknown declarations leave open which variables depend on the others: the states "
          "were chosen by their values");
    }
  }

  const flat::FlatModel& model_;
  sim::Part& part_;
  sim::Plan& plan_;
  const sim::Part::Met& met_;
  const sim::ModeEquations& mode_;
  const Analysis& analysis_;
  const SourceFile& source_;
  ModeStructure result_;
};

}  // namespace

bool ModelStructure::is_singular() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](const ModeStructure& p) { return p.singular && !p.is_static; });
}

ModelStructure analyse(Inspection& inspection, const SourceFile& source, bool all_modes) {
  ModelStructure result;
  const sim::Outcome& outcome = inspection.outcome();
  for (const flat::Memory& memory : inspection.model().equations.memories) {
    if (memory.slot >= 0) {
      result.memories.push_back(flat::scalar_name(inspection.model(), memory.slot));
    }
  }
  if (outcome.failed()) result.failure = explain(outcome, source);
  if (inspection.engine() == nullptr) return result;
  for (sim::Part* part : inspection.engine()->parts()) {
    if (!part->has_equations() && part->equations().set.unknowns.empty()) continue;
    if (part->plan() == nullptr && !part->failed_mode()) part->settle(outcome.time);
    const auto read = [&](const sim::Part::Met& met) {
      return ModeReader(inspection.model(), *part, met, source)();
    };
    if (all_modes) {
      const std::size_t first = part->met().empty() ? 0 : 1;
      for (std::size_t i = first; i < part->met().size(); ++i) {
        result.met.push_back(read(part->met()[i]));
      }
      if (part->failed_mode() && !part->met().empty()) {
        result.met.push_back(read(*part->failed_mode()));
      }
      if (first == 1) {
        result.parts.push_back(read(part->met().front()));
        continue;
      }
    }
    if (part->failed_mode()) {
      result.parts.push_back(read(*part->failed_mode()));
    } else if (part->plan() != nullptr) {
      result.parts.push_back(read({part->plan(), part->variant(), part->sides(), outcome.time}));
    } else if (part->failure() && !result.failure) {
      result.failure = part->failure();
    }
  }
  if (result.failure && result.failure->code == DiagCode::SingularEquations &&
      result.is_singular()) {
    result.failure.reset();  // the parts say it
  }
  return result;
}

}  // namespace chi::driver
