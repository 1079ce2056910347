#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "graph/sigma.h"

namespace chi::graph {

/// Which derivatives become dummies, after Mattsson and Söderlind [1]: for each variable j its
/// `count` highest ones, x_j^(d_j) down to x_j^(d_j - count + 1), are algebraic unknowns of their
/// own. What is below, x_j^(0) to x_j^(d_j - count - 1), are the states; their number is the
/// degrees of freedom.
struct DummyDerivatives {
  Table<VarId, int> count;
};

/// One choice to make: as many of the candidates as there are equations, such that the equations'
/// Jacobian with respect to them is regular.
struct DummyProblem {
  int level = 0;  ///< the equations differentiated c_i - level times, candidates x^(d_j - level)
  Subpattern jacobian;  ///< the equations with c_i > level, and the candidates that occur in them
};

/// Where a numerical choice can be plugged in, such as QR with column pivoting on the values of the
/// Jacobian at a consistent point. The columns of one problem share no equation with another's.
class DummyChooser {
 public:
  virtual ~DummyChooser() = default;
  /// The chosen candidates, as ids of `problem.jacobian.pattern`; fewer than equations if the
  /// Jacobian turns out to be rank deficient.
  virtual std::vector<VarId> choose(const DummyProblem& problem) = 0;
};

enum class Preference : std::uint8_t {
  None,
  Dependent,    ///< computed from the others if possible: declared unknown
  Independent,  ///< a state if possible
};

/// Chooses by structure alone: any candidates that can be matched to the equations, preferring
/// dependent variables, then derivatives that only differentiation brought in (so that the
/// variables the modeller wrote stay states), then others, then independent ones. No other choice
/// of a problem has more of the first kind, nor, with as many of it, more of the second, and so on.
class StructuralChooser : public DummyChooser {
 public:
  /// `preferences` is by variable of `sigma`, or empty for none.
  StructuralChooser(const Signature& sigma, const Offsets& offsets,
                    Table<VarId, Preference> preferences);
  std::vector<VarId> choose(const DummyProblem& problem) override;

 private:
  int rank(VarId var, int level) const;  // 0 is best

  const Offsets& offsets_;
  Table<VarId, Preference> preferences_;
  Table<VarId, int> written_order_;  // the highest derivative in the undifferentiated equations
};

/// Selects dummy derivatives level by level: on level k the equations with c_i > k, against the
/// variables chosen on the level before (all, on level 0). Problems without a common equation are
/// put separately. Empty if the chooser returned too few; the structural one never does.
///
/// O(E) per level, plus the chooser.
///
/// [1] S. E. Mattsson and G. Söderlind, "Index reduction in differential-algebraic equations using
///     dummy derivatives", SIAM J. Sci. Comput. 14(3), 1993, 677-692.
///     Derivation: docs/theory/index-reduction.md.
std::optional<DummyDerivatives> select_dummies(const Signature& sigma, const Offsets& offsets,
                                               DummyChooser& chooser);

}  // namespace chi::graph
