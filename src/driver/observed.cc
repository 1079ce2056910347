#include "driver/observed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/json_text.h"
#include "code/list.h"

namespace chi::driver {
namespace {

using code::Slot;
using sema::TypeId;

constexpr double kConfidence = 0.95;

double square(double x) { return x * x; }

/// Φ(x).
double normal_probability(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// P(T <= x) for x >= 0 and whole n: finite sums (Abramowitz and Stegun, 26.7.3 and 26.7.4).
double student_probability(double x, int n) {
  const double angle = std::atan(x / std::sqrt(n)), c = square(std::cos(angle));
  double term = n % 2 == 1 ? std::cos(angle) : 1.0, sum = n == 1 ? 0.0 : term;
  for (int k = n % 2 == 1 ? 3 : 2; k <= n - 2; k += 2) {
    term *= c * (k - 1) / k;
    sum += term;
  }
  if (n % 2 == 1) return 0.5 + (angle + std::sin(angle) * sum) / std::numbers::pi;
  return 0.5 + std::sin(angle) * sum / 2;
}

/// The root of an increasing function of x >= 0, by halving.
template <class Probability>
double inverse(Probability probability, double p) {
  double low = 0, high = 1;
  while (probability(high) < p && high < 1e300) {
    low = high;
    high *= 2;
  }
  while (true) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) return high;
    (probability(middle) < p ? low : high) = middle;
  }
}

/// Reads a variable by the fields of its type, which make it what it is.
class Reader {
 public:
  Reader(const flat::FlatModel& model, const code::Program& program, double now)
      : model_(model), program_(program), now_(now) {}

  void read(const std::string& name, TypeId type, const Slot* value, std::vector<Observed>& out) {
    const sema::Types& types = model_.typed.types;
    if (const auto* array = std::get_if<sema::Array>(&types[type])) {
      const TypeId element = array->element;
      const std::int64_t length = array->length;
      if (kind_of(innermost(element)).empty()) return;
      const std::int32_t slots = program_.types.known(element).slots;
      for (std::int64_t i = 0; i < length; ++i)
        read(fmt::format("{}[{}]", name, i), element, value + i * slots, out);
      return;
    }
    const std::string_view kind = kind_of(type);
    if (kind == "tally") out.push_back({name, "tally", tally(value)});
    if (kind == "level") out.push_back({name, "level", level(value)});
    if (kind == "counter") out.push_back({name, "counter", counter(value)});
    if (kind == "histogram") out.push_back({name, "histogram", histogram(type, value)});
    if (kind == "batches") out.push_back({name, "batches", tally(value + 3)});
  }

 private:
  using Figures = std::vector<Observed::Figure>;

  TypeId innermost(TypeId type) const {
    while (const auto* array = std::get_if<sema::Array>(&model_.typed.types[type]))
      type = array->element;
    return type;
  }

  std::string_view kind_of(TypeId type) const {
    const auto* record = std::get_if<sema::Record>(&model_.typed.types[type]);
    if (record == nullptr) return "";
    std::string fields;
    for (const sema::Field& field : model_.typed.types.list(record->fields)) {
      if (fields.size() > 60) return "";
      fields += model_.typed.ast.symbols.text(field.name);
      fields += ' ';
    }
    if (fields == "n mean squares least greatest ") return "tally";
    if (fields == "value start since area squares least greatest ") return "level";
    if (fields == "n start ") return "counter";
    if (fields == "low width counts below above ") return "histogram";
    if (fields == "size in_batch sum means ") return "batches";
    return "";
  }

  static Figures tally(const Slot* v) {
    const auto n = static_cast<double>(v[0].i);
    const double variance = n < 2 ? 0 : v[2].r / (n - 1);
    const double half =
        n < 2 ? std::numeric_limits<double>::infinity()
              : student_quantile(0.5 + kConfidence / 2, n - 1) * std::sqrt(variance / n);
    return {{"n", n},
            {"mean", v[1].r},
            {"half_width", half},
            {"variance", variance},
            {"minimum", v[3].r},
            {"maximum", v[4].r}};
  }

