#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "expr/build.h"
#include "sim/consistency/law_model.h"

// The pieces of the laws at an instant: truth tables, cut down to where their rows hold.
namespace chi::sim {
namespace {

using flat::BranchId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Beside the size of a functional, what is left of it where others cancel it.
constexpr double kCancelled = 1e-11;

numerics::Functional negative(const numerics::Functional& f) {
  numerics::Functional result = f;
  for (auto& [j, e] : result.rate) e = -e;
  for (auto& [j, a] : result.value) a = -a;
  for (double& c : result.known) c = -c;
  return result;
}

/// a + factor * b.
numerics::Functional sum(const numerics::Functional& a, double factor,
                         const numerics::Functional& b) {
  const auto add = [&](const numerics::SparseRow& to, const numerics::SparseRow& what) {
    std::map<int, double> terms;
    for (const auto& [j, x] : to) terms[j] += x;
    for (const auto& [j, x] : what) terms[j] += factor * x;
    std::erase_if(terms, [](const auto& term) { return term.second == 0; });
    return numerics::SparseRow(terms.begin(), terms.end());
  };
  numerics::Functional result{.rate = add(a.rate, b.rate), .value = add(a.value, b.value)};
  result.known = a.known;
  result.known.resize(std::max(a.known.size(), b.known.size()), 0.0);
  for (std::size_t k = 0; k < b.known.size(); ++k) result.known[k] += factor * b.known[k];
  return result;
}

/// e over rates and values as one row; the constant comes last.
std::map<int, double> as_row(const numerics::Functional& f, int variables) {
  std::map<int, double> row;
  for (const auto& [j, e] : f.rate) row[j] += e;
  for (const auto& [j, a] : f.value) row[variables + j] += a;
  row[2 * variables] = f.known.empty() ? 0 : f.known.front();
  return row;
}

double largest(const std::map<int, double>& row) {
  double result = 0;
  for (const auto& [j, a] : row) result = std::max(result, std::abs(a));
  return result;
}

/// Whether g is a combination of the rows: zero wherever these are.
bool is_combination(const numerics::Functional& g, const std::vector<int>& mine,
                    const numerics::ModeProblem& problem) {
  std::vector<std::map<int, double>> rows = {as_row(g, problem.variables())};
  for (const int f : mine) rows.push_back(as_row(problem.functionals[at(f)], problem.variables()));
  // Equilibrated, so that units do not decide what is rounding.
  std::map<int, double> columns;
  for (int round = 0; round < 2; ++round) {
    columns.clear();
    for (const auto& row : rows) {
      for (const auto& [j, a] : row) columns[j] = std::max(columns[j], std::abs(a));
    }
    for (auto& row : rows) {
      for (auto& [j, a] : row) {
        if (columns[j] > 0) a /= columns[j];
      }
      if (const double size = largest(row); size > 0) {
        for (auto& [j, a] : row) a /= size;
      }
    }
  }
  const auto eliminate = [](std::map<int, double>& from, const std::map<int, double>& by,
                            int pivot) {
    const auto found = from.find(pivot);
    if (found == from.end()) return;
    const double factor = found->second / by.at(pivot);
    for (const auto& [j, a] : by) from[j] -= factor * a;
    from.erase(pivot);
  };
  for (std::size_t i = 1; i < rows.size(); ++i) {
    int pivot = -1;
    double best = kCancelled;
    for (const auto& [j, a] : rows[i]) {
      if (std::abs(a) <= best) continue;
      best = std::abs(a);
      pivot = j;
    }
    if (pivot < 0) continue;
    for (std::size_t k = i + 1; k < rows.size(); ++k) eliminate(rows[k], rows[i], pivot);
    eliminate(rows[0], rows[i], pivot);
  }
  return largest(rows[0]) <= kCancelled;
}

}  // namespace

Sides LawProblem::sides_of(const numerics::Mode& mode, Sides others) const {
  for (std::size_t k = 0; k < mode.size(); ++k) {
    for (const Fixed& f : fixed[k][at(mode[k])]) others[at(f.border)] = f.side;
  }
  return others;
}

bool LawProblem::is_continuous(int law, int piece, int border) const {
  const std::vector<numerics::Piece>& pieces = problem.laws[at(law)].pieces;
  const numerics::Piece& here = pieces[at(piece)];
  for (std::size_t c = 0; c < here.conditions.size(); ++c) {
    if (border_of[at(here.conditions[c])] != border) continue;
    return std::ranges::any_of(here.beyond[c], [&](const numerics::FacetRef& to) {
      return pieces[at(to.piece)].surface < 0;
    });
  }
  return false;
}

Truth LawModel::truth(int condition, std::span<const Side> sides) {
  if (condition < 0) return Truth::Undefined;
  return source_.conditions.truth_of(condition, [&](const Relation& r) {
    const Side side = sides[at(r.border)];
    if (side == Side::None) return Truth::Undefined;
    const int sign = is_open(side) ? 0 : static_cast<int>(side) * r.orientation;
    return relation_holds(r.op, sign) ? Truth::True : Truth::False;
  });
}

bool LawModel::is_active(BranchId branch, std::span<const Side> sides) {
  const flat::EquationSet& set = source_.set;
  while (branch) {
    const flat::Choice& choice = set.choices[set.branches[branch].choice];
    for (std::int32_t b = choice.first; b < branch.index; ++b) {
      if (truth(source_.guards[at(b)], sides) == Truth::True) return false;
    }
    if (truth(source_.guards[at(branch.index)], sides) != Truth::True) return false;
    branch = choice.parent;
  }
  return true;
}

/// Values of the leaves here.
void LawModel::read_frame(std::span<const double> frame) {
  frame_.resize(at(leaves_.size()), 0);
  from_part_.resize(at(leaves_.size()), -1);
  for (std::int32_t i = 0; i < leaves_.size(); ++i) {
    std::int32_t& place = from_part_[at(i)];
    if (place < 0) place = source_.leaves.find(leaves_.leaf(i));
    frame_[at(i)] = place >= 0 && at(place) < frame.size() ? frame[at(place)] : 0;
  }
}

void LawModel::read_columns() {
  if (leaf_of_column_.size() != columns_.size()) {
    for (const Column& c : columns_) {
      const auto place = [&](std::int32_t order) {
        return leaves_.find(expr::variable(source_.pool, c.var, order));
      };
      const bool rate = has_rate({c.var, c.order});
      leaf_of_column_.emplace_back(place(c.order), rate ? place(c.order + 1) : -1);
    }
  }
  const auto value_at = [&](std::int32_t place) { return place < 0 ? 0 : frame_[at(place)]; };
  here_.clear();
  rate_.clear();
  for (const auto& [value, rate] : leaf_of_column_) {
    here_.push_back(value_at(value));
    rate_.push_back(value_at(rate));
  }
}

/// The same, and what lifted variables are on the present sides.
void LawModel::evaluate(std::span<const double> frame) {
  read_frame(frame);
  formulas_->evaluate_each(frame_.data(), values_.data());
  // The row of y is y - value, with inner ones in the value: as often as they nest.
  for (std::size_t round = 0; round < ifs_.size(); ++round) {
    bool has_changed = false;
    for (const IfNode& node : ifs_) {
      const std::int32_t place = leaves_.find(node.y);
      const bool holds = truth(node.condition, trial_) == Truth::True;
      const double residual = values_[at(holds ? node.then : node.otherwise)];
      if (place < 0 || !std::isfinite(residual) || residual == 0) continue;
      const double before = frame_[at(place)];
      frame_[at(place)] = before - residual;
      has_changed = has_changed || frame_[at(place)] != before;
    }
    if (!has_changed) break;
    formulas_->evaluate_each(frame_.data(), values_.data());
  }
}

numerics::Functional LawModel::functional(int f) const {
  numerics::Functional result;
  double constant = values_[at(f)];
  double drift = 0;  // what the motion adds to the first derivative
  for (const Entry& entry : entries_[at(f)]) {
    const double a = values_[at(entry.place)];
    if (a == 0) continue;
    const Column& c = columns_[at(entry.column)];
    const double value = here_[at(entry.column)], rate = rate_[at(entry.column)];
    if (entry.is_rate) {
      result.rate.emplace_back(entry.column, a);
      constant -= a * rate;
    } else {
      result.value.emplace_back(entry.column, a);
      constant -= a * value;
      if (has_rate({c.var, c.order})) drift += a * rate;
    }
  }
  const std::vector<int>& jets = jets_[at(f)];
  result.known.push_back(constant);
  for (std::size_t k = 0; k < jets.size(); ++k) {
    double c = jets[k] < 0 ? 0 : values_[at(jets[k])];
    if (k == 0) c -= drift;
    result.known.push_back(std::isfinite(c) ? c : 0);
  }
  return result;
}

bool LawModel::has_unknown(const Conditional& v, std::span<const Side> sides,
                           const std::vector<char>& used) {
  const auto active = [&](BranchId b) { return is_active(b, sides); };
  if (std::ranges::any_of(v.declared, active)) return true;
  for (const int row : v.rows) {
    if (active(rows_[at(row)].branch)) return true;
  }
  return std::ranges::any_of(v.in_ifs, [&](const auto& in) {
    const auto& [k, otherwise] = in;
    const bool holds = truth(ifs_[at(k)].condition, sides) == Truth::True;
    return used[at(k)] != 0 && holds != otherwise;
  });
}

int LawModel::with_inner(int f, std::span<const Side> sides, LawProblem& out) {
  numerics::Functional row = out.problem.functionals[at(f)];
  std::vector<int> key = {f};
  std::vector<std::pair<int, double>> of = {{f, 1.0}};
  // Outer ones come later: what they bring in is looked at after them.
  for (std::size_t k = ifs_.size(); k-- > 0;) {
    if (!ifs_[k].is_inner) continue;
    const int y = column(source_.pool.variable(ifs_[k].y));
    const auto mine = std::ranges::find(row.value, y, [](const auto& e) { return e.first; });
    if (mine == row.value.end() || mine->second == 0) continue;
    const double factor = mine->second;
    const bool holds = truth(ifs_[k].condition, sides) == Truth::True;
    const int inner = holds ? ifs_[k].then : ifs_[k].otherwise;
    key.push_back(inner);
    of.emplace_back(inner, -factor);
    row = sum(row, -factor, out.problem.functionals[at(inner)]);
  }
  if (key.size() == 1) return f;
  const auto [place, is_new] = with_inner_.try_emplace(std::move(key), 0);
  if (!is_new) return place->second;
  place->second = out.problem.add(std::move(row));
  out.combinations.push_back({place->second, std::move(of)});
  return place->second;
}

bool LawModel::rows_at(const LawParts& parts, std::span<const Side> sides, LawProblem& out,
                       std::vector<int>& rows) {
  rows.clear();
  const flat::EquationSet& set = source_.set;
  for (const int c : parts.choices) {
    const flat::Choice& choice = set.choices[flat::ChoiceId{c}];
    if (choice.parent && !is_active(choice.parent, sides)) continue;
    bool is_open = false;
    for (std::int32_t b = choice.first; !is_open && b < choice.first + choice.count; ++b) {
      const Truth guard = truth(source_.guards[at(b)], sides);
      if (guard == Truth::Undefined) return false;
      is_open = guard == Truth::True;
    }
    if (!is_open && choice.must_open) return false;
  }
  for (const int row : parts.rows) {
    if (is_active(rows_[at(row)].branch, sides)) rows.push_back(rows_[at(row)].functional);
  }
  for (const int k : parts.ifs) {
    if (ifs_[at(k)].is_inner) continue;
    const Truth holds = truth(ifs_[at(k)].condition, sides);
    if (holds == Truth::Undefined) return false;
    const int row = holds == Truth::True ? ifs_[at(k)].then : ifs_[at(k)].otherwise;
    rows.push_back(with_inner(row, sides, out));
  }
  if (!parts.conditionals.empty()) {
    // Outer `if`s come later: their branches say which inner ones count.
    std::vector<char> used(ifs_.size(), 0);
    for (std::size_t k = ifs_.size(); k-- > 0;) {
      if (!used[k]) {
        used[k] = std::ranges::any_of(
            in_rows_[k], [&](int row) { return is_active(rows_[at(row)].branch, sides); });
      }
      if (!used[k] || ifs_[k].uses.empty()) continue;
      const int otherwise = truth(ifs_[k].condition, sides) == Truth::True ? 0 : 1;
      for (const int use : ifs_[k].uses) {
        if (use % 2 == otherwise) used[at(use / 2)] = 1;
      }
    }
    for (const int n : parts.conditionals) {
      const Conditional& v = conditionals_[at(n)];
      if (!has_unknown(v, sides, used)) rows.push_back(keep_of(v.var));
    }
  }
  std::ranges::sort(rows);
  return true;
}

namespace {

/// Joins regions with equal rows that differ in one side, until none do. Those left are disjoint.
template <class Region>
void join(std::vector<Region>& regions) {
  for (bool has_joined = true; has_joined;) {
    has_joined = false;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      for (std::size_t k = i + 1; k < regions.size(); ++k) {
        if (regions[i].mask != regions[k].mask) continue;
        const std::uint32_t differs = regions[i].plus ^ regions[k].plus;
        if (std::popcount(differs) != 1) continue;
        regions[i].mask &= ~differs;
        regions[i].plus &= ~differs;
        regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(k));
        has_joined = true;
        break;
      }
    }
  }
}

