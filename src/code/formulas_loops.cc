#include "code/formulas_loops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "code/formulas_contexts.h"
#include "code/formulas_terms.h"
#include "expr/substitute.h"

namespace chi::code {
namespace {

using Code = FormulaCode;
using expr::ExprId;
using expr::Op;

constexpr std::size_t kManyCopies = 128;  // that a loop pays for
constexpr std::size_t kLongest = 192;     // nodes of a formula outside the functions it calls
constexpr std::size_t kLanes = 128;       // copies at once
constexpr std::size_t kMostSwitches = 4;  // truths that choose between alternatives, in one copy

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Numbers, one for each copy: evenly spaced, if they are, or listed.
struct Series {
  std::int32_t first = 0, step = 0;
  std::vector<std::int32_t> list;

  explicit Series(std::vector<std::int32_t> all) {
    first = all[0];
    step = all.size() > 1 ? all[1] - all[0] : 0;
    for (std::size_t k = 1; k < all.size(); ++k) {
      if (all[k] - all[k - 1] == step) continue;
      list = std::move(all);
      return;
    }
  }
  std::int32_t operator[](std::size_t k) const {
    return list.empty() ? first + static_cast<std::int32_t>(k) * step : list[k];
  }
};

// Rows of whole numbers, each once: rows that are equal have one number.
class RowTable {
 public:
  std::int32_t number_of(std::span<const std::int32_t> row) {
    const std::size_t mask = index_.size() - 1;
    std::size_t place = hash(row) & mask;
    for (; index_[place] >= 0; place = (place + 1) & mask) {
      if (std::ranges::equal((*this)[index_[place]], row)) return index_[place];
    }
    const std::int32_t number = index_[place] = size();
    all_.insert(all_.end(), row.begin(), row.end());
    start_.push_back(static_cast<std::int32_t>(all_.size()));
    if (start_.size() * 2 > index_.size()) grow();
    return number;
  }
  std::int32_t size() const { return static_cast<std::int32_t>(start_.size()) - 1; }
  std::span<const std::int32_t> operator[](std::int32_t row) const {
    return std::span(all_).subspan(at(start_[at(row)]), at(start_[at(row) + 1] - start_[at(row)]));
  }

 private:
  static std::size_t hash(std::span<const std::int32_t> row) {
    std::uint64_t h = row.size();
    for (const std::int32_t v : row) {
      h = (h ^ static_cast<std::uint32_t>(v)) * 0x9E3779B97F4A7C15u;
      h ^= h >> 29;
    }
    return static_cast<std::size_t>(h);
  }
  void grow() {
    index_.assign(index_.size() * 2, -1);
    const std::size_t mask = index_.size() - 1;
    for (std::int32_t r = 0; r < size(); ++r) {
      std::size_t place = hash((*this)[r]) & mask;
      while (index_[place] >= 0) place = (place + 1) & mask;
      index_[place] = r;
    }
  }

  std::vector<std::int32_t> all_, start_ = {0};
  std::vector<std::int32_t> index_ = std::vector<std::int32_t>(64, -1);  // open addressing
};

// A place of its own for each result, so that loops over copies can be done in any order.
void rename(FormulaProgram& program) {
  const auto constants = static_cast<std::int32_t>(program.constants.size());
  std::vector<std::int32_t> now(at(program.places));
  for (std::size_t p = 0; p < now.size(); ++p) now[p] = static_cast<std::int32_t>(p);
  const auto renamed = [&](std::int32_t place) { return place < 0 ? place : now[at(place)]; };
  program.places = constants;
  for (FormulaInstruction& in : program.code) {
    if (in.code == Code::End) break;
    in.a = renamed(in.a);
    if (in.code >= Code::AddSS || in.code == Code::Binary) in.b = renamed(in.b);
    now[at(in.dst)] = program.places;
    in.dst = program.places++;
  }
  for (std::int32_t& root : program.roots) root = renamed(root);
}

bool is_plain(Op op) {
  return (expr::is_unary(op) || expr::is_binary(op)) && op != Op::Abs && op != Op::Sign &&
         op != Op::Floor && op != Op::Ceil && op != Op::Round && op != Op::Min && op != Op::Max;
}

bool is_argument(Op op) {
  return op == Op::Variable || op == Op::Time || op == Op::DiscreteReal || op == Op::Constant;
}

}  // namespace

struct FormulaLoops::Loop {
  // Where an argument has its values: places of the frame, or numbers of its own.
  struct Argument {
    Series places;
    std::vector<double> numbers;
    std::vector<char> side_by_side = {};  // by `kLanes` copies: their places follow each other
  };

