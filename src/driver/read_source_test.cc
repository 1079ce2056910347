#include "driver/read_source.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "driver/write_file.h"

namespace chi::driver {
namespace {

class Files : public testing::Test {
 protected:
  Files() {
    std::string name = (std::filesystem::temp_directory_path() / "chi_files_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Files() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }
  /// The code of the only thing reported.
  std::string_view code() const {
    return diagnostics_.all().size() == 1 ? code_text(diagnostics_.all()[0].code) : "none";
  }

  std::filesystem::path folder_;
  Diagnostics diagnostics_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string text("proc P() = |[ ]|\n\0\xff bytes", 26);
  ASSERT_TRUE(write_file(path("m.chi"), text, diagnostics_));
  const auto source = read_source(path("m.chi"), diagnostics_);
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->text(), text);
  EXPECT_EQ(source->name(), path("m.chi"));
  EXPECT_TRUE(diagnostics_.all().empty());
}

TEST_F(Files, WritingReplacesTheWholeFileAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file(path("r.csv"), std::string(100'000, 'x'), diagnostics_));
  ASSERT_TRUE(write_file(path("r.csv"), "short", diagnostics_));
  EXPECT_EQ(text_of(path("r.csv")), "short");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_),
                          std::filesystem::directory_iterator{}),
            1);
}

TEST_F(Files, MissingFilesAndFoldersAreReported) {
  EXPECT_FALSE(read_source(path("missing.chi"), diagnostics_).has_value());
  EXPECT_EQ(code(), "E0001");
  Diagnostics folder;
  EXPECT_FALSE(read_source(folder_.string(), folder).has_value());
  ASSERT_EQ(folder.all().size(), 1u);
  Diagnostics writing;
  EXPECT_FALSE(write_file(path("no/such/folder.csv"), "text", writing));
  ASSERT_EQ(writing.all().size(), 1u);
  EXPECT_EQ(code_text(writing.all()[0].code), "E0003");
  EXPECT_NE(writing.all()[0].message.find("no/such/folder.csv"), std::string::npos);
}

TEST_F(Files, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  EXPECT_FALSE(write_file("/dev/full", "text", diagnostics_));
  EXPECT_EQ(code(), "E0003");
}

}  // namespace
}  // namespace chi::driver
