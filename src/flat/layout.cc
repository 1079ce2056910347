#include "flat/layout.h"

#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

#include "base/check.h"
#include "base/match.h"

namespace chi::flat {
namespace {

using sema::TypeId;
using sema::Types;

// Counts the slots of a type and of its parts. Each part is counted once, however often it occurs:
// `type b = a # a, c = b # b, ...` is a small text with a large layout.
class SlotCounter {
 public:
  explicit SlotCounter(const Types& types) : types_(types) {}

  std::int64_t count(TypeId root) {
    std::vector<TypeId> stack{root};
    while (!stack.empty()) {
      const TypeId type = stack.back();
      if (counts_.contains(type)) {
        stack.pop_back();
        continue;
      }
      const std::size_t before = stack.size();
      push_parts(type, stack);
      if (stack.size() == before) {
        counts_[type] = sum_of_parts(type);
        stack.pop_back();
      }
    }
    return counts_.at(root);
  }

 private:
  void push_if_new(TypeId type, std::vector<TypeId>& stack) const {
    if (!counts_.contains(type)) stack.push_back(type);
  }

  void push_parts(TypeId type, std::vector<TypeId>& stack) const {
    if (const auto* array = std::get_if<sema::Array>(&types_[type])) {
      push_if_new(array->element, stack);
    } else if (const auto* tuple = std::get_if<sema::Tuple>(&types_[type])) {
      for (const TypeId t : types_.list(tuple->elements)) push_if_new(t, stack);
    } else if (const auto* record = std::get_if<sema::Record>(&types_[type])) {
      for (const sema::Field& f : types_.list(record->fields)) push_if_new(f.type, stack);
    }
  }

  static std::int64_t add(std::int64_t a, std::int64_t b) { return std::min(kManySlots, a + b); }

  std::int64_t sum_of_parts(TypeId type) const {
    return match(
        types_[type], [](sema::UnknownType) -> std::int64_t { return 0; },
        [](sema::Basic b) -> std::int64_t { return b.kind == sema::BasicType::Void ? 0 : 1; },
        [](sema::List) -> std::int64_t { return kSequenceSlots; },
        [](sema::Set) -> std::int64_t { return kSequenceSlots; },
        [](sema::Dict) -> std::int64_t { return kSequenceSlots; },
        [&](sema::Array a) {
          CHI_CHECK(a.length >= 0, "array length unknown");
          const std::int64_t element = counts_.at(a.element);
          if (element != 0 && a.length > kManySlots / element) return kManySlots;
          return a.length * element;
        },
        [&](sema::Tuple t) {
          std::int64_t sum = 0;
          for (const TypeId e : types_.list(t.elements)) sum = add(sum, counts_.at(e));
          return sum;
        },
        [&](sema::Record r) {
          std::int64_t sum = 0;
          for (const sema::Field& f : types_.list(r.fields)) sum = add(sum, counts_.at(f.type));
          return sum;
        },
        [](sema::Func) -> std::int64_t { return 1; },
        [](sema::Dist) -> std::int64_t { return kDistributionSlots; },
        [](sema::Channel) -> std::int64_t { return 1; });
  }

  const Types& types_;
  std::unordered_map<TypeId, std::int64_t> counts_;
};

// Walks the elements of a value in slot order; a frame per level, one suffix for all of them.
class PartLister {
 public:
  PartLister(const Types& types, const Interner& symbols, bool printable)
      : types_(types), symbols_(symbols), printable_(printable), counter_(types) {}

  std::vector<ScalarPart> list(TypeId root) {
    enter(root);
    while (!stack_.empty()) {
      Level& level = stack_.back();
      suffix_.resize(level.suffix_length);
      if (level.next == level.count) {
        stack_.pop_back();
        continue;
      }
      enter(take_next(level));
    }
    return std::move(parts_);
  }

 private:
  struct Level {
    TypeId type;
    std::int64_t next = 0, count = 0;
    std::size_t suffix_length = 0;
  };

  // Moves `level` on and appends the element's suffix.
  TypeId take_next(Level& level) {
    const std::int64_t i = level.next++;
    if (const auto* array = std::get_if<sema::Array>(&types_[level.type])) {
      fmt::format_to(std::back_inserter(suffix_), "[{}]", i);
      return array->element;
    }
    const auto k = static_cast<std::size_t>(i);
    if (const auto* tuple = std::get_if<sema::Tuple>(&types_[level.type])) {
      fmt::format_to(std::back_inserter(suffix_), ".{}", i);
      return types_.list(tuple->elements)[k];
    }
    const sema::Field field = types_.list(std::get<sema::Record>(types_[level.type]).fields)[k];
    suffix_ += '.';
    suffix_ += symbols_.text(field.name);
    return field.type;
  }

  bool is_listed(TypeId type) const {
    if (types_.is_numeric(type) || types_.is(type, sema::BasicType::Bool)) return true;
    const sema::TypeNode& node = types_[type];
    return printable_ &&
           (types_.is(type, sema::BasicType::String) || std::holds_alternative<sema::List>(node) ||
            std::holds_alternative<sema::Set>(node) || std::holds_alternative<sema::Dict>(node) ||
            std::holds_alternative<sema::Dist>(node));
  }

  void enter(TypeId type) {
    const sema::TypeNode& node = types_[type];
    if (const auto* array = std::get_if<sema::Array>(&node)) {
      stack_.push_back({type, 0, array->length, suffix_.size()});
    } else if (const auto* tuple = std::get_if<sema::Tuple>(&node)) {
      stack_.push_back({type, 0, tuple->elements.count, suffix_.size()});
    } else if (const auto* record = std::get_if<sema::Record>(&node)) {
      stack_.push_back({type, 0, record->fields.count, suffix_.size()});
    } else {
      if (is_listed(type)) {
        parts_.push_back({static_cast<std::int32_t>(offset_), type, suffix_});
      }
      offset_ += counter_.count(type);
    }
  }

  const Types& types_;
  const Interner& symbols_;
  const bool printable_;
  SlotCounter counter_;
  std::vector<Level> stack_;
  std::string suffix_;
  std::int64_t offset_ = 0;
  std::vector<ScalarPart> parts_;
};

}  // namespace

std::int64_t slot_count(const Types& types, TypeId type) { return SlotCounter(types).count(type); }

std::int64_t element_offset(const Types& types, TypeId type, std::int32_t index) {
  SlotCounter counter(types);
  std::int64_t offset = 0;
  const auto before = static_cast<std::size_t>(index);
  if (const auto* tuple = std::get_if<sema::Tuple>(&types[type])) {
    for (const TypeId t : types.list(tuple->elements).first(before)) offset += counter.count(t);
  } else {
    const sema::Record record = std::get<sema::Record>(types[type]);
    for (const sema::Field& f : types.list(record.fields).first(before)) {
      offset += counter.count(f.type);
    }
  }
  return offset;
}

std::vector<ScalarPart> scalar_parts(const Types& types, TypeId type, const Interner& symbols) {
  return PartLister(types, symbols, false).list(type);
}

std::vector<ScalarPart> printable_parts(const Types& types, TypeId type, const Interner& symbols) {
  return PartLister(types, symbols, true).list(type);
}

}  // namespace chi::flat
