#include "experiment/measure_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "expr/build.h"
#include "expr/cone.h"
#include "flat/layout.h"
#include "sema/suggest.h"

namespace chi::experiment {
namespace {

using expr::Op;

constexpr int kDeepest = 500;

struct NamedGather {
  std::string_view name;
  Gather gather;
};
constexpr std::array<NamedGather, 8> kGathers{{{"max", Gather::Maximum},
                                               {"min", Gather::Minimum},
                                               {"mean", Gather::Mean},
                                               {"integral", Gather::Integral},
                                               {"rms", Gather::Rms},
                                               {"first", Gather::First},
                                               {"count", Gather::Count},
                                               {"settle", Gather::Settle}}};

struct NamedOp {
  std::string_view name;
  Op op;
};
constexpr NamedOp kUnary[] = {
    {"abs", Op::Abs},   {"sign", Op::Sign},   {"floor", Op::Floor},
    {"ceil", Op::Ceil}, {"round", Op::Round},
#define CHI_ELEMENTARY(name, text, ...) {text, Op::name},
#include "expr/elementary.def"
#undef CHI_ELEMENTARY
};
constexpr std::array<NamedOp, 3> kBinary{
    {{"min", Op::Min}, {"max", Op::Max}, {"atan2", Op::Atan2}}};

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool goes_on(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

}  // namespace

MeasureReader::MeasureReader(const flat::FlatModel& model,
                             const std::vector<NamedNumber>& constants, Measures& measures,
                             Diagnostics& diagnostics)
    : constants_(constants), measures_(measures), diagnostics_(diagnostics) {
  const sema::Types& types = model.typed.types;
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::scalar_parts(types, variable.type, model.typed.ast.symbols)) {
      const std::int32_t slot = variable.slot + part.offset;
      const bool is_truth = types.is(part.type, sema::BasicType::Bool);
      places_.emplace(variable.name + part.suffix, Place{slot, is_truth, false});
      if (types.is(part.type, sema::BasicType::Real))
        places_.emplace(variable.name + part.suffix + "'", Place{slot, false, true});
    }
  }
}

expr::ExprId MeasureReader::read(const Measure& measure) {
  measure_ = &measure;
  text_ = measure.text;
  at_ = 0;
  depth_ = 0;
  is_inside_ = false;
  try {
    const Term term = choice();
    if (!at_end()) wrong(fmt::format("`{}` is left over", text_.substr(at_)));
    if (!term.is_truth) return term.e;
    return expr::if_else(pool(), expr::IfKind::Plain, term.e, expr::constant(pool(), 1),
                         expr::constant(pool(), 0));
  } catch (const Wrong&) {
    return {};
  }
}

void MeasureReader::wrong(std::string message, std::string help) {
  diagnostics_.report({.code = DiagCode::BadOption,
                       .message = fmt::format("measure `{}`: {}", measure_->text, message),
                       .help = std::move(help)});
  throw Wrong{};
}

// ---- tokens

void MeasureReader::skip() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
}

bool MeasureReader::at_end() {
  skip();
  return at_ >= text_.size();
}

bool MeasureReader::take(std::string_view symbol) {
  skip();
  if (!text_.substr(at_).starts_with(symbol)) return false;
  at_ += symbol.size();
  return true;
}

bool MeasureReader::take_word(std::string_view word) {
  skip();
  const std::string_view rest = text_.substr(at_);
  if (!rest.starts_with(word) || (rest.size() > word.size() && goes_on(rest[word.size()])))
    return false;
  at_ += word.size();
  return true;
}

void MeasureReader::need(std::string_view symbol) {
  if (take(symbol)) return;
  wrong(at_end() ? fmt::format("`{}` is missing at its end", symbol)
                 : fmt::format("`{}` is expected before `{}`", symbol, text_.substr(at_)));
}

/// A name as in results: `Line.M[2].x`, `t.0`, `x'`.
std::string_view MeasureReader::word() {
  skip();
  const std::size_t begin = at_;
  const auto here = [&] { return at_ < text_.size() ? text_[at_] : '\0'; };
  const auto next = [&] { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; };
  while (goes_on(here())) ++at_;
  for (;;) {
    if (here() == '.' && goes_on(next())) {
      ++at_;
      while (goes_on(here())) ++at_;
    } else if (here() == '[') {
      const std::size_t close = text_.find(']', at_);
      if (close == std::string_view::npos) wrong("`]` is missing");
      at_ = close + 1;
    } else {
      break;
    }
  }
  if (here() == '\'') ++at_;
  return text_.substr(begin, at_ - begin);
}

double MeasureReader::plain_number() {
  skip();
  double value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc()) wrong(fmt::format("`{}` is no number", text_.substr(at_)));
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

// ---- operators, from loosest to tightest

