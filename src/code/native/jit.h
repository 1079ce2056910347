#pragma once
#include <cstdint>
#include <memory>

#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>

namespace chi::code::native {

/// A module on its way to machine code, and the code.
class Jit {
 public:
  /// Null if this machine has no compiler.
  static std::unique_ptr<Jit> make(const char* name);
  ~Jit();
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;

  LLVMModuleRef module() const { return module_; }
  /// Compiles what was written into the module, at LLVM's level 0 (fast) to 3. Once.
  bool compile(unsigned level);
  /// Of a compiled function; 0 if there is none of that name.
  std::uint64_t address(const char* name) const;

 private:
  Jit() = default;
  LLVMContextRef context_ = nullptr;
  LLVMModuleRef module_ = nullptr;  // of the engine, once there is one
  LLVMExecutionEngineRef engine_ = nullptr;
};

}  // namespace chi::code::native
