#include "sim/integration/delay_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "expr/differentiate.h"
#include "sim/integration/tolerances.h"

namespace chi::sim {
namespace {

using expr::ExprId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Breaks that are older than so many delays have smoothed out: each delay adds a derivative.
constexpr std::size_t kMaxBreaks = 4096;

/// Chebyshev points of the first kind on [0, 1]: none at an end, where an operand may jump.
double node(int k, int count) {
  return 0.5 - 0.5 * std::cos(std::numbers::pi * (2 * k + 1) / (2 * count));
}

/// The polynomial through values at these points, by the barycentric formula; its derivative by
/// that of the differentiation matrix applied to the values.
template <std::size_t count>
double interpolate(const std::array<double, count>& values, double x, int derivative) {
  constexpr int n = static_cast<int>(count);
  const auto weight = [](int k) {
    const double size = std::sin(std::numbers::pi * (2 * k + 1) / (2 * n));
    return k % 2 == 0 ? size : -size;
  };
  if (derivative > 0) {
    std::array<double, count> slopes{};
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        sum += weight(j) / weight(i) * (values[at(j)] - values[at(i)]) / (node(i, n) - node(j, n));
      }
      slopes[at(i)] = sum;
    }
    return interpolate(slopes, x, derivative - 1);
  }
  double above = 0, below = 0;
  for (int k = 0; k < n; ++k) {
    const double distance = x - node(k, n);
    if (distance == 0) return values[at(k)];
    above += weight(k) / distance * values[at(k)];
    below += weight(k) / distance;
  }
  return above / below;
}

}  // namespace

bool DelayHistory::update() {
  const expr::Pool& pool = context_.pool;
  for (; known_leaves_ < context_.leaves.size(); ++known_leaves_) {
    const ExprId leaf = context_.leaves.leaf(known_leaves_);
    if (pool.op(leaf) != expr::Op::Delay) continue;
    delays_.push_back(made(leaf));
    delays_.back().place = known_leaves_;
  }
  return keeps_past();
}

void DelayHistory::keep(ExprId delay) { kept_.push_back(made(delay)); }

DelayHistory::Delay DelayHistory::made(ExprId node) {
  const expr::Pool& pool = context_.pool;
  Delay delay;
  delay.node = node;
  const expr::Operands operands = pool.operands(node);
  delay.has_start = operands.size() > 2;
  delay.is_fixed = !pool.has(operands[1], expr::kMoving | expr::kHasDiscrete | expr::kHasCall);
  std::vector<ExprId> others{operands[1]};
  if (delay.has_start) others.push_back(operands[2]);
  delay.operand = operand_of(operands[0], delay.derivative);
  delay.others =
      std::make_unique<code::Formulas>(context_.pool, others, context_.leaves, context_.boxes);
  return delay;
}

/// An operand that is the derivative of one that is known uses its past.
std::int32_t DelayHistory::find_operand(ExprId e, int& derivative) const {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    ExprId lower = operands_[i].expr;
    for (int k = 0; k <= 3; ++k) {
      if (lower == e) {
        derivative = k;
        return static_cast<std::int32_t>(i);
      }
      lower = expr::time_derivative(context_.pool, lower);
    }
  }
  return -1;
}

std::int32_t DelayHistory::operand_of(ExprId e, int& derivative) {
  if (const std::int32_t known = find_operand(e, derivative); known >= 0) return known;
  Operand operand;
  operand.expr = e;
  operand.formulas = std::make_unique<code::Formulas>(context_.pool, std::span(&e, 1),
                                                      context_.leaves, context_.boxes);
  operands_.push_back(std::move(operand));
  return static_cast<std::int32_t>(operands_.size()) - 1;
}

double DelayHistory::tau_of(Delay& delay, const double* frame, double* start) {
  std::array<double, 2> values{};
  delay.others->evaluate_each(frame, values.data());
  if (start != nullptr) *start = values[1];
  longest_seen_ = std::max(longest_seen_, values[0]);
  return values[0];
}

void DelayHistory::start(double time, double* frame) {
  started_ = time;
  breaks_ = {time};
  for (Operand& operand : operands_) {
    operand.pieces.clear();
    operand.formulas->evaluate_each(frame, &operand.first);
  }
  for (Delay& delay : kept_) {
    if (delay.is_fixed) tau_of(delay, frame);  // how long the past is needed
  }
}

double DelayHistory::at_time(const Operand& operand, int derivative, double then, bool after,
                             std::optional<double> before) const {
  const bool is_before = after ? then < started_ : then <= started_ || operand.pieces.empty();
  if (!is_before) return past(operand, then, derivative, after);
  return derivative > 0 ? 0 : before.value_or(operand.first);
}

