#pragma once
#include <atomic>
#include <cstdint>

#include "code/formulas_program.h"

// The border between the formulas and their compiler, which is a shared library of its own: only it
// knows LLVM, and it is loaded only by runs that are long enough.
namespace chi::code {

/// Changes whenever anything below does, or FormulaInstruction: an old library is not used.
inline constexpr std::uint32_t kNativeVersion = 2;

/// What compiled code calls, so that it computes with the very functions of the interpreter.
struct NativeHelpers {
  using Unary = double (*)(double);
  using Binary = double (*)(double, double);
  Unary unary[expr::kOpCount] = {};  ///< NaN where there is a fault
  Binary power = nullptr;            ///< NaN where there is a fault
  Binary atan2 = nullptr;
  /// Call number `call` of the program; its arguments are in the frame and in scratch. NaN where
  /// there is a fault.
  double (*call)(void* context, std::int32_t call, const double* frame) = nullptr;
};

/// A `FormulaProgram`, seen from the library.
struct NativeProgram {
  const FormulaInstruction* code = nullptr;
  std::int32_t code_size = 0;
  const double* constants = nullptr;
  std::int32_t constants_size = 0;
  const std::int32_t* roots = nullptr;
  std::int32_t roots_size = 0;
  const FormulaCall* calls = nullptr;
  const std::int32_t* arguments = nullptr;
  std::int32_t places = 0;
  std::int32_t shared = 0;
  NativeHelpers helpers;
};

/// Like `run_fast` followed by the check of the roots: fills `out`; 0 if all is well, else there
/// may be a fault and `out` means nothing. `demanded` and `run` are those of the workspace;
/// `context` is passed on to `NativeHelpers::call`.
using NativeFunction = std::int32_t (*)(const double* frame, double* scratch, double* out,
                                        std::uint64_t* demanded, std::uint64_t run, void* context);

#ifndef CHI_NATIVE_EXPORT
#define CHI_NATIVE_EXPORT __attribute__((visibility("default")))
#endif
extern "C" {
/// The names under which the loader looks for them.
CHI_NATIVE_EXPORT std::uint32_t chi_native_version();
/// A handle of compiled code, or null if it could not be compiled. Soon done.
CHI_NATIVE_EXPORT void* chi_native_compile(const NativeProgram* program);
/// The same, better code after 10 to 40 times as long. Null soon after `given_up`.
CHI_NATIVE_EXPORT void* chi_native_optimise(const NativeProgram* program,
                                            const std::atomic<bool>* given_up);
CHI_NATIVE_EXPORT NativeFunction chi_native_function(void* handle);
CHI_NATIVE_EXPORT void chi_native_release(void* handle);
}

}  // namespace chi::code
