#include "code/print_value.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "code/distributions.h"
#include "code/ordered.h"
#include "code/sequence.h"
#include "code/text_value.h"

namespace chi::code {
namespace {

void print_quoted(std::string_view bytes, std::string& text) {
  text += '"';
  for (const char c : bytes) {
    switch (c) {
      case '\n': text += "\\n"; break;
      case '\t': text += "\\t"; break;
      case '"': text += "\\\""; break;
      case '\\': text += "\\\\"; break;
      default: text += c;
    }
  }
  text += '"';
}

void print_int(std::int64_t value, std::string& text) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

/// A structure of which some elements are written.
struct Frame {
  const RuntimeType* type = nullptr;
  const Slot* value = nullptr;
  std::int64_t next = 0;
  std::int64_t count = 0;
  OrderedCursor cursor;
  bool key_written = false;  // Dict: the value of the current entry comes next
};

class Printer {
 public:
  Printer(const RuntimeTypes& types, std::string& text, std::size_t most = std::string::npos)
      : types_(types), text_(text), start_(text.size()), most_(most) {}

  void run(const RuntimeType& type, const Slot* value) {
    print(type, value);
    while (!stack_.empty() && text_.size() - start_ <= most_) step();
    if (text_.size() - start_ > most_) shorten();
  }

 private:
  void shorten() {
    std::size_t end = start_ + most_;
    while (end > start_ && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) --end;
    text_.resize(end);
    text_ += "...";
  }

  /// Writes a scalar, or opens a structure.
  void print(const RuntimeType& type, const Slot* value) {
    switch (type.kind) {
      case TypeKind::Void: text_ += "<>"; return;
      case TypeKind::Bool: text_ += value->i != 0 ? "true" : "false"; return;
      case TypeKind::Nat:
      case TypeKind::Int: print_int(value->i, text_); return;
      case TypeKind::Real: print_real(type.shown(value->r), text_); return;
      case TypeKind::String: print_quoted(text_view(value).substr(0, most_), text_); return;
      case TypeKind::Function: number("function", value->i); return;
      case TypeKind::Channel: number("channel", value->i); return;
      case TypeKind::Distribution: law(type, value); return;
      case TypeKind::List: open(type, value, sequence_length(value), '['); return;
      case TypeKind::Array: open(type, value, type.length, '['); return;
      case TypeKind::Set:
      case TypeKind::Dict: open(type, value, sequence_length(value), '{'); return;
      case TypeKind::Tuple: open(type, value, std::ssize(type.parts), '<'); return;
      case TypeKind::Record: open(type, value, std::ssize(type.parts), '{'); return;
    }
  }

  void open(const RuntimeType& type, const Slot* value, std::int64_t count, char bracket) {
    text_ += bracket;
    Frame& f = stack_.emplace_back();
    f.type = &type;
    f.value = value;
    f.count = count;
    if (type.kind == TypeKind::Set || type.kind == TypeKind::Dict) f.cursor = OrderedCursor(value);
    if (type.kind == TypeKind::List && count > 0) {
      const Sequence q = load_sequence(value);
      f.value = q.buffer->at(q.begin);
    }
  }

  void close(TypeKind kind) {
    text_ += kind == TypeKind::List || kind == TypeKind::Array ? ']'
             : kind == TypeKind::Tuple                         ? '>'
                                                               : '}';
    stack_.pop_back();
  }

  /// Writes the next element of the innermost structure. `print` may push, so `f` is not used
  /// after it.
  void step() {
    Frame& f = stack_.back();
    if (f.next == f.count) {
      close(f.type->kind);
      return;
    }
    const RuntimeType& type = *f.type;
    if (f.next > 0 && !f.key_written) text_ += ", ";
    switch (type.kind) {
      case TypeKind::Tuple:
      case TypeKind::Record: {
        const Part& part = type.parts[static_cast<std::size_t>(f.next++)];
        if (type.kind == TypeKind::Record) text_.append(types_.name(part.name)).append(" = ");
        print(*part.type, f.value + part.offset);
        return;
      }
      case TypeKind::Dict: entry(f); return;
      case TypeKind::Set: {
        const Slot* element = f.cursor.entry();
        f.cursor.next();
        ++f.next;
        print(*type.element, element);
        return;
      }
      default: print(*type.element, f.value + f.next++ * type.element->slots);
    }
  }

  void entry(Frame& f) {
    const RuntimeType& type = *f.type;
    const Slot* at = f.cursor.entry();
    if (!f.key_written) {
      f.key_written = true;
      print(*type.element, at);
      return;
    }
    f.key_written = false;
    f.cursor.next();
    ++f.next;
    text_ += ": ";
    print(*type.value, at + type.element->slots);
  }

  void law(const RuntimeType& type, const Slot* value) {
    const auto kind = static_cast<DistributionKind>(value->i);
    text_.append(distribution_name(kind)).append("(");
    for (int i = 0; i < distribution_arity(kind); ++i) {
      if (i > 0) text_ += ", ";
      if (kind == DistributionKind::Constant) {
        print(*type.element, value + 1);
      } else if (distribution_argument_is_integer(kind, i)) {
        print_int(value[1 + i].i, text_);
      } else {
        print_real(value[1 + i].r, text_);
      }
    }
    text_ += ')';
  }

  void number(std::string_view what, std::int64_t index) {
    fmt::format_to(std::back_inserter(text_), "<{} {}>", what, index);
  }

  const RuntimeTypes& types_;
  std::string& text_;
  std::size_t start_, most_;
  std::vector<Frame> stack_;
};

}  // namespace

void print_value(const RuntimeTypes& types, const RuntimeType& type, const Slot* value,
                 std::string& text) {
  if (type.kind == TypeKind::String) {
    text += text_view(value);
  } else {
    print_literal(types, type, value, text);
  }
}

void print_literal(const RuntimeTypes& types, const RuntimeType& type, const Slot* value,
                   std::string& text) {
  Printer(types, text).run(type, value);
}

void print_briefly(const RuntimeTypes& types, const RuntimeType& type, const Slot* value,
                   std::size_t most, std::string& text) {
  if (type.kind != TypeKind::String) return Printer(types, text, most).run(type, value);
  const std::string_view bytes = text_view(value);
  std::size_t end = std::min(most, bytes.size());
  while (end > 0 && end < bytes.size() && (static_cast<unsigned char>(bytes[end]) & 0xC0) == 0x80)
    --end;
  text += bytes.substr(0, end);
  if (bytes.size() > most) text += "...";
}

void print_real(double value, std::string& text) {
  const std::size_t start = text.size();
  // The sign of what is not a number depends on the machine.
  fmt::format_to(std::back_inserter(text), "{}", std::isnan(value) ? std::fabs(value) : value);
  if (text.find_first_of(".einf", start) == std::string::npos) text += ".0";
}

}  // namespace chi::code
