// What integrator.h promises, for every method.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "numerics/bdf.h"
#include "numerics/callable_problem.h"
#include "numerics/cvode_integrator.h"
#include "numerics/ida_integrator.h"
#include "numerics/ode_as_dae.h"
#include "numerics/radau.h"
#include "numerics/runge_kutta.h"

namespace chi::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An integrator and, for the DAE methods, the view of the ODE it needs.
struct Made {
  std::unique_ptr<OdeAsDae> view;
  std::unique_ptr<Integrator> integrator;
  Integrator* operator->() const { return integrator.get(); }
};

struct Method {
  std::string name;
  std::function<Made(OdeProblem&, const IntegratorOptions&)> make;
  bool one_step = false;
};

template <class Make>
Made through_dae(OdeProblem& p, const IntegratorOptions& o, Make make) {
  std::vector<double> typical(static_cast<std::size_t>(p.size()), 1e-3);
  Made made{std::make_unique<OdeAsDae>(p, typical), nullptr};
  made.integrator = make(*made.view, o);
  return made;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"dopri5",
       [](OdeProblem& p, const IntegratorOptions& o) {
         return Made{nullptr, make_runge_kutta(p, o, ExplicitMethod::DormandPrince)};
       },
       true},
      {"rkf45",
       [](OdeProblem& p, const IntegratorOptions& o) {
         return Made{nullptr, make_runge_kutta(p, o, ExplicitMethod::Fehlberg)};
       },
       true},
      {"radau",
       [](OdeProblem& p, const IntegratorOptions& o) {
         return Made{nullptr, make_radau(p, o)};
       },
       true},
      {"radau_dae",
       [](OdeProblem& p, const IntegratorOptions& o) {
         return through_dae(p, o,
                            [](DaeProblem& d, auto& options) { return make_radau(d, options); });
       },
       true},
      {"cvode_bdf",
       [](OdeProblem& p, const IntegratorOptions& o) {
         return Made{nullptr, make_cvode_integrator(p, o, MultistepMethod::Bdf)};
       }},
      {"bdf",
       [](OdeProblem& p, const IntegratorOptions& o) {
         return Made{nullptr, make_bdf(p, o)};
       }},
      {"cvode_adams",
       [](OdeProblem& p, const IntegratorOptions& o) {
         return Made{nullptr, make_cvode_integrator(p, o, MultistepMethod::Adams)};
       }},
      {"ida", [](OdeProblem& p, const IntegratorOptions& o) {
         return through_dae(
             p, o, [](DaeProblem& d, auto& options) { return make_ida_integrator(d, options); });
       }}};
  return all;
}

