#include "experiment/meter.h"

#include <algorithm>
#include <cmath>

#include "base/cancel.h"
#include "experiment/lobatto.h"
#include "flat/layout.h"

namespace chi::experiment {
namespace {

double point(double from, double to, std::size_t i) {
  if (i == 0) return from;
  if (i == 4) return to;
  return from + 0.5 * (1 + kLobattoPoints[i]) * (to - from);
}

/// Which flat slots hold reals; all others whole numbers and truths.
std::vector<char> real_slots(const flat::FlatModel& model) {
  std::vector<char> real(static_cast<std::size_t>(model.variable_slots), 0);
  const sema::Types& types = model.typed.types;
  for (flat::VariableId v{0}; v.index < model.variables.size(); ++v.index) {
    const flat::Variable& variable = model.variables[v];
    for (const flat::ScalarPart& part :
         flat::scalar_parts(types, variable.type, model.typed.ast.symbols)) {
      real[static_cast<std::size_t>(variable.slot + part.offset)] =
          types.is(part.type, sema::BasicType::Real) ? 1 : 0;
    }
  }
  return real;
}

bool looks_between(Gather gather) { return gather != Gather::End && gather != Gather::At; }

}  // namespace

Meter::Meter(const Measures& measures, const flat::FlatModel& model, double warmup)
    : measures_(measures), model_(model), warmup_(warmup) {
  formulas_ = std::make_unique<code::Formulas>(measures.over_run, measures.roots, leaves_);
  outer_ = std::make_unique<code::Formulas>(measures.over_gathered, measures.values, outer_leaves_);
  const std::vector<char> real = real_slots(model);
  for (std::int32_t place = 0; place < leaves_.size(); ++place) {
    const expr::ExprId leaf = leaves_.leaf(place);
    if (measures.over_run.op(leaf) == expr::Op::Time) {
      time_place_ = place;
      continue;
    }
    const expr::VarRef x = measures.over_run.variable(leaf);
    inputs_.push_back({.place = place,
                       .flat_slot = x.var.index,
                       .is_real = real[static_cast<std::size_t>(x.var.index)] != 0,
                       .is_derivative = x.order > 0});
  }
  for (const Gathered& g : measures.gathered) looks_between_ |= looks_between(g.gather);
  frame_.resize(static_cast<std::size_t>(leaves_.size()));
  now_.resize(measures.roots.size());
  for (std::vector<double>& node : nodes_) node.resize(measures.roots.size());
}

void Meter::attach(const code::Machine& machine, const sim::Frames& frames) {
  machine_ = &machine;
  for (Leaf& leaf : inputs_) leaf.memory = sim::memory_slot(model_, frames, leaf.flat_slot);
  states_.assign(measures_.gathered.size(), {});
  has_begun_ = is_at_end_of_piece_ = false;
  start_ = end_ = last_ = 0;
}

void Meter::load(const sim::MotionView* view) {
  for (const Leaf& leaf : inputs_) {
    const code::Slot slot = machine_->memory()[leaf.memory];
    frame_[static_cast<std::size_t>(leaf.place)] =
        leaf.is_derivative ? (view == nullptr ? 0 : view->derivative(leaf.flat_slot))
        : leaf.is_real     ? slot.r
                           : static_cast<double>(slot.i);
  }
}

/// The roots at a time, into `now_`. Without a view nothing moves but time.
void Meter::look(double time, sim::MotionView* view) {
  if (view != nullptr) view->values_at(time);
  load(view);
  if (time_place_ >= 0) frame_[static_cast<std::size_t>(time_place_)] = time;
  formulas_->evaluate_each(frame_.data(), now_.data());
  last_ = time;
}

double Meter::at(std::int32_t root, double time, sim::MotionView* view) {
  look(time, view);
  return now_[static_cast<std::size_t>(root)];
}

void Meter::start(double) {}

void Meter::after_event(double time) {
  is_at_end_of_piece_ = false;
  if (time < warmup_) return;
  look(time, nullptr);
  if (!has_begun_) start_ = time;
  see(time);
  has_begun_ = true;
  end_ = time;
}

void Meter::before_event(double time) {
  is_at_end_of_piece_ = false;
  if (time < warmup_ || !has_begun_) return;
  look(time, nullptr);
  see(time);
}

/// The values of a moment: `now_`.
void Meter::see(double time) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Gathered& g = measures_.gathered[i];
    State& state = states_[i];
    const double value = now_[static_cast<std::size_t>(g.root)];
    if (g.gather == Gather::First || g.gather == Gather::Count) {
      see_truth(g, state, time, value != 0 && !std::isnan(value));
    } else {
      if (g.gather == Gather::At && time != g.argument) continue;
      see_value(g, state, value);
    }
  }
}

