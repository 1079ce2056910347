#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace chi {

/// Takes a text piece by piece; false: it can take no more, and the rest need not be made.
using TextSink = std::function<bool(std::string_view)>;

/// Gathers what a writer makes into pieces worth handing on.
class TextPieces {
 public:
  explicit TextPieces(const TextSink& sink) : sink_(sink) { text.reserve(2 * kPiece); }
  std::string text;  ///< append to it, and call `pass_on` often
  bool pass_on() { return text.size() < kPiece || finish(); }
  bool finish() {
    const bool taken = sink_(text);
    text.clear();
    return taken;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 15;
  const TextSink& sink_;
};

/// The whole text that `write` hands to its sink.
template <class Write>
std::string text_of(Write write) {
  std::string text;
  write([&text](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

}  // namespace chi
