#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "code/background.h"
#include "code/formulas.h"
#include "code/formulas_batches.h"
#include "code/formulas_native.h"
#include "code/formulas_program.h"
#include "code/formulas_run.h"

namespace chi::code {

/// Evaluates a program without looking for faults, by better code the more often it is done.
///
/// Interpreted at first. After a few evaluations a long program of plain arithmetic is done by
/// loops; after some thousands any other is compiled quickly; after some hundred thousands a thread
/// beside the run compiles either well, and its code is used from the next evaluation on that finds
/// it ready. Only one program of a process is compiled well at a time: the others wait, and one
/// core stays for the run.
class FormulaTiers {
 public:
  /// The program outlives this, and does not change.
  FormulaTiers(const FormulaProgram& program, FormulaWorkspace& work, Boxes* boxes);
  /// Waits for the thread, which gives up soon.
  ~FormulaTiers();
  FormulaTiers(const FormulaTiers&) = delete;
  FormulaTiers& operator=(const FormulaTiers&) = delete;

  /// Values of the roots into `out`; false if there may be a fault.
  bool run(const double* frame, double* out) {
    if (--until_look_ < 0) [[unlikely]]
      look();
    if (native_ != nullptr) return native_->run(program_, work_, frame, out, boxes_);
    if (batches_) return batches_->run(frame, out);
    return run_fast(program_, work_, frame, boxes_) && take(frame, out);
  }
  /// The roots that a run left in the workspace; false if one of them is NaN.
  bool take(const double* frame, double* out) const;

  bool make_native();
  bool make_optimised();
  void start_optimising();
  FormulaTier tier() const;

 private:
  // What is looked for next.
  enum class Stage { Loops, Compile, Optimise, Collect, Nothing };

  void look();
  void next(Stage stage, std::int64_t evaluations);
  void compile();
  void optimise();
  void collect();
  std::int64_t size() const { return static_cast<std::int64_t>(program_.code.size()); }

  const FormulaProgram& program_;
  FormulaWorkspace& work_;
  Boxes* boxes_;
  std::unique_ptr<NativeFormulas> native_;
  std::optional<FormulaBatches> batches_;
  Stage stage_ = Stage::Loops;
  std::int64_t until_look_ = 0;  // evaluations
  bool is_optimised_ = false;
  std::atomic<bool> given_up_ = false;
  std::unique_ptr<NativeFormulas> optimised_;  // the thread's, until it is collected
  Background optimiser_;                       // last: what it uses is still there
};

}  // namespace chi::code
