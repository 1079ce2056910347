#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "sema/decl_id.h"
#include "sema/lookup_table.h"
#include "sema/measures.h"
#include "sema/types.h"
#include "sema/value.h"
#include "syntax/ast.h"

/// The tree with what checking learnt about it, in side tables: names resolved, types known, static
/// rules obeyed. The tree itself is unchanged.
namespace chi::sema {

enum class DeclKind : std::uint8_t {
  Constant,   // const
  TypeAlias,  // type
  Function,
  Process,
  System,      // sys, xper
  ValueParam,  // constant value, channel, function, distribution
  RefParam,    // shared variable
  Local,       // variable or channel declared in a block
  Index,       // i of an unwinding; a constant in each copy
};

/// One declared name.
struct Decl {
  DeclKind kind = DeclKind::Local;
  Symbol name;
  Span span;
  TypeId type;              ///< Function: its Func type; Process and System: unknown
  std::int32_t owner = -1;  ///< index of the definition it belongs to; its own for top-level names
  std::int32_t ordinal =
      -1;  ///< ValueParam, RefParam: position among parameters; Local: among locals
  /// Constant: value; Local: initialiser, if any; ValueParam: default value, if any
  syntax::ExprId initial;
  syntax::ExprId low, high;  ///< bounds, if any
  /// A parameter of node type, which is a RefParam: its flows, a Local of the process or system
  /// that is not written. And of that Local, the parameter.
  DeclId flows, terminal;
  bool many = false;  ///< a channel, or bundle, of `-T many`
};

/// What a definition declares, in textual order, one entry per name.
struct DefinitionInfo {
  DeclId self;  ///< none for an unnamed xper and for names already reported as duplicates
  std::vector<DeclId> params;
  std::vector<DeclId> locals;
  /// Neither it nor a definition that it needs has an error: it can be evaluated. Set for types,
  /// constants and functions.
  bool sound = false;
};

/// What a name stands for, where it is used.
struct Unresolved {};  // not a name, or reported
using Resolution = std::variant<Unresolved, DeclId, Builtin>;

/// The numbers that `csv("file", "column")` stands for, as the reader of files found them; or why
/// there are none.
struct DataColumn {
  std::shared_ptr<const std::vector<double>> numbers;
  std::string problem;
  std::string help = {};
};

/// `require b, "text"` in the equations of a process, with all that it stands under.
struct Requirement {
  std::int32_t definition = -1;
  syntax::EquationId equation;
  syntax::ExprId condition;
  /// The guards around it hold and the condition does not; and the opposite. They are rows of the
  /// tree that were not written.
  syntax::ExprId broken, holds;
  std::vector<syntax::Unwind> unwinds;  ///< around it, outermost first
};

struct TypedModel {
  syntax::Ast ast;
  Types types;
  Table<DeclId, Decl> decls;
  std::vector<DefinitionInfo> definitions;  ///< same order as `ast.definitions`

  /// The type an expression has where it stands. A literal takes the type expected of it ([] in a
  /// `nat*` place is a `nat*`, <1, 2> in a `real^2` place a `real^2`); other expressions keep their
  /// own, and the reader converts to what the place needs (nat -> int -> real, int -> nat checked).
  Table<syntax::ExprId, TypeId> type;
  /// Name nodes: the declaration or library function. Member nodes: the index variable's
  /// declaration for `x.i`, else unresolved (a record field: see `member`).
  Table<syntax::ExprId, Resolution> resolution;
  /// Member nodes on records: position of the field; -1 otherwise. (A record literal may give its
  /// fields in any order: the type tells their positions.)
  Table<syntax::ExprId, std::int32_t> field;
  Table<syntax::TypeId, TypeId> written_type;
  /// The index declared by an unwinding, keyed by where its variable stands (`Ident::span.begin`).
  std::unordered_map<std::int32_t, DeclId> unwind_index;
  /// Instances: the definition each refers to; -1 if unresolved.
  Table<syntax::InstanceId, std::int32_t> instance_of;
  /// Instances: the argument of each parameter of the definition, in the order of its parameters;
  /// none where the parameter takes its default value. See `arguments_of`.
  Table<syntax::InstanceId, Slice<syntax::ExprId>> argument_rows;
  std::vector<syntax::ExprId> argument_list;
  /// The values of the constants (`const`), converted to their type. A constant that cannot be
  /// evaluated has none, and was reported.
  std::unordered_map<DeclId, Value> constant_values;
  /// What type a name stands for where it is written, in a model with units.
  std::unordered_map<syntax::TypeId, DeclId> written_alias;
  Measures measures;
  std::vector<Requirement> requirements;
  /// The functions that `interpolate` made, also those that are made while values are computed.
  std::shared_ptr<LookupTables> tables = std::make_shared<LookupTables>();
  /// By the call of `csv`.
  std::unordered_map<syntax::ExprId, DataColumn> data = {};

  std::span<const syntax::ExprId> arguments_of(syntax::InstanceId instance) const {
    const Slice<syntax::ExprId> s = argument_rows[instance];
    return std::span(argument_list)
        .subspan(static_cast<std::size_t>(s.first), static_cast<std::size_t>(s.count));
  }
};

}  // namespace chi::sema
