#include "structure/report.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "expr/build.h"
#include "expr/differentiate.h"
#include "expr/incidence.h"
#include "expr/print.h"
#include "expr/substitute.h"
#include "structure/linear_form.h"

namespace chi::structure {
namespace {

using expr::ExprId;
using expr::VarId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kNamesShown = 8;
constexpr std::size_t kEquationsShown = 8;
constexpr const char* kAlso = "and this equation";
constexpr std::size_t kLongestSubstitute = 60;

std::string count_of(std::size_t n, std::string_view word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

// `a`, `b` and `c`
std::string list(const std::vector<VarId>& variables, const NameOf& name_of,
                 std::string_view last = "and") {
  std::string text;
  const std::size_t shown = std::min(variables.size(), kNamesShown);
  for (std::size_t k = 0; k < shown; ++k) {
    if (k > 0) text += k + 1 == variables.size() ? fmt::format(" {} ", last) : ", ";
    text += fmt::format("`{}`", name_of(variables[k]));
  }
  if (shown < variables.size()) {
    text += fmt::format(" {} {} more", last, variables.size() - shown);
  }
  return text;
}

std::string declare(const std::vector<VarId>& candidates, const NameOf& name_of) {
  const std::string example = fmt::format("`|{}|`", name_of.written(candidates[0]));
  if (candidates.size() == 1) return fmt::format("declare it unknown: {}", example);
  return fmt::format("declare one of {} unknown, as in {}", list(candidates, name_of, "or"),
                     example);
}

// Variables in the rows that are no unknowns.
std::vector<VarId> known_in(const expr::Pool& pool, const System& system, const Analysis& analysis,
                            const std::vector<std::int32_t>& rows) {
  std::vector<ExprId> roots;
  for (const std::int32_t r : rows) roots.push_back(system.rows[at(r)]);
  std::set<VarId> known;
  for (const ExprId node : expr::variables(pool, roots).node) {
    const VarId x = pool.variable(node).var;
    if (analysis.unknown_index(x) < 0) known.insert(x);
  }
  return {known.begin(), known.end()};
}

class SingularText {
 public:
  SingularText(const expr::Pool& pool, const System& system, const Analysis& analysis,
               const NameOf& name_of)
      : pool_(pool),
        system_(system),
        analysis_(analysis),
        singular_(*analysis.singular),
        name_of_(name_of) {}

  Explanation run() {
    for (const std::int32_t r : singular_.rows) text_.equations.push_back({r, ""});
    switch (singular_.kind) {
      case Singular::Kind::Over: over(); break;
      case Singular::Kind::Under: under(); break;
      case Singular::Kind::Contradiction: contradiction(); break;
    }
    return std::move(text_);
  }

 private:
  void over() {
    const std::size_t rows = singular_.rows.size(), unknowns = singular_.unknowns.size();
    const std::string names = list(singular_.unknowns, name_of_);
    if (unknowns == 0) {
      text_.message =
          rows == 1 ? "the equation contains no unknown" : "the equations contain no unknown";
    } else if (rows > unknowns) {
      text_.message = fmt::format("{} for {}: {}", count_of(rows, "equation"),
                                  count_of(unknowns, "unknown"), names);
    } else {
      text_.message = fmt::format(
          "the equations say the same about {}, so that values that are known would have to agree",
          names);
    }
    const std::string remove = rows == 1 ? "remove the equation" : "remove one of these equations";
    const std::vector<VarId> candidates = known_in(pool_, system_, analysis_, singular_.rows);
    if (candidates.empty()) {
      text_.help = remove;
    } else if (candidates.size() == 1) {
      text_.notes.push_back(fmt::format("`{}` is known in them", name_of_(candidates[0])));
      text_.help = fmt::format("{}, or declare `{}` unknown: `|{}|`", remove,
                               name_of_(candidates[0]), name_of_.written(candidates[0]));
    } else {
      text_.notes.push_back(fmt::format("known in them are {}", list(candidates, name_of_)));
      text_.help = fmt::format("{}, or {}", remove, declare(candidates, name_of_));
    }
  }

  void under() {
    std::vector<VarId> declared;
    for (const VarId x : singular_.unknowns) {
      if (analysis_.is_declared[at(analysis_.unknown_index(x))]) declared.push_back(x);
    }
    const std::string names = list(singular_.unknowns, name_of_);
    if (singular_.rows.empty()) {
      text_.message = fmt::format("no active equation contains the unknown {}", names);
    } else {
      text_.message = fmt::format("{} in {}: {}", count_of(singular_.unknowns.size(), "unknown"),
                                  count_of(singular_.rows.size(), "equation"), names);
    }
    text_.help = singular_.unknowns.size() == 1
                     ? fmt::format("add an equation for {}", names)
                     : fmt::format("add an equation for one of {}",
                                   list(singular_.unknowns, name_of_, "or"));
    if (declared.size() == 1 && singular_.unknowns.size() == 1) {
      text_.help += ", or do not declare it unknown";
    } else if (!declared.empty()) {
      text_.help +=
          fmt::format(", or do not declare {}{} unknown", declared.size() == 1 ? "" : "one of ",
                      list(declared, name_of_, "or"));
    }
    for (const std::int32_t r : analysis_.redundant) {
      text_.equations.push_back({r, "follows from other equations"});
    }
    if (!analysis_.redundant.empty()) {
      text_.notes.push_back(
          fmt::format("{} from others, and so {} nothing",
                      analysis_.redundant.size() == 1
                          ? "one equation follows"
                          : fmt::format("{} equations follow", analysis_.redundant.size()),
                      analysis_.redundant.size() == 1 ? "determines" : "determine"));
    }
  }

  void contradiction() {
    text_.message =
        singular_.unknowns.empty()
            ? "the equation never holds"
            : fmt::format("the equations contradict each other, whatever the values of {}",
                          list(singular_.unknowns, name_of_));
    text_.help = singular_.rows.size() == 1 ? "remove or correct the equation"
                                            : "remove or correct one of these equations";
  }

  const expr::Pool& pool_;
  const System& system_;
  const Analysis& analysis_;
  const Singular& singular_;
  const NameOf& name_of_;
  Explanation text_;
};

class InitialText {
 public:
  InitialText(expr::Pool& pool, const Analysis& analysis, const BlockOrder& order,
              const NameOf& name_of, std::string_view when)
      : pool_(pool), analysis_(analysis), order_(order), name_of_(name_of), when_(when) {}

  std::optional<Explanation> run() {
    if (order_.is_square()) return std::nullopt;
    if (!order_.over_rows.empty()) {
      too_few_declared();
    } else {
      too_many_declared();
    }
    return std::move(text_);
  }

 private:
  void show(const std::vector<BlockOrder::Row>& rows) {
    for (const BlockOrder::Row& row : rows) {
      if (!shown_.insert(row.row).second) continue;
      int highest = 0;
      for (const BlockOrder::Row& other : rows) {
        if (other.row == row.row) highest = std::max(highest, other.order);
      }
      text_.equations.push_back(
          {row.row, highest == 0 ? ""
                                 : fmt::format("differentiated {}",
                                               highest == 1   ? "once"
                                               : highest == 2 ? "twice"
                                                              : fmt::format("{} times", highest))});
    }
  }

  void degrees_of_freedom() {
    text_.notes.push_back(
        fmt::format("the equations have {} of freedom",
                    analysis_.degrees_of_freedom == 1
                        ? "1 degree"
                        : fmt::format("{} degrees", analysis_.degrees_of_freedom)));
  }

  void too_few_declared() {
    std::vector<BlockOrder::Row> rows = order_.over_rows;
    // The constraints as written tell more than their derivatives.
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.order < b.order; });
    show(rows);
    std::vector<ExprId> roots;
    for (const BlockOrder::Row& row : rows) roots.push_back(row.expr);
    std::set<VarId> found;
    for (const ExprId node : expr::variables(pool_, roots).node) {
      const VarRef x = pool_.variable(node);
      const int j = analysis_.unknown_index(x.var);
      if (x.order == 0 && j >= 0 && !analysis_.is_declared[at(j)]) found.insert(x.var);
    }
    const std::vector<VarId> candidates(found.begin(), found.end());
    const std::size_t too_many = rows.size() - order_.over_unknowns.size();
    if (candidates.empty()) {
      text_.message = "the equations and their derivatives leave no value for their unknowns";
      text_.help = "remove one of these equations";
      return;
    }
    text_.message =
        candidates.size() == 1
            ? fmt::format("`{}` is known {}, but the equations determine it",
                          name_of_(candidates[0]), when_)
            : fmt::format("{} are {} known {}, but the equations make them depend on each other",
                          list(candidates, name_of_), candidates.size() == 2 ? "both" : "all",
                          when_);
    degrees_of_freedom();
    if (candidates.size() == too_many && too_many > 1) {
      text_.help = fmt::format("declare {} unknown", list(candidates, name_of_));
    } else if (candidates.size() == 1 || too_many == 1) {
      text_.help = declare(candidates, name_of_);
    } else {
      text_.help = fmt::format("declare {} of {} unknown, as in `|{}|`", too_many,
                               list(candidates, name_of_), name_of_.written(candidates[0]));
    }
    propose_substitute(rows, candidates);
  }

