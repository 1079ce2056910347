#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace chi {
namespace {

// Everything the fuzzer ever found interesting, and all models in the tree.
TEST(FrontEndFuzz, ReplaysCorpusAndModels) {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"/tests/fuzz/corpus", "/tests/golden", "/tests/papers", "/examples"}) {
    const std::filesystem::path root = std::string(CHI_SOURCE_DIR) + folder;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 50u);
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
}

}  // namespace
}  // namespace chi
