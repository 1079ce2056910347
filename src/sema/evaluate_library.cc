#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/check.h"
#include "expr/elementary.h"
#include "sema/arithmetic.h"
#include "sema/evaluator.h"
#include "sema/text_format.h"
#include "sema/vectors.h"

namespace chi::sema {
namespace {

double number(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*i);
  if (const auto* b = std::get_if<bool>(&value.data)) return *b ? 1.0 : 0.0;
  return std::get<double>(value.data);
}

std::int64_t integer(const Value& value) { return std::get<std::int64_t>(value.data); }
Value::Sequence& elements(Value& value) { return std::get<Value::Sequence>(value.data); }

/// An elementary function; none outside its domain.
std::optional<double> apply(Builtin builtin, double x) {
  switch (builtin) {
#define CHI_ELEMENTARY(name, text, value, domain, ...) \
  case Builtin::name:                                  \
    if (!contains(expr::Domain::domain, x)) return {}; \
    return value;
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
    default: CHI_CHECK(false, "not an elementary function"); return {};
  }
}

}  // namespace

bool Evaluator::library(Builtin builtin, ExprId call, std::vector<Value>& arguments, Value& out) {
  using enum Builtin;
  switch (builtin) {
    case Abs:
    case Sign: out = std::move(arguments[0]); return sign_function(builtin, call, out);
    case Min:
    case Max: return extreme(builtin, call, arguments, out);
    case Floor:
    case Ceil:
    case Round: return rounding(builtin, call, arguments[0], out);
    case Range: return range(call, arguments, out);
    case Csv: return csv(call, out);
    case Interpolate: return interpolate(call, arguments, out);
    case Sum: return sum(call, arguments[0], out);
    case Str:
      if (arguments.size() == 2) {
        if (integer(arguments[1]) < 0) {
          return fail(span(call),
                      fmt::format("{} is negative and no `nat`", integer(arguments[1])));
        }
        out.data = fixed_text(number(arguments[0]), integer(arguments[1]));
        return true;
      }
      out.data = text(arguments[0], m_, type(m_.ast.list(node<syntax::Call>(call)->arguments)[0]));
      return true;
    case Format: return format(call, arguments, out);
    case Pre:
    case Rises:
    case Delayed: return fail(span(call), "this has no value before the run");
    default: break;
  }
  if (is_vector_function(builtin)) return vector_function(builtin, call, arguments, out);
  if (builtin >= Hd && builtin <= Values) return list_function(builtin, call, arguments, out);
  if (makes_distribution(builtin)) return distribution(builtin, call, arguments, out);
  return real_function(builtin, call, arguments, out);
}

bool Evaluator::format(ExprId call, const std::vector<Value>& arguments, Value& out) {
  const auto given = m_.ast.list(node<syntax::Call>(call)->arguments);
  std::string problem;
  std::string result;
  std::size_t next = 1;
  for (const FormatPiece& piece : read_format(std::get<std::string>(arguments[0].data), problem)) {
    if (!piece.is_field) {
      result += piece.text;
      continue;
    }
    const FieldFormat field = *read_field(piece.text);
    const Value& value = arguments[next];
    const TypeId of = type(given[next++]);
    if (m_.types.is(of, BasicType::Real)) {
      result += format_real(field, number(value));
    } else if (m_.types.is_integer(of)) {
      result += format_integer(field, integer(value));
    } else {
      result += format_text(field, text(value, m_, of));
    }
  }
  out.data = std::move(result);
  return true;
}

bool Evaluator::real_function(Builtin builtin, ExprId call, std::vector<Value>& arguments,
                              Value& out) {
  const double x = number(arguments[0]);
  const bool two = builtin == Builtin::Atan2;
  const double y = two ? number(arguments[1]) : 0.0;
  const std::optional<double> result = two ? std::atan2(x, y) : apply(builtin, x);
  if (!result || (std::isnan(*result) && !std::isnan(x) && !std::isnan(y))) {
    return fail(span(call),
                fmt::format("`{}` has no value at {}", builtin_text(builtin), real_text(x)));
  }
  out.data = *result;
  return true;
}

