#include "flat/box_inputs.h"

#include <algorithm>
#include <set>

#include "flat/known_integer.h"
#include "flat/layout.h"
#include "flat/path_reader.h"
#include "syntax/children.h"

namespace chi::flat {
namespace {

using sema::TypeId;
using syntax::ExprId;

class InputFinder {
 public:
  InputFinder(const sema::TypedModel& model, const Table<ExprId, ExprFacts>& facts,
              NameScope& scope)
      : model_(model), facts_(facts), scope_(scope) {}

  BoxInputs find(ExprId source) {
    const std::vector<ExprId> steps = box_steps(model_, facts_, source);
    std::vector<ExprId> stack{source};
    while (!stack.empty()) {
      const ExprId e = stack.back();
      stack.pop_back();
      if (!facts_[e].moves || std::ranges::binary_search(steps, e)) continue;
      if (path_root(model_.ast, e)) {
        visit_path(e, stack);
        continue;
      }
      if (std::holds_alternative<syntax::Time>(model_.ast.exprs[e].node)) out_.reads_time = true;
      out_.delays |= is_delay(model_, e);
      const auto mark = static_cast<std::ptrdiff_t>(stack.size());
      syntax::append_children(model_.ast, e, stack);
      std::reverse(stack.begin() + mark, stack.end());  // the first is taken first
    }
    return std::move(out_);
  }

 private:
  // The indices on a path are inputs too. What the path reads is as much of the variable as the
  // known indices before the first moving one leave.
  void visit_path(ExprId e, std::vector<ExprId>& stack) {
    int order = 0;
    std::vector<ExprId> steps;
    while (!std::holds_alternative<syntax::Name>(model_.ast.exprs[e].node)) {
      const auto& node = model_.ast.exprs[e].node;
      if (const auto* index = std::get_if<syntax::Index>(&node)) stack.push_back(index->index);
      if (std::holds_alternative<syntax::Derivative>(node)) order = 1;
      const bool selection = std::holds_alternative<syntax::Index>(node) ||
                             std::holds_alternative<syntax::Member>(node) ||
                             std::holds_alternative<syntax::Project>(node);
      if (selection) steps.push_back(e);
      std::vector<ExprId> inner;
      syntax::append_children(model_.ast, e, inner);
      e = inner.front();
    }
    const auto* decl = std::get_if<sema::DeclId>(&model_.resolution[e]);
    if (decl == nullptr) return;
    Operand at = scope_.lookup(*decl);
    if (at.slot < 0) return;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (!take_known(at, *step)) break;
    }
    enter(at, order);
  }

  bool take_known(Operand& at, ExprId step) {
    if (!has_places(at.type)) return false;
    const auto index = known_index(step);
    const auto* array = std::get_if<sema::Array>(&model_.types[at.type]);
    if (!index) return false;
    if (array != nullptr) {
      if (*index < 0 || *index >= array->length) return false;
      at.slot += static_cast<std::int32_t>(*index * slot_count(model_.types, array->element));
      at.type = array->element;
      return true;
    }
    const auto k = static_cast<std::int32_t>(*index);
    if (const auto* tuple = std::get_if<sema::Tuple>(&model_.types[at.type])) {
      at.slot += static_cast<std::int32_t>(element_offset(model_.types, at.type, k));
      at.type = model_.types.list(tuple->elements)[static_cast<std::size_t>(k)];
      return true;
    }
    if (const auto* record = std::get_if<sema::Record>(&model_.types[at.type])) {
      at.slot += static_cast<std::int32_t>(element_offset(model_.types, at.type, k));
      at.type = model_.types.list(record->fields)[static_cast<std::size_t>(k)].type;
      return true;
    }
    return false;
  }

  /// Whether elements have slots of their own: not those of lists and dictionaries, whose index may
  /// be no integer either.
  bool has_places(sema::TypeId type) const {
    const sema::TypeNode& node = model_.types[type];
    return std::holds_alternative<sema::Array>(node) || std::holds_alternative<sema::Tuple>(node) ||
           std::holds_alternative<sema::Record>(node);
  }

  std::optional<std::int64_t> known_index(ExprId step) {
    const auto& node = model_.ast.exprs[step].node;
    Diagnostics unused;
    if (const auto* project = std::get_if<syntax::Project>(&node)) return project->index;
    if (const auto* index = std::get_if<syntax::Index>(&node)) {
      if (facts_[index->index].moves) return std::nullopt;
      return known_integer(model_, index->index, scope_.values(), unused);
    }
    if (model_.field[step] >= 0) return model_.field[step];
    const auto* decl = std::get_if<sema::DeclId>(&model_.resolution[step]);
    const sema::Value* value =
        decl == nullptr ? nullptr : known_value(model_, *decl, scope_.values());
    if (value == nullptr) return std::nullopt;
    return std::get<std::int64_t>(value->data);
  }

  void enter(const Operand& at, int order) {
    for (const ScalarPart& part : scalar_parts(model_.types, at.type, model_.ast.symbols)) {
      if (!model_.types.is(part.type, sema::BasicType::Real)) continue;
      const expr::VarRef variable{{at.slot + part.offset}, order};
      if (known_.insert(variable).second) out_.variables.push_back(variable);
    }
  }

  const sema::TypedModel& model_;
  const Table<ExprId, ExprFacts>& facts_;
  NameScope& scope_;
  BoxInputs out_;
  std::set<expr::VarRef> known_;
};

}  // namespace

std::vector<ExprId> box_steps(const sema::TypedModel& model, const Table<ExprId, ExprFacts>& facts,
                              ExprId source) {
  const auto is_step = [&](ExprId e) {
    return !facts[e].boxed && (model.types.is(model.type[e], sema::BasicType::Int) ||
                               model.types.is(model.type[e], sema::BasicType::Nat));
  };
  std::vector<ExprId> steps, stack{source};
  while (!stack.empty()) {
    const ExprId e = stack.back();
    stack.pop_back();
    if (!facts[e].of_reals) continue;
    if (is_step(e)) {
      steps.push_back(e);
      continue;
    }
    const auto& node = model.ast.exprs[e].node;
    if (const auto* conditional = std::get_if<syntax::Conditional>(&node)) {
      stack.push_back(conditional->condition);
      continue;
    }
    const auto* binary = std::get_if<syntax::Binary>(&node);
    const bool is_lazy = binary != nullptr && (binary->op == syntax::BinaryOp::And ||
                                               binary->op == syntax::BinaryOp::Or);
    if (is_lazy || std::holds_alternative<syntax::GuardedExpr>(node)) continue;
    syntax::append_children(model.ast, e, stack);
  }
  std::ranges::sort(steps);
  return steps;
}

BoxInputs box_inputs(const sema::TypedModel& model, const Table<ExprId, ExprFacts>& facts,
                     ExprId source, NameScope& scope) {
  return InputFinder(model, facts, scope).find(source);
}

}  // namespace chi::flat
