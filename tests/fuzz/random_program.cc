#include "random_program.h"

#include <algorithm>

#include <fmt/format.h>

namespace chi::fuzz {
namespace {

struct Type {
  enum Kind { Bool, Nat, Int, Real, String, List, Set, Dict, Tuple, Record, Array } kind = Bool;
  std::vector<Type> parts = {};
  bool operator==(const Type&) const = default;

  std::string text() const {
    const auto part = [&](std::size_t i) { return parts[i].text(); };
    switch (kind) {
      case Bool: return "bool";
      case Nat: return "nat";
      case Int: return "int";
      case Real: return "real";
      case String: return "string";
      case List: return "(" + part(0) + ")*";
      case Set: return "set(" + part(0) + ")";
      case Dict: return "dict(" + part(0) + ", " + part(1) + ")";
      case Tuple: return "(" + part(0) + " # " + part(1) + ")";
      case Record: return "{ a: " + part(0) + ", b: " + part(1) + " }";
      case Array: return "(" + part(0) + ")^2";
    }
    return "";
  }
};

struct Variable {
  std::string name;
  Type type;
};

class Generator {
 public:
  explicit Generator(Choices& choices) : choices_(choices) {}

  Type type(int depth) {
    const auto kind = static_cast<Type::Kind>(choices_.below(depth > 0 ? 11 : 5));
    switch (kind) {
      case Type::List:
      case Type::Array: return {kind, {type(depth - 1)}};
      case Type::Set: return {kind, {type(0)}};
      case Type::Dict: return {kind, {type(0), type(depth - 1)}};
      case Type::Tuple:
      case Type::Record: return {kind, {type(depth - 1), type(depth - 1)}};
      default: return {kind};
    }
  }

  /// Without names, and never empty: its type shows.
  std::string literal(const Type& type) {
    const auto part = [&](std::size_t i) { return literal(type.parts[i]); };
    switch (type.kind) {
      case Type::Bool: return pick({"true", "false"});
      case Type::Nat: return pick({"0", "1", "2", "3", "7", "40", "1000", "9223372036854775807"});
      case Type::Int:
        return pick({"(-1)", "(1 - 1)", "(5 - 0)", "(-3)", "(9223372036854775807 - 0)", "(-1000)"});
      case Type::Real:
        return pick({"0.0", "1.0", "(-1.5)", "0.1", "1e300", "(-1e-300)", "2.5", "inf", "3.0"});
      case Type::String: return pick({"\"\"", "\"a\"", "\"b\\n\"", "\"\\\"q\\\\\"", "\"äß→\""});
      case Type::List: return "[" + part(0) + (choices_.one_in(2) ? ", " + part(0) : "") + "]";
      case Type::Set: return "{" + part(0) + (choices_.one_in(2) ? ", " + part(0) : "") + "}";
      case Type::Dict: return "{" + part(0) + ": " + part(1) + "}";
      case Type::Array:
      case Type::Tuple: {
        std::string first = part(0);
        return "<" + first + ", " + part(type.kind == Type::Tuple ? 1 : 0) + ">";
      }
      case Type::Record: {
        std::string first = part(0);
        return "{ a = " + first + ", b = " + part(1) + " }";
      }
    }
    return "";
  }

  std::string expression(const Type& type, int depth) {
    if (depth <= 0 || has_array(type) || choices_.below(4) == 0) return leaf(type);
    if (choices_.one_in(8)) {
      const std::string condition = expression({Type::Bool}, depth - 1);
      const std::string yes = expression(type, depth - 1);
      return fmt::format("(if {} then {} else {})", condition, yes, expression(type, depth - 1));
    }
    if (choices_.one_in(6)) return taken_from(type, depth - 1);
    const auto part = [&](std::size_t i) { return expression(type.parts[i], depth - 1); };
    const auto self = [&] { return expression(type, depth - 1); };
    switch (type.kind) {
      case Type::Bool: return boolean(depth - 1);
      case Type::Nat: return natural(depth - 1);
      case Type::Int: return integer(depth - 1);
      case Type::Real: return real(depth - 1);
      case Type::String: return string(depth - 1);
      case Type::List: return list(type, depth - 1);
      case Type::Set: {
        std::string left = self();
        return "(" + left + pick({" + ", " - ", " * "}) + self() + ")";
      }
      case Type::Dict: {
        std::string key = part(0);
        return "{" + key + ": " + part(1) + "}";
      }
      case Type::Tuple:
      case Type::Array: {
        std::string first = part(0);
        return "<" + first + ", " + part(type.kind == Type::Tuple ? 1 : 0) + ">";
      }
      case Type::Record: {
        std::string first = part(0);
        return "{ a = " + first + ", b = " + part(1) + " }";
      }
    }
    return leaf(type);
  }