void Meter::see_value(const Gathered& g, State& state, double value) {
  if (std::isnan(state.begin)) state.begin = value;
  state.value = value;
  const bool is_better = g.gather == Gather::Minimum ? value < state.best : value > state.best;
  if (std::isnan(state.best) || is_better) state.best = value;
  if (g.gather == Gather::Settle && has_begun_)
    state.pieces.push_back({end_, end_, {value, value, value, value, value}});
}

void Meter::see_truth(const Gathered&, State& state, double time, bool holds) {
  if (holds && std::isnan(state.value)) state.value = time;
  if (holds && state.is_known && !state.holds) state.count += 1;
  state.holds = holds;
  state.is_known = true;
}

void Meter::constant_until(double from, double to) { piece(from, to, nullptr); }

void Meter::moved(double from, double to, sim::MotionView& view) { piece(from, to, &view); }

void Meter::piece(double from, double to, sim::MotionView* view) {
  if (to < warmup_ || !(from < to)) return;
  if (from < warmup_) {
    from = warmup_;
    is_at_end_of_piece_ = false;
  }
  if (!has_begun_) {
    look(from, view);
    if (view != nullptr && !view->has_values()) return;
    start_ = from;
    see(from);
    has_begun_ = true;
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Gathered& g = measures_.gathered[i];
    if (g.gather != Gather::At || !(g.argument >= from && g.argument < to)) continue;
    const double value = at(g.root, g.argument, view);
    states_[i].value = value;
    is_at_end_of_piece_ = false;
  }
  end_ = to;
  if (!looks_between_ || !sample(from, to, view)) return;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Gathered& g = measures_.gathered[i];
    State& state = states_[i];
    const auto root = static_cast<std::size_t>(g.root);
    switch (g.gather) {
      case Gather::End:
      case Gather::At: break;
      case Gather::Maximum:
      case Gather::Minimum: extreme(g, state, from, to, view); break;
      case Gather::Mean:
      case Gather::Integral:
      case Gather::Rms: integrate(g, state, from, to, view); break;
      case Gather::First:
      case Gather::Count: changes(g, state, from, to, view); break;
      case Gather::Settle: {
        Piece p{from, to, {}};
        for (std::size_t k = 0; k < kPoints; ++k) p.values[k] = nodes_[k][root];
        state.pieces.push_back(p);
        state.value = p.values[kPoints - 1];
        break;
      }
    }
  }
  if (last_ != to) look(to, view);  // for who looks at the memory next
}

/// The roots at the points of a piece. The last of one piece is the first of the next, if nothing
/// happens between them.
bool Meter::sample(double from, double to, sim::MotionView* view) {
  check_cancelled();
  if (is_at_end_of_piece_ && last_ == from) {
    std::swap(nodes_[0], nodes_[kPoints - 1]);
  } else {
    look(from, view);
    nodes_[0] = now_;
  }
  for (std::size_t k = 1; k < kPoints; ++k) {
    if (view == nullptr && time_place_ < 0) {
      nodes_[k] = nodes_[0];
      continue;
    }
    look(point(from, to, k), view);
    if (view != nullptr && !view->has_values()) return false;
    nodes_[k] = now_;
  }
  is_at_end_of_piece_ = true;
  last_ = to;
  return true;
}

