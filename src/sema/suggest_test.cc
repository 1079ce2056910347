#include "sema/suggest.h"

#include <gtest/gtest.h>

namespace chi::sema {
namespace {

std::string find(std::string_view name, std::vector<std::string_view> candidates) {
  return nearest(name, candidates);
}

TEST(Nearest, FindsSlipsOfThePen) {
  EXPECT_EQ(find("levle", {"lever", "level", "bevel"}), "level") << "a swap is one slip";
  EXPECT_EQ(find("presure", {"pressure", "measure"}), "pressure");
  EXPECT_EQ(find("Qin", {"Qi", "Qout"}), "Qi");
}

TEST(Nearest, IsSilentAboutOtherNames) {
  EXPECT_EQ(find("pressure", {"volume", "x"}), "");
  EXPECT_EQ(find("x", {"y", "z"}), "") << "any letter is near a letter";
  EXPECT_EQ(find("ab", {"xy"}), "");
}

TEST(Nearest, TakesTheFirstOfEquals) { EXPECT_EQ(find("x10", {"x11", "x12"}), "x11"); }

}  // namespace
}  // namespace chi::sema
