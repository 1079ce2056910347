#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace chi::numerics {

/// What holds at an instant, as data: plain rows, and laws that are finite unions of polyhedra.
///
/// A functional is f = Σ e_j w_j' + Σ a_j w_j + c(t). A row is f = 0. A law is one of finitely many
/// pieces; a piece has rows f = 0 and conditions f >= 0. A mode chooses a piece of each law. An
/// ideal diode is the law {i = 0, -u >= 0} or {u = 0, i >= 0}: complementarity problems are the
/// special case of two pieces [1], and relays, friction, contacts and guards are others.
///
/// [1] R. W. Cottle, J.-S. Pang and R. E. Stone, "The Linear Complementarity Problem", 1992.

using SparseRow = std::vector<std::pair<int, double>>;  ///< (variable, factor), each variable once

struct Functional {
  SparseRow rate = {};             ///< e: factors of w'
  SparseRow value = {};            ///< a: factors of w
  std::vector<double> known = {};  ///< c, c', c'', ... at the instant
};

/// A facet of a piece of a law: condition number `condition` of piece `piece`.
struct FacetRef {
  int piece = -1;
  int condition = -1;
  bool operator==(const FacetRef&) const = default;
};

struct Piece {
  std::vector<int> rows = {};        ///< functionals that are zero
  std::vector<int> conditions = {};  ///< functionals that are not negative
  /// Per condition: the facets of other pieces with the same points. Empty: an edge of the law.
  std::vector<std::vector<FacetRef>> beyond = {};
  /// A piece that completion added: it slides on the surface of a facet of `below`, whose other
  /// side is `above` (Filippov). -1: a piece as given.
  int below = -1, above = -1;
  int surface = -1;  ///< the functional it keeps at zero
};

struct Law {
  std::vector<Piece> pieces;  ///< all with the same number of rows
};

using Mode = std::vector<int>;  ///< per law: its piece

struct ModeProblem {
  std::vector<Functional> functionals;
  std::vector<int> plain;  ///< rows that hold in every mode
  std::vector<Law> laws;
  std::vector<double> before;  ///< w before the instant; its size is the number of variables
  /// Error of each value before: what the integration leaves. Empty: exact.
  std::vector<double> error = {};
  double time_scale = 1;  ///< of the motion: steps of the one-step problem are fractions of it

  int variables() const { return static_cast<int>(before.size()); }
  int add(Functional f) {
    functionals.push_back(std::move(f));
    return static_cast<int>(functionals.size()) - 1;
  }
};

/// Completes a law, whose pieces have rows and conditions: finds the neighbours of all facets, and
/// where two facets g >= 0 and -g >= 0 have none, adds the piece that slides on g = 0. With one
/// differing row r₋, r₊ its conditions are r₋ >= 0 >= r₊, so that no weight is needed and bounds
/// that are unknowns stay linear; a second piece has both signs reversed, unless the gap r₊ - r₋ is
/// a number. With several differing rows the weight is eliminated by the row with the largest gap;
/// gaps that depend on unknowns are taken at the values before. What is equal on the surface, as x
/// and -x are at x = 0, does not differ.
///
/// The union of the pieces becomes a piecewise linear manifold, which path following needs; the
/// facets that have no neighbour even then are edges. May add functionals.
/// O(f² r³) for f facets of r rows.
void complete_law(ModeProblem& problem, Law& law);

}  // namespace chi::numerics
