#pragma once
#include <cstdint>
#include <string_view>

#include "code/heap.h"

/// Strings: one slot, a reference to bytes (null: ""). The bytes are UTF-8 as in the model text.
namespace chi::code {

/// `text` was garbage.
RunError text_make(Heap& heap, std::string_view bytes, Slot* text);
/// Valid until the string is released or appended to.
std::string_view text_view(const Slot* text);
/// s := s ++ bytes; in place when `text` is the only owner and there is room: amortised O(len
/// bytes). `bytes` may lie in the same string.
RunError text_append(Heap& heap, Slot* text, std::string_view bytes);
/// Number of characters (code points). O(n).
std::int64_t text_length(const Slot* text);
/// Bytewise, which for UTF-8 is by code point: negative, zero or positive.
int text_compare(const Slot* a, const Slot* b);

}  // namespace chi::code