  std::string leaf(const Type& type) {
    const Variable* variable = named(type);
    return variable == nullptr || choices_.one_in(3) ? literal(type) : variable->name;
  }

  std::string pick(std::initializer_list<const char*> texts) {
    return texts.begin()[choices_.below(texts.size())];
  }

  std::vector<Variable> names;
  bool has_functions = false;

 private:
  Type some(std::initializer_list<Type::Kind> kinds) {
    return {kinds.begin()[choices_.below(kinds.size())]};
  }

  /// A variable of this type, if there is one.
  const Variable* named(const Type& type) {
    std::vector<const Variable*> fitting;
    for (const Variable& v : names) {
      if (v.type == type) fitting.push_back(&v);
    }
    return fitting.empty() ? nullptr : fitting[choices_.below(fitting.size())];
  }

  /// An element, field, key or value of something larger.
  std::string taken_from(const Type& type, int depth) {
    const auto from = [&](const Type& larger) { return expression(larger, depth); };
    const Type other = this->type(0);
    switch (choices_.below(11)) {
      case 0: return "hd(" + from({Type::List, {type}}) + ")";
      case 1: return "hr(" + from({Type::List, {type}}) + ")";
      case 2: {
        std::string list = from({Type::List, {type}});
        return list + "[" + expression({Type::Nat}, depth) + "]";
      }
      case 3: return from({Type::Tuple, {type, other}}) + ".0";
      case 4: return from({Type::Tuple, {other, type}}) + ".1";
      case 5: return from({Type::Record, {type, other}}) + ".a";
      case 6: return from({Type::Record, {other, type}}) + ".b";
      case 7: {
        // `<1, 2>` by itself is a tuple, which has no index.
        const Variable* array = named({Type::Array, {type}});
        if (array == nullptr) return leaf(type);
        return array->name + ".(" + expression({Type::Nat}, depth) + ")";
      }
      case 8: {
        std::string dict = from({Type::Dict, {other, type}});
        return dict + "[" + expression(other, depth) + "]";
      }
      case 9: return is_plain(type) ? "pick(" + from({Type::Set, {type}}) + ")" : leaf(type);
      default: return call(type, depth);
    }
  }

  /// Inside something larger the checker takes `<1, 2>` for a tuple.
  static bool has_array(const Type& type) {
    return type.kind == Type::Array || std::any_of(type.parts.begin(), type.parts.end(), has_array);
  }
  static bool is_plain(const Type& type) { return type.kind <= Type::String; }

  std::string call(const Type& type, int depth) {
    if (!has_functions) return leaf(type);
    const std::string n = expression({Type::Nat}, depth);
    if (type.kind == Type::Nat) return "count(" + n + ")";
    if (type.kind == Type::Real) return "twice(half, " + expression({Type::Real}, depth) + ")";
    if (type == Type{Type::List, {{Type::Nat}}}) return "below(" + n + ")";
    return leaf(type);
  }

  std::string boolean(int depth) {
    const auto two = [&](const Type& type, const std::string& op) {
      std::string left = expression(type, depth);
      return "(" + left + " " + op + " " + expression(type, depth) + ")";
    };
    switch (choices_.below(6)) {
      case 0: return two({Type::Bool}, pick({"and", "or"}));
      case 1: return "(not " + expression({Type::Bool}, depth) + ")";
      case 2: return two(type(1), pick({"=", "/="}));
      case 3: {
        const Type element = type(0);
        std::string left = expression(element, depth);
        const Type whole =
            choices_.one_in(2) ? Type{Type::Set, {element}} : Type{Type::List, {element}};
        return "(" + left + " in " + expression(whole, depth) + ")";
      }
      default:
        return two(some({Type::Nat, Type::Int, Type::Real, Type::String}),
                   pick({"<", "<=", ">", ">="}));
    }
  }

  std::string two(Type::Kind kind, const std::string& op, int depth) {
    std::string left = expression({kind}, depth);
    return "(" + left + " " + op + " " + expression({kind}, depth) + ")";
  }

  std::string natural(int depth) {
    switch (choices_.below(6)) {
      case 0: return two(Type::Nat, pick({"+", "*", "div", "mod"}), depth);
      case 1: return "len(" + expression({Type::List, {type(0)}}, depth) + ")";
      case 2: return "size(" + expression({Type::Set, {type(0)}}, depth) + ")";
      case 3: return "(" + expression({Type::Nat}, depth) + ")^" + pick({"2", "0", "3", "63"});
      case 4: return pick({"min", "max"}) + two(Type::Nat, ",", depth);
      default: return "sum(" + expression({Type::List, {{Type::Nat}}}, depth) + ")";
    }
  }

