#include "sim/algebra/isolate.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/linearity.h"
#include "expr/substitute.h"
#include "numerics/linear_solver.h"
#include "sim/algebra/tolerances.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::Op;

// Which nodes of an expression depend on the leaf now.
class Path {
 public:
  Path(const expr::Pool& pool, ExprId row, ExprId leaf)
      : pool_(pool), cone_(pool, std::array{row}, {.delayed = false}) {
    contains_.assign(static_cast<std::size_t>(cone_.size()), 0);
    for (int k = 0; k < cone_.size(); ++k) {
      contains_[static_cast<std::size_t>(k)] = cone_[k] == leaf || any_operand(cone_[k]);
    }
  }
  bool contains(ExprId e) const {
    const int k = cone_.position(e);
    return k >= 0 && contains_[static_cast<std::size_t>(k)] != 0;
  }

 private:
  bool any_operand(ExprId e) const {
    const expr::Operands operands = pool_.operands(e);
    const bool past = pool_.op(e) == Op::Delay;
    for (int i = 0; i < operands.size(); ++i) {
      if ((!past || i == 1) && contains(operands[i])) return true;
    }
    return false;
  }

  const expr::Pool& pool_;
  expr::Cone cone_;
  std::vector<char> contains_;
};

enum class Move { Done, Stuck, Nonlinear };

// `body = t`, t being one parameter more, solved for a parameter; once for all calls.
expr::Function::Solution solve_body(expr::Pool& pool, expr::FunctionId f, int param) {
  const auto i = static_cast<std::size_t>(param);
  const expr::Function& function = pool.function(f);
  if (function.solutions.empty() || !function.solutions[i].is_known) {
    std::optional<Isolated> solved;
    if (const ExprId body = function.body; body && !pool.has(body, expr::kHasCall)) {
      const ExprId row = expr::sub(pool, body, expr::param_real(pool, function.arity));
      solved = isolate(pool, row, expr::param_real(pool, param));
    }
    if (!solved) solved.emplace();
    pool.add_solution(f, param, solved->value, solved->divisors);
  }
  return pool.function(f).solutions[i];
}

// One term to the other side: 0 = e - target becomes 0 = (operand of e) - target.
class Transposition {
 public:
  Transposition(expr::Pool& pool, const Path& path) : pool_(pool), path_(path) {}

  Move step(ExprId& e) {
    const Op op = pool_.op(e);
    const expr::Operands x = pool_.operands(e);
    if (op == Op::Neg) return negate(), e = x[0], Move::Done;
    if (op == Op::Call) return open_call(e);
    if (op != Op::Add && op != Op::Sub && op != Op::Mul && op != Op::Div) return Move::Stuck;
    const bool left = path_.contains(x[0]);
    if (left && path_.contains(x[1])) return Move::Stuck;
    if (!left && op == Op::Div) return Move::Nonlinear;
    const ExprId other = x[left ? 1 : 0];
    switch (op) {
      case Op::Add: minus(other); break;
      case Op::Sub: left ? plus(other) : minus(other); break;
      case Op::Mul: divide(other); break;
      default: multiply(other); break;
    }
    if (op == Op::Sub && !left) negate();
    e = x[left ? 0 : 1];
    return Move::Done;
  }

  // 0 = f(x, ...) - target: solved for x in the body.
  Move open_call(ExprId& e) {
    const expr::Operands x = pool_.operands(e);
    std::vector<ExprId> others;
    int param = -1;
    for (int i = 0; i < x.size(); ++i) {
      const bool here = path_.contains(x[i]);
      if (here && param >= 0) return Move::Stuck;
      if (here) param = i;
      others.push_back(here ? expr::constant(pool_, 0) : x[i]);
    }
    const expr::Function::Solution solution = solve_body(pool_, pool_.called(e), param);
    if (!solution.value) return Move::Stuck;
    for (const expr::FunctionId f : solution.divisors) {
      note_divisor(expr::call(pool_, f, others));
    }
    others.push_back(target());
    target_ = expr::call(pool_, solution.value, others);
    e = x[param];
    return Move::Done;
  }

  ExprId target() { return target_ ? target_ : expr::constant(pool_, 0); }
  std::vector<ExprId>& divisors() { return divisors_; }

 private:
  void negate() {
    if (target_) target_ = expr::neg(pool_, target_);
  }
  void plus(ExprId b) { target_ = target_ ? expr::add(pool_, target_, b) : b; }
  void minus(ExprId b) { target_ = target_ ? expr::sub(pool_, target_, b) : expr::neg(pool_, b); }
  void divide(ExprId b) {
    if (target_) target_ = expr::div(pool_, target_, b);
    note_divisor(b);
  }
  void multiply(ExprId b) {
    if (target_) target_ = expr::mul(pool_, target_, b);
    note_divisor(b);  // the row divides by it
  }
  // A product vanishes with one of its factors.
  void note_divisor(ExprId b) {
    while (pool_.op(b) == Op::Mul || pool_.op(b) == Op::Neg) {
      const expr::Operands x = pool_.operands(b);
      if (x.size() == 2) note_single(x[0]);
      b = x[x.size() - 1];
    }
    note_single(b);
  }
  void note_single(ExprId b) {
    if (pool_.op(b) != Op::Constant) divisors_.push_back(b);
  }

