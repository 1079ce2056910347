#include "code/native/jit.h"

#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassManagerBuilder.h>

namespace chi::code::native {
namespace {

bool start_llvm() {
  static const bool started = [] {
    LLVMLinkInMCJIT();
    return LLVMInitializeNativeTarget() == 0 && LLVMInitializeNativeAsmPrinter() == 0;
  }();
  return started;
}

/// The usual passes over each function by itself.
void optimise(LLVMModuleRef module, unsigned level) {
  const LLVMPassManagerBuilderRef builder = LLVMPassManagerBuilderCreate();
  LLVMPassManagerBuilderSetOptLevel(builder, level);
  const LLVMPassManagerRef passes = LLVMCreatePassManager();
  LLVMPassManagerBuilderPopulateModulePassManager(builder, passes);
  LLVMRunPassManager(passes, module);
  LLVMDisposePassManager(passes);
  LLVMPassManagerBuilderDispose(builder);
}

}  // namespace

std::unique_ptr<Jit> Jit::make(const char* name) {
  if (!start_llvm()) return nullptr;
  std::unique_ptr<Jit> jit(new Jit);
  jit->context_ = LLVMContextCreate();
  jit->module_ = LLVMModuleCreateWithNameInContext(name, jit->context_);
  return jit;
}

Jit::~Jit() {
  if (engine_ != nullptr) {
    LLVMDisposeExecutionEngine(engine_);
  } else {
    LLVMDisposeModule(module_);
  }
  LLVMContextDispose(context_);
}

bool Jit::compile(unsigned level) {
  LLVMMCJITCompilerOptions options;
  LLVMInitializeMCJITCompilerOptions(&options, sizeof options);
  options.OptLevel = level;
  options.EnableFastISel = level == 0 ? 1 : 0;
  char* error = nullptr;
  if (LLVMCreateMCJITCompilerForModule(&engine_, module_, &options, sizeof options, &error) != 0) {
    LLVMDisposeMessage(error);
    engine_ = nullptr;
    return false;
  }
  // The engine has told the module about this machine, and makes code when an address is asked for.
  if (level > 0) optimise(module_, level);
  return true;
}

std::uint64_t Jit::address(const char* name) const { return LLVMGetFunctionAddress(engine_, name); }

}  // namespace chi::code::native
