#include "experiment/linearize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "code/formulas.h"
#include "expr/build.h"
#include "expr/cone.h"
#include "flat/layout.h"
#include "sema/suggest.h"

namespace chi::experiment {
namespace {

void wrong(Diagnostics& diagnostics, std::string message, std::string help = "") {
  diagnostics.report(
      {.code = DiagCode::BadOption, .message = std::move(message), .help = std::move(help)});
}

std::map<std::string, std::int32_t> real_variables(const flat::FlatModel& model) {
  std::map<std::string, std::int32_t> slots;
  const sema::Types& types = model.typed.types;
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::scalar_parts(types, variable.type, model.typed.ast.symbols)) {
      if (types.is(part.type, sema::BasicType::Real))
        slots.emplace(variable.name + part.suffix, variable.slot + part.offset);
    }
  }
  return slots;
}

/// What a part's outputs are made of: states and inputs put into a frame, everything else solved.
class PartMap {
 public:
  PartMap(sim::Part& part, expr::Pool& pool) : part_(part), pool_(pool) {}

  bool has_states() const { return part_.variant() != nullptr; }
  std::vector<expr::VarRef> states() const {
    return has_states() ? part_.variant()->choice.states : std::vector<expr::VarRef>();
  }
  std::string name(expr::VarRef x) const { return part_.variable_name(x); }

  /// A number that is put in; returns which.
  void add_input(expr::VarRef x) { inputs_.push_back(part_.place(x)); }
  void add_output(expr::ExprId e) { roots_.push_back(e); }
  void add_output(expr::VarRef x) { roots_.push_back(expr::variable(pool_, x.var, x.order)); }

  void prepare() {
    formulas_ = std::make_unique<code::Formulas>(pool_, roots_, part_.leaves());
    part_.fit(part_.frame());
    base_ = part_.frame();
  }

  std::size_t outputs() const { return roots_.size(); }
  double input(std::size_t i) const { return base_[static_cast<std::size_t>(inputs_[i])]; }

  /// The outputs where input number `i` has this value and all others theirs. NaN if there are
  /// none.
  std::vector<double> values(std::size_t i, double value) {
    std::vector<double> frame = base_;
    if (i < inputs_.size()) frame[static_cast<std::size_t>(inputs_[i])] = value;
    std::vector<double> out(roots_.size(), std::nan(""));
    if (has_states() && !part_.variant()->solver->solve(frame.data(), sim::Effort::Full))
      return out;
    if (!roots_.empty()) formulas_->evaluate_each(frame.data(), out.data());
    return out;
  }

  /// Whether the equations, as they are solved, determine x.
  bool determines(expr::VarRef x) const {
    if (!has_states()) return false;
    const structure::BlockOrder& order = part_.variant()->solver->order();
    const std::vector<expr::VarRef>& states = part_.variant()->choice.states;
    return std::find(order.unknowns.begin(), order.unknowns.end(), x) != order.unknowns.end() ||
           std::find(states.begin(), states.end(), x) != states.end();
  }
  bool mentions(expr::VarRef x) const {
    return part_.leaves().find(expr::variable(pool_, x.var, x.order)) >= 0;
  }
  /// Whether x occurs in an equation that is differentiated.
  bool is_differentiated(expr::VarRef x) const {
    if (part_.plan() == nullptr) return false;
    const structure::Analysis& analysis = part_.plan()->analysis();
    const expr::ExprId leaf = expr::variable(pool_, x.var, x.order);
    for (std::size_t i = 0; i < analysis.kept.size(); ++i) {
      if (analysis.c[i] == 0) continue;
      const std::vector<expr::ExprId> row = {analysis.derivatives[i].front()};
      const expr::Cone cone(pool_, row);
      if (std::find(cone.nodes().begin(), cone.nodes().end(), leaf) != cone.nodes().end())
        return true;
    }
    return false;
  }

 private:
  sim::Part& part_;
  expr::Pool& pool_;
  std::vector<std::int32_t> inputs_;
  std::vector<expr::ExprId> roots_;
  std::unique_ptr<code::Formulas> formulas_;
  std::vector<double> base_;
};