  // `e' <- x'`, if a constraint gives e (P0: Fábián, van Beek and Rooda 2001). What stands on the
  // left of an equation has the coefficient 1 and is tried first.
  void propose_substitute(const std::vector<BlockOrder::Row>& rows,
                          const std::vector<VarId>& candidates) {
    for (const BlockOrder::Row& row : rows) {
      if (row.order != 0) continue;
      const auto place = std::lower_bound(analysis_.kept.begin(), analysis_.kept.end(), row.row);
      const auto i = static_cast<std::size_t>(place - analysis_.kept.begin());
      if (analysis_.c[i] == 0) continue;
      const LinearForm form = linear_form(pool_, analysis_.derivatives[i][1]);
      if (!form.is_exact) continue;
      for (const std::int64_t sign : {1, -1}) {
        for (const LinearForm::Term& term : form.terms) {
          if (term.coefficient != sign || pool_.op(term.node) != expr::Op::Variable) continue;
          const VarRef x = pool_.variable(term.node);
          if (x.order != 1 || !std::binary_search(candidates.begin(), candidates.end(), x.var)) {
            continue;
          }
          const auto rate = solved(form, term);
          if (!rate) continue;
          text_.help += fmt::format(", or substitute a derivative: `{}' <- {}`",
                                    name_of_.written(x.var), *rate);
          return;
        }
      }
    }
  }

