#pragma once
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
  ~NativeFormulas();
  NativeFormulas(const NativeFormulas&) = delete;
  NativeFormulas& operator=(const NativeFormulas&) = delete;

  /// Like `run_fast`, and fills `out`. False if there may be a fault.
  bool run(const FormulaProgram& program, FormulaWorkspace& work, const double* frame, double* out,
           Boxes* boxes) const;

 private:
  NativeFormulas() = default;
  void* handle_ = nullptr;
  void* function_ = nullptr;
};

}  // namespace chi::code
