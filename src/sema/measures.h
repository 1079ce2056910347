#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "sema/decl_id.h"
#include "syntax/ast.h"
#include "units/unit.h"

namespace chi::sema {

using MeasureId = Id<struct MeasureTag>;

/// What a value measures: the units of its reals, in the form of its type. A list, set, array,
/// channel or distribution measures what its elements do.
struct Measure {
  std::int32_t unit = -1;  ///< of a real: the unit people see, into Measures::units
  /// Of a tuple or record: of each element; of a dictionary: of its keys and its values.
  Slice<MeasureId> parts;
};

/// The units of a model. Values are in coherent units of SI everywhere; these are for what people
/// write and read. Without units in the model the tables are empty.
struct Measures {
  std::vector<units::Unit> units;
  Table<MeasureId, Measure> rows;
  std::vector<MeasureId> parts;
  std::unordered_map<DeclId, MeasureId> of_decl;             ///< none: no unit is known
  std::unordered_map<syntax::ExprId, MeasureId> of_printed;  ///< of `!e` and `str(e)`

  bool empty() const { return units.empty(); }
  std::span<const MeasureId> list(Slice<MeasureId> s) const {
    return std::span(parts).subspan(static_cast<std::size_t>(s.first),
                                    static_cast<std::size_t>(s.count));
  }
  MeasureId of(DeclId decl) const {
    const auto at = of_decl.find(decl);
    return at == of_decl.end() ? MeasureId{} : at->second;
  }
  MeasureId of(syntax::ExprId printed) const {
    const auto at = of_printed.find(printed);
    return at == of_printed.end() ? MeasureId{} : at->second;
  }
  /// The unit of a real; null if none is known.
  const units::Unit* unit(MeasureId measure) const {
    const std::int32_t at = measure ? rows[measure].unit : -1;
    return at < 0 ? nullptr : &units[static_cast<std::size_t>(at)];
  }
  /// Of element `index` of a tuple or record, of the keys (0) or values (1) of a dictionary.
  MeasureId part(MeasureId measure, std::int32_t index) const {
    if (!measure || index >= rows[measure].parts.count) return {};
    return list(rows[measure].parts)[static_cast<std::size_t>(index)];
  }
};

}  // namespace chi::sema