  std::optional<std::string> solved(const LinearForm& form, const LinearForm::Term& term) {
    LinearForm rest = form;
    std::erase_if(rest.terms, [&](const auto& t) { return t.node == term.node; });
    for (LinearForm::Term& t : rest.terms) t.coefficient *= -term.coefficient;
    rest.constant *= -term.coefficient;
    const ExprId rate = build(pool_, rest);
    const std::vector<ExprId> root = {rate};
    for (const ExprId node : expr::variables(pool_, root).node) {
      if (pool_.variable(node).var == pool_.variable(term.node).var) return std::nullopt;
    }
    expr::Names names;
    names.variable = [this](VarId v) { return name_of_.written(v); };
    std::string text =
        expr::to_text(pool_, expr::inline_calls(pool_, rate), names, kLongestSubstitute);
    if (text.size() > kLongestSubstitute || pool_.has(rate, expr::kHasDiscrete)) {
      return std::nullopt;
    }
    return text;
  }

  void too_many_declared() {
    show(order_.under_rows);
    // Of what is declared, differential variables could as well be known.
    std::vector<VarId> declared, algebraic;
    const std::vector<int> written = written_orders(analysis_);
    for (const VarRef x : order_.under_unknowns) {
      const int j = analysis_.unknown_index(x.var);
      if (x.order > 0 || !analysis_.is_declared[at(j)]) continue;
      (written[at(j)] > 0 ? declared : algebraic).push_back(x.var);
    }
    if (declared.empty()) declared = std::move(algebraic);
    degrees_of_freedom();
    const std::size_t too_many = order_.under_unknowns.size() - order_.under_rows.size();
    if (declared.empty()) {
      text_.message =
          fmt::format("the equations do not determine {} {}", count_of(too_many, "unknown"), when_);
      text_.help = "add an equation";
      return;
    }
    text_.message = fmt::format("{} declared unknown, but the equations do not determine {} {}",
                                list(declared, name_of_) + (declared.size() == 1 ? " is" : " are"),
                                declared.size() == 1 ? "it"
                                : too_many == 1      ? "one of them"
                                                     : fmt::format("{} of them", too_many),
                                when_);
    text_.help = declared.size() == 1
                     ? "do not declare it unknown"
                     : fmt::format("do not declare {} of them unknown",
                                   too_many == 1 ? "one" : fmt::format("{}", too_many));
  }

  expr::Pool& pool_;
  const Analysis& analysis_;
  const BlockOrder& order_;
  const NameOf& name_of_;
  std::string_view when_;
  std::set<std::int32_t> shown_;
  Explanation text_;
};

}  // namespace

Diagnostic to_diagnostic(DiagCode code, const Explanation& explanation, const SpanOf& span_of) {
  Diagnostic diagnostic{.code = code, .message = explanation.message};
  diagnostic.notes = explanation.notes;
  diagnostic.help = explanation.help;
  const std::size_t shown = std::min(explanation.equations.size(), kEquationsShown);
  for (std::size_t k = 0; k < shown; ++k) {
    const Explanation::Equation& equation = explanation.equations[k];
    const Span span = span_of(equation.row);
    if (k == 0) diagnostic.span = span;
    const bool named = k == 0 || !equation.text.empty();
    diagnostic.labels.push_back({span, named ? equation.text : kAlso});
  }
  if (shown < explanation.equations.size()) {
    diagnostic.notes.push_back(
        fmt::format("and {} further equations", explanation.equations.size() - shown));
  }
  return diagnostic;
}

Explanation explain_singular(const expr::Pool& pool, const System& system, const Analysis& analysis,
                             const NameOf& name_of) {
  CHI_CHECK(analysis.singular.has_value(), "nothing to explain");
  return SingularText(pool, system, analysis, name_of).run();
}

std::optional<Explanation> explain_initial(expr::Pool& pool, const Analysis& analysis,
                                           const BlockOrder& order, const NameOf& name_of,
                                           std::string_view when) {
  return InitialText(pool, analysis, order, name_of, when).run();
}

}  // namespace chi::structure
