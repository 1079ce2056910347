#include "driver/structure_page.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/visible_text.h"

namespace chi::driver {

// Made from page/ by cmake/EmbedText.cmake.
std::string_view structure_html();
std::string_view structure_js();

namespace {

/// Text for people as a JSON string.
std::string quoted(std::string_view text) { return json_quote(visible_text(text)); }

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::int32_t kLargest = 1500;  // rows and columns drawn
constexpr std::size_t kModes = 60;

/// The drawing of one problem: cells are single equations and unknowns, or groups of `bin` of them.
class Drawing {
 public:
  Drawing(const ModeStructure& mode, const ModeStructure::Blocks& blocks)
      : mode_(mode), blocks_(blocks) {
    const auto size =
        static_cast<std::int32_t>(std::max(blocks.rows.size(), blocks.unknowns.size()));
    bin_ = std::max(1, (size + kLargest - 1) / kLargest);
  }

  std::string json() const {
    std::int32_t matched = 0;
    for (const ModeStructure::Block& block : blocks_.blocks) matched += block.count;
    return fmt::format(
        "{{\"bin\":{},\"matched\":{},\"rows\":[{}],\"columns\":[{}],\"blocks\":[{}],"
        "\"entries\":[{}]}}",
        bin_, bin_ == 1 ? matched : 0, rows(), columns(), blocks(), entries());
  }

 private:
  std::string rows() const {
    std::string all;
    for (std::int32_t i = 0; at(i) < blocks_.rows.size(); i += bin_) {
      const ModeStructure::Row& row = blocks_.rows[at(i)];
      const ModeStructure::Equation& equation = mode_.equations[at(row.equation)];
      all += fmt::format("{}{{\"name\":{},\"where\":{},\"order\":{}}}", i == 0 ? "" : ",",
                         quoted(equation.text + more(i, blocks_.rows.size())),
                         quoted(equation.where), row.order);
    }
    return all;
  }

  std::string columns() const {
    std::string all;
    for (std::int32_t j = 0; at(j) < blocks_.unknowns.size(); j += bin_) {
      all +=
          (j == 0 ? "" : ",") + quoted(blocks_.unknowns[at(j)] + more(j, blocks_.unknowns.size()));
    }
    return all;
  }

  std::string more(std::int32_t first, std::size_t size) const {
    const std::size_t last = std::min(at(first + bin_), size);
    return last - at(first) > 1 ? fmt::format(" and {} more", last - at(first) - 1) : "";
  }

  /// Row, column, rows, columns, kind, words. What is smaller than a cell is not drawn apart.
  std::string blocks() const {
    std::string all;
    const auto add = [&](std::int32_t row, std::int32_t column, std::size_t rows,
                         std::size_t columns, const char* kind, const std::string& words) {
      all += fmt::format("{}[{},{},{},{},\"{}\",{}]", all.empty() ? "" : ",",
                         static_cast<double>(row) / bin_, static_cast<double>(column) / bin_,
                         static_cast<double>(rows) / bin_, static_cast<double>(columns) / bin_,
                         kind, quoted(words));
    };
    std::int32_t end = 0, singles = 0;
    const auto flush = [&] {
      // In a thinned picture a run of single equations is drawn as their diagonal's cells.
      for (std::int32_t i = end - singles; i < end; i += bin_) {
        const std::size_t n = at(std::min(bin_, end - i));
        add(i, i, n, n, "single", "");
      }
      singles = 0;
    };
    for (const ModeStructure::Block& block : blocks_.blocks) {
      if (block.count == 1 && block.linearity != expr::Linearity::Nonlinear) {
        ++singles;
      } else {
        flush();
        const bool linear = block.linearity != expr::Linearity::Nonlinear;
        add(block.first, block.first, at(block.count), at(block.count),
            linear ? "linear" : "nonlinear", words(block));
      }
      end = block.first + block.count;
      if (singles == bin_) flush();
    }
    flush();
    const auto rows = blocks_.rows.size(), columns = blocks_.unknowns.size();
    if (mode_.singular && !mode_.is_static) {
      for (const std::int32_t e : mode_.singular->equations) {
        add(e, 0, 1, columns, "wrong", "part of what is singular");
      }
    } else if (rows > at(end) || columns > at(end)) {
      add(end, end, rows - at(end), columns - at(end), "wrong",
          "equations and unknowns that do not match one to one");
    }
    return all;
  }

