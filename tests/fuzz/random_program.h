#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace chi::fuzz {

/// Decisions taken from bytes, one each. When they are used up every decision is the first one, and
/// the generator makes that the smallest: so short inputs are short programs, and libFuzzer can
/// change a program by changing a byte.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}
  /// Below `count`.
  std::size_t below(std::size_t count) {
    if (at_ >= bytes_.size()) return 0;
    return static_cast<unsigned char>(bytes_[at_++]) % count;
  }
  bool one_in(std::size_t count) { return below(count) + 1 == count; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// Processes with variables of all types, that compute, print, choose, repeat, wait and
/// communicate. Right for the checker; a run may well end in an error.
std::string random_program(Choices& choices);

/// One expression over names with given values, in two programs that print it: with constants, so
/// that it is computed before the run, and with variables, so that the run computes it.
struct TwoWays {
  std::string constant, variable;
};
TwoWays random_expression_two_ways(Choices& choices);

}  // namespace chi::fuzz