  std::string integer(int depth) {
    switch (choices_.below(6)) {
      case 0: return two(Type::Int, pick({"+", "-", "*", "div", "mod"}), depth);
      case 1: return "(-" + expression({Type::Int}, depth) + ")";
      case 2: return pick({"floor", "ceil", "round"}) + "(" + expression({Type::Real}, depth) + ")";
      case 3: return "(" + expression({Type::Nat}, depth) + " - 0)";
      case 4: return pick({"abs", "sign"}) + "(" + expression({Type::Int}, depth) + ")";
      default: return two(Type::Nat, "-", depth);
    }
  }

  std::string real(int depth) {
    switch (choices_.below(6)) {
      case 0: return two(Type::Real, pick({"+", "-", "*", "/"}), depth);
      case 1:
        return pick({
#define CHI_ELEMENTARY(name, text, ...) text,
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
                   "abs", "sign"}) +
               "(" + expression({Type::Real}, depth) + ")";
      case 2: return pick({"atan2", "min", "max"}) + two(Type::Real, ",", depth);
      case 3: return "(" + expression({Type::Real}, depth) + ")^" + leaf({Type::Real});
      case 4:
        return pick({"sum", "min", "max"}) + "(" + expression({Type::List, {{Type::Real}}}, depth) +
               ")";
      default: return "(" + expression(some({Type::Nat, Type::Int}), depth) + " / 1)";
    }
  }

  std::string string(int depth) {
    switch (choices_.below(3)) {
      case 0: return two(Type::String, pick({"+", "++"}), depth);
      default: return "str(" + expression(type(1), depth) + ")";
    }
  }

  std::string list(const Type& type, int depth) {
    const std::string self = expression(type, depth);
    switch (choices_.below(6)) {
      case 0: return "(" + self + pick({" ++ ", " -- "}) + expression(type, depth) + ")";
      case 1: return pick({"tl", "tr", "reverse"}) + "(" + self + ")";
      case 2:
        return pick({"take", "drop"}) + "(" + self + ", " + expression({Type::Nat}, depth) + ")";
      case 3:
        if (type.parts[0].kind == Type::Nat)
          return "range(" + pick({"0", "1", "5", "200"}) + ", " + pick({"3", "9", "400"}) + ")";
        return self;
      case 4:
        if (!has_functions || type.parts[0].kind != Type::Nat) return self;
        return "sort(" + self + ", " + pick({"less", "odd"}) + ")";
      default: return "[" + expression(type.parts[0], depth) + "]";
    }
  }

  Choices& choices_;
};

constexpr const char* kFunctions =
    "func count(n: nat) -> nat = if n = 0 then 0 else 1 + count(n div 2)\n"
    "func half(x: real) -> real = x / 2\n"
    "func twice(f: real -> real, x: real) -> real = f(f(x))\n"
    "func less(a, b: nat) -> bool = a < b\n"
    "func odd(a, b: nat) -> bool = (a mod 2 > b mod 2) or a = 3\n"
    "func below(n: nat) -> nat* =\n"
    "|[ xs: nat*, i: nat | *[ i < n and i < 20 -> xs := xs ++ [i]; i := i + 1 ]; ret xs ]|\n";

/// One process: its variables, then statements.
class Process {
 public:
  Process(Choices& choices, int place, const Type& message)
      : choices_(choices), generator_(choices), place_(place), message_(message) {
    generator_.has_functions = true;
  }

  std::string text() {
    std::string declarations;
    const std::size_t count = 1 + choices_.below(5);
    for (std::size_t i = 0; i < count; ++i) {
      const Type type = generator_.type(2);
      const std::string first = choices_.one_in(2) ? "" : " := " + generator_.literal(type);
      declarations += fmt::format("{}v{}: {}{}", i ? ", " : "", i, type.text(), first);
      generator_.names.push_back({fmt::format("v{}", i), type});
    }
    declarations += ", m: " + message_.text() + ", u: -> real := exponential(1.0)" +
                    ", w: -> nat := uniform(0, 9), k, j: nat";
    generator_.names.push_back({"m", message_});
    return fmt::format("proc P{}(a: !{}, b: ?{}, ref s: int) = |[ {}\n | {}\n]|\n", place_,
                       message_.text(), message_.text(), declarations,
                       statements(2, 1 + choices_.below(6)));
  }

 private:
  std::string statements(int depth, std::size_t count) {
    std::string text = statement(depth);
    for (std::size_t i = 1; i < count; ++i) text += ";\n   " + statement(depth);
    return text;
  }

  std::string block(int depth) { return statements(depth - 1, 1 + choices_.below(3)); }
  std::string condition() { return generator_.expression({Type::Bool}, 2); }

