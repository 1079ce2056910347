#include "code/make_value.h"

#include <vector>

#include "base/match.h"
#include "code/dict.h"
#include "code/distributions.h"
#include "code/list.h"
#include "code/set.h"
#include "code/text_value.h"

namespace chi::code {
namespace {

using sema::Value;

Slot number(const RuntimeType& type, const Value& value) {
  if (const auto* b = std::get_if<bool>(&value.data)) return int_slot(*b ? 1 : 0);
  if (const auto* i = std::get_if<std::int64_t>(&value.data)) {
    return type.kind == TypeKind::Real ? real_slot(static_cast<double>(*i)) : int_slot(*i);
  }
  if (const auto* r = std::get_if<double>(&value.data)) return real_slot(*r);
  if (const auto* f = std::get_if<Value::FunctionRef>(&value.data)) {
    return int_slot(f->decl.index);
  }
  return int_slot(0);
}

RunError make_law(const Value::Distribution& value, Slot* slots) {
  Slot arguments[sema::kMostLawArguments] = {};
  for (std::size_t i = 0; i < value.arguments.size(); ++i) {
    arguments[i] = match(
        value.arguments[i], [](bool b) { return int_slot(b ? 1 : 0); },
        [](std::int64_t n) { return int_slot(n); }, [](double r) { return real_slot(r); });
  }
  return distribution_make(value.kind, arguments, slots);
}

/// One structure being filled: an array, tuple or record in place, or a sequence whose elements are
/// made in `scratch` first.
struct Frame {
  const RuntimeType* type = nullptr;
  const Value* value = nullptr;
  Slot* target = nullptr;
  std::size_t next = 0;
  std::vector<Slot> scratch;
};

class Maker {
 public:
  explicit Maker(Heap& heap) : heap_(heap) {}

  RunError run(const RuntimeType& type, const Value& value, Slot* slots) {
    clear(type, slots);
    RunError error = make(type, value, slots);
    while (error == RunError::None && !stack_.empty()) error = step();
    if (error == RunError::None) return error;
    for (Frame& f : stack_) give_up(f);
    release(heap_, type, slots);
    return error;
  }

 private:
  /// Writes what has no parts, opens what has. `target` is all zero.
  RunError make(const RuntimeType& type, const Value& value, Slot* target) {
    if (value.is_none() || type.kind == TypeKind::Void) return RunError::None;
    if (type.kind == TypeKind::Distribution) {
      const auto* law = std::get_if<Value::Distribution>(&value.data);
      return law == nullptr ? RunError::None : make_law(*law, target);
    }
    if (type.kind == TypeKind::String) {
      const auto* bytes = std::get_if<std::string>(&value.data);
      return bytes == nullptr ? RunError::None : text_make(heap_, *bytes, target);
    }
    if (length(value) == kNoParts) {
      *target = number(type, value);
      return RunError::None;
    }
    Frame& f = stack_.emplace_back();
    f.type = &type;
    f.value = &value;
    f.target = target;
    if (type.entry != nullptr) {
      f.scratch.resize(length(value) * static_cast<std::size_t>(type.entry->slots), int_slot(0));
    }
    return RunError::None;
  }

  static constexpr std::size_t kNoParts = static_cast<std::size_t>(-1);
  static std::size_t length(const Value& value) {
    if (const auto* s = std::get_if<Value::Sequence>(&value.data)) return s->size();
    if (const auto* m = std::get_if<Value::Mapping>(&value.data)) return 2 * m->size();
    return kNoParts;
  }

  RunError step() {
    Frame& f = stack_.back();
    const RuntimeType& type = *f.type;
    const std::size_t i = f.next++;
    if (i >= length(*f.value)) return finish();
    if (type.kind == TypeKind::Dict) {
      const auto& entry = std::get<Value::Mapping>(f.value->data)[i / 2];
      Slot* place = f.scratch.data() + i / 2 * static_cast<std::size_t>(type.entry->slots);
      return i % 2 == 0 ? make(*type.element, entry.first, place)
                        : make(*type.value, entry.second, place + type.element->slots);
    }
    const Value& part = std::get<Value::Sequence>(f.value->data)[i];
    if (type.kind == TypeKind::Tuple || type.kind == TypeKind::Record) {
      return make(*type.parts[i].type, part, f.target + type.parts[i].offset);
    }
    Slot* base = type.kind == TypeKind::Array ? f.target : f.scratch.data();
    return make(*type.element, part, base + i * static_cast<std::size_t>(type.element->slots));
  }

  RunError finish() {
    Frame& f = stack_.back();
    RunError error = RunError::None;
    const auto count = static_cast<std::int64_t>(length(*f.value));
    if (f.type->kind == TypeKind::List) {
      error = list_make(heap_, *f.type->element, f.scratch.data(), count, f.target);
    } else if (f.type->kind == TypeKind::Set) {
      error = set_make(heap_, *f.type, f.scratch.data(), count, f.target);
    } else if (f.type->kind == TypeKind::Dict) {
      for (std::int64_t i = 0; i < count / 2 && error == RunError::None; ++i) {
        Slot* entry = f.scratch.data() + i * f.type->entry->slots;
        error = dict_set(heap_, *f.type, f.target, entry, entry + f.type->element->slots);
        if (error == RunError::None) clear(*f.type->entry, entry);
      }
    }
    if (error == RunError::None) stack_.pop_back();
    return error;
  }

  void give_up(Frame& f) {
    if (f.scratch.empty()) return;
    const RuntimeType& entry = *f.type->entry;
    for (std::size_t i = 0; i < f.scratch.size(); i += static_cast<std::size_t>(entry.slots)) {
      release(heap_, entry, f.scratch.data() + i);
    }
  }

  Heap& heap_;
  std::vector<Frame> stack_;
};

}  // namespace

RunError make_value(Heap& heap, const RuntimeType& type, const sema::Value& value, Slot* slots) {
  return Maker(heap).run(type, value, slots);
}

}  // namespace chi::code