bool Evaluator::rounding(Builtin builtin, ExprId call, const Value& argument, Value& out) {
  const double x = number(argument);
  const double whole = builtin == Builtin::Floor  ? std::floor(x)
                       : builtin == Builtin::Ceil ? std::ceil(x)
                                                  : std::round(x);
  const auto result = to_integer(whole);
  if (!result) return fail(span(call), "integer overflow");
  out.data = *result;
  return true;
}

bool Evaluator::sign_function(Builtin builtin, ExprId call, Value& value) {
  if (const auto* r = std::get_if<double>(&value.data)) {
    const double x = *r;
    value.data = builtin == Builtin::Abs ? std::abs(x) : x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
    return true;
  }
  const std::int64_t i = integer(value);
  if (builtin == Builtin::Sign) {
    value.data = std::int64_t{i > 0} - std::int64_t{i < 0};
    return true;
  }
  const auto negated = checked_sub(0, i);
  if (i < 0 && !negated) return fail(span(call), "integer overflow");
  if (i < 0) value.data = *negated;
  return true;
}

bool Evaluator::extreme(Builtin builtin, ExprId call, std::vector<Value>& arguments, Value& out) {
  Value::Sequence candidates;
  if (arguments.size() == 1) {
    candidates = std::move(elements(arguments[0]));
    if (candidates.empty()) {
      return fail(span(call), fmt::format("`{}` of an empty list", builtin_text(builtin)));
    }
  } else {
    if (m_.types.is(type(call),
                    BasicType::Real)) {  // as in a run, what is no number does not count
      double best = number(arguments[0]);
      for (const Value& v : arguments) {
        best = builtin == Builtin::Min ? std::fmin(best, number(v)) : std::fmax(best, number(v));
      }
      out.data = best;
      return true;
    }
    candidates = std::move(arguments);
  }
  const auto best = builtin == Builtin::Min
                        ? std::min_element(candidates.begin(), candidates.end())
                        : std::max_element(candidates.begin(), candidates.end());
  out = std::move(*best);
  return true;
}

bool Evaluator::list_function(Builtin builtin, ExprId call, std::vector<Value>& arguments,
                              Value& out) {
  using enum Builtin;
  if (auto* entries = std::get_if<Value::Mapping>(&arguments[0].data)) {
    Value::Sequence result;
    for (auto& [key, value] : *entries) result.push_back(std::move(builtin == Keys ? key : value));
    if (builtin == Size) {
      out.data = static_cast<std::int64_t>(entries->size());
    } else {
      out.data = std::move(result);
    }
    return true;
  }
  Value::Sequence& list = elements(arguments[0]);
  const auto size = static_cast<std::int64_t>(list.size());
  const bool needs_element =
      builtin == Hd || builtin == Tl || builtin == Hr || builtin == Tr || builtin == Pick;
  if (needs_element && list.empty()) {
    const char* what = builtin == Pick ? "set" : "list";
    return fail(span(call), fmt::format("`{}` of an empty {}", builtin_text(builtin), what));
  }
  if (!work(list.size(), span(call))) return false;
  switch (builtin) {
    case Hd:
    case Pick: out = Value(list.front()); return true;
    case Hr: out = Value(list.back()); return true;
    case Len:
    case Size: out.data = size; return true;
    case Tl: list.erase(list.begin()); break;
    case Tr: list.pop_back(); break;
    case Reverse: std::reverse(list.begin(), list.end()); break;
    case Take:
    case Drop: {
      const std::int64_t n = integer(arguments[1]);
      if (n < 0) return fail(span(call), fmt::format("{} is negative and no `nat`", n));
      const auto middle = list.begin() + std::min(n, size);
      builtin == Take ? list.erase(middle, list.end()) : list.erase(list.begin(), middle);
      break;
    }
    case Sort:
      if (!sort(call, arguments[0], arguments[1])) return false;
      break;
    case Insert:
      if (!insert(call, arguments[0], arguments[1], arguments[2])) return false;
      break;
    default: return fail(span(call), "this has no value before the run");
  }
  out = std::move(arguments[0]);
  return true;
}

