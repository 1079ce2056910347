#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "code/formulas.h"
#include "code/interpreter.h"
#include "code/lower_box.h"
#include "code/machine.h"
#include "flat/flat_model.h"

namespace chi::code {

/// Where the variables of a model lie in the memory of a run.
struct BoxPlaces {
  std::vector<std::int64_t> blocks;                    ///< first slot of the frame of each block
  std::function<std::int64_t(std::int32_t)> variable;  ///< slot in memory of a slot of the model
};

/// The black boxes of a model, run by the interpreter: χ functions that have no body in `expr`, and
/// boxed expressions, in the frame of their process instance.
///
/// Each box is prepared when it is first asked for; the model may get more boxes during the run.
/// Calls leave memory and clock as they were. Has an interpreter of its own, so that it may be
/// called while statements wait for the equations to be solved.
class ModelBoxes : public Boxes {
 public:
  /// All outlive this. Boxes add constants to `program`.
  ModelBoxes(flat::FlatModel& model, Program& program, Machine& machine, BoxPlaces places);
  ~ModelBoxes() override;

  /// The variables that a boxed expression reads are its arguments; others are as in memory.
  double call(expr::FunctionId f, std::span<const double> arguments) override;
  /// The value of a discrete input, as in memory: NaN if it has none. Truth values are 0 and 1.
  double discrete(expr::DiscreteId d);

  /// Where it is an error to be outside a table, that begins so far from the data: relative to
  /// them, plus `absolute`.
  void set_table_margin(double relative, double absolute) {
    relative_margin_ = relative;
    absolute_margin_ = absolute;
  }

  void forget_failures() override { ++epoch_; }

  const Failure* failure(expr::FunctionId f) const override;
  const Failure* failure(expr::DiscreteId d) const override;

  /// To set limits and interrupts. The work of each call counts for itself.
  Interpreter& interpreter() { return interpreter_; }

 private:
  struct Box;
  using Key = std::tuple<std::int32_t, std::int32_t, UnwindingIndices, std::int32_t>;

  Box& function_box(expr::FunctionId f);
  double table(expr::FunctionId f, const flat::TableFunction& source,
               std::span<const double> arguments);
  void fail_table(expr::FunctionId f, const sema::LookupTable& table,
                  const flat::TableFunction& source, std::span<const double> arguments);
  std::unique_ptr<Box> make(const flat::UserFunction& source);
  std::unique_ptr<Box> make(const flat::BoxFunction& source);
  std::unique_ptr<Box> make(const flat::BlackBox& source, const flat::BoxFunction* inputs);
  std::int32_t flat_slot(const flat::Block& block, sema::DeclId decl) const;
  std::int64_t variable_slot(const flat::BlackBox& source, sema::DeclId decl) const;
  bool set_argument(Box& box, std::size_t i, double value);
  double run(Box& box);
  void fail(Box& box, const Failure& failure) const;

  flat::FlatModel& model_;
  Program& program_;
  Machine& machine_;
  BoxPlaces places_;
  Interpreter interpreter_;
  BoxLowering lowering_;
  std::map<Key, std::unique_ptr<BoxRoutine>> routines_;  // shared by instances of a body
  std::vector<std::unique_ptr<Box>> functions_;
  std::vector<std::unique_ptr<Box>> discrete_;
  double relative_margin_ = 0, absolute_margin_ = 0;
  /// The number outside the data that a piece was last asked for, by table and variable.
  std::map<std::pair<sema::DeclId, int>, double> outside_;
  std::int64_t epoch_ = 0;  // of failures to be told
};

}  // namespace chi::code
