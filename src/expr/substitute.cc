#include "expr/substitute.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <unordered_map>

#include "expr/build.h"
#include "expr/cone.h"
#include "expr/incidence.h"
#include "expr/rewrite.h"

namespace chi::expr {
namespace {

NodeIndex number(const Pool& pool, std::span<const Replacement> replacements) {
  NodeIndex index(pool.size());
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    index.set(replacements[i].what, static_cast<std::int32_t>(i));
  }
  return index;
}

// A depth-first search over "mentions", which resolves on its way back.
class Resolution {
 public:
  Resolution(Pool& pool, std::span<const Replacement> equations, Follow follow)
      : pool_(pool),
        follow_(follow),
        equations_(equations),
        number_(number(pool, equations)),
        state_(equations.size(), State::New) {
    std::vector<ExprId> right;
    for (const Replacement& equation : equations) right.push_back(equation.by);
    mentions_ = occurrences(pool, right, follow,
                            [this](ExprId e) { return number_.find(e) >= 0 ? e : ExprId{}; });
    result_.replacements.assign(equations.begin(), equations.end());
  }

  Resolved run() {
    for (std::size_t i = 0; i < equations_.size() && result_.cycle.empty(); ++i)
      visit(static_cast<int>(i));
    if (!result_.cycle.empty()) result_.replacements.clear();
    return std::move(result_);
  }

 private:
  enum class State : char { New, Open, Done };
  struct Step {
    int equation = 0;
    int next = 0;
  };

  void visit(int start) {
    if (state_[static_cast<std::size_t>(start)] != State::New) return;
    open(start);
    while (!path_.empty()) {
      Step& step = path_.back();
      const auto mentioned = mentions_.row(step.equation);
      if (step.next == static_cast<int>(mentioned.size())) {
        close(step.equation);
        continue;
      }
      const int other = number_.find(mentioned[static_cast<std::size_t>(step.next++)]);
      if (state_[static_cast<std::size_t>(other)] == State::Open) return report(other);
      if (state_[static_cast<std::size_t>(other)] == State::New) open(other);
    }
  }

  void open(int equation) {
    state_[static_cast<std::size_t>(equation)] = State::Open;
    path_.push_back({equation, 0});
  }

  void close(int equation) {
    std::vector<Replacement> needed;
    for (const ExprId e : mentions_.row(equation)) {
      needed.push_back(result_.replacements[static_cast<std::size_t>(number_.find(e))]);
    }
    ExprId& by = result_.replacements[static_cast<std::size_t>(equation)].by;
    if (!needed.empty()) by = substitute(pool_, std::array{by}, needed, follow_)[0];
    state_[static_cast<std::size_t>(equation)] = State::Done;
    path_.pop_back();
  }

  void report(int first) {
    std::size_t i = 0;
    while (path_[i].equation != first) ++i;
    for (; i < path_.size(); ++i) {
      result_.cycle.push_back(equations_[static_cast<std::size_t>(path_[i].equation)].what);
    }
    path_.clear();
  }

  Pool& pool_;
  Follow follow_;
  std::span<const Replacement> equations_;
  NodeIndex number_;      // left-hand side → equation
  Occurrences mentions_;  // equation → left-hand sides in it
  std::vector<State> state_;
  std::vector<Step> path_;
  Resolved result_;
};

}  // namespace

std::vector<ExprId> substitute(Pool& pool, std::span<const ExprId> roots,
                               std::span<const Replacement> replacements, Follow follow) {
  const NodeIndex index = number(pool, replacements);
  const auto special = [&](ExprId e, std::span<const ExprId>) {
    const std::int32_t i = index.find(e);
    return i < 0 ? ExprId{} : replacements[static_cast<std::size_t>(i)].by;
  };
  return Rewrite(pool, special).run(roots, &index, follow);
}

ExprId substitute(Pool& pool, ExprId root, std::span<const Replacement> replacements) {
  return substitute(pool, std::array{root}, replacements)[0];
}

Resolved resolve_substitutes(Pool& pool, std::span<const Replacement> equations, Follow follow) {
  return Resolution(pool, equations, follow).run();
}

std::vector<ExprId> select_branches(Pool& pool, std::span<const ExprId> roots,
                                    std::span<const Truth> mode) {
  NodeIndex truth(pool.size());
  for (const Truth& t : mode) truth.set(t.condition, t.holds ? 1 : 0);
  const auto special = [&](ExprId e, std::span<const ExprId> operands) {
    if (pool.op(e) != Op::If) return ExprId{};
    const std::int32_t holds = truth.find(pool.operand(e, 0));
    return holds < 0 ? ExprId{} : operands[holds != 0 ? 1 : 2];
  };
  return Rewrite(pool, special).run(roots);
}