  // What a copy computes if its switches have certain values.
  struct Alternative {
    FormulaProgram program;
    FormulaWorkspace work;      // for one copy
    std::vector<double> lanes;  // the scratch array, each place `kLanes` wide

    explicit Alternative(FormulaProgram written)
        : program(std::move(written)), work(program), lanes(at(program.places) * kLanes) {
      for (std::size_t c = 0; c < program.constants.size(); ++c) {
        std::fill_n(lanes.begin() + static_cast<std::ptrdiff_t>(c * kLanes), kLanes,
                    program.constants[c]);
      }
    }
  };

  std::vector<Alternative> alternatives;  // by the values of the switches, the first lowest
  std::vector<std::size_t> switches;      // arguments
  Alternative* now = nullptr;             // that is run
  std::vector<double> columns;            // the arguments of the copies at hand
  std::vector<const double*> column;
  std::size_t copies = 0;
  std::vector<Argument> arguments;
  std::vector<Series> roots;  // by root of the program

  Loop(std::vector<FormulaProgram> written, std::vector<std::size_t> decided_by, std::size_t count,
       std::vector<Argument> given, std::vector<Series> results)
      : switches(std::move(decided_by)),
        columns(given.size() * kLanes),
        column(given.size()),
        copies(count),
        arguments(std::move(given)),
        roots(std::move(results)) {
    for (FormulaProgram& program : written) alternatives.emplace_back(std::move(program));
    for (Argument& a : arguments) {
      for (std::size_t first = 0; first + kLanes <= copies && a.numbers.empty(); first += kLanes) {
        bool even = true;
        for (std::size_t k = first + 1; k < first + kLanes; ++k) {
          even = even && a.places[k] == a.places[k - 1] + 1;
        }
        a.side_by_side.push_back(even ? 1 : 0);
      }
    }
  }

  std::size_t alternative_of(std::size_t copy, const double* frame) const {
    std::size_t number = 0;
    for (std::size_t s = 0; s < switches.size(); ++s) {
      if (value_of(arguments[switches[s]], copy, frame) != 0) number |= std::size_t{1} << s;
    }
    return number;
  }

  // Beyond the last copy that one again: nobody looks there.
  void gather(std::size_t first, const double* frame) {
    const bool whole = first + kLanes <= copies;
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      const Argument& a = arguments[j];
      double* const to = columns.data() + j * kLanes;
      column[j] = to;
      if (!whole) {
        for (std::size_t k = 0; k < kLanes; ++k) {
          to[k] = value_of(a, std::min(first + k, copies - 1), frame);
        }
      } else if (!a.numbers.empty()) {
        column[j] = a.numbers.data() + first;
      } else if (a.side_by_side[first / kLanes]) {
        column[j] = frame + a.places[first];
      } else if (!a.places.list.empty()) {
        const std::int32_t* const places = a.places.list.data() + first;
        for (std::size_t k = 0; k < kLanes; ++k) to[k] = frame[places[k]];
      } else {
        const double* from = frame + a.places[first];
        for (std::size_t k = 0; k < kLanes; ++k, from += a.places.step) to[k] = *from;
      }
    }
  }

  static double value_of(const Argument& a, std::size_t copy, const double* frame) {
    return a.numbers.empty() ? frame[a.places[copy]] : a.numbers[copy];
  }

  const double* read(std::int32_t place) const {
    return place >= 0 ? now->lanes.data() + at(place) * kLanes : column[at(~place)];
  }

