#pragma once
#include <optional>
#include <vector>

#include "sim/jumps/conserved.h"
#include "sim/jumps/jump_depth.h"
#include "sim/modes/plan.h"

namespace chi::sim {

/// The jump equations of one plan (jump.h) over three kinds of leaves: the values after the instant
/// take the places of x_j^(d_j - 1); the values before it and the impulses get variables of their
/// own.
///
/// A weight w of sliding is a factor of impulses: f_i is A_i(z) + w K_i(z), linear in the highest
/// derivatives z, and with Z, what becomes of z over the instant, its integral is A_i(Z) + w
/// K_i(Z). That is solved by Newton's method: the `impulse` of a weight is its step, its `present`
/// value is the one before the step, and the slope K_i is taken at the `reference` values of z.
/// What of K_i depends on no z, as the friction of a given force, is finite, and no factor of an
/// impulse; it is there only while the weight is not `bound` to any.
///
/// A contact with a law of impact separates with Newton's coefficient, w+ = -e w-, where w- is the
/// rate at which its gap closes (J. J. Moreau, "Some numerical methods in multibody dynamics:
/// application to granular materials", Eur. J. Mech. A/Solids 13(4), 1994).
///
/// A deep jump (jump.h) is solved level by level, from its `depth` up to 0. Level m determines the
/// change X_j of x_j^(d_j - 1 - m), which is an impulse where that order is -1, and a derivative of
/// one below; the rows f_i^(c_i - 1 - m) are integrals in the same way. Integrals contain the
/// changes of deeper levels too, `carried` from there, and what a row that was combined of others
/// has from their steps, its `source`.
class JumpEquations {
 public:
  JumpEquations(const SolverContext& context, const Plan& plan, const JumpDepth& depth, int level);

  /// None if an equation has products of what is impulsive at this level.
  std::optional<structure::BlockOrder> order();

  /// Of unknown j: its value before the instant, and its impulse.
  expr::VarRef before(std::size_t j) const { return extra(0, j); }
  expr::VarRef before(expr::VarRef x) const;
  expr::VarRef impulse(std::size_t j) const { return extra(1, j); }
  /// The value that the highest derivative of unknown j has now.
  expr::VarRef present(std::size_t j) const { return extra(2, j); }
  /// Where slopes of weights are taken; 1 if the weight is bound.
  expr::VarRef reference(std::size_t j) const { return extra(3, j); }
  expr::VarRef bound(std::size_t j) const { return extra(4, j); }
  /// The change of unknown j at the level that is deeper by `levels`; the source of row i.
  expr::VarRef carried(int levels, std::size_t j) const { return extra(4 + levels, j); }
  expr::VarRef source(std::size_t i) const { return extra(8, i); }
  static constexpr int kDeepest = 3;

  /// The order of what changes of unknown j at this level; negative if it has impulses.
  int lower(std::size_t j) const { return analysis_.d[j] - 1 - level_; }

  /// The unknowns that are weights, as in `ModeEquations::weights`.
  const std::vector<std::size_t>& weights() const { return weights_; }
  /// The slopes of weights in all rows they occur in.
  struct WeightSlope {
    std::size_t weight;  ///< its place in `weights`
    expr::ExprId slope;
  };
  const std::vector<WeightSlope>& weight_slopes() const { return weight_slopes_; }

  /// The integrated rows, with the numbers of their slopes in `slopes`.
  const std::vector<IntegratedRow>& integrated() const { return integrated_; }
  const std::vector<expr::ExprId>& slopes() const { return slopes_; }
  /// A row that is not seen to be linear in the highest derivatives of these unknowns: a product of
  /// them, or a function.
  struct Doubtful {
    expr::ExprId row;
    std::vector<std::size_t> unknowns;
  };
  const std::vector<Doubtful>& doubtful() const { return doubtful_; }
  /// Changes in integrals whose factors move: what they are at the instant, nobody can tell where
  /// more than one level changes.
  struct Moving {
    std::size_t unknown = 0;
    int levels = 0;  ///< deeper than this one
  };
  const std::vector<Moving>& moving() const { return moving_; }

 private:
  bool is_within(const structure::Analysis& jump) const;
  static expr::VarRef extra(int kind, std::size_t j);
  expr::ExprId leaf(expr::VarRef x) const;
  expr::ExprId integral(std::size_t i);
  expr::ExprId with_restitution(std::size_t i, expr::ExprId rate);
  expr::ExprId carried_into(std::size_t i);
  bool moves(expr::ExprId slope) const;
  expr::ExprId weight_slope(std::size_t weight, expr::ExprId slope,
                            std::span<const expr::ExprId> factors,
                            std::span<const std::size_t> unknowns);

  expr::Pool& pool_;
  const structure::Analysis& analysis_;
  const ModeEquations& mode_;
  const JumpDepth& depth_;
  int level_;
  std::vector<std::size_t> weights_;
  std::vector<WeightSlope> weight_slopes_;
  std::vector<IntegratedRow> integrated_;
  std::vector<expr::ExprId> slopes_;  // of all terms, one row after the other
  std::vector<Doubtful> doubtful_;
  std::vector<Moving> moving_;
};

}  // namespace chi::sim