namespace {

bool is_kink(Op op) {
  return op == Op::Floor || op == Op::Ceil || op == Op::Round || op == Op::PlainIf ||
         op == Op::Abs || op == Op::Sign || op == Op::Min || op == Op::Max;
}

bool has_kink(const Pool& pool, ExprId e) {
  return is_kink(pool.op(e)) || (pool.op(e) == Op::Call && pool.function(pool.called(e)).has_steps);
}

/// The body in place of the call, with its conditions as part of the mode.
ExprId open_call(Pool& pool, ExprId call, std::span<const ExprId> arguments) {
  const ExprId body = evented_ifs(pool, inline_calls(pool, pool.function(pool.called(call)).body));
  const auto special = [&](ExprId e, std::span<const ExprId>) {
    const Op op = pool.op(e);
    if (op != Op::ParamReal && op != Op::ParamBool) return ExprId{};
    return arguments[static_cast<std::size_t>(pool.param(e))];
  };
  const ExprId open = Rewrite(pool, special).run(std::array{body})[0];
  return evented_kinks(pool, std::array{open})[0];
}

}  // namespace

namespace {

/// In the expressions or in the functions they call.
template <class Holds>
bool any_operation(const Pool& pool, std::span<const ExprId> roots, const Holds& holds) {
  std::vector<ExprId> pending(roots.begin(), roots.end());
  std::vector<char> seen(static_cast<std::size_t>(pool.function_count()), 0);
  while (!pending.empty()) {
    const Cone cone(pool, pending);
    pending.clear();
    for (const ExprId e : cone.nodes()) {
      if (holds(e)) return true;
      if (pool.op(e) != Op::Call) continue;
      const FunctionId g = pool.called(e);
      char& is_seen = seen[static_cast<std::size_t>(g.index)];
      if (!pool.function(g).body || is_seen != 0) continue;
      is_seen = 1;
      pending.push_back(pool.function(g).body);
    }
  }
  return false;
}

}  // namespace

bool has_kinks(const Pool& pool, ExprId root) {
  return any_operation(pool, std::array{root}, [&](ExprId e) { return has_kink(pool, e); });
}

KinkedFunctions::Known& KinkedFunctions::known(FunctionId f) {
  const auto size = static_cast<std::size_t>(pool_.function_count());
  if (known_.size() < size) known_.resize(size, Known::No);
  return known_[static_cast<std::size_t>(f.index)];
}

bool KinkedFunctions::operator()(FunctionId f) {
  if (known(f) == Known::No) find(f);
  return known(f) == Known::Kinked;
}

/// Of `f` and all that it calls. Kinks spread from a function to its callers.
void KinkedFunctions::find(FunctionId f) {
  std::unordered_map<FunctionId, std::vector<FunctionId>> callers;
  std::vector<FunctionId> reached{f}, kinked;
  known(f) = Known::Smooth;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const FunctionId caller = reached[i];
    if (!pool_.function(caller).body) continue;
    bool has_own = false;
    const Cone cone(pool_, std::array{pool_.function(caller).body});
    for (const ExprId e : cone.nodes()) {
      has_own = has_own || has_kink(pool_, e);
      if (pool_.op(e) != Op::Call) continue;
      const FunctionId called = pool_.called(e);
      has_own = has_own || known(called) == Known::Kinked;
      callers[called].push_back(caller);
      if (known(called) == Known::No) {
        known(called) = Known::Smooth;
        reached.push_back(called);
      }
    }
    if (has_own) kinked.push_back(caller);
  }
  while (!kinked.empty()) {
    const FunctionId g = kinked.back();
    kinked.pop_back();
    if (known(g) == Known::Kinked) continue;
    known(g) = Known::Kinked;
    kinked.insert(kinked.end(), callers[g].begin(), callers[g].end());
  }
}

bool is_rough(const Pool& pool, std::span<const ExprId> roots) {
  return any_operation(pool, roots, [&](ExprId e) {
    const Op op = pool.op(e);
    if (!is_kink(op) && op != Op::Sqrt && op != Op::Cbrt && op != Op::Pow) return false;
    return pool.has(op == Op::PlainIf ? pool.operand(e, 0) : e, kMoving | kHasParam);
  });
}

