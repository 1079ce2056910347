#include "sim/integration/motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"
#include "expr/build.h"
#include "numerics/bdf.h"
#include "numerics/cvode_integrator.h"
#include "numerics/ida_integrator.h"
#include "numerics/radau.h"
#include "numerics/runge_kutta.h"
#include "sim/algebra/block_graph.h"
#include "sim/integration/algebraic_steps.h"
#include "sim/integration/dae_form.h"
#include "sim/integration/method_choice.h"
#include "sim/integration/ode_form.h"
#include "sim/integration/tolerances.h"

namespace chi::sim {
namespace {

using numerics::Integrator;
using numerics::Restart;
using numerics::StepStatus;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Implicit blocks beyond this size are left to the integrator's own Newton iteration.
constexpr int kLargeBlock = 20;
// Below this many states a full Jacobian costs nothing to speak of.
constexpr int kManyStates = 300;

std::vector<std::int32_t> places(const SolverContext& context, std::span<const expr::VarRef> vars) {
  std::vector<std::int32_t> result;
  for (const expr::VarRef x : vars) {
    result.push_back(context.leaves.place(leaf_of(context.pool, x)));
  }
  return result;
}

bool is_still(const expr::Pool& pool, const structure::BlockOrder& order) {
  return std::ranges::none_of(order.rows, [&](const structure::BlockOrder::Row& row) {
    return pool.has(row.expr, expr::kHasTime | expr::kHasDelay);
  });
}

// The nonlinear blocks with all they need: their solutions are guesses for later. So are their
// derivatives, where the equations tell them, for then the next solution can be foreseen.
structure::BlockOrder order_of_guesses(const structure::BlockOrder& ivp, const BlockGraph& graph,
                                       const SolverContext& context, const SystemSolver& all) {
  std::vector<expr::VarRef> guessed;
  for (const std::int32_t place : all.guessed()) {
    const expr::VarRef x = context.pool.variable(context.leaves.leaf(place));
    guessed.push_back(x);
    if (graph.block_of({x.var, x.order + 1}) >= 0) guessed.push_back({x.var, x.order + 1});
  }
  return restrict_order(ivp, graph.needed_for(guessed));
}

}  // namespace

struct Motion::Implementation {
  Implementation(const SolverContext& given, const structure::BlockOrder& order,
                 std::span<const expr::VarRef> given_states, const MotionOptions& chosen,
                 FrameInputs* given_inputs);
  MethodChoice::Facts facts();
  SystemSolver& separate(std::optional<SystemSolver>& solver);
  SystemSolver& inner() { return separate(inner_values); }
  std::unique_ptr<Integrator> make(Method method);
  void use(Method method);
  bool change_method();
  void start(double t, Restart kind);
  void estimate_slopes(double t);
  void put(double time, std::span<const double> y, double* frame);
  void put_guesses(std::span<const double> values, double* to) const;
  void foresee(double time);
  bool agrees_with_slopes(double h) const;
  bool sample(double time, std::span<double> out);
  void remember();
  void accept();
  void note_failure(StepStatus status);
  StepStatus step(double limit);

