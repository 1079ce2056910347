#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sema/types.h"

namespace chi::flat {

/// How a value lies in slots of eight bytes. Scalars take one; tuples, records and arrays are their
/// elements one after the other; lists, sets and dictionaries a reference and a range (two slots);
/// a string a reference; a distribution its kind, three arguments and its stream
/// (kDistributionSlots); a channel its number; a function value its function's number.
inline constexpr std::int32_t kSequenceSlots = 2;
inline constexpr std::int32_t kDistributionSlots = 6;

/// A count that stands for itself and all greater ones.
inline constexpr std::int64_t kManySlots = std::int64_t{1} << 48;

/// Number of slots of a type all of whose array lengths are known; at most kManySlots. Void takes
/// none. Linear in the number of different types in it.
std::int64_t slot_count(const sema::Types& types, sema::TypeId type);

/// First slot of element `index` of a tuple, or of field `index` of a record.
std::int64_t element_offset(const sema::Types& types, sema::TypeId type, std::int32_t index);

/// The scalars of a value in slot order, with the suffix each has in result names: "" for a scalar,
/// "[3]" in an array, ".0" in a tuple, ".v" in a record. Lists, sets, dictionaries, strings,
/// channels, functions and distributions are no scalars and are left out.
struct ScalarPart {
  std::int32_t offset = 0;
  sema::TypeId type;
  std::string suffix;
};
std::vector<ScalarPart> scalar_parts(const sema::Types& types, sema::TypeId type,
                                     const Interner& symbols);
/// The same with everything that has a text: strings, lists, sets, dictionaries and distributions
/// too, as wholes.
std::vector<ScalarPart> printable_parts(const sema::Types& types, sema::TypeId type,
                                        const Interner& symbols);

}  // namespace chi::flat
