#include "code/random.h"

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace chi::code {
namespace {

// In any order, with more streams than are kept, and with keys that share a place.
TEST(SampleBlocks, AreTheFirstBlocks) {
  SampleBlocks blocks;
  std::uint64_t n = 1;
  for (int i = 0; i < 2000; ++i) {
    n = n * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t key = n >> 60 | (n >> 50 & 1) << 40;
    const std::uint64_t sample = i % 3 == 0 ? n >> 33 & 7 : n;
    ASSERT_EQ(blocks.first(key, sample), random_block(key, sample, 0));
  }
}

// Streams that are drawn from one sample after the other, alone and in turns, also with others that
// take their place.
TEST(SampleBlocks, ExponentialsAreThoseOfTheirSamples) {
  SampleBlocks blocks;
  const auto expect_same = [&](std::uint64_t key, std::uint64_t sample) {
    const double expected = -std::log(positive01_of(random_block(key, sample, 0)[0]));
    ASSERT_EQ(blocks.exponential(key, sample), expected);
    const double* const ready = blocks.ready_exponential(key, sample);
    ASSERT_NE(ready, nullptr);
    ASSERT_EQ(*ready, expected);
    ASSERT_EQ(blocks.first(key, sample), random_block(key, sample, 0));
  };
  for (const std::uint64_t turns : {1U, 2U, 5U, 23U, 1000U}) {
    for (std::uint64_t i = 0; i < 100; ++i) expect_same(0, i);
    for (std::uint64_t i = 0; i < 200; ++i) {
      expect_same(7, i);
      if (i % turns == turns - 1) expect_same(7 + (i << 32), i);  // the same remainder
    }
  }
  expect_same(7, ~std::uint64_t{0});  // the numbers of samples begin again
  expect_same(7, 0);
}

// The known answers published with Random123 for philox2x64, 10 rounds.
TEST(Random, GivesTheKnownAnswers) {
  EXPECT_EQ(random_block(0, 0, 0), (RandomBlock{0xca00a0459843d731, 0x66c24222c9a845b5}));
  EXPECT_EQ(random_block(~0ull, ~0ull, ~0ull),
            (RandomBlock{0x65b021d60cd8310f, 0x4d02f3222f86df20}));
  EXPECT_EQ(random_block(0xa4093822299f31d0, 0x243f6a8885a308d3, 0x13198a2e03707344),
            (RandomBlock{0x0a5e742c2997341c, 0xb0f883d38000de5d}));
}

// The bijection as section 3.3 of the paper writes it.
RandomBlock philox_of_the_paper(std::uint64_t key, std::uint64_t left, std::uint64_t right) {
  __extension__ using Wide = unsigned __int128;
  for (int round = 0; round < 10; ++round) {
    const Wide product = Wide{0xD2B74407B1CE6E93} * left;
    left = static_cast<std::uint64_t>(product >> 64) ^ key ^ right;
    right = static_cast<std::uint64_t>(product);
    key += 0x9E3779B97F4A7C15;
  }
  return {left, right};
}

TEST(Random, IsPhiloxOfThePaper) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t key = random(), sample = random(), block = random();
    EXPECT_EQ(random_block(key, sample, block), philox_of_the_paper(key, sample, block));
  }
}

// These numbers are part of what "same seed, same run" promises from version to version.
TEST(Random, StreamKeysStayTheSame) {
  EXPECT_EQ(stream_key(0, "d"), 2929557645520027107u);
  EXPECT_EQ(stream_key(1, "Line.M[2].d"), 4866527383742484235u);
}

TEST(Random, PlacesAndSeedsHaveDifferentKeys) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (int i = 0; i < 50'000; ++i)
      keys.insert(stream_key(seed, "M[" + std::to_string(i) + "].d"));
    keys.insert(stream_key(seed, ""));
    keys.insert(stream_key(seed, std::string(1, '\0')));
  }
  EXPECT_EQ(keys.size(), 3u * 50'002);
}

TEST(Random, WordsOfASampleAreItsBlocksInOrder) {
  SampleWords words(5, 7);
  for (std::uint64_t block = 0; block < 3; ++block) {
    const RandomBlock expected = random_block(5, 7, block);
    EXPECT_EQ(words.word(), expected[0]);
    EXPECT_EQ(words.word(), expected[1]);
  }
}

// Pearson's statistic over the pairs (sample of one stream, sample of the next stream), the places
// differing in one digit: uniform on the square, hence uniform and independent. 99.9 % point of
// chi-square with 255 degrees of freedom: 330.5.
TEST(Random, NeighbouringStreamsAreUniformAndIndependent) {
  constexpr int kPairs = 100'000;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const std::uint64_t a = stream_key(seed, "M[1].d");
    const std::uint64_t b = stream_key(seed, "M[2].d");
    const std::uint64_t c = stream_key(seed + 1, "M[1].d");
    std::vector<int> places(256), seeds(256), successive(256);
    for (std::uint64_t n = 0; n < kPairs; ++n) {
      const auto x = static_cast<std::size_t>(SampleWords(a, n).uniform01() * 16);
      ++places[x * 16 + static_cast<std::size_t>(SampleWords(b, n).uniform01() * 16)];
      ++seeds[x * 16 + static_cast<std::size_t>(SampleWords(c, n).uniform01() * 16)];
      ++successive[x * 16 + static_cast<std::size_t>(SampleWords(a, n + kPairs).uniform01() * 16)];
    }
    for (const std::vector<int>& cells : {places, seeds, successive}) {
      double statistic = 0;
      const double expected = kPairs / 256.0;
      for (const int count : cells) statistic += (count - expected) * (count - expected) / expected;
      EXPECT_LT(statistic, 330.5);
      EXPECT_GT(statistic, 190.9);  // the 0.1 % point: too even is wrong as well
    }
  }
}

TEST(Random, NumbersBelowABoundAreUnbiased) {
  // 3 * 2^62: of every four words two would give a multiple of three, if none were refused.
  const std::uint64_t n = std::uint64_t{3} << 62;
  int multiples = 0;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    const std::uint64_t x = SampleWords(9, i).below(n);
    ASSERT_LT(x, n);
    multiples += x % 3 == 0;
  }
  EXPECT_NEAR(multiples, 10'000, 4 * std::sqrt(30'000 * 2.0 / 9));
  EXPECT_EQ(SampleWords(9, 1).below(1), 0u);
}

TEST(Random, IntervalsAreAsDeclared) {
  double least = 1, greatest = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const double u = SampleWords(3, i).uniform01();
    const double v = SampleWords(3, i).positive01();
    EXPECT_EQ(v, u + 0x1p-53);
    least = std::min(least, u);
    greatest = std::max(greatest, v);
  }
  EXPECT_GE(least, 0.0);
  EXPECT_LE(greatest, 1.0);
}

}  // namespace
}  // namespace chi::code
