#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/interner.h"
#include "syntax/ast.h"

/// Types after names are resolved: hash-consed, so that equal types have equal ids and an alias is
/// the type it stands for (language.md §3).
namespace chi::sema {

using TypeId = Id<struct SemaTypeTag>;
using syntax::BasicType;
using syntax::Direction;

// clang-format off: a type a line, as in the manual
struct UnknownType {};  // follows an error, fits everywhere, is never complained about
struct Basic {
  BasicType kind = BasicType::Void;
};
struct List {
  TypeId element;
};
struct Set {
  TypeId element;
};
struct Dict {
  TypeId key, value;
};
/// `length` is -1 when it depends on parameters: then `length_expr` gives it at instantiation, and
/// two such arrays are compared there.
struct Array {
  TypeId element;
  std::int64_t length = -1;
  syntax::ExprId length_expr;
};
struct Tuple {
  Slice<TypeId> elements;
};
struct Field {
  Symbol name;
  TypeId type;
};
/// Also a node type: its potentials are the fields, and `node` makes it different from all others
/// (language.md, "Nodes").
struct Record {
  Slice<Field> fields;
  std::int32_t node = -1;  ///< number of the node type; -1: a record
};
/// What a node type is beyond its potentials.
struct NodeInfo {
  Symbol name;   ///< of the type definition; none if it has none
  TypeId flows;  ///< a record
};
struct Func {
  Slice<TypeId> parameters;
  TypeId result;
};
struct Dist {
  TypeId result;
};
struct Channel {
  Direction direction = Direction::Both;
  TypeId element;
};
// clang-format on

using TypeNode =
    std::variant<UnknownType, Basic, List, Set, Dict, Array, Tuple, Record, Func, Dist, Channel>;

/// Aliases may nest types further than brackets do; deeper than this is an error, so that passes
/// may follow a type recursively.
inline constexpr std::int32_t kMaxTypeDepth = 200;

/// All types of one model.
class Types {
 public:
  Types();
  TypeId unknown() const { return TypeId{0}; }
  TypeId basic(BasicType kind) const { return TypeId{1 + static_cast<std::int32_t>(kind)}; }
  TypeId list(TypeId element);
  TypeId set(TypeId element);
  TypeId dict(TypeId key, TypeId value);
  TypeId array(TypeId element, std::int64_t length, syntax::ExprId length_expr);
  TypeId tuple(std::span<const TypeId> elements);
  TypeId record(std::span<const Field> fields);
  /// A new node type, different from all others.
  TypeId node(NodeInfo info, std::span<const Field> potentials);
  TypeId func(std::span<const TypeId> parameters, TypeId result);
  TypeId dist(TypeId result);
  TypeId channel(Direction direction, TypeId element);

  const TypeNode& operator[](TypeId id) const { return nodes_[id]; }
  std::span<const TypeId> list(Slice<TypeId> s) const;
  std::span<const Field> list(Slice<Field> s) const;

  bool is_unknown(TypeId id) const { return id == unknown(); }
  bool is(TypeId id, BasicType kind) const { return id == basic(kind); }
  bool is_numeric(TypeId id) const;  ///< nat, int or real
  bool is_integer(TypeId id) const;  ///< nat or int
  /// real, or an array, tuple or record of such: may be an unknown of the equations
  bool is_real_based(TypeId id) const { return facts_[id].real_based; }
  /// bool, nat, int, or an array, tuple or record of such: what discrete equations determine.
  bool is_discrete_based(TypeId id) const { return facts_[id].discrete_based; }
  /// Whether values of the type can be stored, sent and compared: no channel, function,
  /// distribution or void in it.
  bool is_data(TypeId id) const { return facts_[id].data; }
  /// The channel type of a channel or of a bundle of channels; none for other types.
  TypeId channel_of(TypeId id) const;
  /// The node type of a node or of an array of nodes; none for other types.
  TypeId node_of(TypeId id) const;
  const NodeInfo& node_info(const Record& node) const;
  /// The type of the flows of a node, or array of nodes, of this type. Requires `node_of(id)`.
  TypeId flows_of(TypeId id);
  /// Whether a node is part of the type.
  bool has_node(TypeId id) const { return facts_[id].node; }
  /// The distribution type of a distribution or of an array of distributions; none for others.
  TypeId distribution_of(TypeId id) const;
  /// How deep the type nests; 0 for basic types. Checking keeps it at most kMaxTypeDepth.
  std::int32_t depth(TypeId id) const { return facts_[id].depth; }
  std::int32_t size() const { return nodes_.size(); }
  /// As written in the manual, e.g. `real # nat*`.
  std::string text(TypeId id, const Interner& symbols) const;

 private:
  struct Facts {
    bool real_based = false;
    bool discrete_based = false;
    bool data = true;
    bool node = false;
    std::int32_t depth = 0;
  };
  TypeId intern(TypeNode node, std::vector<std::int64_t> key);
  Facts derive_facts(const TypeNode& node) const;
  TypeId innermost(TypeId id) const;
  Slice<TypeId> add_types(std::span<const TypeId> types);

  Table<TypeId, TypeNode> nodes_;
  Table<TypeId, Facts> facts_;
  std::vector<TypeId> type_lists_;
  std::vector<Field> field_lists_;
  std::vector<NodeInfo> nodes_info_;
  struct KeyHash {
    std::size_t operator()(const std::vector<std::int64_t>& key) const;
  };
  std::unordered_map<std::vector<std::int64_t>, TypeId, KeyHash> ids_;
};

/// Whether a value of type `from` may stand where `to` is expected: equal types; nat -> int ->
/// real; int -> nat, which is checked at run time (a negative nat is a run-time error); `!T` or
/// `?T` for `-T` ends; unknown with anything. Not deep: a list of nat is not a list of real.
bool fits(const Types& types, TypeId from, TypeId to);

/// Whether two types are the same but for lengths that are known only at instantiation: what a
/// `ref` argument needs.
bool same_type(const Types& types, TypeId a, TypeId b);

/// The type of an expression that is of type `a` in one branch and `b` in another: the wider of two
/// numeric types, else the type both are; none if there is none.
std::optional<TypeId> join(const Types& types, TypeId a, TypeId b);

}  // namespace chi::sema
