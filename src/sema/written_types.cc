#include "sema/written_types.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/evaluate.h"
#include "sema/expressions.h"
#include "sema/suggest.h"

namespace chi::sema {
namespace {

constexpr std::int64_t kLongestArray = 100'000'000;

class Resolver {
 public:
  explicit Resolver(Context& c) : c_(c) {}

  /// Parts precede the whole in the table, so one sweep by id finds every part resolved.
  TypeId resolve(syntax::TypeId root) {
    collect(root);
    std::sort(order_.begin(), order_.end());
    for (syntax::TypeId t : order_) {
      TypeId type = resolve_node(t);
      if (c_.types.depth(type) > kMaxTypeDepth) type = too_deep(t);
      c_.model.written_type[t] = type;
    }
    return c_.model.written_type[root];
  }

 private:
  void collect(syntax::TypeId root) {
    using namespace syntax;
    order_ = {root};
    const auto add = [&](syntax::TypeId part) {
      if (part) order_.push_back(part);
    };
    for (std::size_t i = 0; i < order_.size(); ++i) {
      match(
          c_.ast.types[order_[i]].node, [](const syntax::Basic&) {}, [](const TypeName&) {},
          [](const Error&) {}, [&](const ListType& n) { add(n.element); },
          [&](const SetType& n) { add(n.element); },
          [&](const DictType& n) { add(n.key), add(n.value); },
          [&](const ArrayType& n) { add(n.element); },
          [&](const TupleType& n) {
            for (syntax::TypeId e : c_.ast.list(n.elements)) add(e);
          },
          [&](const RecordType& n) {
            for (const FieldType& f : c_.ast.list(n.fields)) add(f.type);
          },
          [&](const NodeType& n) {
            for (const NodeField& f : c_.ast.list(n.fields)) add(f.type);
          },
          [&](const FuncType& n) {
            for (syntax::TypeId p : c_.ast.list(n.parameters)) add(p);
            add(n.result);
          },
          [&](const DistType& n) { add(n.result); }, [&](const ChannelType& n) { add(n.element); });
    }
  }

  TypeId resolve_node(syntax::TypeId t) {
    using namespace syntax;
    return match(
        c_.ast.types[t].node, [&](const syntax::Basic& n) { return c_.types.basic(n.type); },
        [&](const TypeName& n) { return alias(n.name, t); },
        [&](const ListType& n) { return c_.types.list(data(n.element, "a list")); },
        [&](const SetType& n) { return c_.types.set(data(n.element, "a set")); },
        [&](const DictType& n) {
          const sema::TypeId key = data(n.key, "a dictionary");
          return c_.types.dict(key, data(n.value, "a dictionary"));
        },
        [&](const ArrayType& n) { return array(n); }, [&](const TupleType& n) { return tuple(n); },
        [&](const RecordType& n) { return record(n); },
        [&](const NodeType& n) { return node(t, n); }, [&](const FuncType& n) { return func(n); },
        [&](const DistType& n) { return dist(n); },
        [&](const ChannelType& n) { return channel(n); },
        [&](const Error&) { return c_.unknown(); });
  }

  TypeId of(syntax::TypeId part) { return part ? c_.model.written_type[part] : c_.unknown(); }

  TypeId reject(syntax::TypeId part, std::string_view place) {
    c_.report({.code = DiagCode::BadTypePlace,
               .span = c_.ast.types[part].span,
               .message = fmt::format("`{}` cannot be part of {}", c_.text(of(part)), place)});
    return c_.unknown();
  }

  TypeId too_deep(syntax::TypeId t) {
    c_.report({.code = DiagCode::TypeTooDeep,
               .span = c_.ast.types[t].span,
               .message = fmt::format("this type nests more than {} levels deep", kMaxTypeDepth)});
    return c_.unknown();
  }

  TypeId data(syntax::TypeId part, std::string_view place) {
    return c_.types.is_data(of(part)) ? of(part) : reject(part, place);
  }

  TypeId alias(Symbol name, syntax::TypeId written) {
    const Span span = c_.ast.types[written].span;
    if (!name) return c_.unknown();
    const DeclId decl = c_.top_level[name];
    if (!decl && c_.text(name) == "inst") return c_.types.basic(BasicType::Inst);
    if (!decl) {
      c_.report({.code = DiagCode::UndeclaredName,
                 .span = span,
                 .message = fmt::format("type `{}` is not declared", c_.text(name)),
                 .help = suggest(c_, name, Wanted::Type)});
      return c_.unknown();
    }
    c_.check_ambiguous(name, decl, span);
    const Decl& d = c_.model.decls[decl];
    if (c_.ast.has_units()) c_.model.written_alias[written] = decl;
    if (d.kind == DeclKind::TypeAlias) return d.type;
    c_.report({.code = DiagCode::NotAType,
               .span = span,
               .message = fmt::format("`{}` is not a type", c_.text(name)),
               .labels = {{d.span, "declared here"}}});
    return c_.unknown();
  }

  TypeId array(const syntax::ArrayType& n) {
    TypeId element = of(n.element);
    const bool part = c_.types.is_data(element) || c_.types.channel_of(element) ||
                      c_.types.distribution_of(element);
    if (!part) element = reject(n.element, "an array");
    if (!n.length) return c_.types.array(element, -1, {});
    return array_of_length(c_, element, n.length);
  }

  TypeId tuple(const syntax::TupleType& n) {
    std::vector<TypeId> elements;
    for (syntax::TypeId e : c_.ast.list(n.elements)) elements.push_back(data(e, "a tuple"));
    return c_.types.tuple(elements);
  }

