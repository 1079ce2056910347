#include "sema/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/cancel.h"
#include "base/match.h"
#include "sema/context.h"
#include "sema/declarations.h"
#include "sema/equations.h"
#include "sema/evaluate.h"
#include "sema/expressions.h"
#include "sema/file_scopes.h"
#include "sema/instances.h"
#include "sema/order.h"
#include "sema/statements.h"
#include "sema/unit_check.h"
#include "sema/written_types.h"

namespace chi::sema {
namespace {

class ModelChecker {
 public:
  ModelChecker(TypedModel& model, Diagnostics& diagnostics)
      : c_(model, diagnostics), broken_text_(diagnostics.has_errors()) {}

  void check() {
    prepare();
    declare_names();
    for (const DefinitionGroup& group : definition_order(c_)) check_group(group);
    each([&] { check_params(); });
    each([&] { check_body(); });
    check_nesting(c_);
    if (!c_.diagnostics.has_errors() && c_.ast.has_units()) check_units(c_);
    if (!c_.diagnostics.has_errors()) warn_unused_imports(c_.model, c_.diagnostics);
  }

 private:
  void prepare() {
    TypedModel& m = c_.model;
    const syntax::Ast& ast = c_.ast;
    m.type.resize(ast.exprs.size(), c_.unknown());
    m.resolution.resize(ast.exprs.size(), Unresolved{});
    m.field.resize(ast.exprs.size(), -1);
    m.written_type.resize(ast.types.size(), c_.unknown());
    m.instance_of.resize(ast.instances.size(), -1);
    m.argument_rows.resize(ast.instances.size(), {});
    m.definitions.resize(ast.definitions.size());
    for (const syntax::FieldType& f : ast.field_types) c_.field_names.insert(f.field.name);
  }

  static syntax::Ident name_of(const syntax::Definition& definition) {
    return match(definition.node, [](const auto& n) { return n.name; });
  }

  static DeclKind kind_of(const syntax::Definition& definition) {
    return match(
        definition.node, [](const syntax::TypeDef&) { return DeclKind::TypeAlias; },
        [](const syntax::ConstDef&) { return DeclKind::Constant; },
        [](const syntax::FuncDef&) { return DeclKind::Function; },
        [](const syntax::ProcDef&) { return DeclKind::Process; },
        [](const syntax::SysDef&) { return DeclKind::System; });
  }

  void declare_names() {
    std::vector<std::vector<std::pair<Symbol, DeclId>>> own(c_.ast.files.size());
    std::unordered_map<Symbol, DeclId> known;
    std::int32_t file = -1;
    const auto count = static_cast<std::int32_t>(c_.ast.definitions.size());
    for (c_.definition = 0; c_.definition < count; ++c_.definition) {
      if (definition().file != file) known.clear();
      file = definition().file;
      const syntax::Ident name = name_of(definition());
      if (!name) continue;
      const auto [at, added] = known.try_emplace(name.name);
      if (!added) {
        c_.report({.code = DiagCode::DuplicateName,
                   .span = name.span,
                   .message = fmt::format("`{}` is defined twice", c_.text(name.name)),
                   .labels = {{c_.model.decls[at->second].span, "first defined here"}}});
        continue;
      }
      info().self = at->second = c_.declare(kind_of(definition()), name, c_.unknown());
      own[static_cast<std::size_t>(file)].emplace_back(name.name, at->second);
    }
    c_.definition = -1;
    c_.files = FileScopes(c_.model, own, c_.diagnostics);
    if (!own.empty()) c_.enter_file(0);
  }

  void check_group(const DefinitionGroup& group) {
    const int errors = c_.diagnostics.error_count();
    const auto is_sound = [&](std::int32_t d) {
      return c_.model.definitions[static_cast<std::size_t>(d)].sound;
    };
    needs_sound_ = !broken_text_ && std::ranges::all_of(group.needs, is_sound);
    for (std::int32_t d : group.definitions) at(d, [&] { check_head(group.cyclic); });
    for (std::int32_t d : group.definitions) at(d, [&] { check_function(); });
    const bool sound = needs_sound_ && !group.cyclic && c_.diagnostics.error_count() == errors;
    for (std::int32_t d : group.definitions) {
      c_.model.definitions[static_cast<std::size_t>(d)].sound = sound;
    }
  }

  /// A type, a constant, or the signature of a function.
  void check_head(bool cyclic) {
    match(
        definition().node,
        [&](const syntax::TypeDef& n) {
          const TypeId type = cyclic ? c_.unknown() : resolve_type(c_, n.type);
          if (info().self) c_.model.decls[info().self].type = type;
        },
        [&](const syntax::ConstDef& n) {
          if (!cyclic) check_constant(n);
        },
        [&](const syntax::FuncDef& n) { check_signature(n); }, [](const syntax::ProcDef&) {},
        [](const syntax::SysDef&) {});
  }

