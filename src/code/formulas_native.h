#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "code/formulas_program.h"
#include "code/formulas_run.h"

namespace chi::code {

/// A program compiled by the library libchi_native.so (native/native.h), which is looked for beside
/// the executable, beside its folder (also in `lib`), and where the system has its libraries, when
/// the first program is to be compiled.
class NativeFormulas {
 public:
  /// Null if there is no such library or it cannot do it: then one goes on interpreting.
  static std::unique_ptr<NativeFormulas> compile(const FormulaProgram& program);
  /// The same for better code, which takes long; for a thread beside the run. Null soon after
  /// somebody has set `given_up`. The bits are the same: nothing is contracted or reassociated.
  static std::unique_ptr<NativeFormulas> optimise(const FormulaProgram& program,
                                                  const std::atomic<bool>& given_up);
  ~NativeFormulas();
  NativeFormulas(const NativeFormulas&) = delete;
  NativeFormulas& operator=(const NativeFormulas&) = delete;

  /// Like `run_fast`, and fills `out`. False if there may be a fault.
  bool run(const FormulaProgram& program, FormulaWorkspace& work, const double* frame, double* out,
           Boxes* boxes) const;

 private:
  explicit NativeFormulas(void* handle);
  void* handle_ = nullptr;
  void* function_ = nullptr;
};

}  // namespace chi::code
