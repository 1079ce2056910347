#pragma once
#include <cstdint>
#include <memory>

#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>

namespace chi::code::native {

/// How well to compile. Measured on formulas: `Clean` takes 5 to 20 times as long as `Least`, and
/// its code two thirds of the time; `All` takes half as long again as `Clean` for the same code,
/// because formulas come without common subexpressions, loops or calls to be inlined.
enum class Effort {
  Least,  ///< FastISel
  Clean,  ///< level 2 of the code generator behind a few passes
  All,    ///< level 2 with all its passes
};

/// A module on its way to machine code, and the code.
class Jit {
 public:
  /// Null if this machine has no compiler.
  static std::unique_ptr<Jit> make(const char* name);
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  LLVMModuleRef module() const { return module_; }
  /// Compiles what was written into the module. Once.
  bool compile(Effort effort);
  /// Of a compiled function; 0 if there is none of that name.
  std::uint64_t address(const char* name) const;

 private:
  Jit() = default;
  LLVMContextRef context_ = nullptr;
  LLVMModuleRef module_ = nullptr;  // of the engine, once there is one
  LLVMExecutionEngineRef engine_ = nullptr;
};

}  // namespace chi::code::native
