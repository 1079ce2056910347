#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "driver/inspection.h"
#include "expr/linearity.h"
#include "source/source_file.h"

namespace chi::driver {

/// What is known of the equations of one part in one mode, in words and numbers: for reports.
struct ModeStructure {
  struct Equation {
    std::string text;     ///< `y = x + 1`, with full names
    std::string where;    ///< file:line:column; empty: no equation of the model
    int times = 0;        ///< differentiated so often
    std::string unknown;  ///< the value it is matched with; empty: none
    bool is_redundant = false;
    bool is_check = false;  ///< without unknowns: it must hold for the known values
  };
  /// An equation that was replaced by a sum of equations and their derivatives.
  struct Combined {
    std::int32_t equation = 0;
    std::string of;  ///< "(3) - (2)'"
  };
  struct Row {
    std::int32_t equation = 0;
    int order = 0;  ///< differentiated so often
  };
  struct Block {
    std::int32_t first = 0, count = 0;  ///< rows and unknowns of its Blocks
    expr::Linearity linearity = expr::Linearity::Nonlinear;
    std::vector<std::string> torn;  ///< unknowns to iterate on
  };
  /// Equations in the order in which they are solved.
  struct Blocks {
    std::vector<Row> rows;
    std::vector<std::string> unknowns;
    std::vector<Block> blocks;
    /// Which row contains which unknown, by number in `unknowns`.
    std::vector<std::pair<std::int32_t, std::int32_t>> entries;
    int too_many_rows = 0, too_many_unknowns = 0;  ///< of what does not match one to one
  };
  struct Singular {
    std::string kind;  ///< over, under or contradiction
    std::vector<std::int32_t> equations;
    std::vector<std::string> unknowns;
    Diagnostic why;
  };

  std::int32_t part = 0;
  double time = 0;   ///< when the run came to it
  std::string mode;  ///< "x - 1 > 0"; empty: there is only one
  std::vector<Equation> equations;
  std::vector<std::string> knowns;  ///< variables that are no unknowns in this mode
  std::vector<std::string> knowns_ip, unknowns_ip, unknowns_ivp, declared;  ///< P1 §4
  std::vector<std::string> units;  ///< `v [V]`, of the variables in it that have a unit
  int index = 0, structural_index = 0, degrees_of_freedom = 0;
  std::vector<std::string> states, dummies;
  bool chose_states = false;  ///< the declarations left a choice
  std::vector<Combined> combined;
  Blocks ip, ivp;
  std::optional<Singular> singular;
  bool is_static = false;  ///< singular, but with a solution at an instant
  std::vector<std::string> warnings;
};

/// The structure of a model: of the parts in the modes in which time would pass, or in all that a
/// run met.
struct ModelStructure {
  std::vector<ModeStructure> parts;   ///< one for each part that has equations
  std::vector<ModeStructure> met;     ///< with `all_modes`: further modes, as they were met
  std::vector<std::string> memories;  ///< variables that discrete equations remember
  std::optional<Diagnostic> failure;  ///< why the run failed, if not because they are singular
  bool is_singular() const;
};

/// Requires that the inspection has run. Parts that are not settled, because the run failed before,
/// are as far as possible.
ModelStructure analyse(Inspection& inspection, const SourceFile& source, bool all_modes);

}  // namespace chi::driver