void Meter::extreme(const Gathered& g, State& state, double from, double to,
                    sim::MotionView* view) {
  const double sign = g.gather == Gather::Minimum ? -1 : 1;
  const auto root = static_cast<std::size_t>(g.root);
  Samples values;
  double best = sign * state.best;
  const auto offer = [&](double value) {
    if (std::isnan(best) || value > best) best = value;
  };
  for (std::size_t k = 0; k < kPoints; ++k) offer(values[k] = sign * nodes_[k][root]);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double x = *low < *high ? place_of_maximum(values) : 1;
  // Worth a closer look only if it could be the largest of all: the hill of the interpolant is as
  // high as that of the run up to a small share of what changes in the piece.
  constexpr double kShare = 0.01;
  if (std::abs(x) < 1 && interpolate(values, x) > best - kShare * (*high - *low)) {
    double a = from, b = to, place = x;
    for (const double width : {0.1, 0.005}) {
      const double middle = a + 0.5 * (1 + place) * (b - a), half = width * (to - from);
      a = std::max(from, middle - half);
      b = std::min(to, middle + half);
      for (std::size_t k = 0; k < kPoints; ++k)
        offer(values[k] = sign * at(g.root, point(a, b, k), view));
      place = place_of_maximum(values);
    }
    offer(sign * at(g.root, a + 0.5 * (1 + place) * (b - a), view));
  }
  state.best = sign * best;
}

void Meter::integrate(const Gathered& g, State& state, double from, double to,
                      sim::MotionView* view) {
  const auto power = [&](double v) { return g.gather == Gather::Rms ? v * v : v; };
  const auto add = [&](double a, double b, const Samples& values) {
    double sum = 0;
    for (std::size_t k = 0; k < kPoints; ++k) sum += kLobattoWeights[k] * power(values[k]);
    // Compensated: a long run adds many small pieces (W. Kahan, CACM 8, 1965, 40).
    const double term = 0.5 * (b - a) * sum - state.compensation, total = state.sum + term;
    state.compensation = (total - state.sum) - term;
    state.sum = total;
  };
  const auto root = static_cast<std::size_t>(g.root);
  Samples values;
  for (std::size_t k = 0; k < kPoints; ++k) values[k] = nodes_[k][root];
  const std::vector<double> kinks = crossings(g, from, to, view);
  if (kinks.empty()) {
    add(from, to, values);
    return;
  }
  double begin = from;
  for (std::size_t i = 0; i <= kinks.size(); ++i) {
    const double end = i < kinks.size() ? kinks[i] : to;
    if (!(end > begin)) continue;
    for (std::size_t k = 0; k < kPoints; ++k) {
      // Just inside: the ends may belong to either side of a step.
      const double inset = k == 0 ? 1e-9 : k == kPoints - 1 ? -1e-9 : 0;
      values[k] = at(g.root, point(begin, end, k) + inset * (end - begin), view);
    }
    add(begin, end, values);
    begin = end;
  }
}

