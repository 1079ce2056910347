#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/interner.h"
#include "source/span.h"
#include "units/unit.h"

/// The syntax tree of a χ text: variants in flat tables, addressed by typed ids. Children are made
/// before their parents, so a child's id is smaller and a pass over a table is a loop. Nothing in
/// the tree is checked: names are symbols, and `Error` nodes stand where the parser recovered.
namespace chi::syntax {

// clang-format off: a node a line, as in the grammar

using ExprId = Id<struct ExprTag>;
using TypeId = Id<struct TypeTag>;
using StatId = Id<struct StatTag>;
using EquationId = Id<struct EquationTag>;
using InstanceId = Id<struct InstanceTag>;

/// A name where it stands.
struct Ident {
  Symbol name;
  Span span;
  explicit operator bool() const { return static_cast<bool>(name); }
};

/// Something the parser could not read; already reported, so passes stay silent about it.
struct Error {};

// ---- expressions (language.md §3) ----

enum class UnaryOp { Minus, Plus, Not, Sample };
enum class BinaryOp {
  Add,
  Sub,
  Mul,
  Div,
  IntDiv,
  Mod,
  Pow,
  Concat,
  Subtract,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  In,
  And,
  Or
};

struct BoolLiteral {
  bool value = false;
};
struct IntLiteral {
  std::int64_t value = 0;
};  ///< beyond 64 bits: reported by the lexer
struct RealLiteral {
  double value = 0;
};  ///< `inf` too
struct StringLiteral {
  Symbol text;
};  ///< escapes already replaced
struct Name {
  Symbol name;
};
struct Time {};  // time
struct Derivative {
  ExprId of;
};  // x'
struct Unary {
  UnaryOp op = UnaryOp::Minus;
  ExprId operand;
};
struct Binary {
  BinaryOp op = BinaryOp::Add;
  ExprId left, right;
};
struct Conditional {
  ExprId condition, then, otherwise;
};  // if b then e else f
struct GuardedValue {
  ExprId guard, value;
};
struct GuardedExpr {
  Slice<GuardedValue> alternatives;
};  // [ b1 -> e1 | b2 -> e2 ]
struct Call {
  ExprId callee;
  Slice<ExprId> arguments;
};
struct Index {
  ExprId of, index;
};  // x[e], x.(e)
struct Member {
  ExprId of;
  Ident member;
};  // r.field, or x.i with i a variable: sema decides
struct Project {
  ExprId of;
  std::int64_t index = 0;
  Span index_span;
};  // t.0
struct TupleExpr {
  Slice<ExprId> elements;
};  // <e1, e2>; fits an array too
struct ListExpr {
  Slice<ExprId> elements;
};  // [e1, e2]; fits an array too
struct SetExpr {
  Slice<ExprId> elements;
};  // {e1, e2}; {} fits a dictionary too
struct FieldValue {
  Ident field;
  ExprId value;
};
struct RecordExpr {
  Slice<FieldValue> fields;
};  // { a = e, b = e }
struct DictEntry {
  ExprId key, value;
};
struct DictExpr {
  Slice<DictEntry> entries;
};  // { k: e, ... }
struct Parenthesized {
  ExprId inner;
};  // kept, so that the formatter keeps them

struct Expr {
  Span span;
  std::variant<BoolLiteral, IntLiteral, RealLiteral, StringLiteral, Name, Time, Derivative, Unary,
               Binary, Conditional, GuardedExpr, Call, Index, Member, Project, TupleExpr, ListExpr,
               SetExpr, RecordExpr, DictExpr, Parenthesized, Error>
      node;
};

// ---- types as written ----

enum class BasicType { Bool, Nat, Int, Real, String, Void, Inst };
enum class Direction { Send, Receive, Both };  // !T, ?T, -T
struct Basic {
  BasicType type = BasicType::Void;
};
struct TypeName {
  Symbol name;
};
struct ListType {
  TypeId element;
};
struct SetType {
  TypeId element;
};
struct DictType {
  TypeId key, value;
};
struct ArrayType {
  TypeId element;
  ExprId length;
};
struct TupleType {
  Slice<TypeId> elements;
};
struct FieldType {
  Ident field;
  TypeId type;
};
struct RecordType {
  Slice<FieldType> fields;
};
/// `v: real` or `flow i: real` of a node type.
struct NodeField {
  Ident field;
  TypeId type;
  bool is_flow = false;
};
struct NodeType {
  Slice<NodeField> fields;
};  // node { v: real, flow i: real }
struct FuncType {
  Slice<TypeId> parameters;
  TypeId result;
};
struct DistType {
  TypeId result;
};  // -> T
struct ChannelType {
  Direction direction = Direction::Both;
  TypeId element;
  bool many = false;  ///< `-T many`: it may have several senders and receivers
};

struct Type {
  Span span;
  std::variant<Basic, TypeName, ListType, SetType, DictType, ArrayType, TupleType, RecordType,
               NodeType, FuncType, DistType, ChannelType, Error>
      node;
};

// ---- units, beside the tree: a model without them has empty tables ----

/// `2.0 [bar]`. The literal has the value in coherent units of SI; this is what is written.
struct Quantity {
  ExprId literal;
  std::int32_t unit = 0;  ///< index into Ast::units
  double number = 0;
  Span span;  ///< of the unit, its brackets included
};
/// `real [bar]`.
struct TypeUnit {
  TypeId type;
  std::int32_t unit = 0;
  Span span;
};

// ---- declarations ----

/// `x, y: real in 0.0..1.0 := 2.0`. Bounds and initial value may be missing.
struct VarDecl {
  Span span;
  Slice<Ident> names;
  TypeId type;
  ExprId low, high;
  ExprId initial;
};

/// `ref x, y: T` or `x, y: T := value`. The default value may be missing.
struct Param {
  Span span;
  bool is_ref = false;
  Slice<Ident> names;
  TypeId type;
  ExprId initial;
};

/// `i: nat <- a..b:` in front of an instance, an equation or an alternative; `variable` is none if
/// there is no unwinding.
struct Unwind {
  Ident variable;
  TypeId type;
  ExprId low, high;
  explicit operator bool() const { return static_cast<bool>(variable); }
};

// ---- equations (language.md §4) ----

struct UnknownDecl {
  Slice<ExprId> unknowns;
};  // |x, v'|
struct ImpulseDecl {
  Slice<ExprId> unknowns;
};  // impulse |F|
struct Substitute {
  ExprId target, value;
};  // x <- e, x' <- e
struct Equality {
  ExprId left, right;
};
/// `low <= value <= high` before or behind `complements`; of `a >= b` b is the lower one. Bounds
/// that are not written are none.
struct ComplementSide {
  ExprId low, value, high;
  bool is_single() const { return static_cast<bool>(low) && !high; }
};
/// `0 <= gap complements F >= 0 restitution e`, `low <= y <= high complements e`.
struct Complements {
  ComplementSide left, right;
  ExprId restitution;  ///< or none
};
struct EquationAlternative {
  Span span;
  ExprId guard;
  Slice<EquationId> body;
};
struct GuardedEquations {
  Slice<EquationAlternative> alternatives;
};
struct UnwoundEquations {
  Unwind unwind;
  Slice<EquationId> body;
};

/// `require b, "text"`. The text may be missing.
struct Require {
  ExprId condition, text;
};

struct Equation {
  Span span;
  std::variant<UnknownDecl, ImpulseDecl, Substitute, Equality, Complements, GuardedEquations,
               UnwoundEquations, Require, Error>
      node;
};

// ---- statements (language.md §5) ----

struct Skip {};
struct Terminate {};
struct Return {
  ExprId value;
};
struct Assign {
  Slice<ExprId> targets, values;
};
struct Send {
  ExprId channel, value;
};  ///< value is none on a void channel
struct Receive {
  ExprId channel, target;
};  ///< target is none on a void channel
struct Alternative;
/// `delta e else [ alts ]`. An alternative that happens before the time is over interrupts the
/// delay; `otherwise` is empty if there is none.
struct Delay {
  ExprId duration;
  Slice<Alternative> otherwise;
};
/// In an alternative of `delta e else [ ... ]`: the delay goes on where it was interrupted, or
/// `restart`, from its beginning.
struct Resume {
  bool from_start = false;
};
/// `start P(...)`, `h := start P(...)`: the instance has a name and arguments only.
struct Start {
  ExprId handle;
  InstanceId instance;
};
struct Finish {
  ExprId handle;
};  // finish h
struct Wait {
  ExprId condition;
};  // nabla b
struct Instant {
  Slice<EquationId> equations;
};  // { ueqs }
struct Assert {
  ExprId condition, text;
};  // assert b, "text"; the text may be missing
struct Print {
  Slice<ExprId> values;
};
/// `[unwind] guard [; event] -> body`. `event` is a Send, Receive, Delay, Wait or Finish, or none.
struct Alternative {
  Span span;
  Unwind unwind;
  ExprId guard;
  StatId event;
  Slice<StatId> body;
};
struct Select {
  Slice<Alternative> alternatives;
};  // [ alts ]: selection or selective waiting
struct Loop {
  Slice<Alternative> alternatives;
};  // *[ alts ]
struct Forever {
  Slice<StatId> body;
};  // *[ S ]

struct Stat {
  Span span;
  std::variant<Skip, Terminate, Return, Assign, Send, Receive, Delay, Resume, Start, Finish, Wait,
               Instant, Assert, Print, Select, Loop, Forever, Error>
      node;
};

// ---- instances and definitions (language.md §2) ----

struct Instance {
  Span span;
  Unwind unwind;
  Ident label;  ///< none if not written
  Ident name;   ///< none if this is a group
  Slice<ExprId> arguments;
  Slice<Ident> argument_names;  ///< empty, or for each argument its name, none where positional
  ExprId priority;              ///< @n, or none
  Slice<InstanceId> group;      ///< ( insts ), when `name` is none
};

struct TypeDef {
  Ident name;
  TypeId type;
};
struct ConstDef {
  Ident name;
  TypeId type;
  ExprId value;
};  ///< type is none if not written
struct FuncDef {
  Ident name;
  Slice<Param> parameters;
  TypeId result;
  ExprId value;  ///< `= expr`; none for a block
  Slice<VarDecl> locals;
  Slice<StatId> body;
};
struct ProcDef {
  Ident name;
  Slice<Param> parameters;
  Slice<VarDecl> locals;
  Slice<EquationId> equations;
  Slice<StatId> body;
};
enum class SystemKind { System, Experiment };  // sys, syst, clus; xper
struct SysDef {
  SystemKind kind = SystemKind::System;
  Ident name;  ///< none: an unnamed xper
  Slice<Param> parameters;
  Slice<VarDecl> locals;
  Slice<InstanceId> instances;
};

struct Definition {
  Span span;
  std::variant<TypeDef, ConstDef, FuncDef, ProcDef, SysDef> node;
  std::int32_t file = 0;  ///< index into Ast::files
};

// ---- files ----

enum class ImportKind { Names, All, Alias };
/// `from a.b import B, C`, `from a.b import *`, `import a.b as c`.
struct Import {
  Span span;
  ImportKind kind = ImportKind::Names;
  Ident module;               ///< with its dots
  Slice<Ident> names;         ///< of `from ... import B, C`
  Ident alias;                ///< of `import ... as c`
  Slice<std::int32_t> files;  ///< the files it brings in, set when they are read; see `file_lists`
};

/// One text of a model, and the rows of the tables that were made from it: those from `first` to
/// `end`, of definitions, expressions, types and instances.
struct File {
  struct Rows {
    std::int32_t definitions = 0, exprs = 0, types = 0, instances = 0;
  };
  Symbol name;
  Slice<Import> imports;
  Rows first, end;
};

static_assert(std::is_trivially_copyable_v<Expr> && std::is_trivially_copyable_v<Type> &&
              std::is_trivially_copyable_v<Equation> && std::is_trivially_copyable_v<Stat> &&
              std::is_trivially_copyable_v<Definition>);

/// The parsed texts of one model, the main one first. `list(slice)` gives the rows of any slice in
/// the tree.
struct Ast {
  Interner symbols;
  Table<ExprId, Expr> exprs;
  Table<TypeId, Type> types;
  Table<StatId, Stat> stats;
  Table<EquationId, Equation> equations;
  Table<InstanceId, Instance> instances;
  std::vector<Definition> definitions;
  std::vector<File> files;

