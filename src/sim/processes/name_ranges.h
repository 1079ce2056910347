#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace chi::sim {

/// Names of a model in few words: those that differ in their indices only, in regular steps, become
/// one, as "`M[0..99]`, `Cell[0..4].T[1..9 by 2]`". All are named, in their order; but of more than
/// `most` pieces only the first and the last, as "`M[0]` to `M[99]`".
std::string name_ranges(std::span<const std::string> names,
                        std::size_t most = std::numeric_limits<std::size_t>::max());

/// A text with a sign instead of each index: equal for names that differ in indices only.
std::string without_indices(std::string_view text);

}  // namespace chi::sim
