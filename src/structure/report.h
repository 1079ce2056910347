#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "expr/linearity.h"
#include "structure/analyse.h"

/// What an analysis means for the modeller, in words and numbers.
namespace chi::structure {

/// What variables are called: in results, and as the modeller would write it where it is declared.
class NameOf {
 public:
  using Function = std::function<std::string(expr::VarId)>;
  NameOf(Function full, Function written) : full_(std::move(full)), written_(std::move(written)) {}
  template <class Full>
  NameOf(Full full) : NameOf(Function(full), Function(full)) {}
  std::string operator()(expr::VarId x) const { return full_(x); }
  std::string written(expr::VarId x) const { return written_(x); }

 private:
  Function full_, written_;
};
using SpanOf = std::function<Span(std::int32_t row)>;  ///< of a row of the System

/// What is wrong with a system, and what would help.
struct Explanation {
  struct Equation {
    std::int32_t row = 0;  ///< into System::rows
    std::string text;      ///< what it has to do with it; may be empty
  };
  std::string message;              ///< in the form of `Diagnostic::message`
  std::vector<Equation> equations;  ///< each row once; the first is where to look first
  std::vector<std::string> notes;
  std::string help;
};

/// The explanation as a diagnostic. Equations of which there are many are shown in part.
Diagnostic to_diagnostic(DiagCode code, const Explanation& explanation, const SpanOf& span_of);

/// Why a system has no analysis. Over-determined: one of the equations must go, or one of the known
/// variables in them must be declared unknown. Under-determined: an equation is missing, or a
/// declaration is one too many. Requires `analysis.singular`.
Explanation explain_singular(const expr::Pool& pool, const System& system, const Analysis& analysis,
                             const NameOf& name_of);

/// Why the IP does not have as many equations, hidden constraints included, as unknowns: the
/// differential variables that are known depend on each other, so one of them has to be declared
/// unknown (or its derivative substituted, `e' <- x'`); or more of them are declared than the
/// degrees of freedom allow. `order` is that of `known_values`; `when` says which instant it is.
/// Empty if it is square.
std::optional<Explanation> explain_initial(expr::Pool& pool, const Analysis& analysis,
                                           const BlockOrder& order, const NameOf& name_of,
                                           std::string_view when = "at the start");

/// The differentiation index, as far as structure tells: how often some equation must be
/// differentiated until all equations together determine the derivatives of all unknowns [1]. It is
/// the largest c of the smallest offsets with d >= 1 for all unknowns, so an algebraic variable
/// that needs one differentiation itself does not count where others need more without it
/// (`structural_index` then is one too large). Linear.
///
/// [1] C. W. Gear, "Differential-algebraic equation index transformations", SIAM J. Sci. Stat.
///     Comput. 9(1), 1988, 39-47.
int differential_index(const Analysis& analysis);

/// How a block is to be solved.
struct BlockShape {
  expr::Linearity linearity = expr::Linearity::Nonlinear;  ///< of its rows in its unknowns
  std::vector<std::int32_t> torn;       ///< into BlockOrder::unknowns: to be iterated on
  std::vector<std::int32_t> residuals;  ///< into BlockOrder::rows: what judges them
};

/// The shape of each block of `order`. A row may be solved for an unknown where its coefficient is
/// a number; single equations that can be solved that way have nothing torn.
std::vector<BlockShape> block_shapes(expr::Pool& pool, const BlockOrder& order);

}  // namespace chi::structure