  SolverContext context;
  const structure::BlockOrder& ivp;
  std::vector<expr::VarRef> states;
  MotionOptions options;
  FrameInputs* inputs;
  std::vector<std::int32_t> state_places, derivative_places, unknown_places;
  std::int32_t time_place;
  BlockGraph graph;
  SystemSolver values;                        // for events
  std::optional<SystemSolver> inner_values;   // for our own use
  std::optional<SystemSolver> output_values;  // for output; all three are one if that cannot show
  SystemSolver* last_values = &values;
  structure::BlockOrder guess_order;
  SystemSolver guesses;
  std::vector<double> frame;  // of the integration: nobody else's guesses get in
  OdeForm ode;
  structure::BlockOrder dae_order;
  std::optional<DaeForm> dae;
  MethodChoice choice;
  std::array<std::unique_ptr<Integrator>, kMethodCount> integrators;
  Integrator* current = nullptr;
  Method current_method = Method::DormandPrince;
  Integrator* last = nullptr;  // took the last step
  bool stepped = false;        // since the restart
  bool change_pending = false;
  std::vector<double> y, yp, y_old, yp_old, y_at;
  std::vector<double> guess_old, guess_new, guess_at;  // at the ends of the last step
  std::vector<std::int32_t> slope_places;              // of their derivatives; -1: not known
  std::vector<double> slope_old, slope_new;            // these, or 0
  double guess_time = 0;                               // when guess_new is
  bool is_smooth = true;                               // the last step, as far as slopes tell
  StepStatus failed = StepStatus::Stepped;
  std::optional<SolveFailure> failed_equations;
};

Motion::Implementation::Implementation(const SolverContext& given,
                                       const structure::BlockOrder& order,
                                       std::span<const expr::VarRef> given_states,
                                       const MotionOptions& chosen, FrameInputs* given_inputs)
    : context(given),
      ivp(order),
      states(given_states.begin(), given_states.end()),
      options(chosen),
      inputs(given_inputs),
      state_places(places(context, states)),
      derivative_places(places(context, derivatives_of(states))),
      unknown_places(places(context, order.unknowns)),
      time_place(context.leaves.place(expr::time(context.pool))),
      graph(context.pool, order, states),
      values(context, order),
      guess_order(order_of_guesses(order, graph, context, values)),
      guesses(context, guess_order),
      ode(context, values, graph, states, inputs, frame),
      choice(options.solver, facts()),
      y_at(states.size()) {
  CHI_CHECK(order.is_square(), "only a square system moves");
  guess_old.resize(guesses.guessed().size());
  guess_new = guess_at = slope_old = slope_new = guess_old;
  for (const std::int32_t place : guesses.guessed()) {
    const expr::VarRef x = context.pool.variable(context.leaves.leaf(place));
    const expr::VarRef slope{x.var, x.order + 1};
    const bool known = graph.block_of(slope) >= 0;
    slope_places.push_back(known ? context.leaves.place(leaf_of(context.pool, slope)) : -1);
  }
}

MethodChoice::Facts Motion::Implementation::facts() {
  double edges = static_cast<double>(states.size());
  for (int b = 0; b < graph.blocks(); ++b) {
    edges += static_cast<double>(graph.needs(b).size() + graph.states(b).size());
  }
  const bool fills_in = ode.size() > kManyStates && ode.estimated_entries() > 10 * edges;
  const bool dae_is_better = fills_in || ode.counts().largest_block > kLargeBlock;
  const std::size_t size = states.size() + (dae_is_better ? ivp.unknowns.size() : 0);
  return {
      .has_states = !states.empty(), .prefers_dae = dae_is_better, .size = static_cast<int>(size)};
}

SystemSolver& Motion::Implementation::separate(std::optional<SystemSolver>& solver) {
  if (values.explicit_run()) return values;
  if (!solver) solver.emplace(context, ivp);
  return *solver;
}

std::unique_ptr<Integrator> Motion::Implementation::make(Method method) {
  numerics::IntegratorOptions o;
  o.tolerances.relative = options.rtol;
  o.tolerances.absolute = options.atol;
  o.max_step = options.max_step;
  if (uses_dae_form(method) && !dae) {
    // Unknowns that no derivative needs are solved for where somebody asks for them.
    dae_order = restrict_order(ivp, graph.needed_for(derivatives_of(states)));
    dae.emplace(context, dae_order, states, inputs, frame);
  }
  if (method == Method::Bdf || method == Method::Cvode || method == Method::Radau)
    ode.prepare_jacobian();
  frame.resize(at(context.leaves.size()), 0.0);
  switch (method) {
    case Method::DormandPrince:
      return make_runge_kutta(ode, o, numerics::ExplicitMethod::DormandPrince);
    case Method::Fehlberg: return make_runge_kutta(ode, o, numerics::ExplicitMethod::Fehlberg);
    case Method::Bdf: return make_bdf(ode, o);
    case Method::Cvode: return make_cvode_integrator(ode, o, numerics::MultistepMethod::Bdf);
    case Method::Ida:
      // Their values between steps are solved for; interpolated ones are only guesses.
      o.suppress_algebraic = true;
      return make_ida_integrator(*dae, o);
    case Method::Radau: return make_radau(ode, o);
    case Method::RadauDae: return make_radau(*dae, o);
    case Method::Algebraic: break;
  }
  const int count = is_still(context.pool, ivp) ? 0 : static_cast<int>(ivp.unknowns.size());
  return std::make_unique<AlgebraicSteps>(
      count, [this](double t, std::span<double> out) { return sample(t, out); });
}

void Motion::Implementation::put(double time, std::span<const double> at_time, double* to) {
  for (std::size_t i = 0; i < states.size(); ++i) to[state_places[i]] = at_time[i];
  to[time_place] = time;
  if (inputs) inputs->set(time, to);
}

void Motion::Implementation::put_guesses(std::span<const double> from, double* to) const {
  const std::span<const std::int32_t> where = guesses.guessed();
  for (std::size_t k = 0; k < where.size(); ++k) to[where[k]] = from[k];
}

// For a part without states.
bool Motion::Implementation::sample(double time, std::span<double> out) {
  put(time, {}, frame.data());
  foresee(time);
  if (!inner().solve(frame.data(), Effort::Near)) return false;
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = frame[at(unknown_places[k])];
  return true;
}

// Guesses from the last solution and its slopes, into the frame.
void Motion::Implementation::foresee(double time) {
  for (std::size_t k = 0; k < guess_at.size(); ++k) {
    guess_at[k] = guess_new[k] + slope_new[k] * (time - guess_time);
  }
  put_guesses(guess_at, frame.data());
}

void Motion::Implementation::remember() {
  const std::span<const std::int32_t> where = guesses.guessed();
  for (std::size_t k = 0; k < where.size(); ++k) {
    guess_new[k] = frame[at(where[k])];
    slope_new[k] = slope_places[k] >= 0 ? frame[at(slope_places[k])] : 0;
  }
  guess_time = frame[at(time_place)];
}

// Whether nonlinear unknowns moved in the step as their derivatives say, more or less. If not, the
// iteration changed over to another solution of equations that have several: a constraint on a sine
// holds after half a turn, too. What the derivatives say is off by a small part of their change.
bool Motion::Implementation::agrees_with_slopes(double h) const {
  for (std::size_t k = 0; k < guess_new.size(); ++k) {
    if (slope_places[k] < 0) continue;
    const double a = slope_old[k], b = slope_new[k];
    const double off = std::abs(guess_new[k] - guess_old[k] - 0.5 * h * (a + b));
    const double size = std::max(std::abs(guess_old[k]), std::abs(guess_new[k]));
    const double allowed =
        h * (0.5 * std::abs(b - a) + tolerance::kUnevenSlopes * (std::abs(a) + std::abs(b))) +
        tolerance::kUnevenValues * size + options.atol;
    if (off > allowed) return false;
  }
  return true;
}

// Requires a consistent frame at t.
void Motion::Implementation::start(double t, Restart kind) {
  if (uses_dae_form(current_method)) {
    y.resize(at(dae->size()));
    yp.resize(y.size());
    dae->read(frame.data(), y, yp);
    estimate_slopes(t);
  } else {
    y.resize(states.size());
    yp.resize(y.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      y[i] = frame[at(state_places[i])];
      yp[i] = frame[at(derivative_places[i])];
    }
  }
  ode.anchor(t, guesses.guessed(), guess_new, slope_new);
  current->restart(t, y, yp, kind);
}

// The derivatives of the algebraic components, which the first prediction needs: by a difference
// quotient along the motion, as short as rounding allows. If there is none they count as constant.
void Motion::Implementation::estimate_slopes(double t) {
  double rate = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    rate = std::max(rate, std::abs(yp[i]) / std::max(std::abs(y[i]), options.atol / options.rtol));
  }
  const double wanted = rate > 0 ? tolerance::kQuotient / rate : tolerance::kQuotient;
  const double later = t + std::max(wanted, tolerance::kTimeDigits * std::abs(t));
  const double h = later - t;
  const std::vector<double> saved = frame;
  for (std::size_t i = 0; i < states.size(); ++i) y_at[i] = y[i] + h * yp[i];
  put(later, y_at, frame.data());
  if (inner().solve(frame.data(), Effort::Near)) {
    std::vector<double> next(y.size()), unused(y.size());
    dae->read(frame.data(), next, unused);
    for (std::size_t i = states.size(); i < y.size(); ++i) yp[i] = (next[i] - y[i]) / h;
  }
  frame = saved;
}