class Contract : public testing::TestWithParam<Method> {
 protected:
  Made make(OdeProblem& p, double relative = 1e-6, double absolute = 1e-9) const {
    return GetParam().make(p, {.tolerances = {.relative = relative, .absolute = absolute}});
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, Contract, testing::ValuesIn(methods()),
                         [](const auto& method) { return method.param.name; });

// Restarts with the derivative that a DAE method needs.
void restart(Made& s, OdeProblem& p, double t, std::vector<double> y,
             Restart kind = Restart::Cold) {
  std::vector<double> yp(y.size());
  p.rhs(t, y, yp);
  s->restart(t, y, yp, kind);
}

CallableOde decay(1, [](double, auto y, auto ydot) { ydot[0] = -y[0]; });
CallableOde circle(2, [](double, auto y, auto ydot) {
  ydot[0] = -y[1];
  ydot[1] = y[0];
});

TEST_P(Contract, StopsExactlyAtTheLimit) {
  Made s = make(decay);
  restart(s, decay, 0, {1});
  for (const double limit : {0.1, 1.0 / 3, 2.0}) {
    while (s->t() < limit) {
      ASSERT_EQ(s->step(limit), StepStatus::Stepped);
      ASSERT_GT(s->t(), s->t_old());
      ASSERT_LE(s->t(), limit);
    }
    EXPECT_EQ(s->t(), limit);
    EXPECT_NEAR(s->y()[0], std::exp(-limit), 1e-5);
    EXPECT_NEAR(s->yp()[0], -std::exp(-limit), 1e-4);
  }
}

// At a time event the equations may end: not even a trial may look beyond.
TEST_P(Contract, NeverEvaluatesBeyondTheLimit) {
  double limit = 0, latest = 0;
  CallableOde watched(1, [&](double t, auto y, auto ydot) {
    latest = std::max(latest, t - limit);
    ydot[0] = std::cos(t) - y[0];
  });
  for (const double start : {0.0, 1.0}) {
    limit = start;
    Made s = make(watched);
    restart(s, watched, start, {0.5});
    for (const double gap : {1e-15, 1e-9, 1e-3, 1e-2, 1.0}) {
      limit = s->t() + gap;
      while (s->t() < limit) ASSERT_EQ(s->step(limit), StepStatus::Stepped);
    }
  }
  EXPECT_LE(latest, 0);
}

// Time events may be ulps apart.
TEST_P(Contract, TakesLimitsThatAreVeryClose) {
  Made s = make(decay);
  restart(s, decay, 1, {1});
  double limit = 1;
  for (int i = 0; i < 60; ++i) {  // 1, 2, 4, … ulps apart, up to about 1e-1
    limit = i < 55 ? limit + std::ldexp(2.2e-16, i % 50) : limit + 0.01;
    while (s->t() < limit) ASSERT_EQ(s->step(limit), StepStatus::Stepped);
    ASSERT_EQ(s->t(), limit);
    const DenseOutput& d = s->dense_output();
    ASSERT_EQ(d.t_new(), limit);
    ASSERT_NEAR(d.value(limit, 0), s->y()[0], 1e-14);
    ASSERT_NEAR(s->y()[0], std::exp(1 - limit), 1e-5);
  }
}

TEST_P(Contract, DenseOutputJoinsTheStepsAndFollowsTheSolution) {
  Made s = make(circle, 1e-7, 1e-10);
  restart(s, circle, 0, {1, 0});
  std::array<double, 2> before{1, 0};
  while (s->t() < 10) {
    ASSERT_EQ(s->step(10), StepStatus::Stepped);
    const DenseOutput& d = s->dense_output();
    ASSERT_EQ(d.t_old(), s->t_old());
    ASSERT_EQ(d.t_new(), s->t());
    for (int i = 0; i < 2; ++i) {
      const auto c = static_cast<std::size_t>(i);
      ASSERT_NEAR(d.value(d.t_old(), i), before[c], 1e-13);
      ASSERT_NEAR(d.value(d.t_new(), i), s->y()[c], 1e-13);
      ASSERT_NEAR(d.derivative(d.t_new(), i), s->yp()[c], 1e-5);
      before[c] = s->y()[c];
    }
    for (const double part : {0.1, 0.5, 0.8}) {
      const double at = s->t_old() + part * (s->t() - s->t_old());
      ASSERT_NEAR(d.value(at, 0), std::cos(at), 2e-5);
      ASSERT_NEAR(d.derivative(at, 1), std::cos(at), 1e-3);
    }
  }
}

// Coefficients of one component, the values of all, and `interpolate` are the same polynomial.
TEST_P(Contract, CoefficientsReproduceTheDenseOutput) {
  Made s = make(circle);
  restart(s, circle, 0, {1, 0});
  while (s->t() < 3) {
    ASSERT_EQ(s->step(3), StepStatus::Stepped);
    const DenseOutput d = s->dense_output();
    std::array<double, DenseOutput::kMaxDegree + 1> room{};
    const std::span<double> c(room.data(), static_cast<std::size_t>(d.degree()) + 1);
    for (const double part : {0.0, 0.3, 0.9, 1.0}) {
      const double at = s->t_old() + part * (s->t() - s->t_old());
      std::array<double, 2> all{}, direct{};
      d.values(at, all);
      s->interpolate(at, direct);
      for (int i = 0; i < 2; ++i) {
        d.coefficients(i, c);
        ASSERT_NEAR(evaluate_polynomial(c, d.theta(at)), all[static_cast<std::size_t>(i)], 1e-15);
        ASSERT_NEAR(direct[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i)], 1e-14);
      }
    }
  }
}

