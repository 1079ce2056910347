#include "code/text_value.h"

#include <algorithm>
#include <cstring>

namespace chi::code {

RunError text_make(Heap& heap, std::string_view bytes, Slot* text) {
  text->o = nullptr;
  if (bytes.empty()) return RunError::None;
  Object* o = heap.allocate(nullptr, bytes.size());
  if (o == nullptr) return RunError::OutOfMemory;
  std::memcpy(o->text(), bytes.data(), bytes.size());
  o->used = static_cast<std::uint32_t>(bytes.size());
  text->o = o;
  return RunError::None;
}

std::string_view text_view(const Slot* text) {
  if (text->o == nullptr) return {};
  return {text->o->text(), text->o->used};
}

RunError text_append(Heap& heap, Slot* text, std::string_view bytes) {
  if (bytes.empty()) return RunError::None;
  Object* old = text->o;
  if (old == nullptr) return text_make(heap, bytes, text);
  const std::size_t length = old->used + bytes.size();
  if (old->references > 1 || length > old->capacity) {
    Object* grown = heap.allocate(nullptr, std::min<std::size_t>(2 * length, kMaxLength));
    if (grown == nullptr || length > kMaxLength) {
      heap.release(grown);
      return RunError::OutOfMemory;
    }
    std::memcpy(grown->text(), old->text(), old->used);
    grown->used = old->used;
    text->o = grown;
  }
  std::memcpy(text->o->text() + text->o->used, bytes.data(), bytes.size());
  text->o->used = static_cast<std::uint32_t>(length);
  if (text->o != old) heap.release(old);  // last: `bytes` may lie in it
  return RunError::None;
}

std::int64_t text_length(const Slot* text) {
  const std::string_view bytes = text_view(text);
  return std::count_if(bytes.begin(), bytes.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

int text_compare(const Slot* a, const Slot* b) {
  if (a->o == b->o) return 0;
  return text_view(a).compare(text_view(b));
}

}  // namespace chi::code
