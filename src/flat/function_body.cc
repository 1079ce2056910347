#include <algorithm>
#include <optional>
#include <utility>

#include "expr/build.h"
#include "flat/expr_root.h"
#include "flat/function_library.h"
#include "flat/known_integer.h"
#include "flat/layout.h"

namespace chi::flat {
namespace {

using expr::IfKind;
using sema::DeclId;
using sema::DeclKind;
using sema::TypeId;
using syntax::ExprId;
using syntax::StatId;

constexpr auto kMaxScalars = static_cast<std::size_t>(kMaxFunctionScalars);  // of all variables

using Scalars = std::vector<expr::ExprId>;

// The variables of a function at one point of its body, and what it has returned by then.
struct State {
  std::vector<Scalars> variables;  // parameters, then locals
  expr::ExprId returned;           // a truth value
  Scalars result;                  // counts where `returned` holds
};

// Executes a function symbolically. Alternatives are executed each on a copy of the state, and what
// they leave is joined by conditions. Follows the nesting of the text, which the parser limits.
class FunctionExecution : public NameScope {
 public:
  FunctionExecution(const sema::TypedModel& model, std::int32_t definition, Translator& translator,
                    expr::Pool& pool)
      : model_(model),
        info_(model.definitions[static_cast<std::size_t>(definition)]),
        function_(std::get<syntax::FuncDef>(
            model.ast.definitions[static_cast<std::size_t>(definition)].node)),
        translator_(translator),
        pool_(pool) {}

  Scalars run() {
    if (!start()) return {};
    if (function_.value) {
      const auto value = translate(function_.value);
      return value.value_or(Scalars{});
    }
    if (!initialise() || !execute(function_.body)) return {};
    if (is_false(state_.returned)) return {};
    for (expr::ExprId& r : state_.result) {
      if (is_true(state_.returned)) continue;
      if (pool_.has(r, expr::kBoolean)) return {};
      r = expr::if_else(pool_, IfKind::Plain, state_.returned, r, expr::no_alternative(pool_));
    }
    return state_.result;
  }

  // ---- names ----

  Operand lookup(DeclId id) override {
    const sema::Decl& decl = model_.decls[id];
    if (decl.kind == DeclKind::Constant) {
      return {.type = decl.type, .value = &model_.constant_values.at(id)};
    }
    return {.type = decl.type, .scalars = state_.variables[position(decl)]};
  }
  const sema::Environment& values() override { return no_values_; }
  expr::ExprId scalar(std::int32_t, TypeId, int) override { return {}; }
  expr::ExprId black_box(ExprId, std::int32_t, bool, std::span<const expr::ExprId>) override {
    return {};
  }
  expr::ExprId missing(Diagnostic, bool) override { return {}; }
  expr::ExprId before(expr::ExprId, syntax::ExprId) override { return {}; }
  DeclId callee(DeclId name) override {
    if (model_.decls[name].kind == DeclKind::Function) return name;
    if (model_.decls[name].kind != DeclKind::Constant) return {};
    const auto* function =
        std::get_if<sema::Value::FunctionRef>(&model_.constant_values.at(name).data);
    return function == nullptr ? DeclId{} : function->decl;
  }

 private:
  std::size_t position(const sema::Decl& decl) const {
    const auto k = static_cast<std::size_t>(decl.ordinal);
    return decl.kind == DeclKind::Local ? info_.params.size() + k : k;
  }
  bool is_true(expr::ExprId e) const {
    return pool_.op(e) == expr::Op::Boolean && pool_.boolean(e);
  }
  bool is_false(expr::ExprId e) const {
    return pool_.op(e) == expr::Op::Boolean && !pool_.boolean(e);
  }

  std::optional<Scalars> translate(ExprId expr) {
    const auto scalars = translator_.translate(expr, *this, IfKind::Plain);
    if (!scalars) return std::nullopt;
    if (std::ranges::any_of(*scalars, [](expr::ExprId e) { return !e; })) return std::nullopt;
    return Scalars(scalars->begin(), scalars->end());
  }

