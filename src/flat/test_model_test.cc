#include "flat/test_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/print.h"
#include "flat/scalars.h"
#include "sema/check.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::flat::testing {
namespace {

void append(std::string& text, std::string_view separator, std::string_view more) {
  if (!text.empty()) text += separator;
  text += more;
}

std::string guards(const TestModel& m, const EquationSet& set, BranchId branch) {
  std::string text;
  while (branch) {
    text = fmt::format("[{}] ", m.text(set.branches[branch].guard)) + text;
    branch = set.choices[set.branches[branch].choice].parent;
  }
  return text;
}

}  // namespace

std::string TestModel::codes() const {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) {
    if (severity_of(d.code) == Severity::Error) append(text, " ", code_text(d.code));
  }
  return text;
}

std::string TestModel::variables() const {
  std::string text;
  for (const Variable& v : model->variables) append(text, " ", v.name);
  return text;
}

std::string TestModel::processes() const {
  std::string text;
  for (const Process& p : model->processes) append(text, " ", p.name);
  return text;
}

std::string TestModel::channels() const {
  const auto name = [&](ProcessId p) { return p ? model->processes[p].name : "-"; };
  std::string text;
  for (const Channel& c : model->channels) {
    append(text, ", ", fmt::format("{}: {} -> {}", c.name, name(c.sender), name(c.receiver)));
  }
  return text;
}

const Block& TestModel::block(std::string_view path) const {
  for (const Block& b : model->blocks) {
    if (b.path == path) return b;
  }
  ADD_FAILURE() << "no block " << path;
  return model->blocks.front();
}

std::int32_t TestModel::slot_of(std::string_view variable) const {
  for (const Variable& v : model->variables) {
    if (v.name == variable) return v.slot;
  }
  return -1;
}

std::string TestModel::value(std::string_view path, std::size_t parameter) const {
  const Block& b = block(path);
  const auto& bound = std::get<BoundValue>(b.bindings[parameter]);
  return sema::text(bound.value, model->typed, model->bodies[b.body].params[parameter]);
}

std::int32_t TestModel::slot(std::string_view path, std::size_t parameter) const {
  return std::get<BoundVariable>(block(path).bindings[parameter]).slot;
}

std::string TestModel::text(expr::ExprId e) const {
  const Equations& eqs = model->equations;
  expr::Names names;
  names.variable = [&](expr::VarId v) { return scalar_name(*model, v.index); };
  names.discrete = [&](expr::DiscreteId d) {
    const auto* slot = std::get_if<DiscreteSlot>(&eqs.discrete[d].source);
    if (slot != nullptr) return scalar_name(*model, slot->slot);
    const auto& box = std::get<BlackBox>(eqs.discrete[d].source);
    return fmt::format("{{{}}}", source->text(model->typed.ast.exprs[box.source].span));
  };
  names.function = [&](expr::FunctionId f) -> std::string {
    if (const auto* user = std::get_if<UserFunction>(&eqs.functions[f])) {
      return std::string(model->typed.ast.symbols.text(model->typed.decls[user->function].name));
    }
    if (std::holds_alternative<BoxFunction>(eqs.functions[f])) return "box";
    return fmt::format("f{}", f.index);
  };
  return expr::to_text(eqs.pool, e, names);
}

std::string TestModel::text(const EquationSet& set) const {
  std::string all;
  for (const Unknown& u : set.unknowns) {
    append(
        all, "\n",
        fmt::format("{}|{}{}|", guards(*this, set, u.branch),
                    scalar_name(*model, u.variable.var.index), u.variable.order == 0 ? "" : "'"));
  }
  for (const Equation& e : set.equations) {
    append(all, "\n",
           fmt::format("{}{} = {}", guards(*this, set, e.branch), text(e.left), text(e.right)));
  }
  return all;
}

std::string TestModel::equations() const {
  std::string all = text(model->equations.system);
  for (const Substitution& s : model->equations.substitutions) {
    append(all, "\n",
           fmt::format("{}{} <- {}", scalar_name(*model, s.variable.var.index),
                       s.variable.order == 0 ? "" : "'", text(s.value)));
  }
  return all;
}

TestModel flattened(std::string text, const Request& request) {
  TestModel out;
  out.source = std::make_unique<SourceFile>("test.chi", std::move(text));
  syntax::Ast ast = syntax::parse(syntax::lex(*out.source, out.diagnostics), out.diagnostics);
  sema::TypedModel typed = sema::check(std::move(ast), out.diagnostics);
  for (const Diagnostic& d : out.diagnostics.all()) {
    if (severity_of(d.code) == Severity::Error) ADD_FAILURE() << d.message;
  }
  if (!out.diagnostics.has_errors()) {
    out.model = flatten(std::move(typed), request, out.diagnostics);
    EXPECT_EQ(out.model.has_value(), !out.diagnostics.has_errors());
  }
  return out;
}

}  // namespace chi::flat::testing