expr::ExprId MeasureReader::number(Term term, std::string_view what) {
  if (term.is_truth) wrong(fmt::format("{} is a number, and this is true or false", what));
  return term.e;
}

expr::ExprId MeasureReader::truth(Term term, std::string_view what) {
  if (!term.is_truth) wrong(fmt::format("{} is true or false, and this is a number", what));
  return term.e;
}

MeasureReader::Term MeasureReader::choice() {
  if (++depth_ > kDeepest) wrong("it is nested too deep");
  Term result;
  if (take_word("if")) {
    const expr::ExprId condition = truth(choice(), "what follows `if`");
    need("then");
    const Term yes = choice();
    need("else");
    const Term no = choice();
    if (yes.is_truth || no.is_truth) wrong("what follows `then` and `else` are numbers");
    result = {expr::if_else(pool(), expr::IfKind::Plain, condition, yes.e, no.e), false};
  } else {
    result = disjunction();
  }
  --depth_;
  return result;
}

MeasureReader::Term MeasureReader::disjunction() {
  Term left = conjunction();
  while (take_word("or")) {
    const expr::ExprId a = truth(left, "an operand of `or`");
    left = {expr::disjunction(pool(), a, truth(conjunction(), "an operand of `or`")), true};
  }
  return left;
}

MeasureReader::Term MeasureReader::conjunction() {
  Term left = negation();
  while (take_word("and")) {
    const expr::ExprId a = truth(left, "an operand of `and`");
    left = {expr::conjunction(pool(), a, truth(negation(), "an operand of `and`")), true};
  }
  return left;
}

MeasureReader::Term MeasureReader::negation() {
  if (!take_word("not")) return relation();
  if (++depth_ > kDeepest) wrong("it is nested too deep");
  const Term result{expr::negation(pool(), truth(negation(), "the operand of `not`")), true};
  --depth_;
  return result;
}

MeasureReader::Term MeasureReader::relation() {
  static constexpr std::array<NamedOp, 6> kRelations{{{"<=", Op::LessEqual},
                                                      {">=", Op::GreaterEqual},
                                                      {"/=", Op::NotEqual},
                                                      {"<", Op::Less},
                                                      {">", Op::Greater},
                                                      {"=", Op::Equal}}};
  const Term left = sum();
  for (const NamedOp& r : kRelations) {
    if (!take(r.name)) continue;
    const Term right = sum();
    if (left.is_truth && right.is_truth && (r.op == Op::Equal || r.op == Op::NotEqual)) {
      const expr::ExprId same = expr::equivalence(pool(), left.e, right.e);
      return {r.op == Op::Equal ? same : expr::negation(pool(), same), true};
    }
    const std::string what = fmt::format("an operand of `{}`", r.name);
    return {expr::binary(pool(), r.op, number(left, what), number(right, what)), true};
  }
  return left;
}

MeasureReader::Term MeasureReader::sum() {
  Term left = product();
  for (;;) {
    const bool plus = take("+");
    if (!plus && !take("-")) return left;
    const expr::ExprId a = number(left, "an operand of a sum");
    const expr::ExprId b = number(product(), "an operand of a sum");
    left.e = plus ? expr::add(pool(), a, b) : expr::sub(pool(), a, b);
  }
}

MeasureReader::Term MeasureReader::product() {
  Term left = prefix();
  for (;;) {
    skip();
    const bool times = take("*");
    if (!times && (text_.substr(at_).starts_with("/=") || !take("/"))) return left;
    const expr::ExprId a = number(left, "a factor");
    const expr::ExprId b = number(prefix(), "a factor");
    left.e = times ? expr::mul(pool(), a, b) : expr::div(pool(), a, b);
  }
}

MeasureReader::Term MeasureReader::prefix() {
  if (++depth_ > kDeepest) wrong("it is nested too deep");
  Term result;
  if (take("-")) {
    result = {expr::neg(pool(), number(prefix(), "the operand of `-`")), false};
  } else if (take("+")) {
    result = {number(prefix(), "the operand of `+`"), false};
  } else {
    result = power();
  }
  --depth_;
  return result;
}

MeasureReader::Term MeasureReader::power() {
  const Term base = primary();
  if (!take("^")) return base;
  const expr::ExprId x = number(base, "the base of a power");
  return {expr::pow(pool(), x, number(prefix(), "an exponent")), false};
}

MeasureReader::Term MeasureReader::primary() {
  skip();
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == '(') {
    ++at_;
    const Term inside = choice();
    need(")");
    return inside;
  }
  if ((c >= '0' && c <= '9') || c == '.') {
    double value = plain_number();
    if (take("%")) value /= 100;
    return {expr::constant(pool(), value), false};
  }
  if (!begins_name(c)) {
    wrong(c == '\0' ? std::string("it ends where a value is expected")
                    : fmt::format("a value is expected before `{}`", text_.substr(at_)));
  }
  return named();
}