/// Where one of the differences changes its sign inside of the piece, ascending.
std::vector<double> Meter::crossings(const Gathered& g, double from, double to,
                                     sim::MotionView* view) {
  std::vector<double> found;
  constexpr int kGrid = 32;
  for (std::int32_t d = g.first_difference; d < g.first_difference + g.differences; ++d) {
    Samples values;
    for (std::size_t k = 0; k < kPoints; ++k) values[k] = nodes_[k][static_cast<std::size_t>(d)];
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double margin = 0.1 * (*high - *low);
    if (*low - margin > 0 || *high + margin < 0 || *low == *high) continue;
    // By the interpolant it may cross; the run itself is asked on a grid, then between its points.
    double before = from, value = values[0];
    for (int i = 1; i <= kGrid; ++i) {
      const double time = i == kGrid ? to : from + (to - from) * i / kGrid;
      const double next = i == kGrid ? values[kPoints - 1] : at(d, time, view);
      if (value * next < 0) {
        double a = before, b = time, fa = value;
        for (int halving = 0; halving < 60 && a < 0.5 * (a + b) && 0.5 * (a + b) < b; ++halving) {
          const double middle = 0.5 * (a + b), fm = at(d, middle, view);
          if ((fm < 0) == (fa < 0) && fm != 0) {
            a = middle;
            fa = fm;
          } else {
            b = middle;
          }
        }
        found.push_back(b);
      } else if (next == 0 && i < kGrid) {
        found.push_back(time);
      }
      before = time;
      value = next;
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void Meter::changes(const Gathered& g, State& state, double from, double to,
                    sim::MotionView* view) {
  const auto root = static_cast<std::size_t>(g.root);
  const auto holds = [](double v) { return v != 0 && !std::isnan(v); };
  double begin = from;
  for (const double time : crossings(g, from, to, view)) {
    if (!(time > begin)) continue;
    see_truth(g, state, begin, holds(at(g.root, 0.5 * (begin + time), view)));
    see_truth(g, state, time, holds(at(g.root, time, view)));
    begin = time;
  }
  if (begin > from) see_truth(g, state, begin, holds(at(g.root, 0.5 * (begin + to), view)));
  see_truth(g, state, to, holds(nodes_[kPoints - 1][root]));
}

void Meter::finish(double time, const sim::MotionView* now) {
  if (time < warmup_) return;
  load(now);
  if (time_place_ >= 0) frame_[static_cast<std::size_t>(time_place_)] = time;
  formulas_->evaluate_each(frame_.data(), now_.data());
  end_ = time;
  see(time);
}

/// Since when the expression stays in its band: the last moment outside, from the last piece back.
double Meter::settled(const Gathered& g, const State& state) const {
  const double band = g.is_relative ? g.argument * std::abs(state.value - state.begin) : g.argument;
  const auto outside = [&](double v) { return !(std::abs(v - state.value) <= band); };
  constexpr int kGrid = 64;
  for (auto p = state.pieces.rbegin(); p != state.pieces.rend(); ++p) {
    if (p->from == p->to) {
      if (outside(p->values[0])) return p->to;
      continue;
    }
    const auto value = [&](double x) { return interpolate(p->values, x); };
    for (int i = kGrid; i >= 0; --i) {
      double a = -1 + 2.0 * i / kGrid, b = std::min(1.0, a + 2.0 / kGrid);
      if (!outside(value(a))) continue;
      for (int halving = 0; halving < 60 && i < kGrid; ++halving) {
        const double middle = 0.5 * (a + b);
        (outside(value(middle)) ? a : b) = middle;
      }
      return p->from + 0.5 * (1 + b) * (p->to - p->from);
    }
  }
  return start_;
}

std::vector<double> Meter::values() {
  std::vector<double> frame(static_cast<std::size_t>(outer_leaves_.size()));
  for (std::int32_t place = 0; place < outer_leaves_.size(); ++place) {
    const auto i = static_cast<std::size_t>(
        measures_.over_gathered.variable(outer_leaves_.leaf(place)).var.index);
    const Gathered& g = measures_.gathered[i];
    const State& state = states_[i];
    const double duration = end_ - start_;
    double value = state.value;
    switch (g.gather) {
      case Gather::End:
      case Gather::At:
      case Gather::First: break;
      case Gather::Maximum:
      case Gather::Minimum: value = state.best; break;
      case Gather::Integral: value = state.sum; break;
      case Gather::Mean: value = duration > 0 ? state.sum / duration : state.value; break;
      case Gather::Rms:
        value = duration > 0 ? std::sqrt(state.sum / duration) : std::abs(state.value);
        break;
      case Gather::Count: value = state.count; break;
      case Gather::Settle: value = settled(g, state); break;
    }
    frame[static_cast<std::size_t>(place)] = value;
  }
  std::vector<double> out(measures_.values.size());
  if (!out.empty()) outer_->evaluate_each(frame.data(), out.data());
  return out;
}

}  // namespace chi::experiment
