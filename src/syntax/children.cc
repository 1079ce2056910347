#include "syntax/children.h"

#include "base/match.h"

namespace chi::syntax {

void append_children(const Ast& ast, ExprId expr, std::vector<ExprId>& out) {
  const auto add = [&](ExprId child) {
    if (child) out.push_back(child);
  };
  const auto add_all = [&](Slice<ExprId> children) {
    for (const ExprId child : ast.list(children)) add(child);
  };
  match(
      ast.exprs[expr].node, [](const BoolLiteral&) {}, [](const IntLiteral&) {},
      [](const RealLiteral&) {}, [](const StringLiteral&) {}, [](const Name&) {},
      [](const Time&) {}, [&](const Derivative& n) { add(n.of); },
      [&](const Unary& n) { add(n.operand); }, [&](const Binary& n) { add(n.left), add(n.right); },
      [&](const Conditional& n) { add(n.condition), add(n.then), add(n.otherwise); },
      [&](const GuardedExpr& n) {
        for (const GuardedValue& v : ast.list(n.alternatives)) add(v.guard), add(v.value);
      },
      [&](const Call& n) { add(n.callee), add_all(n.arguments); },
      [&](const Index& n) { add(n.of), add(n.index); }, [&](const Member& n) { add(n.of); },
      [&](const Project& n) { add(n.of); }, [&](const TupleExpr& n) { add_all(n.elements); },
      [&](const ListExpr& n) { add_all(n.elements); },
      [&](const SetExpr& n) { add_all(n.elements); },
      [&](const RecordExpr& n) {
        for (const FieldValue& f : ast.list(n.fields)) add(f.value);
      },
      [&](const DictExpr& n) {
        for (const DictEntry& e : ast.list(n.entries)) add(e.key), add(e.value);
      },
      [&](const Parenthesized& n) { add(n.inner); }, [](const Error&) {});
}

namespace {

bool is_time(const Ast& ast, ExprId expr) {
  return std::holds_alternative<Time>(ast.exprs[expr].node);
}

bool mentions_time(const Ast& ast, ExprId expr) {
  std::vector<ExprId> pending{expr};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (is_time(ast, id)) return true;
    append_children(ast, id, pending);
  }
  return false;
}

}  // namespace

bool compares_time(const Ast& ast, const Binary& node) {
  if (node.op < BinaryOp::Lt || node.op > BinaryOp::Ge) return false;
  if (is_time(ast, node.left)) return !mentions_time(ast, node.right);
  return is_time(ast, node.right) && !mentions_time(ast, node.left);
}

std::vector<ExprId> time_relations(const Ast& ast, ExprId expr) {
  std::vector<ExprId> found;
  std::vector<ExprId> pending{expr};
  std::vector<ExprId> children;
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    const auto* binary = std::get_if<Binary>(&ast.exprs[id].node);
    if (binary != nullptr && compares_time(ast, *binary)) {
      found.push_back(id);
      continue;
    }
    children.clear();
    append_children(ast, id, children);
    pending.insert(pending.end(), children.rbegin(), children.rend());
  }
  return found;
}

}  // namespace chi::syntax