MeasureReader::Term MeasureReader::named() {
  const std::string_view name = word();
  skip();
  if (at_ < text_.size() && text_[at_] == '(') return call(name);
  if (name == "true" || name == "false") return {expr::boolean(pool(), name == "true"), true};
  if (name == "pi") return {expr::constant(pool(), std::numbers::pi), false};
  if (is_inside_) return variable(name);
  if (name == "end")
    return add({.gather = Gather::End, .root = root(expr::time(measures_.over_run))}, false);
  for (const NamedNumber& constant : constants_) {
    if (constant.name == name) return {expr::constant(pool(), constant.value), false};
  }
  if (places_.contains(std::string(name)) || name == "time") {
    wrong(fmt::format("`{}` has many values in a run", name),
          fmt::format("say which is meant: `{0}(end)`, `{0}(3.5)`, `max({0})`, `mean({0})`", name));
  }
  const std::string meant = near(name);
  wrong(fmt::format("`{}` is no variable of the model, and no parameter", name),
        meant.empty() ? "" : fmt::format("did you mean `{}`?", meant));
}

std::string MeasureReader::near(std::string_view name) const {
  std::vector<std::string_view> all;
  for (const auto& [known, place] : places_) {
    if (!place.is_derivative) all.push_back(known);
  }
  for (const NamedNumber& constant : constants_) all.push_back(constant.name);
  std::sort(all.begin(), all.end());
  return sema::nearest(name, all);
}

MeasureReader::Term MeasureReader::variable(std::string_view name) {
  if (name == "time") return {expr::time(pool()), false};
  const auto found = places_.find(std::string(name));
  if (found != places_.end()) {
    const Place& place = found->second;
    const expr::ExprId x =
        expr::variable(pool(), expr::VarId{place.slot}, place.is_derivative ? 1 : 0);
    if (!place.is_truth) return {x, false};
    return {expr::binary(pool(), Op::NotEqual, x, expr::constant(pool(), 0)), true};
  }
  for (const NamedNumber& constant : constants_) {
    if (constant.name == name) return {expr::constant(pool(), constant.value), false};
  }
  const std::string meant = near(name);
  wrong(fmt::format("`{}` is no variable of the model, and no parameter", name),
        meant.empty() ? "" : fmt::format("did you mean `{}`?", meant));
}

// ---- calls

MeasureReader::Term MeasureReader::call(std::string_view name) {
  const bool is_variable = places_.contains(std::string(name)) || name == "time";
  if (is_variable) {
    if (is_inside_) wrong(fmt::format("`{}(...)` is a number already", name));
    return value_at(name);
  }
  if (!is_inside_) {
    for (const NamedGather& g : kGathers) {
      if (g.name != name) continue;
      // `max(a, b)` of two numbers is the larger of them.
      const std::size_t here = at_;
      int open = 0;
      bool has_comma = false;
      for (std::size_t i = at_; i < text_.size(); ++i) {
        open += text_[i] == '(' || text_[i] == '['   ? 1
                : text_[i] == ')' || text_[i] == ']' ? -1
                                                     : 0;
        if (open == 0) break;
        has_comma = has_comma || (open == 1 && text_[i] == ',');
      }
      at_ = here;
      if (has_comma && g.gather != Gather::Settle) break;
      return gathered(name, g.gather);
    }
  }
  return library(name);
}

/// Several of the same are gathered once.
MeasureReader::Term MeasureReader::add(Gathered gathered, bool is_truth) {
  std::vector<Gathered>& all = measures_.gathered;
  std::size_t g = 0;
  while (g < all.size() &&
         (all[g].gather != gathered.gather || all[g].root != gathered.root ||
          all[g].argument != gathered.argument || all[g].is_relative != gathered.is_relative))
    ++g;
  if (g == all.size()) all.push_back(gathered);
  expr::Pool& outside = measures_.over_gathered;
  const expr::ExprId value = expr::variable(outside, expr::VarId{static_cast<std::int32_t>(g)});
  if (!is_truth) return {value, false};
  return {expr::binary(outside, Op::NotEqual, value, expr::constant(outside, 0)), true};
}

std::int32_t MeasureReader::root(expr::ExprId e) {
  std::vector<expr::ExprId>& roots = measures_.roots;
  const auto found = std::find(roots.begin(), roots.end(), e);
  if (found != roots.end()) return static_cast<std::int32_t>(found - roots.begin());
  roots.push_back(e);
  return static_cast<std::int32_t>(roots.size()) - 1;
}

