#include "sema/dimension_terms.h"

#include <algorithm>

namespace chi::sema {
namespace {

using units::Rational;

void multiply(DimensionTerm& a, const DimensionTerm& b, Rational power) {
  a.fixed = a.fixed * units::power(b.fixed, power);
  for (const auto& [unknown, exponent] : b.unknowns) {
    const auto at =
        std::ranges::lower_bound(a.unknowns, unknown, {}, [](const auto& u) { return u.first; });
    if (at == a.unknowns.end() || at->first != unknown) {
      a.unknowns.insert(at, {unknown, exponent * power});
    } else if (at->second = at->second + exponent * power; at->second.is_zero()) {
      a.unknowns.erase(at);
    }
  }
}

}  // namespace

TermId DimensionTerms::add(DimensionTerm term) {
  terms_.push_back(std::move(term));
  return static_cast<TermId>(terms_.size()) - 1;
}

TermId DimensionTerms::known(const units::Dimension& dimension) {
  return add({.fixed = dimension, .unknowns = {}});
}

TermId DimensionTerms::unknown(std::int32_t owner) {
  unknowns_.push_back({.owner = owner, .why = {}});
  const auto number = static_cast<std::int32_t>(unknowns_.size()) - 1;
  return add({.fixed = {}, .unknowns = {{number, Rational(1)}}, .origin = number});
}

// Puts the solutions of the unknowns in. A solution has only unknowns that had none when it was
// found, so this ends.
const DimensionTerm& DimensionTerms::solved(TermId id) {
  auto& term = terms_[static_cast<std::size_t>(id)];
  const auto has_solution = [&](const auto& u) {
    return unknowns_[static_cast<std::size_t>(u.first)].solution >= 0;
  };
  for (auto at = std::ranges::find_if(term.unknowns, has_solution); at != term.unknowns.end();
       at = std::ranges::find_if(term.unknowns, has_solution)) {
    const auto [unknown, exponent] = *at;
    term.unknowns.erase(at);
    const TermId solution = unknowns_[static_cast<std::size_t>(unknown)].solution;
    multiply(term, terms_[static_cast<std::size_t>(solution)], exponent);
  }
  return term;
}

TermId DimensionTerms::product(TermId a, TermId b, Rational power_of_b) {
  DimensionTerm result = solved(a);
  result.origin = -1;
  multiply(result, solved(b), power_of_b);
  return add(std::move(result));
}

TermId DimensionTerms::power(TermId a, Rational exponent) {
  if (exponent == Rational(1)) return a;
  DimensionTerm one;
  if (!exponent.is_zero()) multiply(one, solved(a), exponent);
  return add(std::move(one));
}

bool DimensionTerms::unify(TermId a, TermId b, Span why) {
  DimensionTerm ratio = solved(a);
  multiply(ratio, solved(b), -1);
  if (ratio.fixed.overflown()) return true;  // beyond what is computed: not checked
  if (ratio.unknowns.empty()) return ratio.fixed.is_one();
  // One that belongs to a definition is solved before one that all share; the youngest first.
  const auto rank = [&](const auto& u) {
    const Unknown& unknown = unknowns_[static_cast<std::size_t>(u.first)];
    return std::pair(unknown.owner != kNobody, u.first);
  };
  const auto best = std::ranges::max_element(
      ratio.unknowns, [&](const auto& x, const auto& y) { return rank(x) < rank(y); });
  const auto [unknown, exponent] = *best;
  ratio.unknowns.erase(best);
  DimensionTerm solution;
  multiply(solution, ratio, Rational(-1) / exponent);
  const std::int32_t other = only_unknown(solution);
  Unknown& row = unknowns_[static_cast<std::size_t>(unknown)];
  row.solution = add(std::move(solution));
  row.why = why;
  if (other >= 0 && row.number) unknowns_[static_cast<std::size_t>(other)].number = row.number;
  return true;
}

std::optional<units::Dimension> DimensionTerms::value(TermId term) {
  const DimensionTerm& found = solved(term);
  if (!found.unknowns.empty() || found.fixed.overflown()) return std::nullopt;
  return found.fixed;
}

bool DimensionTerms::is_one(TermId term) {
  const auto found = value(term);
  return found && found->is_one();
}

std::int32_t DimensionTerms::only_unknown(const DimensionTerm& term) {
  const bool only = term.unknowns.size() == 1 && term.unknowns.front().second == Rational(1) &&
                    term.fixed.is_one();
  return only ? term.unknowns.front().first : -1;
}

std::vector<std::int32_t> DimensionTerms::names(TermId term) {
  std::vector<std::int32_t> found;
  const DimensionTerm& now = solved(term);
  if (now.origin >= 0) found.push_back(now.origin);
  if (const std::int32_t only = only_unknown(now); only >= 0 && only != now.origin) {
    found.push_back(only);
  }
  return found;
}

void DimensionTerms::meet_number(TermId term, Span where) {
  for (const std::int32_t u : names(term)) {
    std::optional<Span>& number = unknowns_[static_cast<std::size_t>(u)].number;
    if (!number) number = where;
  }
}

std::optional<Span> DimensionTerms::number_met(TermId term) {
  for (const std::int32_t u : names(term)) {
    if (const auto number = unknowns_[static_cast<std::size_t>(u)].number) return number;
  }
  return std::nullopt;
}

void DimensionTerms::stand_for(TermId term, std::int32_t unit) {
  for (const std::int32_t u : names(term)) {
    Unknown& row = unknowns_[static_cast<std::size_t>(u)];
    if (row.instance) row.unit = unit;
  }
}

std::int32_t DimensionTerms::stands_for(TermId term) {
  for (const std::int32_t u : names(term)) {
    if (const std::int32_t unit = unknowns_[static_cast<std::size_t>(u)].unit; unit >= 0)
      return unit;
  }
  return -1;
}

bool DimensionTerms::is_instance(TermId term) {
  const std::vector<std::int32_t> all = names(term);
  return std::ranges::any_of(
      all, [&](std::int32_t u) { return unknowns_[static_cast<std::size_t>(u)].instance; });
}

std::optional<Span> DimensionTerms::reason(TermId term) const {
  const std::int32_t origin = terms_[static_cast<std::size_t>(term)].origin;
  if (origin < 0) return std::nullopt;
  const Unknown& unknown = unknowns_[static_cast<std::size_t>(origin)];
  return unknown.solution < 0 ? std::nullopt : std::optional(unknown.why);
}

TermId DimensionTerms::instance(TermId term, std::int32_t owner, std::int32_t user,
                                Renamed& renamed) {
  DimensionTerm copy = solved(term);
  bool differs = false;
  DimensionTerm result{.fixed = copy.fixed, .unknowns = {}};
  for (const auto& [unknown, exponent] : copy.unknowns) {
    std::int32_t now = unknown;
    if (unknowns_[static_cast<std::size_t>(unknown)].owner == owner) {
      const auto [at, added] =
          renamed.try_emplace(unknown, static_cast<std::int32_t>(unknowns_.size()));
      if (added) {
        const std::optional<Span> number = unknowns_[static_cast<std::size_t>(unknown)].number;
        unknowns_.push_back({.owner = user, .why = {}, .instance = true, .number = number});
      }
      now = at->second;
      differs = true;
    }
    multiply(result, {.fixed = {}, .unknowns = {{now, exponent}}}, 1);
  }
  if (!differs) return term;
  result.origin = only_unknown(result);
  return add(std::move(result));
}

}  // namespace chi::sema
