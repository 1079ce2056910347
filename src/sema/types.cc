#include "sema/types.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string_view>

#include "base/match.h"

namespace chi::sema {
namespace {

constexpr std::size_t kLongestText = 160;  // of a type in a message
constexpr int kCompareSteps = 10'000;      // aliases can make a type exponentially large

/// Writes a type with an explicit stack: aliases can nest deeper than any recursion may go.
class TypeWriter {
 public:
  TypeWriter(const Types& types, const Interner& symbols) : types_(types), symbols_(symbols) {}

  std::string write(TypeId id) {
    todo_.push_back({id, {}, false});
    while (!todo_.empty()) {
      const Item item = todo_.back();
      todo_.pop_back();
      if (out_.size() > kLongestText) return out_ + "...";
      if (!item.type) {
        out_ += item.text;
      } else if (item.operand && is_open(item.type)) {
        push({{"("}, {item.type}, {")"}});
      } else {
        write_node(item.type);
      }
    }
    return out_;
  }

 private:
  struct Item {
    TypeId type;
    std::string_view text;
    bool operand = false;  // stands beside an operator: an open type gets parentheses
  };
  struct Part {
    Part(std::string_view t) : item{{}, t, false} {}
    Part(TypeId t, bool operand = false) : item{t, {}, operand} {}
    Item item;
  };

  void push(const std::vector<Part>& parts) {
    for (auto p = parts.rbegin(); p != parts.rend(); ++p) todo_.push_back(p->item);
  }

  bool is_open(TypeId id) const {
    const TypeNode& n = types_[id];
    return std::holds_alternative<Tuple>(n) || std::holds_alternative<Func>(n) ||
           std::holds_alternative<Dist>(n) || std::holds_alternative<Channel>(n);
  }

  static std::string_view basic_text(BasicType kind) {
    switch (kind) {
      case BasicType::Bool: return "bool";
      case BasicType::Nat: return "nat";
      case BasicType::Int: return "int";
      case BasicType::Real: return "real";
      case BasicType::String: return "string";
      case BasicType::Void: return "void";
      case BasicType::Inst: return "inst";
    }
    return "";
  }

  void write_array(const Array& a) {
    numbers_.push_back(a.length < 0 ? "?" : std::to_string(a.length));
    push({{a.element, true}, {"^"}, {std::string_view(numbers_.back())}});
  }

  void write_tuple(const Tuple& t) {
    std::vector<Part> parts;
    for (TypeId element : types_.list(t.elements)) {
      if (!parts.empty()) parts.emplace_back(" # ");
      parts.emplace_back(element, true);
    }
    push(parts);
  }

  void write_record(const Record& r) {
    if (r.node >= 0) {
      const Symbol name = types_.node_info(r).name;
      return push(std::vector<Part>{{name ? symbols_.text(name) : std::string_view("node")}});
    }
    std::vector<Part> parts{{"{ "}};
    for (const Field& f : types_.list(r.fields)) {
      if (parts.size() > 1) parts.emplace_back(", ");
      parts.emplace_back(symbols_.text(f.name));
      parts.emplace_back(": ");
      parts.emplace_back(f.type);
    }
    parts.emplace_back(" }");
    push(parts);
  }

  void write_func(const Func& f) {
    const auto parameters = types_.list(f.parameters);
    std::vector<Part> parts;
    if (parameters.size() == 1) {
      parts.emplace_back(parameters[0], true);
    } else {
      parts.emplace_back("(");
      for (TypeId p : parameters) {
        if (parts.size() > 1) parts.emplace_back(", ");
        parts.emplace_back(p);
      }
      parts.emplace_back(")");
    }
    parts.emplace_back(" -> ");
    parts.emplace_back(f.result);
    push(parts);
  }