  std::vector<ExprId> expr_lists;
  std::vector<TypeId> type_lists;
  std::vector<StatId> stat_lists;
  std::vector<EquationId> equation_lists;
  std::vector<InstanceId> instance_lists;
  std::vector<Ident> ident_lists;
  std::vector<VarDecl> var_decls;
  std::vector<Param> params;
  std::vector<GuardedValue> guarded_values;
  std::vector<FieldValue> field_values;
  std::vector<DictEntry> dict_entries;
  std::vector<FieldType> field_types;
  std::vector<NodeField> node_fields;
  std::vector<Import> imports;
  std::vector<std::int32_t> file_lists;
  std::vector<EquationAlternative> equation_alternatives;
  std::vector<Alternative> alternatives;

  std::vector<units::Unit> units;    ///< each once
  std::vector<Quantity> quantities;  ///< in the order of their literals
  std::vector<TypeUnit> type_units;  ///< in the order of their types
  bool has_units() const { return !quantities.empty() || !type_units.empty(); }
  /// The unit a number or a type is written with; null if with none.
  const Quantity* quantity(ExprId literal) const {
    return find(quantities, &Quantity::literal, literal);
  }
  const TypeUnit* unit_of(TypeId type) const { return find(type_units, &TypeUnit::type, type); }

