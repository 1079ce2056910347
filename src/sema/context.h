#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "diag/diagnostic.h"
#include "sema/file_scopes.h"
#include "sema/scope.h"
#include "sema/typed_model.h"

/// What the parts of the checker share. Internal to sema/.
namespace chi::sema {

using syntax::ExprId;

/// Where an expression stands; it decides which names have a value there.
enum class Place : std::uint8_t {
  BeforeRun,    // constants, array lengths, ranges, bounds, value arguments
  Function,     // body of a function: no time, no channels, no randomness
  Initialiser,  // of a variable: runs once, at the start
  Equation,
  Substitute,
  Statement,
  Reference,  // argument of a `ref` parameter: a variable, not its value
};

/// Which ends of a channel a system connects.
struct ChannelEnds {
  bool send = false;
  bool receive = false;
};

struct Context {
  Context(TypedModel& model, Diagnostics& diagnostics);

  TypedModel& model;
  const syntax::Ast& ast;
  Types& types;
  Diagnostics& diagnostics;
  Scope scope;
  /// The top-level declaration of each name in the file being checked: types are found here, as no
  /// local hides them.
  Table<Symbol, DeclId> top_level;
  FileScopes files;
  std::int32_t file = -1;                  ///< whose names are visible
  std::unordered_set<Symbol> field_names;  ///< of all record types

  Place place = Place::BeforeRun;
  bool in_discrete_equation = false;  ///< the right side of `v <- e` for a variable that is no real
  std::int32_t definition = -1;  ///< the one being checked
  /// Names met so far whose value is known only at instantiation (parameters, indices): an
  /// expression that did not raise it can be evaluated now.
  int open_names = 0;
  std::vector<std::uint8_t> used;  ///< by declaration: mentioned anywhere
  std::unordered_map<DeclId, ChannelEnds> ends;
  struct Link {
    ExprId expr;
    TypeId hint;
    bool right = false;  ///< a binary operator whose right operand is checked first
  };
  std::vector<Link> chain;  ///< work list of `check_expr`
  int suggestions_left = 100;
  DeclId value_parameter;  ///< the one whose argument is being checked

  DeclId declare(DeclKind kind, syntax::Ident name, TypeId type);
  /// Makes the names of a file visible, and those of the file before invisible. Requires that no
  /// local names are.
  void enter_file(std::int32_t number);
  /// Reports if the name, found to be `decl` at `span`, is one that two imports give.
  void check_ambiguous(Symbol name, DeclId decl, Span span);
  std::string_view text(Symbol symbol) const { return ast.symbols.text(symbol); }
  std::string text(TypeId type) const { return types.text(type, ast.symbols); }
  std::string_view name_of(DeclId decl) const { return text(model.decls[decl].name); }
  void report(Diagnostic diagnostic) { diagnostics.report(std::move(diagnostic)); }

  TypeId bool_type() const { return types.basic(syntax::BasicType::Bool); }
  TypeId nat_type() const { return types.basic(syntax::BasicType::Nat); }
  TypeId int_type() const { return types.basic(syntax::BasicType::Int); }
  TypeId real_type() const { return types.basic(syntax::BasicType::Real); }
  TypeId string_type() const { return types.basic(syntax::BasicType::String); }
  TypeId unknown() const { return types.unknown(); }
  /// A copy: making a type moves the others.
  template <class T>
  std::optional<T> as(TypeId id) const {
    const T* node = id ? std::get_if<T>(&types[id]) : nullptr;
    return node ? std::optional<T>(*node) : std::nullopt;
  }
  template <class T>
  const T* node(ExprId id) const {
    return std::get_if<T>(&ast.exprs[id].node);
  }
  Span span(ExprId id) const { return ast.exprs[id].span; }

  /// The library function of this name, if there is one.
  std::optional<Builtin> builtin(Symbol name) const;

 private:
  std::unordered_map<Symbol, Builtin> builtins_;
};

/// Sets a place while it lives.
class PlaceGuard {
 public:
  PlaceGuard(Context& c, Place place) : c_(c), before_(c.place) { c.place = place; }
  ~PlaceGuard() { c_.place = before_; }
  PlaceGuard(const PlaceGuard&) = delete;
  PlaceGuard& operator=(const PlaceGuard&) = delete;

 private:
  Context& c_;
  Place before_;
};

}  // namespace chi::sema
