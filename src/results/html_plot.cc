#include "results/html_plot.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/visible_text.h"
#include "results/markup.h"
#include "results/panels.h"

namespace chi::results {

// Made from page/ by cmake/EmbedText.cmake.
std::string_view plot_html();
std::string_view plot_css();
std::string_view plot_js();

namespace {

constexpr std::size_t kPanels = 6, kCurves = 8;

/// Little-endian doubles in base 64.
std::string encoded(const std::vector<double>& values) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  bytes.reserve(8 * values.size());
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((bits >> shift) & 0xFF);
  }
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += k <= count ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// Text for people as a JSON string that can stand inside <script>.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : json_quote(visible_line(text))) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string data_text(const Trace& trace, std::span<const LoggedEvent> events,
                      std::size_t left_out) {
  std::string out = fmt::format("{{\"times\":\"{}\",\"variables\":[", encoded(trace.times));
  for (std::size_t v = 0; v < trace.names.size(); ++v) {
    const std::vector<double>& column = trace.columns[v];
    const bool constant =
        !column.empty() && std::all_of(column.begin(), column.end(), [&](double x) {
          return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(column.front());
        });
    out += fmt::format("{}{{\"n\":{},\"k\":{},", v > 0 ? "," : "", quoted(trace.label(v)),
                       static_cast<int>(trace.kinds[v]));
    out += constant ? fmt::format("\"c\":{}}}", json_number(column.front()))
                    : fmt::format("\"d\":\"{}\"}}", encoded(column));
  }
  out += "],\"panels\":[";
  const std::vector<Panel> panels = make_panels(trace, kPanels, kCurves);
  for (std::size_t p = 0; p < panels.size(); ++p)
    out += fmt::format("{}[{}]", p > 0 ? "," : "", fmt::join(panels[p].variables, ","));
  out += "],\"events\":[";
  for (std::size_t e = 0; e < events.size(); ++e) {
    const LoggedEvent& event = events[e];
    out += fmt::format("{}[{},{},{},{},{}]", e > 0 ? ",\n" : "", json_number(event.time),
                       quoted(event.kind), quoted(event.what), quoted(event.where),
                       quoted(event.part));
  }
  out += fmt::format("],\"left_out\":{}}}", left_out);
  return out;
}

}  // namespace

std::string html_plot(const Trace& trace, const std::string& title,
                      std::span<const LoggedEvent> events, std::size_t left_out) {
  std::string out;
  std::string_view page = plot_html();
  // What stands between @ signs is replaced, once: what is put in is not looked at again.
  while (!page.empty()) {
    const std::size_t at = page.find('@');
    out += page.substr(0, at);
    if (at == std::string_view::npos) break;
    page.remove_prefix(at);
    const auto take = [&](std::string_view mark) {
      if (!page.starts_with(mark)) return false;
      page.remove_prefix(mark.size());
      return true;
    };
    if (take("@TITLE@")) {
      out += in_markup(title);
    } else if (take("@STYLE@")) {
      out += plot_css();
    } else if (take("@DATA@")) {
      out += data_text(trace, events, left_out);
    } else if (take("@SCRIPT@")) {
      out += plot_js();
    } else {
      out += page.front();
      page.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace chi::results
