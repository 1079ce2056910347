#include "code/compile_at_once.h"

#include <cstdlib>
#include <string_view>

namespace chi::code {

bool compile_at_once() {
  static const bool wished = [] {
    const char* const wish = std::getenv("CHI_COMPILE");
    return wish != nullptr && std::string_view(wish) == "at-once";
  }();
  return wished;
}

}  // namespace chi::code
