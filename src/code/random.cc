#include "code/random.h"

#include <Random123/philox.h>
#include <cmath>

namespace chi::code {

RandomBlock random_block(std::uint64_t key, std::uint64_t sample, std::uint64_t block) {
  const r123::Philox2x64::ctr_type words =
      r123::Philox2x64{}(r123::Philox2x64::ctr_type{{sample, block}}, {{key}});
  return {words[0], words[1]};
}

std::uint64_t stream_key(std::uint64_t seed, std::string_view place) {
  // The place by FNV-1a; Philox mixes it with the seed, so that neighbouring seeds and places
  // have nothing in common.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : place) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return random_block(hash, seed, place.size())[0];
}

void SampleBlocks::fill(Row& row, std::uint64_t key, std::uint64_t start) {
  row.key = key;
  row.start = start;
  row.exponentials_start = kNone;
  // `random_block` for all of them, round by round: the multiplications of one round do not wait
  // for each other.
  __extension__ using Wide = unsigned __int128;
  std::array<std::uint64_t, kTogether> left, right{};
  for (std::size_t i = 0; i < kTogether; ++i) left[i] = start + i;
  std::uint64_t round_key = key;
  for (int round = 0; round < 10; ++round, round_key += PHILOX_W64_0) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kTogether; ++i) {
      const Wide product = Wide{PHILOX_M2x64_0} * left[i];
      left[i] = static_cast<std::uint64_t>(product >> 64) ^ round_key ^ right[i];
      right[i] = static_cast<std::uint64_t>(product);
    }
  }
  for (std::size_t i = 0; i < kTogether; ++i) row.blocks[i] = {left[i], right[i]};
}

void SampleBlocks::fill_exponentials(Row& row, std::uint64_t key, std::uint64_t start) {
  if (row.key != key || row.start != start) fill(row, key, start);
  row.exponentials_start = start;
  for (std::size_t i = 0; i < kTogether; ++i)
    row.exponentials[i] = -std::log(positive01_of(row.blocks[i][0]));
}

std::uint64_t SampleWords::word_of_next_block() {
  words_ = random_block(key_, sample_, ++block_);
  next_ = 1;
  return words_[0];
}

std::uint64_t SampleWords::below(std::uint64_t n) {
  // Lemire's multiplication method, ACM TOMACS 29(1), 2019: the upper half of word * n is the
  // result; the lower half tells the words that would make some results more likely than others.
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{word()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t excess = (0 - n) % n;  // 2^64 mod n
    while (static_cast<std::uint64_t>(product) < excess) product = Wide{word()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace chi::code