/// Puts the rows of a piece beside those of another one that differ from them in a number only:
/// sliding mixes rows by their places, and the order in which a guard lists its equations says
/// nothing.
void pair_rows(const numerics::ModeProblem& problem, const numerics::Piece& with,
               numerics::Piece& piece) {
  const auto pair_if = [&](const auto& belong) {
    for (std::size_t i = 0; i < with.rows.size(); ++i) {
      const numerics::Functional& there = problem.functionals[at(with.rows[i])];
      if (belong(there, problem.functionals[at(piece.rows[i])])) continue;
      for (std::size_t k = 0; k < piece.rows.size(); ++k) {
        const bool is_placed =
            belong(problem.functionals[at(with.rows[k])], problem.functionals[at(piece.rows[k])]);
        if (is_placed || !belong(there, problem.functionals[at(piece.rows[k])])) continue;
        std::swap(piece.rows[i], piece.rows[k]);
        break;
      }
    }
  };
  using numerics::Functional;
  pair_if([](const Functional& a, const Functional& b) {
    return a.rate == b.rate && a.value == b.value;
  });
}

}  // namespace

bool LawModel::make_law(const LawParts& parts, LawProblem& out) {
  const std::size_t count = parts.borders.size();
  if (count > kMostSurfaces) return false;
  numerics::ModeProblem& problem = out.problem;
  std::vector<Side> sides = trial_;
  std::vector<int> rows;
  if (count == 0) {  // nothing that moves decides here
    if (!rows_at(parts, sides, out, rows)) return false;
    problem.plain.insert(problem.plain.end(), rows.begin(), rows.end());
    return true;
  }
  // By rows: the sides that ask for them.
  std::map<std::vector<int>, std::vector<std::uint32_t>> asked;
  const auto set_sides = [&](std::uint32_t plus, std::uint32_t on) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_on = ((on >> i) & 1U) != 0, is_plus = ((plus >> i) & 1U) != 0;
      sides[at(parts.borders[i])] = is_on ? Side::On : is_plus ? Side::Plus : Side::Minus;
    }
  };
  for (std::uint32_t plus = 0; plus < (1U << count); ++plus) {
    set_sides(plus, 0);
    if (rows_at(parts, sides, out, rows)) asked[rows].push_back(plus);
  }
  numerics::Law law;
  std::vector<std::vector<LawProblem::Fixed>> fixed;
  std::vector<int> below_zero(count, -1);  // per border: the functional of -difference
  for (const auto& [mine, where] : asked) {
    if (std::ranges::any_of(mine, [&](int f) { return !is_finite(problem.functionals[at(f)]); })) {
      continue;
    }
    std::uint32_t on = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const numerics::Functional& g = problem.functionals[at(surface_[at(parts.borders[i])])];
      if (!is_finite(g)) continue;
      if (is_combination(g, mine, problem)) on |= 1U << i;
    }
    std::vector<Region> regions;
    for (std::uint32_t plus = 0; plus < (1U << count); ++plus) {
      if ((plus & on) != 0) continue;
      set_sides(plus, on);
      if (rows_at(parts, sides, out, rows) && rows == mine) {
        regions.push_back({.plus = plus, .mask = ((1U << count) - 1U) & ~on});
      }
    }
    join(regions);
    for (const Region& region : regions) {
      numerics::Piece piece{.rows = mine};
      std::vector<LawProblem::Fixed> says;
      for (std::size_t i = 0; i < count; ++i) {
        const int border = parts.borders[i];
        if (((on >> i) & 1U) != 0) says.push_back({border, Side::On});
        if (((region.mask >> i) & 1U) == 0) continue;
        const bool plus = ((region.plus >> i) & 1U) != 0;
        const int g = surface_[at(border)];
        if (!is_finite(problem.functionals[at(g)])) continue;
        if (!plus && below_zero[i] < 0) {
          below_zero[i] = problem.add(negative(problem.functionals[at(g)]));
          out.combinations.push_back({below_zero[i], {{g, -1.0}}});
        }
        piece.conditions.push_back(plus ? g : below_zero[i]);
        says.push_back({border, plus ? Side::Plus : Side::Minus});
      }
      law.pieces.push_back(std::move(piece));
      fixed.push_back(std::move(says));
    }
  }
  if (law.pieces.empty()) return false;
  const std::size_t height = law.pieces.front().rows.size();
  if (std::ranges::any_of(law.pieces, [&](const auto& p) { return p.rows.size() != height; })) {
    return false;
  }
  for (numerics::Piece& piece : law.pieces) pair_rows(problem, law.pieces.front(), piece);
  out.border_of.resize(problem.functionals.size(), -1);
  for (std::size_t i = 0; i < count; ++i) {
    out.border_of[at(surface_[at(parts.borders[i])])] = parts.borders[i];
    if (below_zero[i] >= 0) out.border_of[at(below_zero[i])] = parts.borders[i];
  }
  const std::size_t count_before = problem.functionals.size();
  numerics::complete_law(problem, law);
  if (problem.functionals.size() > count_before) out.is_refreshable = false;
  out.border_of.resize(problem.functionals.size(), -1);
  for (std::size_t p = fixed.size(); p < law.pieces.size(); ++p) {
    const numerics::Piece& piece = law.pieces[p];
    std::vector<LawProblem::Fixed> says = fixed[at(piece.below)];
    const int border = out.border_of[at(piece.surface)];
    for (LawProblem::Fixed& f : says) {
      // What the modeller compares with `=` has a mode of its own, and does not slide.
      if (f.border == border) f.side = has_own_mode(border) ? Side::On : Side::Slide;
    }
    fixed.push_back(std::move(says));
  }
  out.fixed.push_back(std::move(fixed));
  out.borders.push_back(parts.borders);
  problem.laws.push_back(std::move(law));
  return true;
}

