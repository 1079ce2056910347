#pragma once
#include <string>
#include <string_view>

namespace chi {

/// `text` as a JSON string, quotes included. Invalid UTF-8 becomes U+FFFD, so the result is always
/// valid JSON.
std::string json_quote(std::string_view text);

/// A number as JSON: the shortest form that reads back exactly; `null` for infinities and NaN,
/// which JSON cannot write.
std::string json_number(double value);
/// The same, but the infinities are the strings "Infinity" and "-Infinity", which the number
/// readers of most languages take: a value of the model does not lose its sign.
std::string json_real(double value);

}  // namespace chi
