#pragma once
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "numerics/mode_problem.h"

/// Problems as text: variables by name, and the laws of ideal elements.
namespace chi::numerics::testing {

/// An affine expression in variables and their rates, with a jet for what is known.
struct Ex {
  std::map<std::pair<std::string, int>, double> terms = {};  // by name; 1: its rate
  std::vector<double> known = {};

  friend Ex operator+(Ex a, const Ex& b) {
    for (const auto& [key, x] : b.terms) a.terms[key] += x;
    a.known.resize(std::max(a.known.size(), b.known.size()), 0.0);
    for (std::size_t k = 0; k < b.known.size(); ++k) a.known[k] += b.known[k];
    return a;
  }
  friend Ex operator*(double k, Ex a) {
    for (auto& [key, x] : a.terms) x *= k;
    for (double& x : a.known) x *= k;
    return a;
  }
  friend Ex operator-(const Ex& a) { return -1.0 * a; }
  friend Ex operator-(const Ex& a, const Ex& b) { return a + (-1.0) * b; }
};
inline Ex var(const std::string& n) { return {.terms = {{{n, 0}, 1.0}}}; }
inline Ex rate(const std::string& n) { return {.terms = {{{n, 1}, 1.0}}}; }
inline Ex jet(std::vector<double> k) { return {.known = std::move(k)}; }
inline Ex num(double x) { return jet({x}); }
inline Ex sine(double a, double w, double t, double phase = 0) {
  std::vector<double> k;
  for (int i = 0; i < 8; ++i) {
    k.push_back(a * std::pow(w, i) * std::sin(w * t + phase + i * std::numbers::pi / 2));
  }
  return jet(std::move(k));
}

class Problem {
 public:
  explicit Problem(std::map<std::string, double> before, double time_scale = 1)
      : before_(std::move(before)) {
    problem_.time_scale = time_scale;
  }

  void row(const Ex& e) { problem_.plain.push_back(add(e)); }
  struct PieceOf {
    std::vector<Ex> rows, conditions;
  };
  void law(const std::vector<PieceOf>& pieces) {
    Law law;
    for (const PieceOf& p : pieces) {
      Piece piece;
      for (const Ex& e : p.rows) piece.rows.push_back(add(e));
      for (const Ex& e : p.conditions) piece.conditions.push_back(add(e));
      law.pieces.push_back(std::move(piece));
    }
    problem_.laws.push_back(std::move(law));
  }
  void diode(const Ex& u, const Ex& i) { law({{{i}, {-u}}, {{u}, {i}}}); }
  void contact(const Ex& gap, const Ex& f) { law({{{f}, {gap}}, {{gap}, {f}}}); }
  /// f = limit sign(v): pieces -, +, and by completion the one that sticks.
  void friction(const Ex& f, const Ex& v, const Ex& limit) {
    law({{{f + limit}, {-v}}, {{f - limit}, {v}}});
  }

  /// With complete laws.
  ModeProblem make() {
    ModeProblem result = problem_;
    result.before.assign(names_.size(), 0.0);
    for (const auto& [n, x] : before_) {
      if (names_.contains(n)) result.before[index(n)] = x;
    }
    for (std::size_t k = 0; k < result.laws.size(); ++k) {
      Law law = result.laws[k];
      complete_law(result, law);
      result.laws[k] = std::move(law);
    }
    return result;
  }
  std::size_t index(const std::string& n) const { return static_cast<std::size_t>(names_.at(n)); }

 private:
  int add(const Ex& e) {
    Functional f{.known = e.known};
    for (const auto& [key, x] : e.terms) {
      const int j = names_.try_emplace(key.first, static_cast<int>(names_.size())).first->second;
      if (x != 0) (key.second == 1 ? f.rate : f.value).emplace_back(j, x);
    }
    return problem_.add(std::move(f));
  }

  std::map<std::string, double> before_;
  std::map<std::string, int> names_;
  ModeProblem problem_;
};

}  // namespace chi::numerics::testing