  std::span<const ExprId> list(Slice<ExprId> s) const { return rows(expr_lists, s); }
  std::span<const TypeId> list(Slice<TypeId> s) const { return rows(type_lists, s); }
  std::span<const StatId> list(Slice<StatId> s) const { return rows(stat_lists, s); }
  std::span<const EquationId> list(Slice<EquationId> s) const { return rows(equation_lists, s); }
  std::span<const InstanceId> list(Slice<InstanceId> s) const { return rows(instance_lists, s); }
  std::span<const Ident> list(Slice<Ident> s) const { return rows(ident_lists, s); }
  std::span<const VarDecl> list(Slice<VarDecl> s) const { return rows(var_decls, s); }
  std::span<const Param> list(Slice<Param> s) const { return rows(params, s); }
  std::span<const GuardedValue> list(Slice<GuardedValue> s) const {
    return rows(guarded_values, s);
  }
  std::span<const FieldValue> list(Slice<FieldValue> s) const { return rows(field_values, s); }
  std::span<const DictEntry> list(Slice<DictEntry> s) const { return rows(dict_entries, s); }
  std::span<const FieldType> list(Slice<FieldType> s) const { return rows(field_types, s); }
  std::span<const NodeField> list(Slice<NodeField> s) const { return rows(node_fields, s); }
  std::span<const Import> list(Slice<Import> s) const { return rows(imports, s); }
  std::span<const std::int32_t> list(Slice<std::int32_t> s) const { return rows(file_lists, s); }
  std::span<const EquationAlternative> list(Slice<EquationAlternative> s) const {
    return rows(equation_alternatives, s);
  }
  std::span<const Alternative> list(Slice<Alternative> s) const { return rows(alternatives, s); }

 private:
  template <class Row, class Key>
  static const Row* find(const std::vector<Row>& rows, Key Row::*key, Key id) {
    const auto at =
        std::ranges::lower_bound(rows, id.index, {}, [&](const Row& r) { return (r.*key).index; });
    return at != rows.end() && (*at).*key == id ? &*at : nullptr;
  }
  template <class T>
  static std::span<const T> rows(const std::vector<T>& pool, Slice<T> s) {
    return std::span(pool).subspan(static_cast<std::size_t>(s.first),
                                   static_cast<std::size_t>(s.count));
  }
};

}  // namespace chi::syntax