  bool start() {
    state_.returned = expr::boolean(pool_, false);
    int number = 0;
    for (const DeclId p : info_.params) {
      Scalars scalars;
      for (const TypeId t : scalar_types(model_.types, model_.decls[p].type)) {
        const bool boolean = model_.types.is(t, sema::BasicType::Bool);
        scalars.push_back(boolean ? expr::param_bool(pool_, number)
                                  : expr::param_real(pool_, number));
        ++number;
      }
      state_.variables.push_back(std::move(scalars));
    }
    return number <= static_cast<int>(kMaxScalars);
  }

  // Locals have their type's zero value unless initialised.
  bool initialise() {
    std::size_t total = 0;
    for (const DeclId l : info_.locals) {
      const sema::Decl& decl = model_.decls[l];
      if (!is_scalar_function_value(model_.types, decl.type)) return false;
      Scalars scalars;
      if (decl.initial) {
        auto value = translate(decl.initial);
        if (!value) return false;
        scalars = std::move(*value);
      } else {
        for (const TypeId t : scalar_types(model_.types, decl.type)) {
          scalars.push_back(model_.types.is(t, sema::BasicType::Bool) ? expr::boolean(pool_, false)
                                                                      : expr::constant(pool_, 0.0));
        }
      }
      total += scalars.size();
      if (total > kMaxScalars) return false;
      state_.variables.push_back(std::move(scalars));
    }
    return true;
  }

  // ---- statements ----

  bool execute(Slice<StatId> list) {
    for (const StatId id : model_.ast.list(list)) {
      if (is_true(state_.returned)) return true;
      const auto& node = model_.ast.stats[id].node;
      bool good = std::holds_alternative<syntax::Skip>(node);
      if (const auto* n = std::get_if<syntax::Return>(&node)) good = give_back(*n);
      if (const auto* n = std::get_if<syntax::Assign>(&node)) good = assign(*n);
      if (const auto* n = std::get_if<syntax::Select>(&node)) good = select(*n);
      if (!good) return false;
    }
    return true;
  }

  bool give_back(const syntax::Return& n) {
    auto value = translate(n.value);
    if (!value) return false;
    if (!is_false(state_.returned)) {
      for (std::size_t i = 0; i < value->size(); ++i) {
        (*value)[i] =
            expr::if_else(pool_, IfKind::Plain, state_.returned, state_.result[i], (*value)[i]);
      }
    }
    state_.result = std::move(*value);
    state_.returned = expr::boolean(pool_, true);
    return true;
  }

  // All values are computed before the first is assigned.
  bool assign(const syntax::Assign& n) {
    std::vector<Scalars> values;
    for (const ExprId e : model_.ast.list(n.values)) {
      auto value = translate(e);
      if (!value) return false;
      values.push_back(std::move(*value));
    }
    const auto targets = model_.ast.list(n.targets);
    if (targets.size() != values.size()) return false;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (!store(targets[i], values[i])) return false;
    }
    return true;
  }

  bool store(ExprId target, const Scalars& value) {
    const DeclId root = root_decl(model_, target);
    if (!root || model_.decls[root].kind != DeclKind::Local) return false;
    Scalars& variable = state_.variables[position(model_.decls[root])];
    TypeId type = model_.decls[root].type;
    std::int64_t offset = 0;
    for (const ExprId step : selections(model_, target)) {
      const auto index = known_step(step);
      if (!index) return false;
      if (const auto* array = std::get_if<sema::Array>(&model_.types[type])) {
        if (*index < 0 || *index >= array->length) return false;
        offset += *index * slot_count(model_.types, array->element);
        type = array->element;
        continue;
      }
      offset += element_offset(model_.types, type, static_cast<std::int32_t>(*index));
      const auto k = static_cast<std::size_t>(*index);
      const auto* tuple = std::get_if<sema::Tuple>(&model_.types[type]);
      type = tuple != nullptr
                 ? model_.types.list(tuple->elements)[k]
                 : model_.types.list(std::get<sema::Record>(model_.types[type]).fields)[k].type;
    }
    std::copy(value.begin(), value.end(), variable.begin() + static_cast<std::ptrdiff_t>(offset));
    return true;
  }

