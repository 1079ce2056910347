#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sema/context.h"
#include "sema/dimension_terms.h"

/// What the values of a model measure, while it is inferred. Internal to sema/.
namespace chi::sema {

using ShapeId = std::int32_t;

/// The dimensions of a value in the form of its type; a list, set, array, channel or distribution
/// has the shape of its elements.
struct UnitShape {
  enum class Kind : std::uint8_t {
    Any,       ///< fits everything: follows an error, or an empty list
    Plain,     ///< no number: bool, string
    Bare,      ///< a number without a unit, or made of such: 1 in a product, adapts in a sum
    Real,      ///< of the dimension `term`
    Parts,     ///< tuple, record; a dictionary: keys, values
    Function,  ///< parameters, then the result
  };
  Kind kind = Kind::Any;
  TermId term = -1;
  std::int32_t unit = -1;  ///< Real: the unit it is written in, into UnitShapes::units
  /// Real: a unit that is not coherent, of something it was computed from.
  std::int32_t made_of = -1;
  bool zero = false;         ///< Bare: the same in every unit without an offset
  bool temperature = false;  ///< Real: written as a number in a unit with an offset
  bool difference = false;   ///< Real: of two values in a unit with an offset
  Slice<ShapeId> parts;
};

class UnitShapes {
 public:
  using Kind = UnitShape::Kind;
  explicit UnitShapes(Context& c);

  const UnitShape& operator[](ShapeId id) const { return rows_[static_cast<std::size_t>(id)]; }
  std::span<const ShapeId> parts(ShapeId id) const {
    const Slice<ShapeId> s = (*this)[id].parts;
    return std::span(lists_).subspan(static_cast<std::size_t>(s.first),
                                     static_cast<std::size_t>(s.count));
  }
  ShapeId any() const { return 0; }
  ShapeId plain() const { return 1; }
  ShapeId bare(bool zero) const { return zero ? 2 : 3; }
  ShapeId one() const { return 4; }      ///< a pure number, computed
  ShapeId seconds() const { return 5; }  ///< a time
  ShapeId add(UnitShape shape);
  ShapeId compound(Kind kind, std::span<const ShapeId> parts);
  ShapeId real(TermId term) { return add({.kind = Kind::Real, .term = term, .parts = {}}); }
  ShapeId quantity(const syntax::Quantity& quantity);

  /// Of a type as it is written. Each real without a unit is a new unknown of `owner`.
  ShapeId of_written(syntax::TypeId written, std::int32_t owner);
  /// The flows of a node of a type as it is written; `any` if it is none.
  ShapeId flows_of_written(syntax::TypeId written, std::int32_t owner);
  ShapeId element(ShapeId dict, std::int32_t part) const;

  /// What both may be. A unit that both are written in is kept.
  ShapeId product(ShapeId a, ShapeId b, units::Rational power_of_b);
  ShapeId power(ShapeId a, units::Rational exponent);
  ShapeId derivative(ShapeId a);
  ShapeId without_unit(ShapeId a);
  ShapeId instance(ShapeId shape, std::int32_t owner, std::int32_t user,
                   DimensionTerms::Renamed& renamed);

  bool is_real(ShapeId id) const { return (*this)[id].kind == Kind::Real; }
  bool is_bare(ShapeId id) const { return (*this)[id].kind == Kind::Bare; }
  /// The unit, not coherent, that a real is in or was computed from; -1 if none.
  std::int32_t odd_unit(ShapeId real);
  const units::Unit& unit(std::int32_t number) const {
    return units[static_cast<std::size_t>(number)];
  }
  /// The unit of a real as it is said to people: the one it is written in, or the coherent one.
  std::string text(ShapeId real);
  /// The coherent unit of a real; `?` for what is not known.
  std::string coherent_text(ShapeId real);
  /// Whether two numbers of units, or none, mean the same however they are written.
  bool same_unit(std::int32_t a, std::int32_t b) const;
  std::int32_t number_of(const units::Unit& unit);

  DimensionTerms terms;
  std::vector<units::Unit> units;  ///< those of the text, in its order, and those made of them

 private:
  void node_fields(const syntax::NodeType& node, bool flows, std::int32_t owner,
                   std::vector<ShapeId>& parts);
  syntax::TypeId node_type_under(syntax::TypeId written) const;

  Context& c_;
  std::vector<UnitShape> rows_;
  std::vector<ShapeId> lists_;
  int left_ = 0;  // reals that the type being read may still have
};

}  // namespace chi::sema
