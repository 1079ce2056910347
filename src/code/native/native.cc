#include "code/native/native.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "code/native/emit.h"
#include "code/native/end_of_memory.h"
#include "code/native/jit.h"

namespace chi::code {
namespace {

/// Measured: from 300 to 1000 instructions the compiler takes least time for each.
constexpr std::int32_t kPieceSize = 500;
/// A branch or a shared context beyond this size stays interpreted, and all with it.
constexpr std::int32_t kMostInFunction = 50'000;
/// The same for optimised code, for which longer functions take much longer.
constexpr std::int32_t kMostOptimised = 2'000;

struct Compiled {
  std::vector<std::unique_ptr<native::Jit>> jits;
  std::vector<NativeFunction> pieces;  // where optimised code finds them
  NativeFunction function = nullptr;

  native::Jit* add_jit(const char* name) {
    std::unique_ptr<native::Jit> jit = native::Jit::make(name);
    if (jit == nullptr) return nullptr;
    return jits.emplace_back(std::move(jit)).get();
  }
};

NativeFunction function_of(const native::Jit& jit, const char* name) {
  return reinterpret_cast<NativeFunction>(static_cast<std::uintptr_t>(jit.address(name)));
}

bool has_long_piece(const native::Cut& cut, std::int32_t most) {
  return std::any_of(cut.pieces.begin(), cut.pieces.end(),
                     [most](const auto& piece) { return piece.end - piece.begin > most; });
}

}  // namespace

std::uint32_t chi_native_version() { return kNativeVersion; }

namespace {

void* compile(const NativeProgram* program) {
  const native::Cut cut = native::cut_program(*program, kPieceSize);
  if (has_long_piece(cut, kMostInFunction)) return nullptr;
  auto compiled = std::make_unique<Compiled>();
  native::Jit* const jit = compiled->add_jit("formulas");
  if (jit == nullptr) return nullptr;
  native::ProgramWriter(*program, cut).write_all(jit->module());
  if (!jit->compile(native::Effort::Least)) return nullptr;
  compiled->function = function_of(*jit, "chi_formulas");
  return compiled->function == nullptr ? nullptr : compiled.release();
}

// One piece after the other, so that one can stop between them; LLVM itself cannot be stopped.
void* optimise(const NativeProgram* program, const std::atomic<bool>* given_up) {
  const native::Cut cut = native::cut_program(*program, kPieceSize);
  if (has_long_piece(cut, kMostOptimised)) return nullptr;
  auto compiled = std::make_unique<Compiled>();
  compiled->pieces.resize(cut.pieces.size());
  native::ProgramWriter writer(*program, cut);
  for (std::size_t k = 0; k <= cut.pieces.size(); ++k) {
    if (given_up->load(std::memory_order_relaxed)) return nullptr;
    const bool last = k == cut.pieces.size();
    native::Jit* const jit = compiled->add_jit("optimised formulas");
    if (jit == nullptr) return nullptr;
    if (last) {
      writer.write_main(jit->module(), compiled->pieces.data());
    } else {
      writer.write_piece(jit->module(), k, compiled->pieces.data());
    }
    if (!jit->compile(native::Effort::Clean)) return nullptr;
    NativeFunction& function = last ? compiled->function : compiled->pieces[k];
    function = function_of(*jit, last ? "chi_formulas" : "chi_piece");
    if (function == nullptr) return nullptr;
  }
  return compiled.release();
}

}  // namespace

void* chi_native_compile(const NativeProgram* program) {
  return native::unless_out_of_memory([&] { return compile(program); });
}

void* chi_native_optimise(const NativeProgram* program, const std::atomic<bool>* given_up) {
  return native::unless_out_of_memory([&] { return optimise(program, given_up); });
}

NativeFunction chi_native_function(void* handle) {
  return static_cast<Compiled*>(handle)->function;
}

void chi_native_release(void* handle) { delete static_cast<Compiled*>(handle); }

}  // namespace chi::code
