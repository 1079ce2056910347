#include <algorithm>
#include <initializer_list>
#include <limits>

#include <fmt/format.h>

#include "sema/distribution_law.h"
#include "sema/expression_parts.h"
#include "sema/expressions.h"
#include "sema/paths.h"
#include "sema/text_format.h"

namespace chi::sema {
namespace {

/// Of one `format`.
constexpr int kMostFormatted = 1000;

/// How many arguments a library function takes.
struct Arity {
  int least = 1;
  int most = 1;
};

Arity arity_of(Builtin builtin) {
  using enum Builtin;
  if (makes_distribution(builtin)) {
    const int count = distribution_arity(distribution_kind(builtin, false));
    return {count, count};
  }
  switch (builtin) {
    case Pi: return {0, 0};
    case Min:
    case Max: return {1, 2};
    case Atan2:
    case Take:
    case Drop:
    case Sort: return {2, 2};
    case Insert: return {3, 3};
    case Csv: return {2, 2};
    case Interpolate: return {2, 5};
    case Range: return {1, 3};
    case Str: return {1, 2};
    case Format: return {1, kMostFormatted};
    case Delayed:
    case Map: return {2, 3};
    case Dot:
    case Cross:
    case Outer:
    case Times:
    case Divide: return {2, 2};
    default: return {1, 1};
  }
}

class LibraryCall {
 public:
  LibraryCall(Context& c, Builtin builtin, ExprId call, TypeId hint)
      : c_(c),
        builtin_(builtin),
        call_(call),
        hint_(hint),
        arguments_(c.ast.list(c.node<syntax::Call>(call)->arguments)) {}

  TypeId check() {
    if (!right_count()) {
      for (ExprId a : arguments_) check_expr(c_, a);
      return c_.unknown();
    }
    return by_kind();
  }

 private:
  TypeId by_kind() {
    using enum Builtin;
    switch (builtin_) {
      case Abs:
      case Sign: return number(0);
      case Min:
      case Max: return extreme();
      case Floor:
      case Ceil:
      case Round: return reals(c_.int_type());
      case Hd:
      case Hr: return element(list(0, {}));
      case Tl:
      case Tr:
      case Reverse: return list(0, hint_);
      case Len: return list(0, {}), c_.nat_type();
      case Take:
      case Drop: return part_of_list();
      case Sort: return sorted();
      case Insert: return inserted();
      case Range: return range();
      case Sum: return numbers();
      case Size: return size();
      case Pick: return pick();
      case Keys:
      case Values: return entries();
      case Str: return str();
      case Format: return format();
      case Delayed: return delayed();
      case Pre:
      case Rises: return before();
      case Csv: return csv();
      case Interpolate: return interpolated();
      case Pi: return c_.real_type();
      default:
        if (is_vector_function(builtin_)) return check_vector_call(c_, builtin_, call_, hint_);
        return makes_distribution(builtin_) ? distribution() : reals(c_.real_type());
    }
  }

  bool right_count() {
    const Arity arity = arity_of(builtin_);
    const int found = static_cast<int>(arguments_.size());
    if (builtin_ == Builtin::Pi) {
      c_.report({.code = DiagCode::NotAFunction,
                 .span = c_.span(call_),
                 .message = "`pi` is a number, not a function"});
      return false;
    }
    if (found >= arity.least && found <= arity.most) return true;
    const std::string count = arity.least == arity.most
                                  ? fmt::format("{}", arity.least)
                                  : fmt::format("{} to {}", arity.least, arity.most);
    c_.report({.code = DiagCode::ArgumentCount,
               .span = c_.span(call_),
               .message = fmt::format("`{}` takes {} argument{}, found {}", builtin_text(builtin_),
                                      count, arity.most == 1 ? "" : "s", found)});
    return false;
  }

  TypeId wrong(std::size_t i, std::string_view wanted, TypeId found) {
    if (!c_.types.is_unknown(found)) {
      Diagnostic d{.code = DiagCode::LibraryArgument,
                   .span = c_.span(arguments_[i]),
                   .message = fmt::format("`{}` needs {}, found `{}`", builtin_text(builtin_),
                                          wanted, c_.text(found))};
      if (is_scalar_function(builtin_) && is_vector(c_.types, found)) {
        d.help = fmt::format("`map({}, ...)` applies it to each element", builtin_text(builtin_));
      }
      c_.report(std::move(d));
    }
    return c_.unknown();
  }

  TypeId number(std::size_t i) {
    const TypeId found = check_expr(c_, arguments_[i]);
    return c_.types.is_numeric(found) ? found : wrong(i, "a number", found);
  }