  void write_node(TypeId id) {
    match(
        types_[id], [&](UnknownType) { out_ += "?"; }, [&](Basic b) { out_ += basic_text(b.kind); },
        [&](List l) {
          push({{l.element, true}, {"*"}});
        },
        [&](Set s) {
          push({{"set("}, {s.element}, {")"}});
        },
        [&](Dict d) {
          push({{"dict("}, {d.key}, {", "}, {d.value}, {")"}});
        },
        [&](const Array& a) { write_array(a); }, [&](Tuple t) { write_tuple(t); },
        [&](Record r) { write_record(r); }, [&](Func f) { write_func(f); },
        [&](Dist d) {
          push({{"-> "}, {d.result, true}});
        },
        [&](Channel c) {
          const bool send = c.direction == Direction::Send;
          out_ += send ? "!" : c.direction == Direction::Receive ? "?" : "-";
          push({{c.element, true}});
        });
  }

  const Types& types_;
  const Interner& symbols_;
  std::vector<Item> todo_;
  std::deque<std::string> numbers_;  // a deque: the items point into it
  std::string out_;
};

int numeric_rank(const Types& types, TypeId id) {
  if (types.is(id, BasicType::Nat)) return 1;
  if (types.is(id, BasicType::Int)) return 2;
  if (types.is(id, BasicType::Real)) return 3;
  return 0;
}

/// Structural comparison, where unknown parts and lengths known only later agree with everything.
class Comparison {
 public:
  Comparison(const Types& types, bool channel_ends) : types_(types), ends_(channel_ends) {}

  bool agree(TypeId from, TypeId to) {
    todo_.emplace_back(from, to);
    for (int steps = 0; !todo_.empty() && steps < kCompareSteps; ++steps) {
      const auto [a, b] = todo_.back();
      todo_.pop_back();
      if (a == b || types_.is_unknown(a) || types_.is_unknown(b)) continue;
      if (types_[a].index() != types_[b].index() || !parts_agree(a, b)) return false;
    }
    return true;
  }

 private:
  template <class T>
  const T& get(TypeId id) const {
    return std::get<T>(types_[id]);
  }

  bool sequences(std::span<const TypeId> a, std::span<const TypeId> b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) todo_.emplace_back(a[i], b[i]);
    return true;
  }

  bool records(std::span<const Field> a, std::span<const Field> b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].name != b[i].name) return false;
      todo_.emplace_back(a[i].type, b[i].type);
    }
    return true;
  }

  bool arrays(const Array& a, const Array& b) {
    todo_.emplace_back(a.element, b.element);
    return a.length == b.length || a.length < 0 || b.length < 0;
  }

  bool channels(Channel a, Channel b) {
    todo_.emplace_back(a.element, b.element);
    return a.direction == b.direction || (ends_ && a.direction == Direction::Both);
  }

  bool parts_agree(TypeId a, TypeId b) {
    return match(
        types_[a], [](UnknownType) { return true; }, [](Basic) { return false; },
        [&](List l) { return todo_.emplace_back(l.element, get<List>(b).element), true; },
        [&](Set s) { return todo_.emplace_back(s.element, get<Set>(b).element), true; },
        [&](Dict d) {
          todo_.emplace_back(d.key, get<Dict>(b).key);
          todo_.emplace_back(d.value, get<Dict>(b).value);
          return true;
        },
        [&](const Array& x) { return arrays(x, get<Array>(b)); },
        [&](Tuple t) {
          return sequences(types_.list(t.elements), types_.list(get<Tuple>(b).elements));
        },
        [&](Record r) {
          const Record& other = get<Record>(b);
          return r.node == other.node && records(types_.list(r.fields), types_.list(other.fields));
        },
        [&](Func f) {
          todo_.emplace_back(f.result, get<Func>(b).result);
          return sequences(types_.list(f.parameters), types_.list(get<Func>(b).parameters));
        },
        [&](Dist d) { return todo_.emplace_back(d.result, get<Dist>(b).result), true; },
        [&](Channel c) { return channels(c, get<Channel>(b)); });
  }

  const Types& types_;
  bool ends_;
  std::vector<std::pair<TypeId, TypeId>> todo_;
};

}  // namespace

Types::Types() {
  intern(UnknownType{}, {0});
  for (int kind = 0; kind <= static_cast<int>(BasicType::Inst); ++kind) {
    intern(Basic{static_cast<BasicType>(kind)}, {1, kind});
  }
}