  // No instruction writes what it reads: see `rename`.
  template <class Operation>
  void apply(const FormulaInstruction& in, const Operation& operation) {
    const double* const x = read(in.a);
    double* const __restrict d = now->lanes.data() + at(in.dst) * kLanes;
    for (std::size_t k = 0; k < kLanes; ++k) d[k] = operation(x[k]);
  }
  template <class Operation>
  void apply_both(const FormulaInstruction& in, const Operation& operation) {
    const double *const x = read(in.a), *const y = read(in.b);
    double* const __restrict d = now->lanes.data() + at(in.dst) * kLanes;
    for (std::size_t k = 0; k < kLanes; ++k) d[k] = operation(x[k], y[k]);
  }
  bool has_zero(const FormulaInstruction& in) const {
    const double* const y = read(in.b);
    int zeros = 0;
    for (std::size_t k = 0; k < kLanes; ++k) zeros += y[k] == 0 ? 1 : 0;
    return zeros != 0;
  }

  bool run_instruction(const FormulaInstruction& in) {
    bool good = true;
    const auto take = [&good](const expr::Applied& r) {
      good = good && r.fault == expr::Fault::None;
      return r.value;
    };
    switch (in.code) {
      case Code::AddSS:
      case Code::AddSF:
      case Code::AddFS:
      case Code::AddFF: apply_both(in, [](double x, double y) { return x + y; }); break;
      case Code::SubSS:
      case Code::SubSF:
      case Code::SubFS:
      case Code::SubFF: apply_both(in, [](double x, double y) { return x - y; }); break;
      case Code::MulSS:
      case Code::MulSF:
      case Code::MulFS:
      case Code::MulFF: apply_both(in, [](double x, double y) { return x * y; }); break;
      case Code::DivSS:
      case Code::DivSF:
      case Code::DivFS:
      case Code::DivFF:
        if (has_zero(in)) return false;
        apply_both(in, [](double x, double y) { return x / y; });
        break;
      case Code::Neg: apply(in, [](double x) { return -x; }); break;
      case Code::Sqrt: apply(in, [](double x) { return std::sqrt(x); }); break;
      case Code::Exp: apply(in, [](double x) { return std::exp(x); }); break;
      case Code::Sin: apply(in, [](double x) { return std::sin(x); }); break;
      case Code::Cos: apply(in, [](double x) { return std::cos(x); }); break;
      case Code::Square: apply(in, [](double x) { return x * x; }); break;
      case Code::Cube: apply(in, [](double x) { return x * x * x; }); break;
      case Code::IntPower:
        apply(in, [&](double x) {
          good = good && !((in.b < 0 && x == 0) || (in.b == 0 && x != x));
          return expr::int_power(x, in.b);
        });
        break;
      case Code::Unary:
        apply(in, [&](double x) { return take(expr::apply_unary(in.op, x)); });
        break;
      case Code::Binary:  // a power hides a NaN
        apply_both(in, [&](double x, double y) {
          good = good && x == x && y == y;
          return take(expr::apply_binary(in.op, x, y));
        });
        break;
      default: return false;
    }
    return good;
  }

  bool run(const double* frame, double* out) {
    now = &alternatives.front();
    bool numbers = true;
    for (std::size_t first = 0; first < copies; first += kLanes) {
      const std::size_t count = std::min(kLanes, copies - first);
      if (!switches.empty() && !choose(first, count, frame)) {
        if (!run_apart(first, count, frame, out)) return false;
        continue;
      }
      gather(first, frame);
      if (!run_code()) return false;
      for (std::size_t r = 0; r < roots.size(); ++r) {
        const double* const values = read(now->program.roots[r]);
        numbers = numbers && are_numbers(values);
        scatter(roots[r], first, std::span(values, count), out);
      }
    }
    return numbers;
  }

  bool run_code() {
    const std::vector<FormulaInstruction>& code = now->program.code;
    for (std::size_t i = 0; i + 1 < code.size(); ++i) {
      if (!run_instruction(code[i])) return false;
    }
    return true;
  }