  void check_constant(const syntax::ConstDef& n) {
    const PlaceGuard place(c_, Place::BeforeRun);
    const int errors = c_.diagnostics.error_count();
    TypeId type = resolve_type(c_, n.type);
    if (n.type) {
      require(c_, n.value, type);
    } else {
      type = check_expr(c_, n.value);
    }
    if (!c_.types.is_data(type) && !c_.as<Func>(type)) {
      c_.report({.code = DiagCode::BadTypePlace,
                 .span = n.name.span,
                 .message = fmt::format("a constant cannot be a `{}`", c_.text(type))});
      type = c_.unknown();
    }
    const DeclId self = info().self;
    if (self) {
      c_.model.decls[self].type = type;
      c_.model.decls[self].initial = n.value;
    }
    if (!needs_sound_ || c_.diagnostics.error_count() > errors || !n.value) return;
    auto value = evaluate(c_.model, n.value, type, {}, c_.diagnostics);
    if (value && self) c_.model.constant_values.emplace(self, *std::move(value));
  }

  void check_signature(const syntax::FuncDef& n) {
    const std::size_t mark = c_.scope.enter();
    declare_params(c_, n.parameters, OwnerKind::Function);
    TypeId result = resolve_type(c_, n.result);
    c_.scope.leave(mark);
    if (!c_.types.is_data(result)) {
      c_.report({.code = DiagCode::BadTypePlace,
                 .span = c_.ast.types[n.result].span,
                 .message = fmt::format("a function cannot return a `{}`", c_.text(result))});
      result = c_.unknown();
    }
    result_[c_.definition] = result;
    std::vector<TypeId> parameters;
    for (DeclId p : info().params) parameters.push_back(c_.model.decls[p].type);
    if (info().self) c_.model.decls[info().self].type = c_.types.func(parameters, result);
  }

  void check_function() {
    const auto* n = std::get_if<syntax::FuncDef>(&definition().node);
    if (!n) return;
    in_body([&] {
      const TypeId result = result_[c_.definition];
      const PlaceGuard place(c_, Place::Function);
      declare_locals(c_, n->locals, OwnerKind::Function);
      if (n->value) {
        require(c_, n->value, result, "the result");
      } else {
        check_function_body(c_, n->body, result, n->name.span);
      }
    });
  }

  void check_params() {
    const auto* process = std::get_if<syntax::ProcDef>(&definition().node);
    const auto* system = std::get_if<syntax::SysDef>(&definition().node);
    if (!process && !system) return;
    const std::size_t mark = c_.scope.enter();
    if (process) declare_params(c_, process->parameters, OwnerKind::Process);
    if (system) declare_params(c_, system->parameters, OwnerKind::System);
    c_.scope.leave(mark);
  }

  void check_body() {
    if (const auto* n = std::get_if<syntax::ProcDef>(&definition().node)) {
      in_body([&] {
        declare_locals(c_, n->locals, OwnerKind::Process);
        const EquationFacts facts = check_equations(c_, n->equations);
        check_process_body(c_, n->body, facts);
      });
    } else if (const auto* s = std::get_if<syntax::SysDef>(&definition().node)) {
      in_body([&] {
        declare_locals(c_, s->locals, OwnerKind::System);
        check_instances(c_, s->instances);
      });
    }
  }

  const syntax::Definition& definition() const {
    return c_.ast.definitions[static_cast<std::size_t>(c_.definition)];
  }
  DefinitionInfo& info() { return c_.model.definitions[static_cast<std::size_t>(c_.definition)]; }

  template <class F>
  void at(std::int32_t d, F work) {
    c_.definition = d;
    c_.enter_file(definition().file);
    work();
    c_.definition = -1;
  }

  template <class F>
  void each(F work) {
    const auto count = static_cast<std::int32_t>(c_.ast.definitions.size());
    for (std::int32_t d = 0; d < count; ++d) {
      check_cancelled();
      at(d, work);
    }
  }

  /// A body with its parameters visible. Where there are errors, what looks unused may be used.
  template <class F>
  void in_body(F work) {
    const std::size_t mark = c_.scope.enter();
    const int errors = c_.diagnostics.error_count();
    enter_params(c_);
    work();
    c_.scope.leave(mark);
    if (!broken_text_ && c_.diagnostics.error_count() == errors) warn_unused(c_);
  }

  Context c_;
  bool broken_text_;
  bool needs_sound_ = false;                         // of the group being checked
  std::unordered_map<std::int32_t, TypeId> result_;  // of functions
};

}  // namespace

TypedModel check(syntax::Ast ast, Diagnostics& diagnostics,
                 std::unordered_map<syntax::ExprId, DataColumn> data) {
  TypedModel model;
  model.data = std::move(data);
  model.ast = std::move(ast);
  intern_qualified_names(model.ast);
  ModelChecker(model, diagnostics).check();
  return model;
}

}  // namespace chi::sema
