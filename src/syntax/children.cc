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

}  // namespace chi::syntax
