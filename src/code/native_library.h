#pragma once
#include "code/native/native.h"
#include "code/native/routines.h"

namespace chi::code {

/// What libchi_native.so offers (native/); null where there is no such library, or an old one.
struct NativeLibrary {
  decltype(&chi_native_compile) compile = nullptr;
  decltype(&chi_native_optimise) optimise = nullptr;
  decltype(&chi_native_function) function = nullptr;
  decltype(&chi_native_release) release = nullptr;
  decltype(&chi_native_compile_routines) compile_routines = nullptr;
  decltype(&chi_native_body) body = nullptr;
  decltype(&chi_native_release_routines) release_routines = nullptr;
};

/// The library, which is looked for beside the executable, beside its folder (also in `lib`), and
/// where the system has its libraries, when it is first asked for. For use by any thread.
const NativeLibrary& native_library();
/// Whether it was asked for: from then on it costs nothing.
bool native_library_was_opened();

}  // namespace chi::code
