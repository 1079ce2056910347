#include "sim/jumps/conserved.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "sim/jumps/tolerances.h"

namespace chi::sim {
namespace {

struct Row {
  std::map<expr::VarRef, double> impulses, jumps;

  std::size_t size() const { return impulses.size() + jumps.size(); }
};

void add(std::map<expr::VarRef, double>& to, const std::map<expr::VarRef, double>& from,
         double factor) {
  for (const auto& [x, value] : from) {
    double& sum = to[x];
    const double size = std::abs(sum) + std::abs(factor * value);
    sum += factor * value;
    if (std::abs(sum) <= tolerance::kZeroSum * size) to.erase(x);
  }
}

/// Removes the impulse of x from all rows but one, which goes.
void eliminate(std::vector<Row>& rows, expr::VarRef x) {
  auto pivot = rows.end();
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    if (!row->impulses.contains(x)) continue;
    if (pivot == rows.end() || row->size() < pivot->size()) pivot = row;
  }
  if (pivot == rows.end()) return;
  const Row taken = std::move(*pivot);
  rows.erase(pivot);
  for (Row& row : rows) {
    const auto found = row.impulses.find(x);
    if (found == row.impulses.end()) continue;
    const double factor = -found->second / taken.impulses.at(x);
    add(row.jumps, taken.jumps, factor);
    add(row.impulses, taken.impulses, factor);
    row.impulses.erase(x);
  }
}

}  // namespace

void set_slopes(std::span<IntegratedRow> rows, std::span<const double> slopes) {
  std::size_t next = 0;
  for (IntegratedRow& row : rows) {
    for (IntegratedRow::Term& term : row.terms) term.slope = slopes[next++];
  }
}

std::string ConservedSum::text(const std::function<std::string(expr::VarRef)>& name) const {
  std::string result;
  for (const auto& [x, factor] : terms) {
    result += result.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    const double size = std::abs(factor);
    if (size != 1) result += fmt::format("{:.6g} * ", size);
    result += name(x);
  }
  return result;
}

std::vector<ConservedSum> conserved_sums(
    std::span<const IntegratedRow> rows,
    const std::function<std::pair<double, double>(expr::VarRef)>& values) {
  std::vector<Row> left;
  std::vector<expr::VarRef> impulsive;
  for (const IntegratedRow& given : rows) {
    Row row;
    for (const IntegratedRow::Term& term : given.terms) {
      if (term.slope == 0) continue;
      (term.is_impulse ? row.impulses : row.jumps)[term.x] += term.slope;
      if (term.is_impulse) impulsive.push_back(term.x);
    }
    left.push_back(std::move(row));
  }
  std::ranges::sort(impulsive);
  impulsive.erase(std::unique(impulsive.begin(), impulsive.end()), impulsive.end());
  for (const expr::VarRef x : impulsive) eliminate(left, x);

  std::vector<ConservedSum> result;
  for (const Row& row : left) {
    if (!row.impulses.empty() || row.jumps.size() < 2) continue;
    ConservedSum sum;
    bool jumps = false;
    const double sign = row.jumps.begin()->second < 0 ? -1 : 1;
    for (const auto& [x, factor] : row.jumps) {
      const auto [before, after] = values(x);
      jumps = jumps || before != after;
      sum.terms.emplace_back(x, sign * factor);
      sum.before += sign * factor * before;
      sum.after += sign * factor * after;
    }
    if (jumps) result.push_back(std::move(sum));
  }
  return result;
}

}  // namespace chi::sim