void Motion::Implementation::use(Method method) {
  std::unique_ptr<Integrator>& integrator = integrators[static_cast<std::size_t>(method)];
  if (!integrator) integrator = make(method);
  current_method = method;
  current = integrator.get();
}

// Goes on from the last accepted point with the method that was chosen meanwhile.
bool Motion::Implementation::change_method() {
  const double t = current->t();
  std::ranges::copy(current->y().first(states.size()), y_at.begin());
  use(choice.method());
  put(t, y_at, frame.data());
  foresee(t);
  if (!inner().solve(frame.data(), Effort::Near) && !inner().solve(frame.data(), Effort::Full)) {
    failed = StepStatus::DomainError;
    failed_equations = inner().failure();
    return false;
  }
  start(t, Restart::Cold);
  return true;
}

StepStatus Motion::Implementation::step(double limit) {
  failed = StepStatus::Stepped;
  failed_equations.reset();
  // Derivatives of delays may have been entered since, and are written with the others.
  if (frame.size() < at(context.leaves.size())) frame.resize(at(context.leaves.size()), 0.0);
  if (std::exchange(change_pending, false) && !change_method()) return StepStatus::DomainError;
  guess_old = guess_new;
  slope_old = slope_new;
  StepStatus status = StepStatus::Stepped;
  for (;;) {
    ode.anchor(current->t(), guesses.guessed(), guess_new, slope_new);
    y_old.assign(current->y().begin(), current->y().end());
    yp_old.assign(current->yp().begin(), current->yp().end());
    status = current->step(limit);
    if (status == StepStatus::Stepped) break;
    note_failure(status);
    if (!choice.note_failure() || !change_method()) break;
  }
  if (status == StepStatus::Stepped) return accept(), status;
  return failed;
}

