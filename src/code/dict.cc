#include "code/dict.h"

#include "code/list.h"
#include "code/ordered.h"

namespace chi::code {
namespace {

OrderedType ordered(const RuntimeType& type) { return {type.element, type.entry, type.node}; }

}  // namespace

bool dict_contains(const RuntimeType& type, const Slot* dict, const Slot* key) {
  return ordered_find(ordered(type), dict, key).found;
}

RunError dict_get(const RuntimeType& type, const Slot* dict, const Slot* key, Slot* value) {
  const Place place = ordered_find(ordered(type), dict, key);
  if (!place.found) return RunError::MissingKey;
  copy(*type.value, ordered_entry(dict, place) + type.element->slots, value);
  return RunError::None;
}

RunError dict_set(Heap& heap, const RuntimeType& type, Slot* dict, Slot* key, Slot* value) {
  const Place place = ordered_find(ordered(type), dict, key);
  if (!place.found) return ordered_insert(heap, ordered(type), dict, place, key, value);
  Slot* entry = nullptr;
  const RunError error = ordered_writable(heap, ordered(type), dict, place, &entry);
  if (error != RunError::None) return error;
  release(heap, *type.value, entry + type.element->slots);
  move(*type.value, value, entry + type.element->slots);
  release(heap, *type.element, key);
  return RunError::None;
}

RunError dict_writable(Heap& heap, const RuntimeType& type, Slot* dict, const Slot* key,
                       Slot** place) {
  const Place found = ordered_find(ordered(type), dict, key);
  if (!found.found) return RunError::MissingKey;
  Slot* entry = nullptr;
  const RunError error = ordered_writable(heap, ordered(type), dict, found, &entry);
  if (error == RunError::None) *place = entry + type.element->slots;
  return error;
}

RunError dict_erase(Heap& heap, const RuntimeType& type, Slot* dict, const Slot* key) {
  const Place place = ordered_find(ordered(type), dict, key);
  return place.found ? ordered_erase(heap, ordered(type), dict, place) : RunError::None;
}

RunError dict_merge(Heap& heap, const RuntimeType& type, Slot* dict, const Slot* other) {
  if (dict[0].o == other[0].o) return RunError::None;
  for (OrderedCursor c(other); c.entry() != nullptr; c.next()) {
    const Slot* key = c.entry();
    const Slot* value = key + type.element->slots;
    const Place place = ordered_find(ordered(type), dict, key);
    if (!place.found) {
      const RunError error = ordered_insert(heap, ordered(type), dict, place, key, value);
      if (error != RunError::None) return error;
      retain(*type.entry, key);
      continue;
    }
    Slot* entry = nullptr;
    const RunError error = ordered_writable(heap, ordered(type), dict, place, &entry);
    if (error != RunError::None) return error;
    retain(*type.value, value);
    release(heap, *type.value, entry + type.element->slots);
    move(*type.value, value, entry + type.element->slots);
  }
  return RunError::None;
}

RunError dict_keys(Heap& heap, const RuntimeType& type, const Slot* dict, Slot* list) {
  return ordered_to_list(heap, dict, 0, *type.element, list);
}

RunError dict_values(Heap& heap, const RuntimeType& type, const Slot* dict, Slot* list) {
  return ordered_to_list(heap, dict, type.element->slots, *type.value, list);
}

}  // namespace chi::code