std::optional<double> DelayHistory::value(ExprId operand, double time, double tau,
                                          std::optional<double> before) {
  int derivative = 0;
  const std::int32_t known = find_operand(operand, derivative);
  if (known < 0) return std::nullopt;
  return at_time(operands_[at(known)], derivative, back(time, tau), true, before);
}

void DelayHistory::write(double time, double* frame, bool after) {
  for (Delay& delay : delays_) {
    double start = 0;
    const double tau = tau_of(delay, frame, &start);
    frame[delay.place] = at_time(operands_[at(delay.operand)], delay.derivative, back(time, tau),
                                 after, delay.has_start ? std::optional(start) : std::nullopt);
  }
}

bool DelayHistory::is_same(double time, double other) {
  return std::abs(time - other) <= tolerance::kSameTime * std::min(std::abs(time), std::abs(other));
}

/// A break comes back at its time plus τ, rounded; less τ that may be just before it.
double DelayHistory::back(double time, double tau) const {
  const double then = time - tau;
  const double rounding = tolerance::kSameTime * std::max(std::abs(time), std::abs(tau));
  const auto near = std::lower_bound(breaks_.begin(), breaks_.end(), then - rounding);
  return near != breaks_.end() && *near <= then + rounding ? *near : then;
}

double DelayHistory::past(const Operand& operand, double time, int derivative, bool after) const {
  const auto& pieces = operand.pieces;
  if (pieces.empty()) return derivative > 0 ? 0 : operand.first;
  // The piece that ends at `time` or behind it; behind a break, the one that begins there.
  auto piece = after ? std::upper_bound(pieces.begin(), pieces.end(), time,
                                        [](double t, const Piece& p) { return t < p.to; })
                     : std::lower_bound(pieces.begin(), pieces.end(), time,
                                        [](const Piece& p, double t) { return p.to < t; });
  if (piece == pieces.end()) --piece;
  const double length = piece->to - piece->from;
  const double x = (time - piece->from) / length;
  return interpolate(piece->values, x, derivative) / std::pow(length, derivative);
}

/// Drops what no delay can look back at any more, if that is known for good.
void DelayHistory::forget(double now) {
  const auto is_fixed = [](const Delay& d) { return d.is_fixed; };
  if (!std::all_of(delays_.begin(), delays_.end(), is_fixed) ||
      !std::all_of(kept_.begin(), kept_.end(), is_fixed))
    return;
  const double oldest = now - 2 * longest_seen_;
  for (Operand& operand : operands_) {
    while (!operand.pieces.empty() && operand.pieces.front().to < oldest)
      operand.pieces.pop_front();
  }
}

void DelayHistory::extend(double from, double to, const Values& values) {
  if (!(to > from)) return;
  if (is_same(from, to)) {  // between two breaks that are one
    for (Operand& operand : operands_) {
      if (!operand.pieces.empty()) operand.pieces.back().to = to;
    }
    return;
  }
  forget(from);
  for (Operand& operand : operands_) operand.pieces.push_back({from, to, {}});
  for (int k = 0; k < kNodes; ++k) {
    const double* const frame = values(from + node(k, kNodes) * (to - from));
    for (Operand& operand : operands_) {
      double value = 0;
      if (frame != nullptr) operand.formulas->evaluate_each(frame, &value);
      operand.pieces.back().values[at(k)] = value;
    }
  }
}

void DelayHistory::add_break(double time) {
  if (!breaks_.empty() && breaks_.back() >= time) return;
  if (!breaks_.empty() && is_same(time, breaks_.back())) breaks_.pop_back();
  breaks_.push_back(time);
  if (breaks_.size() > kMaxBreaks) breaks_.pop_front();
}

double DelayHistory::next_break(double time, const double* frame) {
  double next = kInfinity;
  double over = time;
  if (!breaks_.empty())
    over = std::max(over, breaks_.back() + tolerance::kSameTime * std::abs(breaks_.back()));
  for (Delay& delay : delays_) {
    const double tau = tau_of(delay, frame);
    if (!(tau > 0)) continue;
    for (auto b = breaks_.rbegin(); b != breaks_.rend(); ++b) {
      const double due = *b + tau;
      if (due <= over) break;
      next = std::min(next, due);
    }
  }
  return next;
}

double DelayHistory::longest_step(const double* frame) {
  double longest = kInfinity;
  for (Delay& delay : delays_) longest = std::min(longest, tau_of(delay, frame));
  return longest;
}

ExprId DelayHistory::wrong(const double* frame) {
  for (Delay& delay : delays_) {
    if (!(tau_of(delay, frame) > 0)) return delay.node;
  }
  return {};
}

}  // namespace chi::sim