bool LawModel::pose(std::span<const double> frame, const Sides& sides, LawProblem& out) {
  out = {};
  trial_.assign(sides.size(), Side::On);
  for (std::size_t b = 0; b < sides.size(); ++b) trial_[b] = side_of(sides, static_cast<int>(b));
  evaluate(frame);
  read_columns();
  numerics::ModeProblem& problem = out.problem;
  problem.before = here_;
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    problem.functionals.push_back(functional(static_cast<int>(f)));
  }
  problem.plain = plain_;
  for (const int column : chains_) {  // x^(k) is the rate of x^(k - 1)
    problem.plain.push_back(problem.add({.rate = {{column - 1, 1.0}}, .value = {{column, -1.0}}}));
  }
  with_inner_.clear();
  for (const IfNode& node : ifs_) {  // put into others: their own variables are nobody's
    if (!node.is_inner) continue;
    problem.plain.push_back(
        problem.add({.value = {{column(source_.pool.variable(node.y)), 1.0}}, .known = {0.0}}));
  }
  keeps_.clear();
  for (const Conditional& v : conditionals_) {
    const int column = columns_of_.at(v.var).first;
    keeps_[v.var] = problem.add({.value = {{column, 1.0}}, .known = {-here_[at(column)]}});
    out.keeps.emplace_back(keeps_[v.var], column);
  }
  const auto holds = [&](int f) { return is_finite(problem.functionals[at(f)]); };
  if (!std::ranges::all_of(problem.plain, holds)) return false;
  for (const LawParts& parts : laws_) {
    if (!make_law(parts, out)) return false;
  }
  // The pieces that fit best: the most sides as they are.
  for (std::size_t k = 0; k < problem.laws.size(); ++k) {
    int best = 0, fits_best = -1;
    for (std::size_t p = 0; p < out.fixed[k].size(); ++p) {
      int fits = 0;
      for (const LawProblem::Fixed& f : out.fixed[k][p]) {
        if (trial_[at(f.border)] == f.side)
          fits += 2;
        else
          fits -= 2;
      }
      fits = 100 + fits;
      if (fits > fits_best) {
        fits_best = fits;
        best = static_cast<int>(p);
      }
    }
    out.start.push_back(best);
  }
  return true;
}