  expr::Pool& pool_;
  const Path& path_;
  ExprId target_;  // none: 0
  std::vector<ExprId> divisors_;
};

std::optional<Isolated> by_coefficient(expr::Pool& pool, ExprId row, ExprId leaf) {
  ExprId plain = row;
  expr::LinearForms forms = expr::linear_forms(pool, std::array{plain}, std::array{leaf});
  if (forms.kind[0] == expr::Linearity::Nonlinear && pool.has(row, expr::kHasCall)) {
    plain = expr::inline_calls(pool, row);
    forms = expr::linear_forms(pool, std::array{plain}, std::array{leaf});
  }
  if (forms.kind[0] == expr::Linearity::Nonlinear || forms.a.entry.empty()) return std::nullopt;
  const ExprId a = forms.a.entry[0];
  if (expr::is_zero(pool, a)) return std::nullopt;
  Isolated result{expr::neg(pool, expr::div(pool, forms.b[0], a)), {}};
  if (pool.op(a) != Op::Constant) result.divisors.push_back(a);
  return result;
}

}  // namespace

std::optional<Isolated> isolate(expr::Pool& pool, ExprId row, ExprId leaf) {
  const Path path(pool, row, leaf);
  if (!path.contains(row)) return std::nullopt;
  Transposition moves(pool, path);
  for (ExprId e = row; e != leaf;) {
    const Move move = moves.step(e);
    if (move == Move::Nonlinear) return std::nullopt;
    if (move == Move::Stuck) return by_coefficient(pool, row, leaf);
  }
  return Isolated{moves.target(), std::move(moves.divisors())};
}

std::optional<std::vector<ExprId>> isolate_all(expr::Pool& pool, std::span<const ExprId> rows,
                                               std::span<const ExprId> leaves) {
  const auto constant = [](expr::Linearity l) { return l <= expr::Linearity::Constant; };
  if (!std::ranges::all_of(expr::linearity(pool, rows, leaves), constant)) return std::nullopt;
  const expr::LinearForms forms = expr::linear_forms(pool, rows, leaves);
  const auto number = [&](ExprId e) { return pool.op(e) == Op::Constant; };
  if (!std::ranges::all_of(forms.a.entry, number)) return std::nullopt;
  const std::size_t n = rows.size();
  std::vector<double> matrix(n * n, 0.0);  // by columns
  for (std::size_t i = 0; i < n; ++i) {
    const auto last = static_cast<std::size_t>(forms.a.row_start[i + 1]);
    for (auto k = static_cast<std::size_t>(forms.a.row_start[i]); k < last; ++k) {
      matrix[static_cast<std::size_t>(forms.a.column[k]) * n + i] = pool.constant(forms.a.entry[k]);
    }
  }
  const int size = static_cast<int>(n);
  numerics::LinearSolver solver(numerics::full_pattern(size, size), numerics::LinearMethod::Dense);
  if (solver.factor(matrix) != numerics::FactorStatus::Ok) return std::nullopt;
  if (solver.pivot_ratio() < tolerance::kGoodPivots) return std::nullopt;
  std::vector<ExprId> values(n, expr::constant(pool, 0));
  std::vector<double> column(n);
  for (std::size_t j = 0; j < n; ++j) {  // x -= A⁻¹ e_j b_j
    std::ranges::fill(column, 0.0);
    column[j] = 1;
    solver.solve(column);
    for (std::size_t i = 0; i < n; ++i) {
      const ExprId term = expr::mul(pool, expr::constant(pool, column[i]), forms.b[j]);
      values[i] = expr::sub(pool, values[i], term);
    }
  }
  return values;
}

ExprId size_of_terms(expr::Pool& pool, ExprId e) {
  constexpr int kMostSums = 100;  // shared sums written out could be endless
  std::vector<ExprId> open{e};
  ExprId sum;
  int sums = 0;
  while (!open.empty()) {
    const ExprId term = open.back();
    open.pop_back();
    const Op op = pool.op(term);
    if (op == Op::Neg) {
      open.push_back(pool.operand(term, 0));
    } else if ((op == Op::Add || op == Op::Sub) && sums < kMostSums) {
      ++sums;
      open.push_back(pool.operand(term, 1));
      open.push_back(pool.operand(term, 0));
    } else {
      const ExprId size = expr::unary(pool, Op::Abs, term);
      sum = sum ? expr::add(pool, sum, size) : size;
    }
  }
  return sums > 0 ? sum : ExprId{};
}

}  // namespace chi::sim
