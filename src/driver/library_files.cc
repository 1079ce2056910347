#include <charconv>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "driver/read_model.h"

namespace chi::driver {

std::string_view embedded_library();  // made by cmake/EmbedText.cmake

std::span<const LibraryFile> library_files() {
  static const std::vector<LibraryFile> files = [] {
    std::vector<LibraryFile> found;
    std::string_view rest = embedded_library();
    while (!rest.empty()) {
      const std::size_t name_end = rest.find('\n');
      const std::size_t size_end = rest.find('\n', name_end + 1);
      std::size_t size = 0;
      std::from_chars(rest.data() + name_end + 1, rest.data() + size_end, size);
      CHI_CHECK(size_end + 1 + size <= rest.size(), "made by cmake/BundleFiles.cmake");
      found.push_back({rest.substr(0, name_end), rest.substr(size_end + 1, size)});
      rest.remove_prefix(size_end + 1 + size);
    }
    return found;
  }();
  return files;
}

}  // namespace chi::driver
