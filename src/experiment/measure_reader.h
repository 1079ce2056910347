#pragma once
#include <string_view>
#include <unordered_map>

#include "experiment/measure.h"

namespace chi::experiment {

/// Reads one measure after the other into the tables of `measures`, by recursive descent over the
/// operators of χ (docs/language/grammar.md, "Expressions").
class MeasureReader {
 public:
  MeasureReader(const flat::FlatModel& model, const std::vector<NamedNumber>& constants,
                Measures& measures, Diagnostics& diagnostics);
  /// The formula of a measure; none if it reported.
  expr::ExprId read(const Measure& measure);

 private:
  /// A value of the formula, or of what is looked at inside of `max( ... )`.
  struct Term {
    expr::ExprId e;
    bool is_truth = false;
  };
  struct Wrong {};  // thrown and caught within `read`: reported

  Term choice();
  Term disjunction();
  Term conjunction();
  Term negation();
  Term relation();
  Term sum();
  Term product();
  Term prefix();
  Term power();
  Term primary();
  Term named();
  Term call(std::string_view name);
  Term gathered(std::string_view name, Gather gather);
  Term value_at(std::string_view name);
  Term library(std::string_view name);
  Term variable(std::string_view name);
  Term add(Gathered gathered, bool is_truth);
  expr::ExprId number(Term term, std::string_view what);
  expr::ExprId truth(Term term, std::string_view what);
  double plain_number();

  expr::Pool& pool() { return is_inside_ ? measures_.over_run : measures_.over_gathered; }
  std::int32_t root(expr::ExprId e);
  void note_differences(expr::ExprId condition, Gathered& gathered);
  bool has_kinks(expr::ExprId e);

  void skip();
  bool take(std::string_view symbol);
  bool take_word(std::string_view word);
  void need(std::string_view symbol);
  std::string_view word();
  bool at_end();
  [[noreturn]] void wrong(std::string message, std::string help = "");
  std::string near(std::string_view name) const;

  struct Place {
    std::int32_t slot = 0;
    bool is_truth = false;
    bool is_derivative = false;
  };
  std::unordered_map<std::string, Place> places_;
  const std::vector<NamedNumber>& constants_;
  Measures& measures_;
  Diagnostics& diagnostics_;
  const Measure* measure_ = nullptr;
  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool is_inside_ = false;  // of what is looked at during the run
};

}  // namespace chi::experiment
