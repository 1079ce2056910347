#include "base/output_file.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <gtest/gtest.h>

namespace chi {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() {
    std::string name = (fs::temp_directory_path() / "output_file_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~OutputFileTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  mode_t mode(const std::string& name) const {
    struct stat info {};
    stat(path(name).c_str(), &info);
    return info.st_mode & 07777;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static int put(const std::string& where, const std::string& text) {
    OutputFile file(where);
    file.write(text);
    return file.commit();
  }

  fs::path folder_;
};

TEST_F(OutputFileTest, TakesItsNameWhenComplete) {
  write("r", "old");
  {
    OutputFile file(path("r"));
    ASSERT_EQ(file.error(), 0);
    EXPECT_TRUE(file.write("new"));
    EXPECT_TRUE(file.flush());
    EXPECT_EQ(read("r"), "old");
    EXPECT_EQ(file.commit(), 0);
  }
  EXPECT_EQ(read("r"), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, LeavesNothingIfItIsDropped) {
  write("r", "old");
  { OutputFile(path("r")).write("half"); }
  { OutputFile(path("other")).write("half"); }
  EXPECT_EQ(read("r"), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, TextLongerThanTheBuffer) {
  const std::string piece(OutputFile::kBuffer / 3 * 2, 'x'), large(3 * OutputFile::kBuffer, 'y');
  OutputFile file(path("r"));
  EXPECT_TRUE(file.write(piece) && file.write(large) && file.write(piece));
  EXPECT_EQ(file.commit(), 0);
  EXPECT_EQ(read("r"), piece + large + piece);
}

TEST_F(OutputFileTest, KeepsModes) {
  for (const mode_t bits : {0600u, 0640u, 0755u, 0200u, 0666u}) {
    write("r", "old");
    chmod(path("r").c_str(), bits);
    EXPECT_EQ(put(path("r"), "new"), 0);
    EXPECT_EQ(mode("r"), bits);
    chmod(path("r").c_str(), 0600);
  }
}

TEST_F(OutputFileTest, ANewFileHasTheUsualMode) {
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(put(path("r"), "new"), 0);
  EXPECT_EQ(mode("r"), 0666 & ~mask);
}

TEST_F(OutputFileTest, RefusesReadOnlyFiles) {
  write("r", "old");
  chmod(path("r").c_str(), 0444);
  EXPECT_EQ(why_not_writable(path("r")), EACCES);
  EXPECT_EQ(put(path("r"), "new"), EACCES);
  EXPECT_EQ(read("r"), "old");
}

TEST_F(OutputFileTest, FollowsLinksToTheFile) {
  fs::create_directory(folder_ / "deep");
  write("deep/real", "old");
  fs::create_symlink("deep/real", path("one"));
  fs::create_symlink(path("one"), path("two"));
  fs::create_symlink("../new", path("deep/dangling"));
  EXPECT_EQ(put(path("one"), "1"), 0);
  EXPECT_EQ(read("deep/real"), "1");
  EXPECT_EQ(put(path("two"), "2"), 0);
  EXPECT_EQ(read("deep/real"), "2");
  EXPECT_EQ(put(path("deep/dangling"), "3"), 0);
  EXPECT_EQ(read("new"), "3");
  for (const char* link : {"one", "two", "deep/dangling"})
    EXPECT_TRUE(fs::is_symlink(path(link))) << link;
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(put(path("loop"), "4"), ELOOP);
}

TEST_F(OutputFileTest, NamesOfAnyLength) {
  const std::string longest(NAME_MAX, 'n');
  EXPECT_EQ(why_not_writable(path(longest)), 0);
  EXPECT_EQ(put(path(longest), "text"), 0);
  EXPECT_EQ(read(longest), "text");
  EXPECT_EQ(why_not_writable(path(longest + "n")), ENAMETOOLONG);
  std::string deep = path("d");
  while (deep.size() + 9 < PATH_MAX) {
    ::mkdir(deep.c_str(), 0700);
    deep += deep.size() + 300 < PATH_MAX ? "/" + std::string(200, 'd') : "/dddd";
  }
  const std::string at_the_end = deep.substr(0, deep.rfind('/')) + "/r";
  EXPECT_EQ(why_not_writable(at_the_end), 0) << at_the_end.size();
  EXPECT_EQ(put(at_the_end, "text"), 0);
}

TEST_F(OutputFileTest, PlacesWhereNothingCanBeWritten) {
  write("file", "text");
  EXPECT_EQ(why_not_writable(path("no/r")), ENOENT);
  EXPECT_EQ(why_not_writable(path("file/r")), ENOTDIR);
  EXPECT_EQ(why_not_writable(folder_.string()), EISDIR);
  EXPECT_EQ(why_not_writable(""), ENOENT);
  EXPECT_EQ(why_not_writable(path("new/")), ENOENT);
  EXPECT_EQ(put("/dev/full", "text"), ENOSPC);
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, SpecialFilesAreWrittenInPlace) {
  EXPECT_EQ(put("/dev/null", "text"), 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, ALogIsSeenAsItGrows) {
  write("log", "old");
  OutputFile file(path("log"), Naming::WithFirstContent);
  EXPECT_TRUE(file.flush());
  EXPECT_EQ(read("log"), "old");
  EXPECT_TRUE(file.write("one\n") && file.flush());
  EXPECT_EQ(read("log"), "one\n");
  EXPECT_TRUE(file.write("two\n") && file.flush());
  EXPECT_EQ(read("log"), "one\ntwo\n");
  EXPECT_EQ(file.commit(), 0);
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace chi
