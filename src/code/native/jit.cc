#include "code/native/jit.h"

#include <exception>

#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassManagerBuilder.h>
#include <llvm-c/Transforms/Scalar.h>
#include <llvm-c/Transforms/Utils.h>

#include "code/native/end_of_memory.h"

namespace chi::code::native {
namespace {

bool start_llvm() {
  static const bool started = [] {
    LLVMLinkInMCJIT();
    return LLVMInitializeNativeTarget() == 0 && LLVMInitializeNativeAsmPrinter() == 0;
  }();
  return started;
}

void add_all(LLVMPassManagerRef passes) {
  const LLVMPassManagerBuilderRef builder = LLVMPassManagerBuilderCreate();
  LLVMPassManagerBuilderSetOptLevel(builder, 2);
  LLVMPassManagerBuilderPopulateModulePassManager(builder, passes);
  LLVMPassManagerBuilderDispose(builder);
}

void optimise(LLVMModuleRef module, Effort effort) {
  const LLVMPassManagerRef passes = LLVMCreatePassManager();
  if (effort == Effort::All) {
    add_all(passes);
  } else {
    LLVMAddPromoteMemoryToRegisterPass(passes);
    LLVMAddEarlyCSEPass(passes);
    LLVMAddCFGSimplificationPass(passes);
  }
  LLVMRunPassManager(passes, module);
  LLVMDisposePassManager(passes);
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
  if (has_llvm_failed() || std::uncaught_exceptions() > 0) return;
  if (engine_ != nullptr) {
    LLVMDisposeExecutionEngine(engine_);
  } else {
    LLVMDisposeModule(module_);
  }
  LLVMContextDispose(context_);
}

bool Jit::compile(Effort effort) {
  LLVMMCJITCompilerOptions options;
  LLVMInitializeMCJITCompilerOptions(&options, sizeof options);
  options.OptLevel = effort == Effort::Least ? 0 : 2;
  options.EnableFastISel = effort == Effort::Least ? 1 : 0;
  char* error = nullptr;
  if (LLVMCreateMCJITCompilerForModule(&engine_, module_, &options, sizeof options, &error) != 0) {
    LLVMDisposeMessage(error);
    engine_ = nullptr;
    return false;
  }
  // The engine has told the module about this machine, and makes code when an address is asked for.
  if (effort != Effort::Least) optimise(module_, effort);
  return true;
}

std::uint64_t Jit::address(const char* name) const { return LLVMGetFunctionAddress(engine_, name); }

}  // namespace chi::code::native