std::vector<ExprId> evented_kinks(Pool& pool, std::span<const ExprId> roots, Traits moving) {
  const auto choose = [&pool](ExprId condition, ExprId then, ExprId otherwise) {
    return if_else(pool, IfKind::Evented, condition, then, otherwise);
  };
  KinkedFunctions is_kinked(pool);
  const auto special = [&](ExprId e, std::span<const ExprId> x) {
    const Op op = pool.op(e);
    if (op == Op::If) return choose(pool.operand(e, 0), x[1], x[2]);
    if (op == Op::Call && pool.has(e, moving) && is_kinked(pool.called(e))) {
      return open_call(pool, e, x);
    }
    const bool steps = op == Op::Ceil || op == Op::Round;
    if (op != Op::Abs && op != Op::Sign && op != Op::Min && op != Op::Max && !steps)
      return ExprId{};
    if (!pool.has(e, moving)) return ExprId{};
    const ExprId zero = constant(pool, 0);
    const auto rounded = [&pool](ExprId a) {  // for a >= 0: halves go up
      return unary(pool, Op::Floor, add(pool, a, constant(pool, 0.5)));
    };
    switch (op) {
      case Op::Ceil: return neg(pool, unary(pool, Op::Floor, neg(pool, x[0])));
      case Op::Round:
        return choose(binary(pool, Op::GreaterEqual, x[0], zero), rounded(x[0]),
                      neg(pool, rounded(neg(pool, x[0]))));
      case Op::Abs:
        return choose(binary(pool, Op::GreaterEqual, x[0], zero), x[0], neg(pool, x[0]));
      case Op::Sign:
        return choose(binary(pool, Op::Greater, x[0], zero), constant(pool, 1),
                      choose(binary(pool, Op::Less, x[0], zero), constant(pool, -1), zero));
      case Op::Min: return choose(binary(pool, Op::LessEqual, x[0], x[1]), x[0], x[1]);
      default: return choose(binary(pool, Op::GreaterEqual, x[0], x[1]), x[0], x[1]);
    }
  };
  return Rewrite(pool, special).run(roots, nullptr, {.delayed = false});
}

ExprId plain_ifs(Pool& pool, ExprId root) {
  if (!pool.has(root, kHasEvented)) return root;
  const auto special = [&pool](ExprId e, std::span<const ExprId> x) {
    return pool.op(e) == Op::If ? if_else(pool, IfKind::Plain, x[0], x[1], x[2]) : ExprId{};
  };
  return Rewrite(pool, special).run(std::array{root})[0];
}

ExprId evented_ifs(Pool& pool, ExprId root) {
  const auto special = [&pool](ExprId e, std::span<const ExprId> x) {
    return pool.op(e) == Op::PlainIf ? if_else(pool, IfKind::Evented, x[0], x[1], x[2]) : ExprId{};
  };
  return Rewrite(pool, special).run(std::array{root})[0];
}

namespace {

// Calls of `f` with the body already free of calls: parameters become arguments.
ExprId instantiate(Pool& pool, ExprId body, std::span<const ExprId> arguments) {
  if (pool.has(body, kHasParam)) {
    const auto special = [&](ExprId e, std::span<const ExprId>) {
      const Op op = pool.op(e);
      if (op != Op::ParamReal && op != Op::ParamBool) return ExprId{};
      return arguments[static_cast<std::size_t>(pool.param(e))];
    };
    return Rewrite(pool, special).run(std::array{body})[0];
  }
  return body;
}

// The functions with a body that the roots call, directly or not; ascending, so callees come first.
std::vector<FunctionId> called_functions(const Pool& pool, std::span<const ExprId> roots) {
  std::vector<char> seen(static_cast<std::size_t>(pool.function_count()), 0);
  std::vector<ExprId> pending(roots.begin(), roots.end());
  while (!pending.empty()) {
    const Cone cone(pool, pending);
    pending.clear();
    for (const ExprId e : cone.nodes()) {
      if (pool.op(e) != Op::Call) continue;
      const FunctionId f = pool.called(e);
      if (std::exchange(seen[static_cast<std::size_t>(f.index)], 1) || !pool.function(f).body)
        continue;
      pending.push_back(pool.function(f).body);
    }
  }
  std::vector<FunctionId> functions;
  for (FunctionId f{0}; f.index < pool.function_count(); ++f.index) {
    if (seen[static_cast<std::size_t>(f.index)] && pool.function(f).body) functions.push_back(f);
  }
  return functions;
}

}  // namespace

namespace {

/// Whether a function hands its parameters on as they are: the body called is then what it stands
/// for, and a chain of such calls costs no copy each.
bool are_own_parameters(const Pool& pool, std::span<const ExprId> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Op op = pool.op(arguments[i]);
    if (op != Op::ParamReal && op != Op::ParamBool) return false;
    if (pool.param(arguments[i]) != static_cast<int>(i)) return false;
  }
  return true;
}

}  // namespace

std::vector<ExprId> inline_calls(Pool& pool, std::span<const ExprId> roots) {
  Table<FunctionId, ExprId> bodies(pool.function_count(), {});
  const auto special = [&](ExprId e, std::span<const ExprId> operands) {
    if (pool.op(e) != Op::Call || !bodies[pool.called(e)]) return ExprId{};
    if (are_own_parameters(pool, operands)) return bodies[pool.called(e)];
    return instantiate(pool, bodies[pool.called(e)], operands);
  };
  for (const FunctionId f : called_functions(pool, roots)) {
    bodies[f] = Rewrite(pool, special).run(std::array{pool.function(f).body})[0];
  }
  return Rewrite(pool, special).run(roots);
}

ExprId inline_calls(Pool& pool, ExprId root) { return inline_calls(pool, std::array{root})[0]; }

}  // namespace chi::expr
