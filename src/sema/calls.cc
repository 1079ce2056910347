#include <fmt/format.h>

#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"

namespace chi::sema {
namespace {

void check_arguments_alone(Context& c, const syntax::Call& call) {
  for (ExprId argument : c.ast.list(call.arguments)) check_expr(c, argument);
}

void report_not_a_function(Context& c, ExprId callee, TypeId type) {
  const bool indexable = c.as<Array>(type) || c.as<List>(type) || c.as<Dict>(type);
  Diagnostic d{.code = DiagCode::NotAFunction,
               .span = c.span(callee),
               .message = fmt::format("`{}` is not a function", c.text(type))};
  if (indexable) d.help = "elements are written with brackets: `x[e]`";
  if (const DeclId decl = root_of(c, callee)) {
    d.labels.push_back({c.model.decls[decl].span, "declared here"});
  }
  c.report(std::move(d));
}

TypeId call_value(Context& c, ExprId expr, TypeId type) {
  const auto& call = *c.node<syntax::Call>(expr);
  const auto func = c.as<Func>(type);
  if (!func) {
    if (!c.types.is_unknown(type)) report_not_a_function(c, call.callee, type);
    check_arguments_alone(c, call);
    return c.unknown();
  }
  const auto arguments = c.ast.list(call.arguments);
  if (call.arguments.count != func->parameters.count) {
    Diagnostic d{.code = DiagCode::ArgumentCount,
                 .span = c.span(expr),
                 .message = fmt::format("expected {} argument{}, found {}", func->parameters.count,
                                        func->parameters.count == 1 ? "" : "s", arguments.size())};
    if (const DeclId decl = root_of(c, call.callee)) {
      d.labels.push_back({c.model.decls[decl].span, "declared here"});
    }
    c.report(std::move(d));
    check_arguments_alone(c, call);
    return func->result;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    require(c, arguments[i], c.types.list(func->parameters)[i], "an argument");
  }
  return func->result;
}

}  // namespace

TypeId check_call(Context& c, ExprId expr, TypeId callee_type, TypeId hint) {
  const auto& call = *c.node<syntax::Call>(expr);
  if (callee_type) return call_value(c, expr, callee_type);
  const Symbol name = c.node<syntax::Name>(call.callee)->name;
  if (name && !c.scope.find(name)) {
    if (const auto builtin = c.builtin(name)) {
      c.model.resolution[call.callee] = *builtin;
      return check_builtin(c, *builtin, expr, hint);
    }
  }
  return call_value(c, expr, check_expr(c, call.callee));
}

}  // namespace chi::sema