/// `x(end)`, `x(3.5)`.
MeasureReader::Term MeasureReader::value_at(std::string_view name) {
  is_inside_ = true;
  const Term x = variable(name);
  is_inside_ = false;
  need("(");
  Gathered gathered{.root = root(x.e)};
  if (!take_word("end")) {
    gathered.gather = Gather::At;
    gathered.argument = plain_number();
    if (!(gathered.argument >= 0)) wrong("a run has no times before 0");
  }
  need(")");
  return add(gathered, x.is_truth);
}

MeasureReader::Term MeasureReader::gathered(std::string_view name, Gather gather) {
  need("(");
  is_inside_ = true;
  const Term inside = choice();
  const bool of_condition = gather == Gather::First || gather == Gather::Count;
  Gathered result{.gather = gather};
  const std::string what = fmt::format("what `{}` looks at", name);
  if (of_condition) {
    const expr::ExprId condition = truth(inside, what);
    result.root = root(condition);
    note_differences(condition, result);
  } else {
    // The mean of a truth value is the share of the time in which it holds.
    const expr::ExprId x =
        !inside.is_truth ? inside.e
                         : expr::if_else(pool(), expr::IfKind::Plain, inside.e,
                                         expr::constant(pool(), 1), expr::constant(pool(), 0));
    result.root = root(x);
    result.has_kinks = has_kinks(x);
    if (result.has_kinks) note_differences(x, result);
  }
  is_inside_ = false;
  if (gather == Gather::Settle) {
    need(",");
    result.argument = plain_number();
    result.is_relative = take("%");
    if (result.is_relative) result.argument /= 100;
    if (!(result.argument > 0)) wrong("the band of `settle` is positive");
  }
  need(")");
  return add(result, false);
}

/// What may change sign where an expression changes its truth or its formula.
void MeasureReader::note_differences(expr::ExprId condition, Gathered& gathered) {
  expr::Pool& run = measures_.over_run;
  const expr::Cone cone(run, std::vector<expr::ExprId>{condition});
  std::vector<expr::ExprId> differences;
  for (const expr::ExprId e : cone.nodes()) {
    const Op op = run.op(e);
    const bool compares = expr::is_relation(op) || op == Op::Min || op == Op::Max;
    if (compares) differences.push_back(expr::sub(run, run.operand(e, 0), run.operand(e, 1)));
    if (op == Op::Abs || op == Op::Sign) differences.push_back(run.operand(e, 0));
  }
  gathered.first_difference = static_cast<std::int32_t>(measures_.roots.size());
  gathered.differences = static_cast<std::int32_t>(differences.size());
  measures_.roots.insert(measures_.roots.end(), differences.begin(), differences.end());
}

bool MeasureReader::has_kinks(expr::ExprId e) {
  const expr::Cone cone(measures_.over_run, std::vector<expr::ExprId>{e});
  return std::any_of(cone.nodes().begin(), cone.nodes().end(), [&](expr::ExprId node) {
    const Op op = measures_.over_run.op(node);
    return op == Op::Abs || op == Op::Sign || op == Op::Min || op == Op::Max || op == Op::Floor ||
           op == Op::Ceil || op == Op::Round || expr::is_if(op);
  });
}

MeasureReader::Term MeasureReader::library(std::string_view name) {
  std::vector<std::string_view> all;
  for (const NamedGather& g : kGathers) all.push_back(g.name);
  for (const NamedOp& f : kUnary) all.push_back(f.name);
  for (const NamedOp& f : kBinary) all.push_back(f.name);
  if (std::find(all.begin(), all.end(), name) == all.end()) {
    const std::string meant = near(name).empty() ? sema::nearest(name, all) : near(name);
    wrong(fmt::format("there is no `{}`", name),
          meant.empty() ? fmt::format("a measure is made of {}", fmt::join(all, ", "))
                        : fmt::format("did you mean `{}`?", meant));
  }
  std::vector<Term> arguments;
  need("(");
  do {
    arguments.push_back(choice());
  } while (take(","));
  need(")");
  const std::string what = fmt::format("the argument of `{}`", name);
  std::vector<expr::ExprId> numbers;
  for (const Term& argument : arguments) numbers.push_back(number(argument, what));
  for (const NamedOp& f : kUnary) {
    if (f.name == name && numbers.size() == 1)
      return {expr::unary(pool(), f.op, numbers[0]), false};
  }
  for (const NamedOp& f : kBinary) {
    if (f.name == name && numbers.size() == 2)
      return {expr::binary(pool(), f.op, numbers[0], numbers[1]), false};
  }
  wrong(is_inside_ && std::any_of(kGathers.begin(), kGathers.end(),
                                  [&](const NamedGather& g) { return g.name == name; })
            ? fmt::format("`{}` stands inside of another one", name)
            : fmt::format("`{}` does not take {} arguments", name, numbers.size()));
}

}  // namespace chi::experiment
