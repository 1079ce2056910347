#include "numerics/newton.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "numerics/damped_newton.h"
#include "numerics/linear_solver.h"

namespace chi::numerics {
namespace {

class SquareBackend final : public NewtonBackend {
 public:
  explicit SquareBackend(const SparsePattern& pattern) : linear_(pattern) {}

  bool factor(const NonlinearProblem&, std::span<const double> jacobian) override {
    return linear_.factor(jacobian) == FactorStatus::Ok;
  }

  void step(std::span<const double> residual, std::span<double> out) override {
    std::ranges::transform(residual, out.begin(), [](double r) { return -r; });
    linear_.solve(out);
  }

  const SparsePattern& pattern() const { return linear_.pattern(); }

 private:
  LinearSolver linear_;
};

}  // namespace

struct NewtonSolver::Implementation {
  Implementation(const SparsePattern& pattern, NewtonOptions options)
      : backend(pattern),
        iteration(backend.pattern(), options, backend),
        restarts(options.restarts) {}

  SquareBackend backend;
  DampedNewton iteration;
  int restarts = 0;
};

NewtonSolver::NewtonSolver(const SparsePattern& pattern, NewtonOptions options)
    : implementation_(std::make_unique<Implementation>(pattern, options)) {}
NewtonSolver::NewtonSolver(NewtonSolver&&) noexcept = default;
NewtonSolver& NewtonSolver::operator=(NewtonSolver&&) noexcept = default;
NewtonSolver::~NewtonSolver() = default;

SolveResult NewtonSolver::solve(const NonlinearProblem& problem, std::span<double> x) {
  return implementation_->iteration.solve(problem, x, implementation_->restarts);
}

SolveResult NewtonSolver::solve_once(const NonlinearProblem& problem, std::span<double> x) {
  return implementation_->iteration.solve(problem, x, 0);
}

}  // namespace chi::numerics
