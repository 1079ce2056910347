#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "targets.h"

namespace chi {
namespace {

/// Everything in these folders; how many files there were.
std::size_t replay(void (*target)(std::string_view), const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> files;
  for (const std::string& folder : folders) {
    const std::filesystem::path root = std::string(CHI_SOURCE_DIR) + folder;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    target(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  return files.size();
}

// Everything the fuzzers ever found interesting; for the front end all models in the tree, too.
TEST(FrontEndFuzz, ReplaysCorpusAndModels) {
  EXPECT_GT(
      replay(fuzz::frontend, {"/tests/fuzz/corpus", "/tests/golden", "/tests/papers", "/examples"}),
      50u);
}

TEST(ResultsFuzz, ReplaysCorpus) {
  EXPECT_GT(replay(fuzz::results, {"/tests/fuzz/corpus_results"}), 20u);
}

TEST(StatementsFuzz, ReplaysCorpus) {
  EXPECT_GT(replay(fuzz::statements, {"/tests/fuzz/corpus_statements"}), 20u);
}

// Programs that no fuzzer chose: the generator alone reaches most of the interpreter.
TEST(StatementsFuzz, RunsRandomPrograms) {
  std::mt19937 random(1);  // NOLINT: the same programs every time
  for (int i = 0; i < 500; ++i) {
    std::string bytes(random() % 400, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random());
    fuzz::statements(bytes);
  }
}

}  // namespace
}  // namespace chi
