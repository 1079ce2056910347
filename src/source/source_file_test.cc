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

}  // namespace
}  // namespace chi
