#pragma once
#include <span>
#include <vector>

#include "expr/cone.h"
#include "expr/expr.h"

namespace chi::expr {

/// `what` is to be replaced by `by`: a variable, a derivative, or any other node.
struct Replacement {
  ExprId what;
  ExprId by;
};

/// The roots with all replacements made at once: what `by` contains is not replaced again. Rebuilt
/// by the constructors, so results are simplified. Where replacements nest, the outermost applies.
/// Reaches into conditions and delays, unless `follow` says otherwise. O(nodes reached).
std::vector<ExprId> substitute(Pool& pool, std::span<const ExprId> roots,
                               std::span<const Replacement> replacements, Follow follow = {});
ExprId substitute(Pool& pool, ExprId root, std::span<const Replacement> replacements);

/// Substitute equations (Fábián, van Beek, Rooda 2001): `what <- by`, in any order, where a `by`
/// may mention other left-hand sides. Left-hand sides are distinct variables or derivatives.
struct Resolved {
  std::vector<Replacement> replacements;  ///< in the order given, free of left-hand sides
  /// Empty, or left-hand sides x0, x1, ..., each mentioned by the right-hand side of the one before
  /// it, and x0 by that of the last. Then `replacements` is empty.
  std::vector<ExprId> cycle;
};
/// With `follow.delayed` false a variable may be given by its own past: x <- delay(x, 1).
Resolved resolve_substitutes(Pool& pool, std::span<const Replacement> equations,
                             Follow follow = {});

/// The roots in a mode: evented `if`s whose condition is listed become the branch it selects. Plain
/// `if`s with the same condition stay. O(nodes reached).
struct Truth {
  ExprId condition;
  bool holds = false;
};
std::vector<ExprId> select_branches(Pool& pool, std::span<const ExprId> roots,
                                    std::span<const Truth> mode);

/// The root with plain `if`s in place of evented ones. O(nodes reached).
ExprId plain_ifs(Pool& pool, ExprId root);
/// The other way round.
ExprId evented_ifs(Pool& pool, ExprId root);

/// The roots with the kinks of `abs`, `sign`, `min` and `max` as evented `if`s, so that they are
/// part of the mode: abs(x) is `if x >= 0 then x else -x`. Only where their operands can change
/// between events, that is, have some of the traits `moving`, and not inside conditions or what a
/// `delay` looks back at. Calls of functions with kinks become their bodies. O(nodes reached).
std::vector<ExprId> evented_kinks(Pool& pool, std::span<const ExprId> roots,
                                  Traits moving = kMoving);

/// Whether the expression, or a function that it calls, has alternatives or steps.
bool has_kinks(const Pool& pool, ExprId root);

/// Which functions have kinks, in their bodies or in those that they call. Each body is looked at
/// once, so that a chain of n functions costs n and not n².
class KinkedFunctions {
 public:
  explicit KinkedFunctions(const Pool& pool) : pool_(pool) {}
  bool operator()(FunctionId f);

 private:
  enum class Known : char { No, Smooth, Kinked };
  Known& known(FunctionId f);
  void find(FunctionId f);
  const Pool& pool_;
  std::vector<Known> known_;  // by function, of those asked for and what they call
};
/// The same of all, if between events something comes to them, or roots and powers, whose slopes
/// may be infinite.
bool is_rough(const Pool& pool, std::span<const ExprId> roots);

/// A condition with relations between continuous expressions: `abs(x) < 1` becomes `x < 1 and -x <
/// 1`, min and max likewise, unless they are part of a sum or a product: these corners stay. Where
/// `sign` or an `if` may jump, its condition decides between the relations with either branch. A
/// relation with too many of these stays.
ExprId smooth_relations(Pool& pool, ExprId condition);

/// Whether what can change between events has kinks, and all of them are those of abs, min and max,
/// also as `evented_kinks` writes them: it is continuous then.
bool has_corners_only(Pool& pool, std::span<const ExprId> roots);

/// The roots with calls of functions that have a body replaced by the body; so are calls in bodies.
/// Calls of black boxes and of their derivatives stay. O(nodes of the result), up to sharing.
std::vector<ExprId> inline_calls(Pool& pool, std::span<const ExprId> roots);
ExprId inline_calls(Pool& pool, ExprId root);

}  // namespace chi::expr