  std::optional<std::int64_t> known_step(ExprId step) {
    const auto& node = model_.ast.exprs[step].node;
    Diagnostics unused;
    if (const auto* project = std::get_if<syntax::Project>(&node)) return project->index;
    if (const auto* index = std::get_if<syntax::Index>(&node)) {
      return known_integer(model_, index->index, no_values_, unused);
    }
    if (model_.field[step] >= 0) return model_.field[step];
    const sema::Value* value =
        known_value(model_, std::get<DeclId>(model_.resolution[step]), no_values_);
    if (value == nullptr) return std::nullopt;
    return std::get<std::int64_t>(value->data);
  }

  // ---- selection ----

  bool select(const syntax::Select& n) {
    const State before = state_;
    std::vector<std::pair<expr::ExprId, State>> outcomes;
    for (const syntax::Alternative& a : model_.ast.list(n.alternatives)) {
      if (a.unwind || a.event) return false;
      state_ = before;
      const auto guard = translate(a.guard);
      if (!guard || !execute(a.body)) return false;
      outcomes.emplace_back(guard->front(), std::move(state_));
    }
    return join(outcomes);
  }

  // From the last alternative to the first, so that the first open one decides. No open one is a
  // fault, so the last alternative's values hold only under its guard where something depends on
  // it.
  bool join(std::vector<std::pair<expr::ExprId, State>>& outcomes) {
    if (outcomes.empty()) return false;
    auto last = outcomes.rbegin();
    state_ = std::move(last->second);
    if (!is_true(last->first) && !fault_unless(last->first)) return false;
    for (auto outcome = std::next(last); outcome != outcomes.rend(); ++outcome) {
      join(outcome->first, outcome->second);
    }
    return true;
  }

  expr::ExprId choose(expr::ExprId guard, expr::ExprId yes, expr::ExprId no) {
    return yes == no ? yes : expr::if_else(pool_, IfKind::Plain, guard, yes, no);
  }

  void join(expr::ExprId guard, const State& yes) {
    for (std::size_t v = 0; v < state_.variables.size(); ++v) {
      for (std::size_t i = 0; i < state_.variables[v].size(); ++i) {
        state_.variables[v][i] = choose(guard, yes.variables[v][i], state_.variables[v][i]);
      }
    }
    if (is_false(yes.returned) && is_false(state_.returned)) return;
    if (state_.result.empty()) state_.result = yes.result;  // counts only where returned
    for (std::size_t i = 0; i < yes.result.size(); ++i) {
      state_.result[i] = choose(guard, yes.result[i], state_.result[i]);
    }
    state_.returned = choose(guard, yes.returned, state_.returned);
  }

  // What the last alternative computes has a value only if its guard holds.
  bool fault_unless(expr::ExprId guard) {
    const auto mark = [&](Scalars& scalars) {
      for (expr::ExprId& e : scalars) {
        if (pool_.has(e, expr::kBoolean)) return false;
        e = expr::if_else(pool_, IfKind::Plain, guard, e, expr::no_alternative(pool_));
      }
      return true;
    };
    for (std::size_t v = info_.params.size(); v < state_.variables.size(); ++v) {
      if (!mark(state_.variables[v])) return false;
    }
    return mark(state_.result);
  }

  const sema::TypedModel& model_;
  const sema::DefinitionInfo& info_;
  const syntax::FuncDef& function_;
  Translator& translator_;
  expr::Pool& pool_;
  State state_;
  sema::Environment no_values_;
};

}  // namespace

std::vector<expr::ExprId> function_body(const sema::TypedModel& model, std::int32_t definition,
                                        Translator& translator, expr::Pool& pool) {
  return FunctionExecution(model, definition, translator, pool).run();
}

}  // namespace chi::flat