  TypeId real(std::size_t i) {
    const TypeId found = check_expr(c_, arguments_[i], c_.real_type());
    return c_.types.is_numeric(found) ? found : wrong(i, "a number", found);
  }

  TypeId integer(std::size_t i, TypeId hint = {}) {
    const TypeId found = check_expr(c_, arguments_[i], hint);
    return c_.types.is_integer(found) ? found : wrong(i, "an integer", found);
  }

  TypeId reals(TypeId result) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) real(i);
    return result;
  }

  TypeId list(std::size_t i, TypeId hint) {
    const TypeId found = check_expr(c_, arguments_[i], c_.as<List>(hint) ? hint : TypeId{});
    return c_.as<List>(found) ? found : wrong(i, "a list", found);
  }

  TypeId element(TypeId type) const {
    const auto list = c_.as<List>(type);
    return list ? list->element : c_.unknown();
  }

  /// The type of the numbers in a list or an array.
  TypeId numbers() {
    const TypeId found = check_expr(c_, arguments_[0]);
    const auto array = c_.as<Array>(found);
    const TypeId inside = array ? array->element : element(found);
    if (c_.types.is_numeric(inside) || c_.types.is_unknown(found)) return inside;
    return wrong(0, "a list or an array of numbers", found);
  }

  TypeId extreme() {
    if (arguments_.size() == 2) {
      const TypeId a = number(0);
      const TypeId b = number(1);
      return join(c_.types, a, b).value_or(c_.unknown());
    }
    return numbers();
  }

  TypeId part_of_list() {
    const TypeId type = list(0, hint_);
    integer(1);
    return type;
  }

  /// `(T, T) -> bool`, the order that sorting uses.
  void order(std::size_t i, TypeId type) {
    const TypeId found = check_expr(c_, arguments_[i]);
    if (c_.types.is_unknown(type)) return;
    const std::array<TypeId, 2> both{element(type), element(type)};
    const TypeId wanted = c_.types.func(both, c_.bool_type());
    if (!fits(c_.types, found, wanted)) {
      wrong(i, fmt::format("an order `{}`", c_.text(wanted)), found);
    }
  }

  TypeId sorted() {
    const TypeId type = list(0, hint_);
    order(1, type);
    return type;
  }

  TypeId inserted() {
    const TypeId type = list(0, hint_);
    require(c_, arguments_[1], element(type), "an element");
    order(2, type);
    return type;
  }

