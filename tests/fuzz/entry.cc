#include <cstddef>
#include <cstdint>

#include "targets.h"

// libFuzzer's side of a target; CHI_FUZZ_TARGET is its name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chi::fuzz::CHI_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