  static std::string words(const ModeStructure::Block& block) {
    std::string text =
        fmt::format("{}, {}",
                    block.count == 1 ? std::string("one equation")
                                     : fmt::format("block of {} equations", block.count),
                    block.linearity == expr::Linearity::Nonlinear ? "nonlinear" : "linear");
    if (block.torn.empty()) return text;
    text += ", iterating on ";
    for (std::size_t i = 0; i < block.torn.size(); ++i) {
      if (i == 12) return text + ", ...";
      text += (i == 0 ? "" : ", ") + block.torn[i];
    }
    return text;
  }

  std::string entries() const {
    std::map<std::pair<std::int32_t, std::int32_t>, int> cells;
    for (const auto& [i, j] : blocks_.entries) ++cells[{i / bin_, j / bin_}];
    std::string all;
    for (const auto& [cell, n] : cells) {
      all += fmt::format("{}[{},{},{}]", all.empty() ? "" : ",", cell.first, cell.second, n);
    }
    return all;
  }

  const ModeStructure& mode_;
  const ModeStructure::Blocks& blocks_;
  std::int32_t bin_ = 1;
};

std::string mode_json(const ModeStructure& mode) {
  std::string title = fmt::format("part {}", mode.part + 1);
  if (!mode.mode.empty()) title += fmt::format(", {}", mode.mode);
  if (mode.time > 0) title += fmt::format(", from t = {:.10g}", mode.time);
  const std::string facts =
      mode.singular
          ? (mode.is_static ? "with a solution at an instant only; as time passes: " : "") +
                mode.singular->why.message
          : fmt::format("{} equation{}, index {}, {} degree{} of freedom", mode.equations.size(),
                        mode.equations.size() == 1 ? "" : "s", mode.index, mode.degrees_of_freedom,
                        mode.degrees_of_freedom == 1 ? "" : "s");
  std::string problems;
  const auto add = [&](const char* name, const ModeStructure::Blocks& blocks) {
    if (blocks.rows.empty() && blocks.unknowns.empty()) return;
    problems +=
        fmt::format("{}\"{}\":{}", problems.empty() ? "" : ",", name, Drawing(mode, blocks).json());
  };
  add(mode.singular && !mode.is_static ? "the equations as written" : "while time passes",
      mode.ivp);
  add("at an instant", mode.ip);
  if (problems.empty()) problems = "\"no unknowns\":" + Drawing(mode, {}).json();
  return fmt::format("{{\"title\":{},\"facts\":{},\"problems\":{{{}}}}}", quoted(title),
                     quoted(facts), problems);
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t i = text.find(from); i != std::string::npos;
       i = text.find(from, i + to.size())) {
    text.replace(i, from.size(), to);
  }
}

}  // namespace

std::string structure_page(const ModelStructure& structure, const std::string& title) {
  std::vector<const ModeStructure*> modes;
  for (const ModeStructure& part : structure.parts) modes.push_back(&part);
  for (const ModeStructure& mode : structure.met) modes.push_back(&mode);
  if (modes.size() > kModes) {
    std::stable_sort(modes.begin(), modes.end(), [](const auto* a, const auto* b) {
      return a->equations.size() > b->equations.size();
    });
    modes.resize(kModes);
  }
  std::string data = "{\"modes\":[";
  for (std::size_t i = 0; i < modes.size(); ++i) data += (i == 0 ? "" : ",") + mode_json(*modes[i]);
  if (modes.empty()) data += mode_json({});
  data += "]}";
  replace_all(data, "</", "<\\/");  // nothing in it ends the element it stands in
  std::string page(structure_html());
  replace_all(page, "@TITLE@", escaped_html(visible_line(title)));
  replace_all(page, "@SCRIPT@", std::string(structure_js()));
  replace_all(page, "@DATA@", data);
  return page;
}

}  // namespace chi::driver
