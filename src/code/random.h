#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chi::code {

/// Counter-based random numbers: Philox2x64-10 of [1]. A stream is a 64-bit key; sample number n of
/// it sees the words of the blocks (n, 0), (n, 1), ...: 128 random bits each, a pure function of
/// key, n and block. So sample n of a stream is the same whatever was drawn before, by whatever
/// method: changing a model's exponential(2.0) into gamma(2.0, 1.0) leaves all other samples alone.
///
/// [1] J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
///     1, 2, 3", SC'11, 2011. See docs/theory/random-streams.md.
using RandomBlock = std::array<std::uint64_t, 2>;
RandomBlock random_block(std::uint64_t key, std::uint64_t sample, std::uint64_t block);

/// The key of the stream at `place`, a stable name such as "Line.M[2].d". Different places and
/// seeds give unrelated keys (64 bits: among a million streams two are equal once in 10^7 models).
std::uint64_t stream_key(std::uint64_t seed, std::string_view place);

/// The first blocks of samples, made for several samples at a time: they do not depend on each
/// other, so that a processor makes them side by side, and most samples need no other. Keeps some
/// streams; what is kept changes no sample.
///
/// Of a stream that comes anew one sample is made. While no other stream takes its place, more are
/// made each time: many streams that push each other out cost no sample that nobody asks for.
class SampleBlocks {
 public:
  /// random_block(key, sample, 0).
  const RandomBlock& first(std::uint64_t key, std::uint64_t sample) {
    Row& row = rows_[key % kRows];
    if (row.key != key || sample - row.start >= row.size) fill(row, key, sample);
    return row.blocks[sample - row.start];
  }
  /// -log(u) of the first word of a sample, u as `SampleWords::positive01` has it: an exponential
  /// of mean 1. The logarithms of several samples overlap as well.
  double exponential(std::uint64_t key, std::uint64_t sample) {
    if (const double* const ready = ready_exponential(key, sample)) return *ready;
    return fill_exponentials(rows_[key % kRows], key, sample);
  }
  /// The same, if it is made already; else null.
  const double* ready_exponential(std::uint64_t key, std::uint64_t sample) const {
    const Row& row = rows_[key % kRows];
    const std::uint64_t i = sample - row.start;
    return row.key == key && i < row.exponentials_size ? &row.exponentials[i] : nullptr;
  }

 private:
  static constexpr std::size_t kRows = 64;
  static constexpr std::size_t kMost = 16;
  struct alignas(64) Row {
    std::uint64_t key = 0;
    std::uint64_t start = 0;              // the number of the first sample
    std::uint64_t size = 0;               // how many are made
    std::uint64_t exponentials_size = 0;  // the same, or 0 if nobody has asked for them
    std::array<double, kMost> exponentials = {};
    std::array<RandomBlock, kMost> blocks = {};
  };
  static void fill(Row& row, std::uint64_t key, std::uint64_t sample);
  static double fill_exponentials(Row& row, std::uint64_t key, std::uint64_t sample);
  std::array<Row, kRows> rows_ = {};
};

/// Uniform on k / 2^53, 0 < k <= 2^53: (0, 1], so that its logarithm is finite.
inline double positive01_of(std::uint64_t word) {
  return static_cast<double>((word >> 11) + 1) * 0x1p-53;
}

/// The words of one sample, one after the other.
class SampleWords {
 public:
  SampleWords(std::uint64_t key, std::uint64_t sample)
      : SampleWords(key, sample, random_block(key, sample, 0)) {}
  /// With its first block at hand.
  SampleWords(std::uint64_t key, std::uint64_t sample, const RandomBlock& first)
      : words_(first), key_(key), sample_(sample) {}
  std::uint64_t word() { return next_ < 2 ? words_[next_++] : word_of_next_block(); }
  double positive01() { return positive01_of(word()); }
  /// Uniform on k / 2^53, 0 <= k < 2^53: [0, 1).
  double uniform01() { return static_cast<double>(word() >> 11) * 0x1p-53; }
  /// Uniform on 0 .. n - 1 without bias. Requires n > 0.
  std::uint64_t below(std::uint64_t n);

 private:
  std::uint64_t word_of_next_block();
  RandomBlock words_;
  std::size_t next_ = 0;
  std::uint64_t key_, sample_;
  std::uint64_t block_ = 0;
};

}  // namespace chi::code
