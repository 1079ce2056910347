#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expr.h"
#include "structure/analyse.h"

/// Models for the tests of this folder, written as one would on paper. Only the test program has
/// the bodies (model_testing_test.cc).
namespace chi::structure::testing {

/// Equations `left = right` over + - * / ^ (small whole exponents), parentheses, numbers, sin, cos,
/// sqrt, exp, `time`, primes. A name in capitals with a leading `#`, as `#U`, is a discrete value;
/// other names are variables, numbered as they appear.
class Model {
 public:
  /// `declared`: names separated by blanks.
  Model(std::string_view declared, const std::vector<std::string_view>& equations);
  /// Variables get their numbers in this order first.
  Model(std::string_view order, std::string_view declared,
        const std::vector<std::string_view>& equations);

  expr::Pool pool;
  System system;

  Analysis analyse() { return structure::analyse(pool, system); }
  expr::VarId var(std::string_view name);
  std::string name(expr::VarId var) const;
  std::string text(expr::VarRef x) const;                           ///< x'
  std::string text(const std::vector<expr::VarRef>& values) const;  ///< x x' y
  std::string text(const std::vector<expr::VarId>& vars) const;
  std::string text(expr::ExprId e) const;
  expr::ExprId parse(std::string_view text);

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::int32_t, std::less<>> discrete_;
};

/// The values of `values` by name of variable or derivative (`x'`); 0.3 for what is not given.
class NamedValues : public PointValues {
 public:
  NamedValues(Model& model, std::map<std::string, double> values)
      : model_(model), values_(std::move(values)) {}
  std::vector<double> values(std::span<const expr::ExprId> roots) override;

 private:
  Model& model_;
  std::map<std::string, double> values_;
};

std::vector<int> sorted(std::vector<int> numbers);

}  // namespace chi::structure::testing
