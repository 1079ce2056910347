#include "code/random.h"

#include <Random123/philox.h>
#include <algorithm>
#include <cmath>

namespace chi::code {

namespace {

[[gnu::always_inline]] inline RandomBlock block_of(std::uint64_t key, std::uint64_t sample,
                                                   std::uint64_t block) {
  const r123::Philox2x64::ctr_type words =
      r123::Philox2x64{}(r123::Philox2x64::ctr_type{{sample, block}}, {{key}});
  return {words[0], words[1]};
}

}  // namespace

RandomBlock random_block(std::uint64_t key, std::uint64_t sample, std::uint64_t block) {
  return block_of(key, sample, block);
}

std::uint64_t stream_key(std::uint64_t seed, std::string_view place) {
  // The place by FNV-1a; Philox mixes it with the seed, so that neighbouring seeds and places
  // have nothing in common.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : place) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return random_block(hash, seed, place.size())[0];
}

void SampleBlocks::fill(Row& row, std::uint64_t key, std::uint64_t sample) {
  const bool again = row.key == key && row.size > 0;
  row.size = again ? std::min<std::uint64_t>(4 * row.size, kMost) : 1;
  row.key = key;
  row.start = sample;
  row.exponentials_size = 0;
  // Without a call between them, so that the multiplications of one do not wait for those of
  // another.
  for (std::size_t i = 0; i < row.size; ++i) row.blocks[i] = block_of(key, sample + i, 0);
}

double SampleBlocks::fill_exponentials(Row& row, std::uint64_t key, std::uint64_t sample) {
  if (row.key != key || sample - row.start >= row.size) fill(row, key, sample);
  row.exponentials_size = row.size;
  for (std::size_t i = 0; i < row.size; ++i)
    row.exponentials[i] = -std::log(positive01_of(row.blocks[i][0]));
  return row.exponentials[sample - row.start];
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
