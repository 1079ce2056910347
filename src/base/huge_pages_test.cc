#include "base/huge_pages.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace chi {
namespace {

struct alignas(64) Line {
  std::int64_t value = 7;
};

// From a few bytes to some pages, as it grows.
TEST(HugePages, KeepWhatIsPutThere) {
  std::vector<std::int64_t, HugePages<std::int64_t>> numbers;
  constexpr std::int64_t kCount = 1'500'000;
  for (std::int64_t i = 0; i < kCount; ++i) numbers.push_back(i);
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0}),
            kCount * (kCount - 1) / 2);
  numbers.resize(3);
  numbers.shrink_to_fit();
  EXPECT_EQ(numbers.back(), 2);
}

TEST(HugePages, AreAlignedAsTheirElements) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{100'000}}) {
    const std::vector<Line, HugePages<Line>> lines(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines.data()) % 64, 0U);
    EXPECT_EQ(lines.back().value, 7);
  }
}

}  // namespace
}  // namespace chi