// Looking at the solution must not change it: events and output only read.
TEST_P(Contract, ReadingTheDenseOutputChangesNothing) {
  std::vector<double> ends[2];
  for (const bool looking : {false, true}) {
    Made s = make(circle);
    restart(s, circle, 0, {1, 0});
    while (s->t() < 20) {
      ASSERT_EQ(s->step(20), StepStatus::Stepped);
      if (!looking) continue;
      std::array<double, 2> y{};
      s->interpolate((s->t() + s->t_old()) / 2, y);
      (void)s->dense_output().value(s->t(), 0);
      (void)s->stats();
    }
    ends[looking].assign(s->y().begin(), s->y().end());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

// h' = -sqrt(h) - 0.1 has no value below h = 0, which the solution reaches with a slope.
TEST_P(Contract, ADomainErrorShortensTheStepUntilNothingIsLeft) {
  int refused = 0;
  CallableOde tank(1, [&](double, auto y, auto ydot) {
    if (!(y[0] >= 0)) return ++refused, EvalStatus::Domain;
    ydot[0] = -std::sqrt(y[0]) - 0.1;
    return EvalStatus::Ok;
  });
  Made s = make(tank, 1e-4, 1e-6);
  restart(s, tank, 0, {1});
  StepStatus status = StepStatus::Stepped;
  while (status == StepStatus::Stepped) {
    status = s->step(100);
    ASSERT_GE(s->y()[0], -1e-9);
  }
  EXPECT_EQ(status, StepStatus::DomainError);
  EXPECT_GT(refused, 0);
  EXPECT_GT(s->stats().domain_retreats, 0);
  const double empty = 2 - 0.2 * std::log(11.0);  // ∫ dh / (sqrt h + 0.1) from 0 to 1
  EXPECT_NEAR(s->t(), empty, 2e-3);
  EXPECT_NEAR(s->y()[0], 0, 1e-3);
}

// The same, but the solution stays inside and only trial points leave: the run goes on.
TEST_P(Contract, ADomainErrorInATrialStepDoesNotEndTheRun) {
  CallableOde slowing(1, [](double t, auto y, auto ydot) {
    if (!(y[0] > 0)) return EvalStatus::Domain;
    ydot[0] = -y[0] * std::sqrt(y[0]) * (1 + 50 * std::exp(-100 * (t - 1) * (t - 1)));
    return EvalStatus::Ok;
  });
  Made s = make(slowing, 1e-3, 1e-3);
  restart(s, slowing, 0, {1});
  while (s->t() < 3) ASSERT_EQ(s->step(3), StepStatus::Stepped);
  EXPECT_GT(s->y()[0], 0);
}

TEST_P(Contract, ReportsAStepThatCollapses) {
  CallableOde blowup(1, [](double, auto y, auto ydot) { ydot[0] = 1 + y[0] * y[0]; });
  Made s = make(blowup);
  restart(s, blowup, 0, {0});
  StepStatus status = StepStatus::Stepped;
  int steps = 0;
  while (status == StepStatus::Stepped && steps < 100000) status = s->step(3), ++steps;
  EXPECT_NE(status, StepStatus::Stepped);
  EXPECT_NEAR(s->t(), std::acos(0.0), 1e-3);
}

TEST_P(Contract, PassesOnFatalAndKeepsTheLastPoint) {
  CallableOde fatal(1, [](double t, auto, auto ydot) {
    ydot[0] = 1;
    return t > 0.5 ? EvalStatus::Fatal : EvalStatus::Ok;
  });
  Made s = make(fatal);
  restart(s, fatal, 0, {0});
  StepStatus status = StepStatus::Stepped;
  while (status == StepStatus::Stepped) status = s->step(1);
  EXPECT_EQ(status, StepStatus::Fatal);
  EXPECT_LE(s->t(), 0.5);
  EXPECT_NEAR(s->y()[0], s->t(), 1e-9);
}

// Bouncing between two levels: each event jumps y and restarts. The flow is restarted often,
// and must still be followed to tolerance.
TEST_P(Contract, FollowsTheSolutionAcrossRestarts) {
  for (const Restart kind : {Restart::Warm, Restart::Again}) {
    Made s = make(decay);
    restart(s, decay, 0, {1});
    double t = 0;
    for (int event = 1; event <= 50; ++event) {
      t = 0.3 * event;
      while (s->t() < t) ASSERT_EQ(s->step(t), StepStatus::Stepped);
      ASSERT_NEAR(s->y()[0], std::exp(-0.3), 3e-6);
      restart(s, decay, t, {1}, kind);
      ASSERT_EQ(s->t(), t);
      ASSERT_EQ(s->y()[0], 1);
    }
    EXPECT_EQ(s->stats().restarts, 51);
  }
}

// A one-step method only re-evaluates; a multistep one climbs from order 1 either way.
TEST_P(Contract, AWarmRestartIsCheaperThanAColdOne) {
  std::int64_t evaluations[2] = {};
  for (const Restart kind : {Restart::Cold, Restart::Warm}) {
    Made s = make(circle);
    restart(s, circle, 0, {1, 0});
    for (int event = 1; event <= 40; ++event) {
      while (s->t() < event) ASSERT_EQ(s->step(event), StepStatus::Stepped);
      restart(s, circle, event, {std::cos(event), std::sin(event)}, kind);
    }
    evaluations[kind == Restart::Warm] = s->stats().evaluations;
  }
  if (GetParam().one_step) {
    EXPECT_LT(evaluations[1], evaluations[0]);
  } else {
    EXPECT_LT(evaluations[1], evaluations[0] + evaluations[0] / 10);
  }
}

TEST_P(Contract, SameProblemSameBits) {
  std::vector<double> ends[2];
  for (auto& end : ends) {
    Made s = make(circle);
    restart(s, circle, 0, {1, 0});
    while (s->t() < 20) ASSERT_EQ(s->step(20), StepStatus::Stepped);
    end.assign(s->y().begin(), s->y().end());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_P(Contract, NeedsNoLimit) {
  CallableOde rest(1, [](double, auto, auto ydot) { ydot[0] = 0; });
  Made s = make(rest);
  restart(s, rest, 0, {1});
  for (int i = 0; i < 500; ++i) ASSERT_EQ(s->step(kInfinity), StepStatus::Stepped);
  EXPECT_TRUE(std::isfinite(s->t()));
  EXPECT_EQ(s->y()[0], 1);
}

TEST_P(Contract, KeepsTheLongestStep) {
  Made s = GetParam().make(decay, {.max_step = 0.01});
  restart(s, decay, 0, {1});
  while (s->t() < 1) {
    ASSERT_EQ(s->step(1), StepStatus::Stepped);
    ASSERT_LE(s->t() - s->t_old(), 0.01 * 1.011);
  }
}

// One component is of size 1e-6; only its own absolute tolerance can make it accurate.
TEST_P(Contract, ToleratesEachComponentByItself) {
  CallableOde small(2, [](double, auto y, auto ydot) {
    ydot[0] = -y[0];
    ydot[1] = 1e-6 * std::cos(y[1] * 1e6) * 20;
  });
  double errors[2] = {};
  for (const double fine : {1e-3, 1e-12}) {
    IntegratorOptions o{.tolerances = {.relative = 1e-9, .absolute_each = {1e-3, fine}}};
    Made s = GetParam().make(small, o);
    restart(s, small, 0, {1, 0});
    while (s->t() < 0.2) ASSERT_EQ(s->step(0.2), StepStatus::Stepped);
    const double exact = std::asin(std::tanh(4.0));  // u' = 20 cos u at t = 0.2
    errors[fine < 1e-6] = std::abs(s->y()[1] * 1e6 - exact);
  }
  EXPECT_LT(errors[1], 1e-4);
  EXPECT_LT(errors[1], errors[0]);
}

}  // namespace
}  // namespace chi::numerics
