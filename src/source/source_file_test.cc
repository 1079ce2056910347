#include "source/source_file.h"

#include <gtest/gtest.h>

namespace chi {
namespace {

TEST(SourceFile, CountsLinesFromOneAndColumnsInCharacters) {
  const SourceFile file("m.chi", "ab\n\xCF\x87 x\r\n\nlast");
  EXPECT_EQ(file.line_count(), 4);
  EXPECT_EQ(file.line(1), "ab");
  EXPECT_EQ(file.line(2), "\xCF\x87 x");
  EXPECT_EQ(file.line(3), "");
  EXPECT_EQ(file.line(4), "last");
  EXPECT_EQ(file.position(0).column, 1);
  EXPECT_EQ(file.position(6).line, 2);
  EXPECT_EQ(file.position(6).column, 3);  // χ is two bytes and one column
  EXPECT_EQ(file.where({6, 7}), "m.chi:2:3");
}

TEST(SourceFile, ClipsSpansToTheText) {
  const SourceFile file("m.chi", "abc");
  EXPECT_EQ(file.text({1, 100}), "bc");
  EXPECT_EQ(file.text({-5, 2}), "ab");
  EXPECT_EQ(file.text({50, 60}), "");
  EXPECT_EQ(file.position(100).line, 1);
}

TEST(SourceFile, TakesAnEmptyText) {
  const SourceFile file("m.chi", "");
  EXPECT_EQ(file.line_count(), 1);
  EXPECT_EQ(file.line(1), "");
  EXPECT_EQ(file.where({0, 0}), "m.chi:1:1");
}

TEST(SourceFile, FilesOfAModelShareOneSpaceOfOffsets) {
  SourceFile main("m.chi", "ab\ncd");
  const SourceFile& part = main.add("part.chi", "x\nyz\n");
  const SourceFile& last = main.add("last.chi", "");
  EXPECT_EQ(main.file_count(), 3);
  EXPECT_EQ(part.begin(), 6);
  EXPECT_EQ(last.begin(), 12);
  EXPECT_EQ(&main.at(5), &main);  // the end of the main file
  EXPECT_EQ(&main.at(6), &part);
  EXPECT_EQ(&main.at(12), &last);
  EXPECT_EQ(main.text({8, 10}), "yz");
  EXPECT_EQ(main.text({8, 100}), "yz\n");
  EXPECT_EQ(main.where({9, 10}), "part.chi:2:2");
  EXPECT_EQ(main.where({4, 5}), "m.chi:2:2");
  EXPECT_EQ(main.where({12, 12}), "last.chi:1:1");
  EXPECT_EQ(part.line(2), "yz");
  EXPECT_EQ(part.where({9, 10}), "part.chi:2:2");
}

TEST(SourceFile, CountsColumnsOfLongLines) {
  std::string text = "first\n";
  for (int i = 0; i < 3000; ++i) text += i % 7 == 3 ? "\xFF" : i % 2 == 0 ? "\xCF\x87" : "x";
  const SourceFile file("m.chi", text + "\nlast");
  for (const int i : {1, 500, 1024, 1500, 2047, 3000}) {
    std::size_t offset = 6;  // of character i
    for (int k = 0; k + 1 < i; ++k) offset += k % 7 != 3 && k % 2 == 0 ? 2 : 1;
    const Position p = file.position(static_cast<std::int32_t>(offset));
    EXPECT_EQ(p.line, 2);
    EXPECT_EQ(p.column, i);
  }
  EXPECT_EQ(file.position(static_cast<std::int32_t>(text.size()) + 3).column, 3);
}

}  // namespace
}  // namespace chi
