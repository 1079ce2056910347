#include "sema/unit_measures.h"

namespace chi::sema {
namespace {

class Filler {
 public:
  Filler(Context& c, UnitRules& rules) : shapes_(rules.shapes), measures_(c.model.measures) {}

  MeasureId measure(ShapeId id) {
    const UnitShape shape = shapes_[id];
    if (shape.kind == UnitShape::Kind::Real) {
      const std::int32_t unit = unit_of(shape);
      return unit < 0 ? MeasureId{} : measures_.rows.add({.unit = unit, .parts = {}});
    }
    if (shape.kind != UnitShape::Kind::Parts) return {};
    std::vector<MeasureId> parts;
    bool some = false;
    for (std::int32_t k = 0; k < shape.parts.count; ++k) {
      parts.push_back(measure(shapes_.parts(id)[static_cast<std::size_t>(k)]));
      some |= static_cast<bool>(parts.back());
    }
    if (!some) return {};
    const Slice<MeasureId> slice{static_cast<std::int32_t>(measures_.parts.size()),
                                 static_cast<std::int32_t>(parts.size())};
    measures_.parts.insert(measures_.parts.end(), parts.begin(), parts.end());
    return measures_.rows.add({.unit = -1, .parts = slice});
  }

 private:
  /// The unit it is written in; else the coherent one, if it is known and not 1.
  std::int32_t unit_of(const UnitShape& shape) {
    if (shape.unit >= 0) return shape.unit;
    const auto dimension = shapes_.terms.value(shape.term);
    if (!dimension || dimension->is_one()) return -1;
    return shapes_.number_of(units::coherent(*dimension));
  }

  UnitShapes& shapes_;
  Measures& measures_;
};

}  // namespace

void fill_measures(Context& c, UnitRules& rules) {
  Filler filler(c, rules);
  Measures& measures = c.model.measures;
  for (DeclId d{0}; d.index < c.model.decls.size(); ++d.index) {
    const DeclKind kind = c.model.decls[d].kind;
    if (kind == DeclKind::Function || kind == DeclKind::TypeAlias) continue;
    if (const MeasureId measure = filler.measure(rules.of_decl(d))) {
      measures.of_decl.emplace(d, measure);
    }
  }
  for (const syntax::ExprId e : rules.printed) {
    if (const MeasureId measure = filler.measure(rules.found(e))) {
      measures.of_printed.emplace(e, measure);
    }
  }
  measures.units = rules.shapes.units;
}

}  // namespace chi::sema
