#include "code/native/native.h"

#include <memory>

#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>

#include "code/native/emit.h"

namespace chi::code {
namespace {

/// Measured: from 300 to 1000 instructions the compiler takes least time for each.
constexpr std::int32_t kPieceSize = 500;
/// A branch or a shared context beyond this size stays interpreted, and all with it.
constexpr std::int32_t kMostInFunction = 50'000;

struct Compiled {
  LLVMContextRef context = nullptr;
  LLVMExecutionEngineRef engine = nullptr;
  NativeFunction function = nullptr;
  ~Compiled() {
    if (engine != nullptr) LLVMDisposeExecutionEngine(engine);
    if (context != nullptr) LLVMContextDispose(context);
  }
};

bool start_llvm() {
  static const bool started = [] {
    LLVMLinkInMCJIT();
    return LLVMInitializeNativeTarget() == 0 && LLVMInitializeNativeAsmPrinter() == 0;
  }();
  return started;
}

}  // namespace

std::uint32_t chi_native_version() { return kNativeVersion; }

void* chi_native_compile(const NativeProgram* program) {
  if (!start_llvm()) return nullptr;
  const native::Cut cut = native::cut_program(*program, kPieceSize);
  for (const native::Cut::Piece& piece : cut.pieces) {
    if (piece.end - piece.begin > kMostInFunction) return nullptr;
  }
  auto compiled = std::make_unique<Compiled>();
  compiled->context = LLVMContextCreate();
  const LLVMModuleRef module = LLVMModuleCreateWithNameInContext("formulas", compiled->context);
  native::emit_program(module, *program, cut);
  LLVMMCJITCompilerOptions options;
  LLVMInitializeMCJITCompilerOptions(&options, sizeof options);
  // Measured on large systems: higher levels take 10 to 40 times as long and gain at most a fifth.
  options.OptLevel = 0;
  options.EnableFastISel = 1;
  char* error = nullptr;
  if (LLVMCreateMCJITCompilerForModule(&compiled->engine, module, &options, sizeof options,
                                       &error) != 0) {
    LLVMDisposeMessage(error);
    LLVMDisposeModule(module);
    compiled->engine = nullptr;
    return nullptr;
  }
  const std::uint64_t address = LLVMGetFunctionAddress(compiled->engine, "chi_formulas");
  compiled->function = reinterpret_cast<NativeFunction>(static_cast<std::uintptr_t>(address));
  return address == 0 ? nullptr : compiled.release();
}

NativeFunction chi_native_function(void* handle) {
  return static_cast<Compiled*>(handle)->function;
}

void chi_native_release(void* handle) { delete static_cast<Compiled*>(handle); }

}  // namespace chi::code
