#include <charconv>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "driver/read_model.h"

namespace chi::driver {

// Made by cmake/EmbedText.cmake.
std::string_view embedded_library();
std::string_view embedded_examples();

namespace {

std::vector<LibraryFile> files_of(std::string_view rest) {
  std::vector<LibraryFile> found;
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
}

}  // namespace

std::span<const LibraryFile> library_files() {
  static const std::vector<LibraryFile> files = files_of(embedded_library());
  return files;
}

std::span<const LibraryFile> library_examples() {
  static const std::vector<LibraryFile> files = files_of(embedded_examples());
  return files;
}

}  // namespace chi::driver