std::size_t Types::KeyHash::operator()(const std::vector<std::int64_t>& key) const {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::int64_t k : key) {
    h = (h ^ static_cast<std::uint64_t>(k)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return static_cast<std::size_t>(h);
}

TypeId Types::intern(TypeNode node, std::vector<std::int64_t> key) {
  const auto [at, added] = ids_.try_emplace(std::move(key), TypeId{nodes_.size()});
  if (added) {
    nodes_.add(node);
    facts_.add(derive_facts(node));
  }
  return at->second;
}

Types::Facts Types::derive_facts(const TypeNode& node) const {
  Facts facts;
  bool all_real = true, all_discrete = true;
  const auto contains = [&](TypeId part) {
    facts.depth = std::max(facts.depth, facts_[part].depth + 1);
    facts.data = facts.data && facts_[part].data;
    facts.node = facts.node || facts_[part].node;
    all_real = all_real && facts_[part].real_based;
    all_discrete = all_discrete && facts_[part].discrete_based;
  };
  const auto as_all = [&](bool not_empty) {
    facts.real_based = not_empty && all_real;
    facts.discrete_based = not_empty && all_discrete;
  };
  match(
      node, [&](UnknownType) { facts.real_based = true; },
      [&](Basic b) {
        facts.real_based = b.kind == BasicType::Real;
        facts.discrete_based =
            b.kind == BasicType::Bool || b.kind == BasicType::Nat || b.kind == BasicType::Int;
        facts.data = b.kind != BasicType::Void;
      },
      [&](List l) { contains(l.element); }, [&](Set s) { contains(s.element); },
      [&](Dict d) { contains(d.key), contains(d.value); },
      [&](const Array& a) { contains(a.element), as_all(true); },
      [&](Tuple t) {
        for (TypeId e : list(t.elements)) contains(e);
        as_all(!t.elements.empty());
      },
      [&](Record r) {
        for (const Field& f : list(r.fields)) contains(f.type);
        facts.node = facts.node || r.node >= 0;
        as_all(!r.fields.empty());
      },
      [&](Func f) {
        for (TypeId p : list(f.parameters)) contains(p);
        contains(f.result);
        facts.data = false;
      },
      [&](Dist d) { contains(d.result), facts.data = false; },
      [&](Channel c) { contains(c.element), facts.data = false; });
  return facts;
}

TypeId Types::list(TypeId element) { return intern(List{element}, {2, element.index}); }
TypeId Types::set(TypeId element) { return intern(Set{element}, {3, element.index}); }
TypeId Types::dict(TypeId key, TypeId value) {
  return intern(Dict{key, value}, {4, key.index, value.index});
}
TypeId Types::array(TypeId element, std::int64_t length, syntax::ExprId length_expr) {
  if (length >= 0) length_expr = {};
  return intern(Array{element, length, length_expr}, {5, element.index, length, length_expr.index});
}

TypeId Types::tuple(std::span<const TypeId> elements) {
  std::vector<std::int64_t> key{6};
  for (TypeId e : elements) key.push_back(e.index);
  if (const auto known = ids_.find(key); known != ids_.end()) return known->second;
  return intern(Tuple{add_types(elements)}, std::move(key));
}

TypeId Types::record(std::span<const Field> fields) {
  std::vector<std::int64_t> key{7};
  for (const Field& f : fields) {
    key.push_back(f.name.index);
    key.push_back(f.type.index);
  }
  if (const auto known = ids_.find(key); known != ids_.end()) return known->second;
  const Slice<Field> slice{static_cast<std::int32_t>(field_lists_.size()),
                           static_cast<std::int32_t>(fields.size())};
  field_lists_.insert(field_lists_.end(), fields.begin(), fields.end());
  return intern(Record{slice}, std::move(key));
}

TypeId Types::node(NodeInfo info, std::span<const Field> potentials) {
  const auto number = static_cast<std::int32_t>(nodes_info_.size());
  nodes_info_.push_back(info);
  const Slice<Field> slice{static_cast<std::int32_t>(field_lists_.size()),
                           static_cast<std::int32_t>(potentials.size())};
  field_lists_.insert(field_lists_.end(), potentials.begin(), potentials.end());
  return intern(Record{slice, number}, {11, number});
}

TypeId Types::func(std::span<const TypeId> parameters, TypeId result) {
  std::vector<std::int64_t> key{8, result.index};
  for (TypeId p : parameters) key.push_back(p.index);
  if (const auto known = ids_.find(key); known != ids_.end()) return known->second;
  return intern(Func{add_types(parameters), result}, std::move(key));
}

TypeId Types::dist(TypeId result) { return intern(Dist{result}, {9, result.index}); }
TypeId Types::channel(Direction direction, TypeId element) {
  return intern(Channel{direction, element}, {10, static_cast<int>(direction), element.index});
}

Slice<TypeId> Types::add_types(std::span<const TypeId> types) {
  const Slice<TypeId> slice{static_cast<std::int32_t>(type_lists_.size()),
                            static_cast<std::int32_t>(types.size())};
  // `types` may be rows of `type_lists_` itself, which growing it would move.
  const std::vector<TypeId> copy(types.begin(), types.end());
  type_lists_.insert(type_lists_.end(), copy.begin(), copy.end());
  return slice;
}

std::span<const TypeId> Types::list(Slice<TypeId> s) const {
  return std::span(type_lists_)
      .subspan(static_cast<std::size_t>(s.first), static_cast<std::size_t>(s.count));
}
std::span<const Field> Types::list(Slice<Field> s) const {
  return std::span(field_lists_)
      .subspan(static_cast<std::size_t>(s.first), static_cast<std::size_t>(s.count));
}

bool Types::is_numeric(TypeId id) const { return numeric_rank(*this, id) > 0; }
bool Types::is_integer(TypeId id) const { return is(id, BasicType::Nat) || is(id, BasicType::Int); }

TypeId Types::innermost(TypeId id) const {
  while (const auto* array = std::get_if<Array>(&nodes_[id])) id = array->element;
  return id;
}
TypeId Types::channel_of(TypeId id) const {
  id = innermost(id);
  return std::holds_alternative<Channel>(nodes_[id]) ? id : TypeId{};
}
TypeId Types::distribution_of(TypeId id) const {
  id = innermost(id);
  return std::holds_alternative<Dist>(nodes_[id]) ? id : TypeId{};
}

TypeId Types::node_of(TypeId id) const {
  id = innermost(id);
  const auto* record = std::get_if<Record>(&nodes_[id]);
  return record != nullptr && record->node >= 0 ? id : TypeId{};
}
const NodeInfo& Types::node_info(const Record& node) const {
  return nodes_info_[static_cast<std::size_t>(node.node)];
}
TypeId Types::flows_of(TypeId id) {
  const TypeNode node = nodes_[id];
  if (const auto* a = std::get_if<Array>(&node)) {
    return array(flows_of(a->element), a->length, a->length_expr);
  }
  return node_info(std::get<Record>(node)).flows;
}

std::string Types::text(TypeId id, const Interner& symbols) const {
  return TypeWriter(*this, symbols).write(id);
}

bool fits(const Types& types, TypeId from, TypeId to) {
  if (from == to || types.is_unknown(from) || types.is_unknown(to)) return true;
  const int a = numeric_rank(types, from);
  const int b = numeric_rank(types, to);
  if (a > 0 && b > 0) return a <= b || (a == 2 && b == 1);
  return Comparison(types, true).agree(from, to);
}

bool same_type(const Types& types, TypeId a, TypeId b) {
  return Comparison(types, false).agree(a, b);
}

std::optional<TypeId> join(const Types& types, TypeId a, TypeId b) {
  if (a == b || types.is_unknown(b)) return a;
  if (types.is_unknown(a)) return b;
  const int rank_a = numeric_rank(types, a);
  const int rank_b = numeric_rank(types, b);
  if (rank_a > 0 && rank_b > 0) return rank_a > rank_b ? a : b;
  if (same_type(types, a, b)) return a;
  return std::nullopt;
}

}  // namespace chi::sema