bool Evaluator::range(ExprId call, const std::vector<Value>& arguments, Value& out) {
  const std::int64_t first = arguments.size() > 1 ? integer(arguments[0]) : 0;
  const std::int64_t end = integer(arguments[arguments.size() > 1 ? 1 : 0]);
  const std::int64_t step = arguments.size() > 2 ? integer(arguments[2]) : 1;
  if (step == 0) return fail(span(call), "a range with step 0");
  const auto* list = as<List>(type(call));
  const bool of_nats = list && m_.types.is(list->element, BasicType::Nat);
  Value::Sequence result;
  for (std::int64_t i = first; step > 0 ? i < end : i > end;) {
    if (!work(4, span(call))) return false;
    if (of_nats && i < 0) return fail(span(call), fmt::format("{} is negative and no `nat`", i));
    result.emplace_back().data = i;
    const auto next = checked_add(i, step);
    if (!next) break;
    i = *next;
  }
  out.data = std::move(result);
  return true;
}

bool Evaluator::sum(ExprId call, const Value& list, Value& out) {
  const auto& values = std::get<Value::Sequence>(list.data);
  if (!work(values.size(), span(call))) return false;
  if (m_.types.is(type(call), BasicType::Real)) {
    double total = 0.0;
    for (const Value& v : values) total += number(v);
    out.data = total;
    return true;
  }
  std::int64_t total = 0;
  for (const Value& v : values) {
    const auto next = checked_add(total, integer(v));
    if (!next) return fail(span(call), "integer overflow");
    total = *next;
  }
  out.data = total;
  return true;
}

bool Evaluator::is_less(const Value& less, const Value& a, const Value& b, Span where,
                        bool& result) {
  const auto* function = std::get_if<Value::FunctionRef>(&less.data);
  if (!function) return fail(where, "this has no value before the run");
  std::vector<Value> arguments(2);
  arguments[0] = a;
  arguments[1] = b;
  Value out;
  if (!call_function(function->decl, arguments, where, out)) return false;
  result = std::get<bool>(out.data);
  return true;
}

/// Stable merge sort. It ends for any `less`, also one that is no order.
bool Evaluator::sort(ExprId call, Value& list, const Value& less) {
  Value::Sequence& values = elements(list);
  for (std::size_t width = 1; width < values.size(); width *= 2) {
    Value::Sequence merged;
    for (std::size_t begin = 0; begin < values.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, values.size());
      const std::size_t end = std::min(begin + 2 * width, values.size());
      std::size_t a = begin;
      std::size_t b = middle;
      while (a < middle || b < end) {
        bool second = a == middle;
        if (a < middle && b < end && !is_less(less, values[b], values[a], span(call), second)) {
          return false;
        }
        merged.push_back(std::move(values[second ? b++ : a++]));
      }
    }
    values = std::move(merged);
  }
  return true;
}

/// Puts an element before the first one that is greater, found by halving as in a run: what
/// becomes of a list that is not in order is the same.
bool Evaluator::insert(ExprId call, Value& list, Value& element, const Value& less) {
  Value::Sequence& values = elements(list);
  const auto* signature = as<List>(type(call));
  const ExprId given = m_.ast.list(node<syntax::Call>(call)->arguments)[1];
  if (!convert(element, type(given), signature->element, span(given))) return false;
  std::size_t low = 0;
  for (std::size_t high = values.size(); low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    bool before = false;
    if (!is_less(less, element, values[middle], span(call), before)) return false;
    (before ? high : low) = before ? middle : middle + 1;
  }
  values.insert(values.begin() + static_cast<std::ptrdiff_t>(low), std::move(element));
  return true;
}

bool Evaluator::distribution(Builtin builtin, ExprId call, std::vector<Value>& arguments,
                             Value& out) {
  const TypeId sampled = as<Dist>(type(call))->result;
  const auto given = m_.ast.list(node<syntax::Call>(call)->arguments);
  Value::Distribution result{distribution_kind(builtin, m_.types.is_integer(sampled)), {}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypeId wanted =
        distribution_argument_type(m_.types, result.kind, static_cast<int>(i), sampled);
    if (!convert(arguments[i], type(given[i]), wanted, span(given[i]))) return false;
    result.arguments.push_back(law_argument(arguments[i]));
  }
  if (const std::string_view problem = distribution_problem(result); !problem.empty()) {
    return fail(span(call), problem);
  }
  out.data = std::move(result);
  return true;
}

}  // namespace chi::sema