void LawModel::refresh(std::span<const double> frame, LawProblem& problem) {
  read_frame(frame);
  read_columns();
  if (plain_formulas_ == nullptr) {
    plain_formulas_ =
        std::make_unique<code::Formulas>(source_.pool, functionals_, leaves_, source_.boxes);
  }
  plain_formulas_->evaluate_each(frame_.data(), values_.data());
  std::vector<numerics::Functional>& all = problem.problem.functionals;
  for (std::size_t f = 0; f < functionals_.size(); ++f) {
    double constant = values_[f];
    for (const auto& [j, e] : all[f].rate) constant -= e * rate_[at(j)];
    for (const auto& [j, a] : all[f].value) constant -= a * here_[at(j)];
    all[f].known.assign(1, constant);
  }
  for (const LawProblem::Combination& c : problem.combinations) {
    double constant = 0;
    for (const auto& [f, factor] : c.of) constant += factor * all[at(f)].known[0];
    all[at(c.functional)].known.assign(1, constant);
  }
}

bool LawModel::has_own_mode(int border) const {
  const auto relations = source_.conditions.relations();
  return std::ranges::any_of(relations, [&](const Relation& r) {
    return r.border == border && (r.op == expr::Op::Equal || r.op == expr::Op::NotEqual);
  });
}

bool LawModel::is_finite(const numerics::Functional& f) {
  const auto finite = [](const auto& entry) { return std::isfinite(entry.second); };
  return std::ranges::all_of(f.rate, finite) && std::ranges::all_of(f.value, finite) &&
         std::ranges::all_of(f.known, [](double c) { return std::isfinite(c); });
}

}  // namespace chi::sim