  TypeId record(const syntax::RecordType& n) {
    std::vector<Field> fields;
    std::unordered_map<Symbol, Span> first;
    for (const syntax::FieldType& f : c_.ast.list(n.fields)) {
      if (!f.field) continue;
      const auto [at, added] = first.emplace(f.field.name, f.field.span);
      if (added) {
        fields.push_back({f.field.name, data(f.type, "a record")});
        continue;
      }
      c_.report({.code = DiagCode::DuplicateField,
                 .span = f.field.span,
                 .message = fmt::format("field `{}` is declared twice", c_.text(f.field.name)),
                 .labels = {{at->second, "first declared here"}}});
    }
    return c_.types.record(fields);
  }

  /// Named by the definition that is being checked, if that is a type.
  TypeId node(syntax::TypeId t, const syntax::NodeType& n) {
    std::vector<Field> potentials, flows;
    std::unordered_map<Symbol, Span> first;
    for (const syntax::NodeField& f : c_.ast.list(n.fields)) {
      if (!f.field) return c_.unknown();
      const auto [at, added] = first.emplace(f.field.name, f.field.span);
      if (!added) {
        c_.report({.code = DiagCode::DuplicateField,
                   .span = f.field.span,
                   .message = fmt::format("field `{}` is declared twice", c_.text(f.field.name)),
                   .labels = {{at->second, "first declared here"}}});
        return c_.unknown();
      }
      if (c_.types.is_unknown(of(f.type))) return c_.unknown();
      if (!is_quantity(of(f.type))) {
        c_.report(
            {.code = DiagCode::BadNodeType,
             .span = c_.ast.types[f.type].span,
             .message = fmt::format("a field of a node is real, found `{}`", c_.text(of(f.type))),
             .help = "`real`, or an array such as `real^3`"});
        return c_.unknown();
      }
      (f.is_flow ? flows : potentials).push_back({f.field.name, of(f.type)});
    }
    if (flows.empty() || potentials.empty()) {
      c_.report({.code = DiagCode::BadNodeType,
                 .span = c_.ast.types[t].span,
                 .message = flows.empty() ? "a node type without a flow"
                                          : "a node type without a potential",
                 .help = "what all instances at a node share is a potential, what adds up to zero "
                         "is a flow: `node { v: real, flow i: real }`"});
      return c_.unknown();
    }
    const syntax::Definition* own =
        c_.definition < 0 ? nullptr : &c_.ast.definitions[static_cast<std::size_t>(c_.definition)];
    const auto* named = own == nullptr ? nullptr : std::get_if<syntax::TypeDef>(&own->node);
    const Symbol name = named != nullptr && named->type == t ? named->name.name : Symbol{};
    return c_.types.node({name, c_.types.record(flows)}, potentials);
  }

  /// Real, or an array of such whose length is known.
  bool is_quantity(TypeId type) const {
    while (const auto array = c_.as<Array>(type)) {
      if (array->length < 0) return false;
      type = array->element;
    }
    return c_.types.is(type, BasicType::Real);
  }

  TypeId func(const syntax::FuncType& n) {
    std::vector<TypeId> parameters;
    for (syntax::TypeId p : c_.ast.list(n.parameters)) {
      const bool function = c_.as<Func>(of(p)).has_value();
      parameters.push_back(function ? of(p) : data(p, "the parameters of a function"));
    }
    return c_.types.func(parameters, data(n.result, "the result of a function"));
  }

  TypeId dist(const syntax::DistType& n) {
    const TypeId result = of(n.result);
    const bool simple = c_.types.is_numeric(result) || c_.types.is(result, BasicType::Bool) ||
                        c_.types.is_unknown(result);
    return c_.types.dist(simple ? result : reject(n.result, "a distribution"));
  }

  TypeId channel(const syntax::ChannelType& n) {
    const TypeId element = of(n.element);
    const bool sendable = c_.types.is_data(element) || c_.types.is(element, BasicType::Void);
    return c_.types.channel(n.direction, sendable ? element : reject(n.element, "a channel"));
  }

  Context& c_;
  std::vector<syntax::TypeId> order_;
};

/// A length fails silently if what it needs was reported, or needs this very type.
TypeId unknown_length(Context& c, ExprId length) {
  if (!c.diagnostics.has_errors()) {
    c.report({.code = DiagCode::ArrayLength,
              .span = c.span(length),
              .message = "this length needs a function that needs the length"});
  }
  return c.unknown();
}

}  // namespace

TypeId array_of_length(Context& c, TypeId element, ExprId length) {
  const PlaceGuard place(c, Place::BeforeRun);
  const int open = c.open_names;
  const int errors = c.diagnostics.error_count();
  require_integer(c, length, "an array length");
  if (c.diagnostics.error_count() > errors) return c.unknown();
  if (c.open_names > open) return c.types.array(element, -1, length);
  const auto value = evaluate(c.model, length, c.int_type(), {}, c.diagnostics);
  if (!value) return unknown_length(c, length);
  const std::int64_t known = std::get<std::int64_t>(value->data);
  if (known >= 0 && known <= kLongestArray) return c.types.array(element, known, {});
  c.report({.code = DiagCode::ArrayLength,
            .span = c.span(length),
            .message = fmt::format("an array cannot have {} elements", known)});
  return c.unknown();
}

TypeId resolve_type(Context& c, syntax::TypeId written) {
  return written ? Resolver(c).resolve(written) : c.unknown();
}

}  // namespace chi::sema
