#include "code/native/routines.h"

#include <memory>
#include <string>
#include <vector>

#include "code/native/emit_routine.h"
#include "code/native/end_of_memory.h"
#include "code/native/jit.h"

namespace chi::code {
namespace {

struct CompiledRoutines {
  std::unique_ptr<native::Jit> jit;
  std::vector<NativeBody> bodies;
};

std::string name_of(std::int32_t routine) { return "chi_routine_" + std::to_string(routine); }

void* compile(const NativeRunView* run, const NativeRoutine* routines, std::int32_t count) {
  auto compiled = std::make_unique<CompiledRoutines>();
  compiled->jit = native::Jit::make("routines");
  if (compiled->jit == nullptr) return nullptr;
  for (std::int32_t i = 0; i < count; ++i)
    native::emit_routine(compiled->jit->module(), name_of(i).c_str(), *run, routines[i]);
  if (!compiled->jit->compile(native::Effort::All)) return nullptr;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::uint64_t address = compiled->jit->address(name_of(i).c_str());
    if (address == 0) return nullptr;
    compiled->bodies.push_back(reinterpret_cast<NativeBody>(static_cast<std::uintptr_t>(address)));
  }
  return compiled.release();
}

}  // namespace

std::uint32_t chi_native_routines_version() { return kNativeRoutinesVersion; }

void* chi_native_compile_routines(const NativeRunView* run, const NativeRoutine* routines,
                                  std::int32_t count) {
  return native::unless_out_of_memory([&] { return compile(run, routines, count); });
}

NativeBody chi_native_body(void* handle, std::int32_t routine) {
  return static_cast<CompiledRoutines*>(handle)->bodies[static_cast<std::size_t>(routine)];
}

void chi_native_release_routines(void* handle) { delete static_cast<CompiledRoutines*>(handle); }

}  // namespace chi::code
