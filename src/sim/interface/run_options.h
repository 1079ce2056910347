#pragma once
#include <cstdint>
#include <limits>

#include "numerics/root_isolation.h"
#include "numerics/root_location.h"

namespace chi::sim {

/// `--solver`. Auto: by the form and the stiffness of each part.
enum class SolverChoice : std::uint8_t {
  Auto,
  Ida,
  Bdf,
  Cvode,
  Dopri5,  ///< erk, erk:dopri5
  Rkf45,   ///< erk:rkf45
  Irk,
  Timestep,  ///< the one-step problem itself, at a fixed step (sim/timestepping)
};

/// What happens where both sides of a switching surface push back (semantics.md §4).
enum class Sliding : std::uint8_t { Allow, Error };
/// What happens when ever more events come in ever less time (semantics.md §4). Auto: the run goes
/// on where contacts with restitution come to rest, and stops elsewhere.
enum class Zeno : std::uint8_t { Auto, Stop, Continue };
/// What happens when a new mode's constraints do not hold for the values before it (semantics.md
/// §7).
enum class Jumps : std::uint8_t { Allow, Error };
/// What happens when no mode can keep the values that are set at the start: it is an error, or they
/// jump as they would during the run.
enum class StartValues : std::uint8_t { Keep, Jump };

/// What happens to values that equations leave open at the start and in `{ ... }`: an error, or the
/// values nearest to those that there are, of minimum norm and inside the bounds (P4 = Uhlig et al.,
/// "Initial value calculation for DAE with higher index", §5-6).
enum class Initial : std::uint8_t { Error, Nearest };

/// What a broken requirement or assertion of the model does to the run.
enum class Requirements : std::uint8_t { Stop, Warn };

/// Who runs the statements of processes: both do the same, bit for bit.
enum class Executor : std::uint8_t {
  Auto,         ///< interpreted, and compiled when the run is long
  Interpreter,  ///< interpreted
  Native,       ///< compiled from the start, where that is possible
};

/// What a user can choose about a run. The defaults are those of `chi run`.
struct RunOptions {
  double end = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 0;
  bool random_choice = false;  ///< --choice random
  /// Actions at one instant after which the run is taken for a livelock: far more than any model
  /// needs, reached in seconds.
  std::int64_t max_actions = 100'000'000;
  /// The same of those in which the equations take part, which take far longer.
  std::int64_t max_answered = 1'000'000;
  std::int64_t heap_limit =
      std::numeric_limits<std::int64_t>::max();  ///< bytes for the model's lists and strings
  Executor executor = Executor::Auto;

  double rtol = 1e-6;
  double atol = 1e-9;
  double max_step = std::numeric_limits<double>::infinity();  ///< of integration, in time
  SolverChoice solver = SolverChoice::Auto;
  double step_size = 0;  ///< of time stepping, in model time
  double theta = 1;      ///< of time stepping: 1 implicit Euler, 1/2 trapezoidal rule
  numerics::RootFinder root_finder = numerics::RootFinder::Toms748;
  numerics::RootDetection root_detection = numerics::RootDetection::Bernstein;
  /// Rows of equations in the modes of a part that are remembered: about a kilobyte each.
  std::int64_t kept_rows = 200'000;
  /// Conditions of a part from which on its mode is data where it can be
  /// (sim/part/mode_switches.h).
  std::size_t fewest_switches = 20;
  Sliding sliding = Sliding::Allow;
  Zeno zeno = Zeno::Auto;
  Jumps jumps = Jumps::Allow;
  Initial initial = Initial::Error;
  Requirements requirements = Requirements::Stop;
  StartValues start = StartValues::Keep;
};

}  // namespace chi::sim
