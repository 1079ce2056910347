#include "driver/json_value.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "code/ordered.h"
#include "code/print_value.h"
#include "code/sequence.h"
#include "code/text_value.h"

namespace chi::driver {
namespace {

using code::RuntimeType;
using code::Slot;
using code::TypeKind;

// Follows the type, whose depth is limited (sema::kMaxTypeDepth).
class Writer {
 public:
  Writer(const code::RuntimeTypes& types, std::string& text) : types_(types), text_(text) {}

  void write(const RuntimeType& type, const Slot* value) {
    switch (type.kind) {
      case TypeKind::Bool: text_ += value->i != 0 ? "true" : "false"; return;
      case TypeKind::Nat:
      case TypeKind::Int: text_ += fmt::format("{}", value->i); return;
      case TypeKind::Real: text_ += json_real(type.shown(value->r) + 0.0); return;
      case TypeKind::String: text_ += json_quote(code::text_view(value)); return;
      case TypeKind::List: {
        const code::Sequence q = code::load_sequence(value);
        elements(*type.element, q.length == 0 ? nullptr : q.buffer->at(q.begin), q.length);
        return;
      }
      case TypeKind::Array: elements(*type.element, value, type.length); return;
      case TypeKind::Set:
      case TypeKind::Dict: entries(type, value); return;
      case TypeKind::Tuple:
      case TypeKind::Record: parts(type, value); return;
      case TypeKind::Void:
      case TypeKind::Function:
      case TypeKind::Channel:
      case TypeKind::Distribution: {
        std::string printed;
        code::print_value(types_, type, value, printed);
        text_ += json_quote(printed);
        return;
      }
    }
  }

 private:
  void separate(std::int64_t i) {
    if (i > 0) text_ += ',';
  }

  void elements(const RuntimeType& type, const Slot* first, std::int64_t count) {
    text_ += '[';
    for (std::int64_t i = 0; i < count; ++i) {
      separate(i);
      write(type, first + i * type.slots);
    }
    text_ += ']';
  }

  void entries(const RuntimeType& type, const Slot* value) {
    const std::int64_t count = code::sequence_length(value);
    code::OrderedCursor cursor(value);
    text_ += '[';
    for (std::int64_t i = 0; i < count; ++i, cursor.next()) {
      separate(i);
      const Slot* const at = cursor.entry();
      if (type.kind == TypeKind::Dict) text_ += '[';
      write(*type.element, at);
      if (type.kind == TypeKind::Dict) {
        text_ += ',';
        write(*type.value, at + type.element->slots);
        text_ += ']';
      }
    }
    text_ += ']';
  }

  void parts(const RuntimeType& type, const Slot* value) {
    const bool record = type.kind == TypeKind::Record;
    text_ += record ? '{' : '[';
    for (std::size_t i = 0; i < type.parts.size(); ++i) {
      const code::Part& part = type.parts[i];
      separate(static_cast<std::int64_t>(i));
      if (record) text_ += json_quote(types_.name(part.name)) + ':';
      write(*part.type, value + part.offset);
    }
    text_ += record ? '}' : ']';
  }

  const code::RuntimeTypes& types_;
  std::string& text_;
};

}  // namespace

void append_json_value(const code::RuntimeTypes& types, const RuntimeType& type, const Slot* value,
                       std::string& text) {
  Writer(types, text).write(type, value);
}

}  // namespace chi::driver
