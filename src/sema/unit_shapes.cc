#include "sema/unit_shapes.h"

#include <algorithm>

#include "base/match.h"

namespace chi::sema {
namespace {

/// Aliases may double a type at each level; what is beyond so many reals is not checked.
constexpr int kMostReals = 10'000;

}  // namespace

UnitShapes::UnitShapes(Context& c) : units(c.ast.units), c_(c) {
  add({.parts = {}});
  add({.kind = Kind::Plain, .parts = {}});
  add({.kind = Kind::Bare, .zero = true, .parts = {}});
  add({.kind = Kind::Bare, .parts = {}});
  real(terms.known({}));
  real(terms.known(units::Dimension::of(units::Base::Second)));
}

ShapeId UnitShapes::add(UnitShape shape) {
  rows_.push_back(shape);
  return static_cast<ShapeId>(rows_.size()) - 1;
}

ShapeId UnitShapes::compound(Kind kind, std::span<const ShapeId> parts) {
  const Slice<ShapeId> slice{static_cast<std::int32_t>(lists_.size()),
                             static_cast<std::int32_t>(parts.size())};
  lists_.insert(lists_.end(), parts.begin(), parts.end());
  return add({.kind = kind, .parts = slice});
}

ShapeId UnitShapes::quantity(const syntax::Quantity& quantity) {
  const units::Unit& u = unit(quantity.unit);
  return add({.kind = Kind::Real,
              .term = terms.known(u.dimension),
              .unit = quantity.unit,
              .temperature = u.has_offset(),
              .parts = {}});
}

ShapeId UnitShapes::of_written(syntax::TypeId root, std::int32_t owner) {
  left_ = kMostReals;
  const auto of = [&](const auto& self, syntax::TypeId written) -> ShapeId {
    if (!written || left_ <= 0) return any();
    const auto all = [&](Kind kind, const auto& types) {
      std::vector<ShapeId> parts;
      for (const syntax::TypeId t : types) parts.push_back(self(self, t));
      return compound(kind, parts);
    };
    return match(
        c_.ast.types[written].node,
        [&](const syntax::Basic& n) {
          --left_;
          if (n.type == BasicType::Nat || n.type == BasicType::Int) return bare(false);
          if (n.type != BasicType::Real) return plain();
          const syntax::TypeUnit* u = c_.ast.unit_of(written);
          if (u == nullptr) return real(terms.unknown(owner));
          return add({.kind = Kind::Real,
                      .term = terms.known(unit(u->unit).dimension),
                      .unit = u->unit,
                      .parts = {}});
        },
        [&](const syntax::TypeName&) {
          const auto alias = c_.model.written_alias.find(written);
          if (alias == c_.model.written_alias.end()) return plain();  // inst
          const Decl& d = c_.model.decls[alias->second];
          const auto& definition = c_.ast.definitions[static_cast<std::size_t>(d.owner)].node;
          const auto* type = std::get_if<syntax::TypeDef>(&definition);
          return type == nullptr ? any() : self(self, type->type);
        },
        [&](const syntax::ListType& n) { return self(self, n.element); },
        [&](const syntax::SetType& n) { return self(self, n.element); },
        [&](const syntax::ArrayType& n) { return self(self, n.element); },
        [&](const syntax::DistType& n) { return self(self, n.result); },
        [&](const syntax::ChannelType& n) { return self(self, n.element); },
        [&](const syntax::DictType& n) {
          return all(Kind::Parts, std::array{n.key, n.value});
        },
        [&](const syntax::TupleType& n) { return all(Kind::Parts, c_.ast.list(n.elements)); },
        [&](const syntax::RecordType& n) {
          std::vector<syntax::TypeId> types;
          for (const auto& f : c_.ast.list(n.fields)) types.push_back(f.type);
          return all(Kind::Parts, types);
        },
        [&](const syntax::NodeType& n) {
          std::vector<ShapeId> parts;
          node_fields(n, false, owner, parts);
          return compound(Kind::Parts, parts);
        },
        [&](const syntax::FuncType& n) {
          std::vector<syntax::TypeId> types(c_.ast.list(n.parameters).begin(),
                                            c_.ast.list(n.parameters).end());
          types.push_back(n.result);
          return all(Kind::Function, types);
        },
        [&](const syntax::Error&) { return any(); });
  };
  return of(of, root);
}

// The fields of nodes are reals or arrays of such.
void UnitShapes::node_fields(const syntax::NodeType& node, bool flows, std::int32_t owner,
                             std::vector<ShapeId>& parts) {
  for (const syntax::NodeField& f : c_.ast.list(node.fields)) {
    if (f.is_flow == flows) parts.push_back(of_written(f.type, owner));
  }
}

syntax::TypeId UnitShapes::node_type_under(syntax::TypeId written) const {
  while (written) {
    const auto& node = c_.ast.types[written].node;
    if (std::holds_alternative<syntax::NodeType>(node)) return written;
    if (const auto* array = std::get_if<syntax::ArrayType>(&node)) {
      written = array->element;
      continue;
    }
    const auto alias = c_.model.written_alias.find(written);
    if (alias == c_.model.written_alias.end()) return {};
    const Decl& d = c_.model.decls[alias->second];
    const auto& definition = c_.ast.definitions[static_cast<std::size_t>(d.owner)].node;
    const auto* type = std::get_if<syntax::TypeDef>(&definition);
    written = type == nullptr ? syntax::TypeId{} : type->type;
  }
  return {};
}

ShapeId UnitShapes::flows_of_written(syntax::TypeId written, std::int32_t owner) {
  const syntax::TypeId node = node_type_under(written);
  if (!node) return any();
  std::vector<ShapeId> parts;
  node_fields(std::get<syntax::NodeType>(c_.ast.types[node].node), true, owner, parts);
  return compound(Kind::Parts, parts);
}

ShapeId UnitShapes::element(ShapeId whole, std::int32_t part) const {
  if ((*this)[whole].kind != Kind::Parts || part < 0 || part >= (*this)[whole].parts.count)
    return any();
  return parts(whole)[static_cast<std::size_t>(part)];
}

std::int32_t UnitShapes::odd_unit(ShapeId id) {
  const UnitShape& shape = (*this)[id];
  if (shape.kind != Kind::Real) return -1;
  if (shape.unit >= 0 && !unit(shape.unit).is_coherent()) return shape.unit;
  return shape.made_of >= 0 ? shape.made_of : terms.stands_for(shape.term);
}

// A number beside a quotient of two values in one unit can be a pure number only; so it can where
// the dimension is 1 and no unit of angles or per cent took part.
ShapeId UnitShapes::product(ShapeId a, ShapeId b, units::Rational power_of_b) {
  if (is_bare(a) && is_bare(b)) return bare((*this)[a].zero || (*this)[b].zero);
  if (is_bare(b) && is_real(a)) {
    const bool offset = (*this)[a].unit >= 0 && unit((*this)[a].unit).has_offset();
    return offset ? without_unit(a) : a;
  }
  if (is_bare(a)) a = one();
  if (!is_real(a) || !is_real(b)) return any();
  const std::int32_t odd = std::max(odd_unit(a), odd_unit(b));
  const bool same = power_of_b == units::Rational(-1) && (*this)[a].unit >= 0 &&
                    same_unit((*this)[a].unit, (*this)[b].unit);
  if (a == one() && power_of_b == units::Rational(1)) {
    return (*this)[b].unit >= 0 && unit((*this)[b].unit).has_offset() ? without_unit(b) : b;
  }
  const TermId term = terms.product((*this)[a].term, (*this)[b].term, power_of_b);
  const bool pure = same || (odd >= 0 && terms.is_one(term) && !unit(odd).dimension.is_one());
  return add({.kind = Kind::Real, .term = term, .made_of = pure ? -1 : odd, .parts = {}});
}

ShapeId UnitShapes::power(ShapeId a, units::Rational exponent) {
  if (!is_real(a)) return a;
  if (exponent.is_zero()) return one();
  const TermId term = terms.power((*this)[a].term, exponent);
  return add({.kind = Kind::Real, .term = term, .made_of = odd_unit(a), .parts = {}});
}

ShapeId UnitShapes::derivative(ShapeId a) {
  const UnitShape shape = (*this)[a];
  if (shape.kind == Kind::Real) {
    UnitShape result = shape;
    result.term = terms.product(shape.term, (*this)[seconds()].term, -1);
    result.unit = shape.unit < 0 ? -1 : number_of(units::per_second(unit(shape.unit)));
    result.temperature = result.difference = false;
    return add(result);
  }
  if (shape.kind != Kind::Parts) return a;
  std::vector<ShapeId> made(parts(a).begin(), parts(a).end());
  for (ShapeId& part : made) part = derivative(part);
  return compound(Kind::Parts, made);
}

ShapeId UnitShapes::without_unit(ShapeId a) {
  UnitShape shape = (*this)[a];
  if (shape.kind != Kind::Real) return a;
  shape.made_of = odd_unit(a);
  shape.unit = -1;
  return add(shape);
}

ShapeId UnitShapes::instance(ShapeId id, std::int32_t owner, std::int32_t user,
                             DimensionTerms::Renamed& renamed) {
  UnitShape shape = (*this)[id];
  if (shape.kind == Kind::Real) {
    const TermId term = terms.instance(shape.term, owner, user, renamed);
    if (term == shape.term) return id;
    shape.term = term;
    return add(shape);
  }
  if (shape.kind != Kind::Parts && shape.kind != Kind::Function) return id;
  std::vector<ShapeId> made(parts(id).begin(), parts(id).end());
  bool differs = false;
  for (ShapeId& part : made) {
    const ShapeId was = std::exchange(part, instance(part, owner, user, renamed));
    differs |= part != was;
  }
  return differs ? compound(shape.kind, made) : id;
}

std::string UnitShapes::text(ShapeId id) {
  const UnitShape& shape = (*this)[id];
  if (shape.kind == Kind::Real && shape.unit >= 0) return unit(shape.unit).text;
  return coherent_text(id);
}

std::string UnitShapes::coherent_text(ShapeId id) {
  const auto dimension = is_real(id) ? terms.value((*this)[id].term) : std::nullopt;
  if (dimension) return units::unit_text(*dimension);
  if (!is_real(id)) return is_bare(id) ? "1" : "?";
  const std::string known = units::unit_text(terms.fixed((*this)[id].term));
  return known == "1" ? "?" : "?." + known;
}

bool UnitShapes::same_unit(std::int32_t a, std::int32_t b) const {
  if (a == b) return true;
  if (a < 0 || b < 0) return false;
  const units::Unit &x = unit(a), &y = unit(b);
  return x.dimension == y.dimension && x.numerator == y.numerator &&
         x.denominator == y.denominator && x.offset == y.offset;
}

std::int32_t UnitShapes::number_of(const units::Unit& wanted) {
  const auto at = std::ranges::find_if(units, [&](const units::Unit& u) {
    return u.text == wanted.text && u.numerator == wanted.numerator && u.offset == wanted.offset &&
           u.denominator == wanted.denominator && u.dimension == wanted.dimension;
  });
  if (at != units.end()) return static_cast<std::int32_t>(at - units.begin());
  units.push_back(wanted);
  return static_cast<std::int32_t>(units.size()) - 1;
}

}  // namespace chi::sema