  /// A `nat*` or `int*` as the place wants; else as the arguments are.
  TypeId range() {
    TypeId widest = c_.nat_type();
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const TypeId found = integer(i);
      if (!c_.types.is_unknown(found)) widest = join(c_.types, widest, found).value_or(widest);
    }
    const TypeId wanted = element(hint_ ? hint_ : c_.unknown());
    return c_.types.list(c_.types.is_integer(wanted) ? wanted : widest);
  }

  TypeId size() {
    const TypeId found = check_expr(c_, arguments_[0]);
    const bool sized = c_.as<Set>(found) || c_.as<Dict>(found);
    if (!sized) wrong(0, "a set or a dictionary", found);
    return c_.nat_type();
  }

  TypeId pick() {
    const TypeId found = check_expr(c_, arguments_[0]);
    const auto set = c_.as<Set>(found);
    return set ? set->element : wrong(0, "a set", found);
  }

  TypeId entries() {
    const TypeId found = check_expr(c_, arguments_[0]);
    const auto dict = c_.as<Dict>(found);
    if (!dict) return wrong(0, "a dictionary", found);
    return c_.types.list(builtin_ == Builtin::Keys ? dict->key : dict->value);
  }

  TypeId str() {
    if (arguments_.size() == 2) {  // so many digits behind the point
      real(0);
      require(c_, arguments_[1], c_.nat_type(), "the number of digits");
      return c_.string_type();
    }
    const TypeId found = check_expr(c_, arguments_[0]);
    if (!c_.types.is_data(found)) wrong(0, "data", found);
    return c_.string_type();
  }

  TypeId bad_format(ExprId where, std::string message, std::string help = {}) {
    c_.report({.code = DiagCode::BadFormat,
               .span = c_.span(where),
               .message = std::move(message),
               .help = std::move(help)});
    return c_.string_type();
  }

  TypeId format() {
    std::vector<TypeId> found;
    for (const ExprId argument : arguments_) found.push_back(check_expr(c_, argument));
    const auto* literal = c_.node<syntax::StringLiteral>(arguments_[0]);
    if (literal == nullptr)
      return bad_format(arguments_[0], "a format is a string as it stands, in quotes",
                        "`str` makes a text of a value, `++` joins texts");
    std::string problem;
    std::vector<FormatPiece> fields = read_format(c_.ast.symbols.text(literal->text), problem);
    if (!problem.empty()) return bad_format(arguments_[0], problem);
    std::erase_if(fields, [](const FormatPiece& piece) { return !piece.is_field; });
    if (fields.size() + 1 != arguments_.size()) {
      return bad_format(call_, fmt::format("the format has {} field{} for {} value{}",
                                           fields.size(), fields.size() == 1 ? "" : "s",
                                           found.size() - 1, found.size() == 2 ? "" : "s"));
    }
    for (std::size_t i = 1; i < arguments_.size(); ++i)
      check_field(i, found[i], fields[i - 1].text);
    return c_.string_type();
  }

  void check_field(std::size_t i, TypeId found, const std::string& text) {
    if (c_.types.is_unknown(found)) return;
    const FieldFormat field = *read_field(text);
    if (!c_.types.is_data(found)) {
      wrong(i, "data", found);
    } else if (field.is_for_integers() && !c_.types.is_integer(found)) {
      bad_format(arguments_[i],
                 fmt::format("`{{:{}}}` is for integers, found `{}`", text, c_.text(found)));
    } else if (field.is_for_numbers() && !c_.types.is_numeric(found)) {
      bad_format(arguments_[i],
                 fmt::format("`{{:{}}}` is for numbers, found `{}`", text, c_.text(found)));
    }
  }

  /// `csv("file", "column")`: both as they stand, as the file is read before anything is computed.
  TypeId csv() {
    const TypeId result = c_.types.list(c_.real_type());
    bool literal = true;
    for (const ExprId argument : arguments_) {
      check_expr(c_, argument);
      if (c_.node<syntax::StringLiteral>(argument)) continue;
      literal = false;
      c_.report({.code = DiagCode::LibraryArgument,
                 .span = c_.span(argument),
                 .message = "`csv` needs the names of a file and of a column, in quotes"});
    }
    const auto found = c_.model.data.find(call_);
    if (!literal || (found != c_.model.data.end() && found->second.problem.empty())) return result;
    c_.report(
        {.code = DiagCode::DataFile,
         .span = c_.span(call_),
         .message = found == c_.model.data.end() ? "this file was not read" : found->second.problem,
         .help = found == c_.model.data.end() ? "" : found->second.help});
    return result;
  }

  /// `interpolate(xs, ys)`, `interpolate(xs, ys, zss)`, then how, then what is outside.
  TypeId interpolated() {
    numbers(0, 1);
    numbers(1, 1);
    std::size_t next = 2;
    const bool two = arguments_.size() > 2 && !is_text(2);
    if (two) numbers(next++, 2);
    if (next < arguments_.size()) one_of(next++, {"linear", "pchip", "spline", "previous"});
    if (next < arguments_.size()) one_of(next++, {"hold", "extend"});
    for (; next < arguments_.size(); ++next) {
      check_expr(c_, arguments_[next]);
      wrong(next, "no further argument", c_.model.type[arguments_[next]]);
    }
    if (c_.place != Place::BeforeRun) {
      c_.report({.code = DiagCode::TablePlace,
                 .span = c_.span(call_),
                 .message = "`interpolate` makes a function before the run, and this is a place of "
                            "the run",
                 .help = "give it a name: `const f = interpolate(...)`, or make it the argument of "
                         "a parameter `f: (real) -> real`"});
    }
    const std::vector<TypeId> parameters(two ? 2 : 1, c_.real_type());
    return c_.types.func(parameters, c_.real_type());
  }

  bool is_text(std::size_t i) const {
    return c_.node<syntax::StringLiteral>(arguments_[i]) != nullptr;
  }

  /// A list or an array of numbers, or of such lists.
  void numbers(std::size_t i, int depth) {
    TypeId hint = c_.real_type();
    for (int d = 0; d < depth; ++d) hint = c_.types.list(hint);
    const TypeId found = check_expr(c_, arguments_[i], hint);
    TypeId inside = found;
    for (int d = 0; d < depth; ++d) {
      const auto array = c_.as<Array>(inside);
      const auto list = c_.as<List>(inside);
      inside = array ? array->element : list ? list->element : c_.unknown();
    }
    if (c_.types.is_numeric(inside) || c_.types.is_unknown(found)) return;
    wrong(i, depth == 1 ? "a list of numbers" : "a list of lists of numbers", found);
  }

  void one_of(std::size_t i, std::initializer_list<std::string_view> words) {
    const TypeId found = check_expr(c_, arguments_[i]);
    const auto* literal = c_.node<syntax::StringLiteral>(arguments_[i]);
    std::string list;
    for (const std::string_view word : words) {
      if (literal != nullptr && c_.text(literal->text) == word) return;
      list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", word);
    }
    if (c_.types.is_unknown(found)) return;
    c_.report({.code = DiagCode::LibraryArgument,
               .span = c_.span(arguments_[i]),
               .message = fmt::format("this argument of `interpolate` is one of {}", list)});
  }

  TypeId delayed() {
    reals(c_.real_type());
    if (c_.place != Place::Equation && c_.place != Place::Substitute &&
        c_.place != Place::Statement) {
      c_.report({.code = DiagCode::DelayPlace,
                 .span = c_.span(call_),
                 .message = "`delay` can stand only in equations and statements"});
    }
    return c_.real_type();
  }

  /// The value before this round of the instant.
  TypeId before() {
    if (!c_.in_discrete_equation) {
      c_.report({.code = DiagCode::PrePlace,
                 .span = c_.span(call_),
                 .message = fmt::format("`{}` can stand only in a discrete equation",
                                        builtin_text(builtin_)),
                 .help = "`v <- e` for a variable that is no real remembers its value: `pre(v)`"});
    }
    if (builtin_ == Builtin::Rises) {
      require(c_, arguments_[0], c_.bool_type());
      return c_.bool_type();
    }
    const TypeId found = check_expr(c_, arguments_[0]);
    if (c_.types.is_unknown(found)) return found;
    const DeclId root = root_of(c_, arguments_[0]);
    const ExprId path = strip(c_.ast, arguments_[0]);
    if (!root || !is_variable(c_, root) || c_.node<syntax::Derivative>(path)) {
      return wrong(0, "a variable", found);
    }
    if (!c_.types.is_discrete_based(found)) return wrong(0, "a variable that is no real", found);
    if (is_fixed_path(c_, arguments_[0])) return found;
    c_.report({.code = DiagCode::ElementNotFixed,
               .span = c_.span(arguments_[0]),
               .message = "which element is meant changes during the run",
               .help = "use constants, parameters and indices of an unwinding as index"});
    return found;
  }

  TypeId distribution() {
    using enum Builtin;
    const auto hint = c_.as<Dist>(hint_);
    const TypeId wanted = hint ? hint->result : c_.unknown();
    switch (builtin_) {
      case Constant: return constant(wanted);
      case Bernoulli: return reals(c_.types.dist(c_.bool_type()));
      case Geometric:
      case Poisson: return reals(counts(wanted));
      case Binomial: return integer(0), real(1), counts(wanted);
      case Erlang: return real(0), integer(1), c_.types.dist(c_.real_type());
      case Uniform: return uniform(wanted);
      default: return reals(c_.types.dist(c_.real_type()));
    }
  }

  /// A distribution of whole numbers: of `int` where that is wanted, else of `nat`.
  TypeId counts(TypeId wanted) {
    return c_.types.dist(c_.types.is(wanted, BasicType::Int) ? wanted : c_.nat_type());
  }

  TypeId constant(TypeId wanted) {
    const TypeId hint = c_.types.is_unknown(wanted) ? TypeId{} : wanted;
    const TypeId found = check_expr(c_, arguments_[0], hint);
    if (c_.types.is_unknown(found)) return found;
    const bool simple = c_.types.is_numeric(found) || c_.types.is(found, BasicType::Bool);
    if (!simple) return wrong(0, "a number or a boolean", found);
    const bool widens = hint && c_.types.is_numeric(found) && fits(c_.types, found, hint);
    if (!widens) return c_.types.dist(found);
    require_fits(c_, arguments_[0], found, hint, "a sample");  // a negative literal for a nat
    return c_.types.dist(hint);
  }

  TypeId uniform(TypeId wanted) {
    const bool wants_real = c_.types.is(wanted, BasicType::Real);
    const TypeId a = wants_real ? real(0) : number(0);
    const TypeId b = wants_real ? real(1) : number(1);
    if (c_.types.is_unknown(a) || c_.types.is_unknown(b)) return c_.unknown();
    if (wants_real || !c_.types.is_integer(a) || !c_.types.is_integer(b)) {
      return c_.types.dist(c_.real_type());
    }
    if (c_.types.is_integer(wanted)) {
      require_fits(c_, arguments_[0], a, wanted, "a bound");  // a negative literal for a nat
      require_fits(c_, arguments_[1], b, wanted, "a bound");
      return c_.types.dist(wanted);
    }
    return c_.types.dist(join(c_.types, a, b).value_or(c_.int_type()));
  }

  Context& c_;
  Builtin builtin_;
  ExprId call_;
  TypeId hint_;
  std::span<const ExprId> arguments_;
};

}  // namespace

TypeId check_builtin(Context& c, Builtin builtin, ExprId call, TypeId hint) {
  return LibraryCall(c, builtin, call, hint).check();
}

}  // namespace chi::sema