  std::array<std::size_t, kLanes> chosen = {};  // alternatives of the copies at hand

  // Whether they are all in one alternative, which is the one that is run now.
  bool choose(std::size_t first, std::size_t count, const double* frame) {
    bool same = true;
    for (std::size_t k = 0; k < count; ++k) {
      chosen[k] = alternative_of(first + k, frame);
      same = same && chosen[k] == chosen[0];
    }
    now = &alternatives[chosen[0]];
    return same;
  }

  // Copies in different alternatives: one after the other, with copies that are in it in the places
  // of those that are not.
  bool run_apart(std::size_t first, std::size_t count, const double* frame, double* out) {
    for (std::size_t number = 0; number < alternatives.size(); ++number) {
      const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(count);
      const auto one =
          static_cast<std::size_t>(std::find(chosen.begin(), end, number) - chosen.begin());
      if (one == count) continue;
      now = &alternatives[number];
      for (std::size_t j = 0; j < arguments.size(); ++j) {
        double* const to = columns.data() + j * kLanes;
        column[j] = to;
        for (std::size_t k = 0; k < kLanes; ++k) {
          const std::size_t copy = k < count && chosen[k] == number ? k : one;
          to[k] = value_of(arguments[j], first + copy, frame);
        }
      }
      if (!run_code()) return false;
      for (std::size_t r = 0; r < roots.size(); ++r) {
        const double* const values = read(now->program.roots[r]);
        if (!are_numbers(values)) return false;
        for (std::size_t k = 0; k < count; ++k) {
          if (chosen[k] == number) out[roots[r][first + k]] = values[k];
        }
      }
    }
    return true;
  }

  // A sum that is finite has finite terms; where it is not, they are looked at.
  static bool are_numbers(const double* values) {
    double a = 0, b = 0, c = 0, d = 0;
    for (std::size_t k = 0; k < kLanes; k += 4) {
      a += values[k];
      b += values[k + 1];
      c += values[k + 2];
      d += values[k + 3];
    }
    return std::isfinite((a + b) + (c + d)) ||
           std::all_of(values, values + kLanes, [](double v) { return v == v; });
  }

  static void scatter(const Series& to, std::size_t first, std::span<const double> values,
                      double* out) {
    if (to.list.empty() && to.step == 1) {
      std::ranges::copy(values, out + to[first]);
    } else {
      for (std::size_t k = 0; k < values.size(); ++k) out[to[first + k]] = values[k];
    }
  }

  void run_checked_copy(std::size_t copy, const double* frame, double* out, FormulaFault& fault) {
    std::vector<double> values;
    for (const Argument& a : arguments) values.push_back(value_of(a, copy, frame));
    auto& [program, work, lanes] = alternatives[alternative_of(copy, frame)];
    code::run_checked(program, work, values.data(), nullptr);
    for (std::size_t r = 0; r < roots.size(); ++r) {
      const std::int32_t place = program.roots[r], root = roots[r][copy];
      out[root] = place >= 0 ? work.scratch[at(place)] : values[at(~place)];
      if (place < 0) continue;
      const FormulaFault& found = work.faults[at(place)];
      if (found.fault == expr::Fault::None || (fault.root >= 0 && fault.root < root)) continue;
      fault = found;
      fault.root = root;
    }
  }
};

/// Finds out what is alike: first the roots with the same arguments, then such bundles of roots.
class LoopMaker {
 public:
  LoopMaker(const expr::Pool& pool, std::span<const ExprId> roots, FormulaLeaves& leaves)
      : pool_(pool), roots_(roots), leaves_(leaves), is_smooth_(at(pool.function_count()), -1) {}

