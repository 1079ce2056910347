#include <algorithm>

#include "code/lowering.h"
#include "sema/evaluate.h"
#include "syntax/children.h"

// `assert b, "text"`, and what watches `require b, "text"`.
namespace chi::code {

using sema::BasicType;
using sema::DeclId;
using syntax::ExprId;

void Lowering::assertion(const syntax::Assert& node, Span span) {
  settle_for(node.condition);
  const Operand condition = value(node.condition, basic(BasicType::Bool));
  span_ = span;
  const std::int32_t good = emit(Op::JumpIf, condition.reg);
  const bool settled = settled_;
  broken(node.condition, node.text, span);
  settled_ = settled;
  patch(good);
}

void Lowering::monitors(std::int32_t definition) {
  for (const sema::Requirement& r : typed().requirements) {
    if (r.definition == definition) monitor(r, 0);
  }
}

/// One for each copy of what is unwound. The frame of the instance is its own: temporaries that
/// outlast a wait are shared with no other code.
void Lowering::monitor(const sema::Requirement& requirement, std::size_t depth) {
  if (depth < requirement.unwinds.size()) {
    const syntax::Unwind& unwind = requirement.unwinds[depth];
    const DeclId index = typed().unwind_index.at(unwind.variable.span.begin);
    const std::int64_t low = bound(unwind.low), high = bound(unwind.high);
    for (std::int64_t i = low; i <= high; ++i) {
      indices_[index] = i;
      monitor(requirement, depth + 1);
    }
    indices_.erase(index);
    return;
  }
  const auto& node = std::get<syntax::Require>(ast().equations[requirement.equation].node);
  const Span span = ast().equations[requirement.equation].span;
  temporary_top_ = temporary_slots_;
  const std::int32_t start = here();
  routine_.monitors.push_back({start});
  settled_ = false;
  span_ = span;
  wait({requirement.broken}, span);
  settled_ = false;
  broken(node.condition, node.text, span);
  settled_ = false;
  wait({requirement.holds}, span);
  span_ = span;
  emit(Op::LoopBack, 0, 0, start);
}

/// Tells the values that the condition is made of, and that it does not hold.
void Lowering::broken(ExprId condition, ExprId text, Span span) {
  const auto number = static_cast<std::int32_t>(context_.program.claims.size());
  context_.program.claims.push_back({condition, text, {}});
  for (const ExprId e : told_values(condition)) {
    std::string name;
    if (!text_of_path(e, name)) continue;
    std::vector<std::string>& names =
        context_.program.claims[static_cast<std::size_t>(number)].names;
    if (std::ranges::find(names, name) != names.end()) continue;
    names.push_back(std::move(name));
    const auto row = static_cast<std::int32_t>(names.size()) - 1;
    settle_for(e);
    const Operand told = value(e);
    emit(Op::TellValue, told.reg, number, row, shown_type_index(told.type, e));
    drop(told);
  }
  span_ = span;
  emit(Op::Broken, 0, 0, number);
}

/// Variables, fixed elements and fields of them, and derivatives; not those that `and`, `or` and
/// `if` protect.
std::vector<ExprId> Lowering::told_values(ExprId condition) {
  std::vector<ExprId> found;
  std::vector<ExprId> pending{condition};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    std::string unused;
    if (text_of_path(id, unused)) {
      found.push_back(id);
      continue;
    }
    const auto& node = ast().exprs[id].node;
    if (std::holds_alternative<syntax::Conditional>(node) ||
        std::holds_alternative<syntax::GuardedExpr>(node)) {
      continue;
    }
    const auto* binary = std::get_if<syntax::Binary>(&node);
    if (binary != nullptr &&
        (binary->op == syntax::BinaryOp::And || binary->op == syntax::BinaryOp::Or)) {
      pending.push_back(binary->left);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(pending.size());
    if (const auto* call = std::get_if<syntax::Call>(&node)) {
      for (const ExprId argument : ast().list(call->arguments)) pending.push_back(argument);
    } else {
      syntax::append_children(ast(), id, pending);
    }
    std::reverse(pending.begin() + first, pending.end());  // in reading order
  }
  return found;
}

/// `x`, `x'`, `r.f`, `T[3]`: the name of a value that needs no computing. Only of what is data.
bool Lowering::text_of_path(ExprId e, std::string& out) {
  const auto& node = ast().exprs[e].node;
  if (const auto* p = std::get_if<syntax::Parenthesized>(&node)) return text_of_path(p->inner, out);
  if (const auto* derivative = std::get_if<syntax::Derivative>(&node)) {
    if (!text_of_path(derivative->of, out)) return false;
    out += "'";
    return true;
  }
  if (const auto* name = std::get_if<syntax::Name>(&node)) {
    const auto* decl = std::get_if<DeclId>(&typed().resolution[e]);
    if (decl == nullptr || !registers_.contains(*decl)) return false;
    if (!types().is_data(type_of(e))) return false;
    out += ast().symbols.text(name->name);
    return true;
  }
  if (const auto* part = std::get_if<syntax::Project>(&node)) {
    if (!text_of_path(part->of, out)) return false;
    out += "." + std::to_string(part->index);
    return true;
  }
  if (const auto* member = std::get_if<syntax::Member>(&node)) {
    if (typed().field[e] < 0 || !text_of_path(member->of, out)) return false;
    out += "." + std::string(ast().symbols.text(member->member.name));
    return true;
  }
  const auto* index = std::get_if<syntax::Index>(&node);
  if (index == nullptr) return false;
  Diagnostics none;
  sema::Environment environment = environment_;
  for (const auto& [decl, i] : indices_) environment[decl] = sema::Value{i};
  const auto known =
      sema::evaluate(typed(), index->index, basic(BasicType::Int), environment, none);
  const auto* array = std::get_if<sema::Array>(&types()[type_of(index->of)]);
  if (!known || array == nullptr || !text_of_path(index->of, out)) return false;
  const std::int64_t i = std::get<std::int64_t>(known->data);
  if (i < 0 || i >= array->length) return false;
  out += "[" + std::to_string(i) + "]";
  return true;
}

}  // namespace chi::code