  std::string statement(int depth) {
    switch (choices_.below(depth > 0 ? 13 : 9)) {
      case 0: return print();
      case 1:
      case 2:
      case 3: return assign();
      case 4: return "a!" + generator_.expression(message_, 2);
      case 5: return "b?m";
      case 6: return "delta " + generator_.pick({"1.0", "0.25", "sample u", "0.0", "-1.0"});
      case 7: return "s := s + " + generator_.expression({Type::Int}, 1);
      case 8:
        return generator_.pick({"k := sample w", "skip", "!sample u, sample w",
                                "assert k < 10, \"many\"", "assert (k + j) >= 0"});
      case 9: {
        const std::string first = condition(), then = block(depth);
        return fmt::format("[ {} -> {} | {} -> {} ]", first, then, condition(), block(depth));
      }
      case 10: {
        // A loop that ends by itself most of the time.
        const std::string bound = generator_.pick({"3", "10", "1", "k"});
        return fmt::format("j := 0; *[ j < {} -> j := j + 1; {} ]", bound, block(depth));
      }
      case 11: {
        const std::string first = generator_.expression(message_, 1), sent = block(depth);
        const std::string received = block(depth), late = block(depth);
        return fmt::format("[ true; a!{} -> {} | {}; b?m -> {} | true; delta 1.0 -> {} ]", first,
                           sent, condition(), received, late);
      }
      default:
        return fmt::format("[ i: nat <- 0..2: {} and i < 3 -> {} | true -> skip ]", condition(),
                           block(depth));
    }
  }

  std::string print() { return "!" + generator_.expression(generator_.type(2), 3) + ", \"\\n\""; }

  /// To a whole variable or a part of it; two at a time, now and then.
  std::string assign() {
    const Variable first = place(), second = place();
    // A narrower number widens.
    const bool widens = first.type.kind == Type::Real && choices_.one_in(3);
    const std::string value = generator_.expression(widens ? Type{Type::Nat} : first.type, 3);
    const auto root = [](const Variable& v) {
      return v.name.substr(0, v.name.find_first_of(".["));
    };
    if (!choices_.one_in(5) || root(first) == root(second)) return first.name + " := " + value;
    return first.name + ", " + second.name + " := " + value + ", " +
           generator_.expression(second.type, 2);
  }

  Variable place() {
    Variable v = generator_.names[choices_.below(generator_.names.size())];
    while (!v.type.parts.empty() && choices_.one_in(2)) {
      const Type::Kind kind = v.type.kind;
      if (kind == Type::Set) break;
      if (kind == Type::List) v.name += "[" + generator_.expression({Type::Nat}, 1) + "]";
      if (kind == Type::Array) v.name += ".(" + generator_.expression({Type::Nat}, 1) + ")";
      if (kind == Type::Dict) v.name += "[" + generator_.expression(v.type.parts[0], 1) + "]";
      const bool second = kind == Type::Dict ||
                          ((kind == Type::Tuple || kind == Type::Record) && choices_.one_in(2));
      if (kind == Type::Tuple) v.name += second ? ".1" : ".0";
      if (kind == Type::Record) v.name += second ? ".b" : ".a";
      v.type = Type(v.type.parts[second ? 1 : 0]);
    }
    return v;
  }

  Choices& choices_;
  Generator generator_;
  int place_;
  Type message_;
};

}  // namespace

std::string random_program(Choices& choices) {
  const Type message = Generator(choices).type(1);
  const int count = 1 + static_cast<int>(choices.below(3));
  std::string text = kFunctions, instances, channels;
  for (int i = 0; i < count; ++i) {
    text += Process(choices, i, message).text();
    channels += fmt::format("c{}, ", i);
    instances += fmt::format("{}P{}(c{}, c{}, s)", i ? " || " : "", i, i, (i + 1) % count);
  }
  channels.resize(channels.size() - 2);
  return text +
         fmt::format("sys S() = |[ {}: -{}, s: int | {} ]|\n", channels, message.text(), instances);
}

TwoWays random_expression_two_ways(Choices& choices) {
  Generator generator(choices);
  generator.has_functions = true;
  std::string constants, variables;
  for (int i = 0; i < 4; ++i) {
    const Type type = generator.type(2);
    const std::string value = generator.literal(type);
    constants += fmt::format("const v{}: {} = {}\n", i, type.text(), value);
    variables += fmt::format("{}v{}: {} := {}", i ? ", " : "", i, type.text(), value);
    generator.names.push_back({fmt::format("v{}", i), type});
  }
  const Type type = generator.type(2);
  const std::string expression = generator.expression(type, 5);
  return {fmt::format("{}{}const r: {} = {}\nproc P() = |[ !r ]|\n", kFunctions, constants,
                      type.text(), expression),
          fmt::format("{}proc P() = |[ {}, r: {} | r := {}; !r ]|\n", kFunctions, variables,
                      type.text(), expression)};
}

}  // namespace chi::fuzz