  std::vector<FormulaLoops::Loop> run(std::vector<std::int32_t>& rest) {
    std::vector<FormulaLoops::Loop> result;
    std::vector<char> is_taken(roots_.size(), 0);
    if (roots_.size() >= kManyCopies) {
      next_.assign(roots_.size(), -1);
      for (std::size_t i = 0; i < roots_.size(); ++i) add_root(static_cast<std::int32_t>(i));
    }
    std::vector<std::vector<std::int32_t>> alike(at(shapes_.size()));
    for (std::size_t b = 0; b < bundles_.size(); ++b) {
      alike[at(bundles_[b].shape)].push_back(static_cast<std::int32_t>(b));
    }
    for (const std::vector<std::int32_t>& bundles : alike) {
      if (bundles.size() < kManyCopies) continue;
      result.push_back(make(bundles));
      for (const std::int32_t b : bundles) {
        for (std::int32_t r = bundles_[at(b)].first; r >= 0; r = next_[at(r)]) is_taken[at(r)] = 1;
      }
    }
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (!is_taken[i]) rest.push_back(static_cast<std::int32_t>(i));
    }
    return result;
  }

 private:
  // Roots with the same arguments, in the order in which they are met. Its shape is that of its
  // last root, together with the shape of the bundle before.
  struct Bundle {
    std::int32_t shape = -1;
    std::int32_t first = -1, last = -1;
  };

  // The shape of a root: operations and functions called as they are met from the root down, with
  // arguments numbered as they are met, and told apart from numbers.
  void add_root(std::int32_t root) {
    shape_.clear();
    arguments_.clear();
    if (!read(roots_[at(root)])) return;
    const std::int32_t b = of_bundles_.number_of(arguments_);
    if (at(b) == bundles_.size()) bundles_.push_back({});
    Bundle& bundle = bundles_[at(b)];
    shape_.push_back(bundle.shape);
    bundle.shape = shapes_.number_of(shape_);
    (bundle.last >= 0 ? next_[at(bundle.last)] : bundle.first) = root;
    bundle.last = root;
  }

  bool read(ExprId root) {
    bool calls = false;
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const ExprId e = stack_.back();
      const Op op = pool_.op(e);
      stack_.pop_back();
      if (shape_.size() > kLongest) return false;
      if (is_argument(op)) {
        shape_.push_back(-2 * number_of(e) - (op == Op::Constant ? 2 : 1));
        continue;
      }
      if (op == Op::PlainIf) {
        if (!read_switch(e)) return false;
        continue;
      }
      if (op == Op::Call) {
        if (!is_smooth(pool_.called(e))) return false;
        calls = true;
        shape_.push_back(1000 + pool_.called(e).index);
      } else if (is_plain(op)) {
        shape_.push_back(static_cast<std::int32_t>(op));
        if (op == Op::IntPower) shape_.push_back(pool_.exponent(e));
      } else {
        return false;
      }
      const expr::Operands operands = pool_.operands(e);
      for (int i = 0; i < operands.size(); ++i) stack_.push_back(operands[i]);
    }
    return calls;
  }

  std::int32_t number_of(ExprId argument) {
    const auto place = std::find(arguments_.begin(), arguments_.end(), argument.index);
    const auto number = static_cast<std::int32_t>(place - arguments_.begin());
    if (place == arguments_.end()) arguments_.push_back(argument.index);
    return number;
  }

  bool read_switch(ExprId e) {
    const expr::Operands operands = pool_.operands(e);
    if (pool_.op(operands[0]) != Op::DiscreteBool) return false;
    shape_.push_back(static_cast<std::int32_t>(Op::PlainIf));
    shape_.push_back(number_of(operands[0]));
    const auto is_truth = [&](std::int32_t argument) {
      return pool_.op({argument}) == Op::DiscreteBool;
    };
    if (std::ranges::count_if(arguments_, is_truth) > static_cast<int>(kMostSwitches)) return false;
    stack_.push_back(operands[1]);
    stack_.push_back(operands[2]);
    return true;
  }

  bool is_smooth(expr::FunctionId f) {
    int& known = is_smooth_[at(f.index)];
    if (known < 0) {
      const ExprId body = pool_.function(f).body;
      known = body && !pool_.has(body, expr::kHasOpaque | expr::kBoolean) &&
              !expr::has_kinks(pool_, body);
    }
    return known != 0;
  }

  FormulaLoops::Loop make(const std::vector<std::int32_t>& alike) {
    std::vector<ExprId> roots, arguments;
    FormulaLeaves own;
    for (std::int32_t r = bundles_[at(alike[0])].first; r >= 0; r = next_[at(r)]) {
      roots.push_back(roots_[at(r)]);
    }
    for (const std::int32_t e : of_bundles_[alike[0]]) {
      arguments.push_back({e});
      own.place({e});
    }
    std::vector<std::size_t> switches;
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      if (pool_.op(arguments[j]) == Op::DiscreteBool) switches.push_back(j);
    }
    std::vector<FormulaProgram> programs;
    for (std::size_t number = 0; number < std::size_t{1} << switches.size(); ++number) {
      std::vector<Decided> decided;
      for (std::size_t s = 0; s < switches.size(); ++s) {
        decided.push_back({arguments[switches[s]], ((number >> s) & 1) != 0});
      }
      Terms terms = collect_terms(pool_, roots, arguments, decided);
      const Contexts contexts = assign_contexts(terms, pool_);
      programs.push_back(write_program(std::move(terms), contexts, own));
      rename(programs.back());
    }
    std::vector<FormulaLoops::Loop::Argument> given;
    for (std::size_t j = 0; j < arguments.size(); ++j) given.push_back(argument(alike, j));
    std::vector<std::vector<std::int32_t>> numbers(roots.size());
    for (const std::int32_t b : alike) {
      std::size_t k = 0;
      for (std::int32_t r = bundles_[at(b)].first; r >= 0; r = next_[at(r)]) {
        numbers[k++].push_back(r);
      }
    }
    std::vector<Series> results;
    for (std::vector<std::int32_t>& of_root : numbers) results.emplace_back(std::move(of_root));
    return {std::move(programs), std::move(switches), alike.size(), std::move(given),
            std::move(results)};
  }

  FormulaLoops::Loop::Argument argument(const std::vector<std::int32_t>& alike, std::size_t j) {
    std::vector<std::int32_t> places;
    std::vector<double> numbers;
    for (const std::int32_t b : alike) {
      const ExprId e{of_bundles_[b][j]};
      if (pool_.op(e) == Op::Constant) {
        numbers.push_back(pool_.constant(e));
      } else {
        places.push_back(leaves_.place(e));
      }
    }
    if (places.empty()) places.push_back(0);
    return {Series(std::move(places)), std::move(numbers)};
  }

  const expr::Pool& pool_;
  std::span<const ExprId> roots_;
  FormulaLeaves& leaves_;
  std::vector<int> is_smooth_;  // by function: -1 if nobody knows
  std::vector<std::int32_t> shape_, arguments_;
  std::vector<ExprId> stack_;
  RowTable of_bundles_;  // the arguments of each
  RowTable shapes_;
  std::vector<Bundle> bundles_;
  std::vector<std::int32_t> next_;  // by root: the next of its bundle
};

FormulaLoops::FormulaLoops(const expr::Pool& pool, std::span<const ExprId> roots,
                           FormulaLeaves& leaves, std::vector<std::int32_t>& rest)
    : loops_(LoopMaker(pool, roots, leaves).run(rest)) {}
FormulaLoops::FormulaLoops(FormulaLoops&&) noexcept = default;
FormulaLoops::~FormulaLoops() = default;

bool FormulaLoops::empty() const { return loops_.empty(); }

bool FormulaLoops::run(const double* frame, double* out) {
  for (Loop& loop : loops_) {
    if (!loop.run(frame, out)) return false;
  }
  return true;
}

FormulaFault FormulaLoops::run_checked(const double* frame, double* out) {
  FormulaFault fault;
  for (Loop& loop : loops_) {
    for (std::size_t copy = 0; copy < loop.copies; ++copy) {
      loop.run_checked_copy(copy, frame, out, fault);
    }
  }
  return fault;
}

}  // namespace chi::code
