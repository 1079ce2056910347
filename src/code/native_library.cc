#include "code/native_library.h"

#include <array>
#include <atomic>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

#include <climits>

namespace chi::code {
namespace {

std::string executable_folder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  const std::string whole(path.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.rfind('/') + 1);
}

std::atomic<bool>& opened_flag() {
  static std::atomic<bool> opened = false;
  return opened;
}

NativeLibrary open_library() {
  opened_flag().store(true, std::memory_order_relaxed);
  const std::string folder = executable_folder(), name = "libchi_native.so";
  void* opened = nullptr;
  for (const std::string& place : {folder + name, folder + "../" + name, folder + "../lib/" + name,
                                   folder + "../lib/chi/native/" + name, name}) {
    if (opened == nullptr) opened = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (opened == nullptr) return {};
  const auto find = [opened]<class Function>(const char* symbol, Function*& result) {
    result = reinterpret_cast<Function*>(dlsym(opened, symbol));
    return result != nullptr;
  };
  std::uint32_t (*version)() = nullptr;
  NativeLibrary library;
  if (!find("chi_native_version", version) || version() != kNativeVersion) return {};
  if (!find("chi_native_routines_version", version) || version() != kNativeRoutinesVersion)
    return {};
  if (!find("chi_native_compile", library.compile) ||
      !find("chi_native_optimise", library.optimise) ||
      !find("chi_native_function", library.function) ||
      !find("chi_native_release", library.release) ||
      !find("chi_native_compile_routines", library.compile_routines) ||
      !find("chi_native_body", library.body) ||
      !find("chi_native_release_routines", library.release_routines))
    return {};
  return library;
}

}  // namespace

const NativeLibrary& native_library() {
  static const NativeLibrary opened = open_library();  // stays open
  return opened;
}

bool native_library_was_opened() { return opened_flag().load(std::memory_order_relaxed); }

}  // namespace chi::code
