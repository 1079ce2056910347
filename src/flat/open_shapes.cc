#include "flat/open_shapes.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace chi::flat {

using sema::Builtin;
using sema::ShapeRule;
using sema::TypeId;
using syntax::BinaryOp;
using syntax::ExprId;

OpenShapes::OpenShapes(const sema::TypedModel& model, OpenLengths& lengths)
    : model_(model), lengths_(lengths) {
  for (ExprId e{0}; e.index < model.ast.exprs.size(); ++e.index) enter(e);
}

void OpenShapes::enter(ExprId e) {
  const auto& node = model_.ast.exprs[e].node;
  Pair pair{.span = model_.ast.exprs[e].span, .what = {}, .left = {}, .right = {}};
  if (const auto* binary = std::get_if<syntax::Binary>(&node)) {
    if (binary->op > BinaryOp::Mul) return;
    pair.what = sema::vector_operator_text(binary->op);
    if (binary->op == BinaryOp::Mul) pair.rule = ShapeRule::Product;
    pair.left = model_.type[binary->left];
    pair.right = model_.type[binary->right];
  } else if (const auto* call = std::get_if<syntax::Call>(&node)) {
    const auto* builtin = std::get_if<Builtin>(&model_.resolution[call->callee]);
    if (builtin == nullptr || !sema::is_vector_function(*builtin)) return;
    auto arguments = model_.ast.list(call->arguments);
    if (*builtin == Builtin::Map) arguments = arguments.subspan(1);
    if (*builtin == Builtin::Outer || arguments.size() < 2) return;
    pair.what = sema::builtin_text(*builtin);
    pair.left = model_.type[arguments[0]];
    pair.right = model_.type[arguments[1]];
  } else {
    return;
  }
  if (!sema::is_vector(model_.types, pair.left) || !sema::is_vector(model_.types, pair.right)) {
    return;
  }
  if (!lengths_.contains(pair.left) && !lengths_.contains(pair.right)) return;
  // Definitions stand one after the other in a file, and so do the files.
  const auto& all = model_.ast.definitions;
  const auto definition = std::ranges::find_if(all, [&](const syntax::Definition& d) {
    return d.span.begin <= pair.span.begin && pair.span.end <= d.span.end;
  });
  if (definition == all.end()) return;
  pairs_[static_cast<std::int32_t>(definition - all.begin())].push_back(pair);
}

bool OpenShapes::check(const Body& body, Diagnostics& diagnostics) const {
  const auto found = pairs_.find(body.definition);
  if (found == pairs_.end()) return true;
  for (const Pair& pair : found->second) {
    const auto left = lengths_.close(pair.left, body.structural, diagnostics);
    const auto right = left ? lengths_.close(pair.right, body.structural, diagnostics) : left;
    if (!right) return false;
    const auto shape = sema::shape_of(model_.types, *left);
    if (pair.what == "cross" && shape->lengths[0].length != 3) {
      diagnostics.report({.code = DiagCode::LibraryArgument,
                          .span = pair.span,
                          .message = fmt::format("`cross` needs vectors of 3, found {}",
                                                 sema::describe_shape(model_.types, *left))});
      return false;
    }
    if (sema::lengths_agree(model_.types, pair.rule, *left, *right)) continue;
    diagnostics.report(
        sema::shapes_differ(model_.types, pair.span, pair.what, pair.rule, *left, *right));
    return false;
  }
  return true;
}

}  // namespace chi::flat