  Figures level(const Slot* v) const {
    const double value = v[0].r, held = now_ - v[2].r, length = now_ - v[1].r;
    const double mean = length > 0 ? (v[3].r + value * held) / length : value;
    const double of_squares = length > 0 ? (v[4].r + square(value) * held) / length : square(value);
    return {{"mean", mean},
            {"variance", std::max(0.0, of_squares - square(mean))},
            {"minimum", v[5].r},
            {"maximum", v[6].r},
            {"last", value}};
  }

  Figures counter(const Slot* v) const {
    const auto n = static_cast<double>(v[0].i);
    return {{"n", n}, {"rate", now_ > v[1].r ? n / (now_ - v[1].r) : 0.0}};
  }

  /// How many, outside too, and between which bounds the middle one lies.
  Figures histogram(TypeId type, const Slot* v) const {
    const auto record = std::get<sema::Record>(model_.typed.types[type]);
    const TypeId list = model_.typed.types.list(record.fields)[2].type;
    const code::RuntimeType& element =
        program_.types.known(std::get<sema::List>(model_.typed.types[list]).element);
    std::vector<double> counts;
    for (std::int64_t k = 0; k < code::list_length(v + 2); ++k)
      counts.push_back(static_cast<double>(code::list_at(element, v + 2, k)->i));
    const double inside = std::accumulate(counts.begin(), counts.end(), 0.0);
    const auto below = static_cast<double>(v[4].i), above = static_cast<double>(v[5].i);
    const double total = below + inside + above;
    double left = total / 2 - below, median = v[0].r;
    for (std::size_t k = 0; left > 0 && k < counts.size(); ++k) {
      const double share = left <= counts[k] ? left / counts[k] : 1.0;
      median = v[0].r + v[1].r * (static_cast<double>(k) + share);
      left -= counts[k];
    }
    return {{"n", total}, {"median", median}, {"below", below}, {"above", above}};
  }

  const flat::FlatModel& model_;
  const code::Program& program_;
  double now_;
};

}  // namespace

double student_quantile(double p, double n) {
  if (p < 0.5) return -student_quantile(1 - p, n);
  if (n <= 2000)
    return inverse([&](double x) { return student_probability(x, static_cast<int>(n)); }, p);
  // Of so many degrees of freedom it is nearly normal (Abramowitz and Stegun, 26.7.5).
  const double z = inverse(normal_probability, p), z3 = z * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * n * n);
}

std::vector<Observed> observed(const flat::FlatModel& model, const code::Program& program,
                               const code::Machine& machine, const sim::Frames& frames,
                               double now) {
  std::vector<Observed> all;
  Reader reader(model, program, now);
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    if (frames.variable[v] < 0) continue;
    const flat::Variable& variable = model.variables[v];
    reader.read(variable.name, variable.type, machine.memory() + frames.variable[v], all);
  }
  return all;
}

std::string observed_text(const std::vector<Observed>& all) {
  std::string text;
  for (const Observed& one : all) {
    text += fmt::format("  {} ({})\n", one.name, one.kind);
    for (const auto& [name, value] : one.figures) {
      const bool is_half = std::string_view(name) == "half_width";
      text += fmt::format("    {:<16}{:>12.6g}\n", is_half ? "+- at 95 %" : name, value);
    }
  }
  return text;
}

std::string observed_json(const std::vector<Observed>& all) {
  std::string text = "{";
  for (const Observed& one : all) {
    text += fmt::format("{}{}:{{\"kind\":\"{}\"", text.size() > 1 ? "," : "", json_quote(one.name),
                        one.kind);
    for (const auto& [name, value] : one.figures)
      text += fmt::format(",\"{}\":{}", name, json_number(value));
    text += "}";
  }
  return text + "}";
}

}  // namespace chi::driver