// Of several methods that failed at this point the first that can name an equation is right.
void Motion::Implementation::note_failure(StepStatus status) {
  if (failed_equations) return;
  failed = status;
  if (status != StepStatus::DomainError) return;
  const SolveFailure& why = states.empty()                  ? inner().failure()
                            : uses_dae_form(current_method) ? dae->failure()
                                                            : ode.failure();
  if (!why.rows.empty()) failed_equations = why;
}

void Motion::Implementation::accept() {
  last = current;
  stepped = true;
  change_pending = choice.note_step(*current);
  if (guesses.guessed().empty()) return;
  if (uses_dae_form(current_method)) dae->write(current->y(), frame.data());
  put(current->t(), current->y().first(states.size()), frame.data());
  is_smooth = true;
  if (guesses.solve(frame.data(), Effort::Near) || guesses.solve(frame.data(), Effort::Full)) {
    remember();
    is_smooth = agrees_with_slopes(current->t() - current->t_old());
  }
}

Motion::Motion(const SolverContext& context, const structure::BlockOrder& ivp,
               std::span<const expr::VarRef> states, const MotionOptions& options,
               FrameInputs* inputs)
    : implementation_(std::make_unique<Implementation>(context, ivp, states, options, inputs)) {}
Motion::Motion(Motion&&) noexcept = default;
Motion& Motion::operator=(Motion&&) noexcept = default;
Motion::~Motion() = default;

void Motion::restart(double t, std::span<const double> frame, Restart kind) {
  Implementation& m = *implementation_;
  m.frame.assign(frame.begin(), frame.end());
  m.frame.resize(at(m.context.leaves.size()), 0.0);
  m.frame[at(m.time_place)] = t;
  m.remember();
  m.guess_old = m.guess_new;
  m.slope_old = m.slope_new;
  m.choice.note_restart();
  const bool other = m.current == nullptr || m.current_method != m.choice.method();
  if (other) m.use(m.choice.method());
  m.start(t, other ? Restart::Cold : kind);
  m.last = m.current;
  m.stepped = m.change_pending = false;
}

StepStatus Motion::step(double limit) { return implementation_->step(limit); }

StepStatus Motion::retake(double limit) {
  Implementation& m = *implementation_;
  CHI_CHECK(m.stepped && m.last == m.current, "no step to take again");
  m.change_pending = false;
  m.guess_new = m.guess_old;
  m.slope_new = m.slope_old;
  m.guess_time = m.current->t_old();
  m.put_guesses(m.guess_old, m.frame.data());
  m.current->restart(m.current->t_old(), m.y_old, m.yp_old, Restart::Warm);
  return m.step(limit);
}