/// The derivatives of all outputs by one input, each with its estimated error: central differences
/// over ever smaller distances, extrapolated to 0 in Ridders' tableau.
void differentiate(PartMap& map, std::size_t input, std::vector<double>& derivative,
                   std::vector<double>& error) {
  constexpr int kRows = 10;
  constexpr double kShrink = 1.6;
  const double x = map.input(input);
  double h = 0.02 * std::max(std::abs(x), 0.1);
  const std::size_t n = map.outputs();
  derivative.assign(n, std::nan(""));
  error.assign(n, std::numeric_limits<double>::infinity());
  std::vector<std::array<double, kRows>> before(n), row(n);
  std::vector<char> done(n, 0);
  for (int k = 0; k < kRows; ++k, h /= kShrink) {
    const std::vector<double> above = map.values(input, x + h), below = map.values(input, x - h);
    const double width = (x + h) - (x - h);
    for (std::size_t i = 0; i < n; ++i) {
      row[i][0] = (above[i] - below[i]) / width;
      double factor = kShrink * kShrink;
      for (int j = 1; j <= k; ++j, factor *= kShrink * kShrink) {
        const auto c = static_cast<std::size_t>(j);
        row[i][c] = (factor * row[i][c - 1] - before[i][c - 1]) / (factor - 1);
        const double e =
            std::max(std::abs(row[i][c] - row[i][c - 1]), std::abs(row[i][c] - before[i][c - 1]));
        if (done[i] == 0 && e <= error[i]) {
          error[i] = e;
          derivative[i] = row[i][c];
        }
      }
      // Rounding takes over where the next order is worse by far.
      const auto last = static_cast<std::size_t>(k);
      if (k > 0 && std::abs(row[i][last] - before[i][last - 1]) >= 2 * error[i]) done[i] = 1;
      std::swap(before[i], row[i]);
    }
  }
}

class Linearizer {
 public:
  Linearizer(driver::Inspection& inspection, Diagnostics& diagnostics)
      : model_(inspection.model()),
        pool_(const_cast<expr::Pool&>(inspection.model().equations.pool)),
        diagnostics_(diagnostics),
        slots_(real_variables(model_)) {
    for (sim::Part* part : inspection.engine()->parts()) {
      if (part->has_equations()) maps_.emplace_back(*part, pool_);
    }
  }

  std::optional<LinearModel> operator()(const std::vector<std::string>& inputs,
                                        const std::vector<std::string>& outputs) {
    LinearModel linear;
    linear.inputs = inputs;
    linear.outputs = outputs;
    add_states(linear);
    for (std::size_t i = 0; i < inputs.size(); ++i) add_input(inputs[i], i);
    for (std::size_t i = 0; i < outputs.size(); ++i) add_output(outputs[i], i, linear);
    if (diagnostics_.has_errors()) return std::nullopt;
    fill(linear);
    if (diagnostics_.has_errors()) return std::nullopt;
    return linear;
  }

 private:
  /// What a number that a map puts in, or gives, is of the linear model.
  struct Column {
    bool is_state = false;
    std::size_t number = 0;
  };
  struct Rows {
    std::vector<Column> in, out;
  };

  void add_states(LinearModel& linear) {
    rows_.resize(maps_.size());
    for (std::size_t m = 0; m < maps_.size(); ++m) {
      for (const expr::VarRef state : maps_[m].states()) {
        const std::size_t number = linear.states.size();
        linear.states.push_back(maps_[m].name(state));
        maps_[m].add_input(state);
        rows_[m].in.push_back({true, number});
        maps_[m].add_output(expr::VarRef{state.var, state.order + 1});
        rows_[m].out.push_back({true, number});
      }
    }
  }

  std::optional<std::int32_t> slot_of(const std::string& name, std::string_view what) {
    const auto found = slots_.find(name);
    if (found != slots_.end()) return found->second;
    std::vector<std::string_view> all;
    for (const auto& [known, slot] : slots_) all.push_back(known);
    const std::string meant = sema::nearest(name, all);
    wrong(diagnostics_, fmt::format("`{}` is no real variable of the model, so no {}", name, what),
          meant.empty() ? "" : fmt::format("did you mean `{}`?", meant));
    return std::nullopt;
  }

