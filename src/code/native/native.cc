#include "code/native/native.h"

#include <memory>

#include "code/native/emit.h"
#include "code/native/jit.h"

namespace chi::code {
namespace {

/// Measured: from 300 to 1000 instructions the compiler takes least time for each.
constexpr std::int32_t kPieceSize = 500;
/// A branch or a shared context beyond this size stays interpreted, and all with it.
constexpr std::int32_t kMostInFunction = 50'000;

struct Compiled {
  std::unique_ptr<native::Jit> jit;
  NativeFunction function = nullptr;
};

}  // namespace

std::uint32_t chi_native_version() { return kNativeVersion; }

void* chi_native_compile(const NativeProgram* program) {
  const native::Cut cut = native::cut_program(*program, kPieceSize);
  for (const native::Cut::Piece& piece : cut.pieces) {
    if (piece.end - piece.begin > kMostInFunction) return nullptr;
  }
  auto compiled = std::make_unique<Compiled>();
  compiled->jit = native::Jit::make("formulas");
  if (compiled->jit == nullptr) return nullptr;
  native::emit_program(compiled->jit->module(), *program, cut);
  // Measured on large systems: higher levels take 10 to 40 times as long and gain at most a fifth.
  if (!compiled->jit->compile(0)) return nullptr;
  const std::uint64_t address = compiled->jit->address("chi_formulas");
  compiled->function = reinterpret_cast<NativeFunction>(static_cast<std::uintptr_t>(address));
  return address == 0 ? nullptr : compiled.release();
}

NativeFunction chi_native_function(void* handle) {
  return static_cast<Compiled*>(handle)->function;
}

void chi_native_release(void* handle) { delete static_cast<Compiled*>(handle); }

}  // namespace chi::code