MotionFailure Motion::failure() const {
  Implementation& m = *implementation_;
  MotionFailure result;
  result.status = m.failed;
  result.equations = m.failed_equations;
  double fastest = -1;
  const std::span<const double> slopes = m.current->yp();
  for (std::size_t i = 0; i < m.states.size(); ++i) {
    const double weight = m.options.rtol * std::abs(m.current->y()[i]) + m.options.atol;
    if (!(std::abs(slopes[i]) / weight > fastest)) continue;
    fastest = std::abs(slopes[i]) / weight;
    result.fastest = m.states[i];
  }
  return result;
}

double Motion::t() const { return implementation_->current->t(); }
double Motion::t_old() const {
  return implementation_->stepped ? implementation_->last->t_old() : t();
}
std::span<const expr::VarRef> Motion::states() const { return implementation_->states; }
std::span<const double> Motion::y() const {
  return implementation_->current->y().first(implementation_->states.size());
}
const numerics::DenseOutput& Motion::dense() { return implementation_->last->dense_output(); }

bool Motion::values_at(double time, double* frame, Effort effort, Purpose purpose) {
  Implementation& m = *implementation_;
  double theta = 1;
  if (time == t()) {
    m.put(time, y(), frame);
  } else if (m.stepped && time == t_old()) {
    // As it was accepted: the polynomial of a multistep method does not go back there exactly.
    theta = 0;
    m.put(time, std::span(m.y_old).first(m.states.size()), frame);
  } else {
    CHI_CHECK(m.stepped && time >= t_old() && time < t(), "outside the step");
    const numerics::DenseOutput& d = dense();
    theta = d.theta(time);
    std::ranges::copy(d.power(d.degree()).first(m.states.size()), m.y_at.begin());
    for (int k = d.degree() - 1; k >= 0; --k) {
      const std::span<const double> c = d.power(k);
      for (std::size_t i = 0; i < m.states.size(); ++i) m.y_at[i] = m.y_at[i] * theta + c[i];
    }
    m.put(time, m.y_at, frame);
  }
  for (std::size_t k = 0; k < m.guess_at.size(); ++k) {
    m.guess_at[k] = m.guess_old[k] + theta * (m.guess_new[k] - m.guess_old[k]);
  }
  m.put_guesses(m.guess_at, frame);
  SystemSolver& solver = purpose == Purpose::Output ? m.separate(m.output_values) : m.values;
  m.last_values = &solver;
  return solver.solve(frame, effort);
}

bool Motion::turned() const {
  const Implementation& m = *implementation_;
  const std::span<const double> now = m.current->yp();
  double both = 0, now2 = 0, before2 = 0;
  for (std::size_t i = 0; m.stepped && i < m.states.size(); ++i) {
    const double w = m.options.rtol * std::abs(m.current->y()[i]) + m.options.atol;
    const double a = now[i] / w, b = m.yp_old[i] / w;
    both += a * b;
    now2 += a * a;
    before2 += b * b;
  }
  return both < 0 && both < tolerance::kTurnedAround * std::sqrt(now2) * std::sqrt(before2);
}

bool Motion::is_smooth() const { return implementation_->is_smooth; }

const SolveFailure& Motion::values_failure() const {
  return implementation_->last_values->failure();
}
void Motion::read_pivots(std::vector<double>& pivots) const {
  implementation_->values.read_pivots(pivots);
}
SystemSolver::PivotOwner Motion::owner_of_pivot(std::size_t pivot) const {
  return implementation_->values.owner_of_pivot(pivot);
}
double Motion::suggested_next_step() const { return implementation_->current->next_step(); }
std::string_view Motion::method_name() const { return name(implementation_->current_method); }

bool Motion::is_multistep() const {
  const Method method = implementation_->current_method;
  return method == Method::Bdf || method == Method::Cvode || method == Method::Ida;
}

numerics::IntegratorStats Motion::stats() const {
  numerics::IntegratorStats sum;
  for (const std::unique_ptr<Integrator>& integrator : implementation_->integrators) {
    if (!integrator) continue;
    const numerics::IntegratorStats s = integrator->stats();
    sum.steps += s.steps;
    sum.rejected += s.rejected;
    sum.domain_retreats += s.domain_retreats;
    sum.newton_failures += s.newton_failures;
    sum.evaluations += s.evaluations;
    sum.jacobians += s.jacobians;
    sum.factorizations += s.factorizations;
    sum.newton_iterations += s.newton_iterations;
    sum.restarts += s.restarts;
  }
  return sum;
}

}  // namespace chi::sim
