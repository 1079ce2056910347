#include <algorithm>

#include <fmt/format.h>

#include "base/match.h"
#include "syntax/parser.h"

namespace chi::syntax::detail {

TypeId Parser::add_type(Type t) {
  std::int16_t depth = 0;
  const auto child = [&](TypeId id) {
    if (id) depth = std::max(depth, type_depth_[static_cast<std::size_t>(id.index)]);
  };
  match(
      t.node, [](const Basic&) {}, [](const TypeName&) {}, [](const Error&) {},
      [&](const ListType& n) { child(n.element); }, [&](const SetType& n) { child(n.element); },
      [&](const DictType& n) { child(n.key), child(n.value); },
      [&](const ArrayType& n) { child(n.element); },
      [&](const TupleType& n) {
        for (const TypeId id : ast_.list(n.elements)) child(id);
      },
      [&](const RecordType& n) {
        for (const FieldType& f : ast_.list(n.fields)) child(f.type);
      },
      [&](const NodeType& n) {
        for (const NodeField& f : ast_.list(n.fields)) child(f.type);
      },
      [&](const FuncType& n) {
        for (const TypeId id : ast_.list(n.parameters)) child(id);
        child(n.result);
      },
      [&](const DistType& n) { child(n.result); }, [&](const ChannelType& n) { child(n.element); });
  if (++depth > kMaxNesting) {
    if (!too_deep_) {
      slip({.code = DiagCode::BeyondLimits,
            .span = t.span,
            .message = fmt::format("a type nested deeper than {} levels", kMaxNesting)});
    }
    too_deep_ = true;
    t.node = Error{};
    depth = 1;
  }
  type_depth_.push_back(depth);
  return ast_.types.add(t);
}

// type ::= '->' type | product ['->' type]
TypeId Parser::type() {
  const Span begin = span();
  TypeId result;
  if (!enter() || panic_) {
    result = add_type({begin, Error{}});
  } else if (accept(K::Arrow)) {
    const TypeId of = type();
    result = add_type({since(begin), DistType{of}});
  } else if (at(K::LeftParen) && parameter_types_at(at_)) {
    result = func_type();
  } else {
    result = product();
    if (accept(K::Arrow)) {
      const TypeId value = type();
      result = add_type({since(begin), FuncType{store(ast_.type_lists, {result}), value}});
    }
  }
  leave();
  return result;
}

// `(T, U)` or `()`: only the parameters of a function look like that.
bool Parser::parameter_types_at(std::int32_t i) const {
  if (kind_at(i + 1) == K::RightParen) return true;
  return find_ahead(i + 1, {K::Comma}, {}) >= 0;
}

TypeId Parser::func_type() {
  const std::int32_t open = at_++;
  std::vector<TypeId> parameters;
  if (!at(K::RightParen)) {
    do {
      parameters.push_back(type());
      recover_in(open, {K::Comma});
    } while (accept(K::Comma));
  }
  close(open, "`,` or `)` after a type");
  expect(K::Arrow, "after the parameter types of a function");
  const TypeId value = type();
  return add_type({since(span_at(open)), FuncType{store(ast_.type_lists, parameters), value}});
}

// product ::= ('!' | '?' | '-') product ['many'] | postfix {'#' postfix}. `many` is a word only
// here.
TypeId Parser::product() {
  const Span begin = span();
  if (at_any({K::Bang, K::Question, K::Minus}) && !panic_) {
    const Direction direction = at(K::Bang)       ? Direction::Send
                                : at(K::Question) ? Direction::Receive
                                                  : Direction::Both;
    ++at_;
    const TypeId element = enter() ? product() : add_type({begin, Error{}});
    leave();
    const bool many = word_at(at_, "many") && kind(1) != K::Colon;
    if (many) ++at_;
    return add_type({since(begin), ChannelType{direction, element, many}});
  }
  std::vector<TypeId> elements{postfix_type()};
  while (accept(K::Hash)) elements.push_back(postfix_type());
  if (elements.size() == 1) return elements.front();
  return add_type({since(begin), TupleType{store(ast_.type_lists, elements)}});
}

TypeId Parser::postfix_type() {
  const Span begin = span();
  TypeId result = atomic_type();
  while (!panic_) {
    if (accept(K::Star)) {
      result = add_type({since(begin), ListType{result}});
    } else if (accept(K::Caret)) {
      const ExprId length = postfix();
      result = add_type({since(begin), ArrayType{result, length}});
    } else if (!stray_closer()) {
      break;
    }
  }
  return result;
}

TypeId Parser::atomic_type() {
  if (panic_) return add_type({span(), Error{}});
  const auto basic = [&](BasicType b) {
    ++at_;
    return add_type({previous(), Basic{b}});
  };
  switch (kind()) {
    case K::Bool: return basic(BasicType::Bool);
    case K::Nat: return basic(BasicType::Nat);
    case K::Int: return basic(BasicType::Int);
    case K::RealType: {
      const Span begin = span();
      ++at_;
      if (!at(K::Unit)) return add_type({begin, Basic{BasicType::Real}});
      const Span written = span();
      const std::int32_t row = unit();
      const TypeId result = add_type({since(begin), Basic{BasicType::Real}});
      if (row >= 0) ast_.type_units.push_back({result, row, written});
      return result;
    }
    case K::StringType: return basic(BasicType::String);
    case K::Void: return basic(BasicType::Void);
    case K::Ident: {
      if (kind(1) == K::LeftBrace && text(span()) == "node") return node_type();
      const Ident name = qualified_name("a type");
      return add_type({name.span, TypeName{name.name}});
    }
    case K::Set:
    case K::Dict: return container_type();
    case K::LeftParen: return paren_type();
    case K::LeftBrace: return record_type();
    default: break;
  }
  fail({.code = DiagCode::ExpectedType,
        .span = span(),
        .message = fmt::format("expected a type, found {}", found())});
  return add_type({span(), Error{}});
}

TypeId Parser::container_type() {
  const Span begin = span();
  const bool is_set = accept(K::Set);
  if (!is_set) ++at_;
  const std::int32_t open = at_;
  if (!expect(K::LeftParen, is_set ? "after `set`" : "after `dict`"))
    return add_type({begin, Error{}});
  const TypeId first = type();
  TypeId second;
  if (!is_set) {
    expect(K::Comma, "between the types of keys and values");
    second = type();
  }
  close(open, "`)`");
  if (is_set) return add_type({since(begin), SetType{first}});
  return add_type({since(begin), DictType{first, second}});
}

TypeId Parser::paren_type() {
  const std::int32_t open = at_++;
  const TypeId inner = type();
  close(open, "`)` after the type");
  return inner;
}

TypeId Parser::record_type() {
  const std::int32_t open = at_++;
  std::vector<FieldType> fields;
  do {
    const std::vector<Ident> group = names("a field");
    expect(K::Colon, "after the field");
    const TypeId of = type();
    for (const Ident name : group) fields.push_back({name, of});
    recover_in(open, {K::Comma});
  } while (accept(K::Comma));
  close(open, "`,` or `}` after the field");
  return add_type({since(span_at(open)), RecordType{store(ast_.field_types, fields)}});
}

// node ::= 'node' '{' ['flow'] id {',' id} ':' type {',' ...} '}'. `node` and `flow` are words only
// here: before a brace, and before the name of a field.
TypeId Parser::node_type() {
  const Span begin = span();
  const std::int32_t open = ++at_;
  ++at_;
  std::vector<NodeField> fields;
  do {
    const bool is_flow = at(K::Ident) && text(span()) == "flow" && kind(1) == K::Ident;
    if (is_flow) ++at_;
    const std::vector<Ident> group = names("a field");
    expect(K::Colon, "after the field");
    const TypeId of = type();
    for (const Ident name : group) fields.push_back({name, of, is_flow});
    recover_in(open, {K::Comma});
  } while (accept(K::Comma));
  const bool broken = panic_ || partner(open) < 0;
  close(open, "`,` or `}` after the field");
  if (broken) return add_type({since(begin), Error{}});
  return add_type({since(begin), NodeType{store(ast_.node_fields, fields)}});
}

}  // namespace chi::syntax::detail