  void add_input(const std::string& name, std::size_t number) {
    const std::optional<std::int32_t> slot = slot_of(name, "input");
    if (!slot) return;
    const expr::VarRef x{{*slot}, 0};
    for (std::size_t m = 0; m < maps_.size(); ++m) {
      if (maps_[m].determines(x)) {
        wrong(diagnostics_, fmt::format("`{}` is no input: the equations determine it", name),
              "an input is a variable that no equation determines and no process assigns");
        return;
      }
      if (!maps_[m].mentions(x)) continue;
      if (maps_[m].is_differentiated(x)) {
        wrong(diagnostics_,
              fmt::format("the equations need the derivative of `{}`, as an index above 1 has it",
                          name),
              "let the input drive a state, such as a short lag, that takes its place");
        return;
      }
      maps_[m].add_input(x);
      rows_[m].in.push_back({false, number});
    }
  }

  void add_output(const std::string& name, std::size_t number, const LinearModel&) {
    const std::optional<std::int32_t> slot = slot_of(name, "output");
    if (!slot) return;
    const expr::VarRef x{{*slot}, 0};
    expr::ExprId e = expr::variable(pool_, x.var);
    for (const flat::Substitution& s : model_.equations.substitutions) {
      if (s.variable == x) e = s.value;
    }
    for (std::size_t m = 0; m < maps_.size(); ++m) {
      if (!maps_[m].mentions(x) && !mentions_some(maps_[m], e)) continue;
      maps_[m].add_output(e);
      rows_[m].out.push_back({false, number});
      return;
    }
    // Nothing in the equations: it does not change.
  }

  bool mentions_some(const PartMap& map, expr::ExprId e) const {
    const expr::Cone cone(pool_, std::vector<expr::ExprId>{e});
    return std::any_of(cone.nodes().begin(), cone.nodes().end(), [&](expr::ExprId node) {
      return pool_.op(node) == expr::Op::Variable && map.mentions(pool_.variable(node));
    });
  }

  void fill(LinearModel& linear) {
    const std::size_t n = linear.states.size(), nu = linear.inputs.size(),
                      ny = linear.outputs.size();
    linear.a = Matrix(n, n);
    linear.b = Matrix(n, nu);
    linear.c = Matrix(ny, n);
    linear.d = Matrix(ny, nu);
    linear.at.resize(n);
    for (std::size_t m = 0; m < maps_.size(); ++m) {
      maps_[m].prepare();
      std::vector<double> derivative, error;
      for (std::size_t i = 0; i < rows_[m].in.size(); ++i) {
        const Column from = rows_[m].in[i];
        if (from.is_state) linear.at[from.number] = maps_[m].input(i);
        differentiate(maps_[m], i, derivative, error);
        for (std::size_t k = 0; k < rows_[m].out.size(); ++k) {
          const Column to = rows_[m].out[k];
          if (std::isnan(derivative[k])) {
            wrong(diagnostics_, "the equations have no derivative at this point",
                  "`--at` takes another time");
            return;
          }
          Matrix& matrix = to.is_state ? (from.is_state ? linear.a : linear.b)
                                       : (from.is_state ? linear.c : linear.d);
          const double tiny = 4 * error[k];
          matrix(to.number, from.number) = std::abs(derivative[k]) <= tiny ? 0 : derivative[k];
          linear.error = std::max(linear.error, error[k] / std::max(1.0, std::abs(derivative[k])));
        }
      }
    }
  }

  const flat::FlatModel& model_;
  expr::Pool& pool_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::int32_t> slots_;
  std::vector<PartMap> maps_;
  std::vector<Rows> rows_;
};

}  // namespace

std::optional<LinearModel> linearize(driver::Inspection& inspection,
                                     const std::vector<std::string>& inputs,
                                     const std::vector<std::string>& outputs,
                                     Diagnostics& diagnostics) {
  if (inspection.engine() == nullptr) {
    wrong(diagnostics, "a model without equations cannot be linearised");
    return std::nullopt;
  }
  std::optional<LinearModel> linear = Linearizer(inspection, diagnostics)(inputs, outputs);
  if (linear) linear->time = inspection.outcome().time;
  return linear;
}

}  // namespace chi::experiment
