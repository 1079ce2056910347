#include "flat/translator.h"

namespace chi::flat {

using sema::TypeId;

// Follows the type, whose depth is limited (sema::kMaxTypeDepth).
std::vector<TypeId> scalar_types(const sema::Types& types, TypeId type) {
  if (const auto* array = std::get_if<sema::Array>(&types[type])) {
    const std::vector<TypeId> element = scalar_types(types, array->element);
    std::vector<TypeId> all;
    for (std::int64_t i = 0; i < array->length; ++i) {
      all.insert(all.end(), element.begin(), element.end());
    }
    return all;
  }
  std::vector<TypeId> all;
  const auto append = [&](TypeId part) {
    const std::vector<TypeId> inner = scalar_types(types, part);
    all.insert(all.end(), inner.begin(), inner.end());
  };
  if (const auto* tuple = std::get_if<sema::Tuple>(&types[type])) {
    for (const TypeId t : types.list(tuple->elements)) append(t);
  } else if (const auto* record = std::get_if<sema::Record>(&types[type])) {
    for (const sema::Field& f : types.list(record->fields)) append(f.type);
  } else {
    all.push_back(type);
  }
  return all;
}

}  // namespace chi::flat
