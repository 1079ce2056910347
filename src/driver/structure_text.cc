#include "driver/structure_text.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace chi::driver {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

constexpr std::size_t kColumn = 24;  // where the names of a list begin
constexpr std::size_t kWidth = 100;

struct Limits {
  std::size_t rows = 40;      // of a table
  std::size_t names = 40;     // of a list
  std::size_t parts = 20;     // and modes
  std::size_t equation = 60;  // characters
  std::int32_t in_block = 8;  // rows and unknowns
  std::size_t torn = 60;      // characters
};
constexpr Limits kForPeople;
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr Limits kWhole = {kAll, kAll, kAll, kAll, std::numeric_limits<std::int32_t>::max(), kAll};

std::string count(std::size_t n, std::string_view word) {
  return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string times(int n) { return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n); }

const char* linearity_text(expr::Linearity linearity) {
  return linearity == expr::Linearity::Nonlinear ? "nonlinear" : "linear";
}

class ModeText {
 public:
  ModeText(const ModeStructure& mode, const Limits& limits, std::string& out)
      : mode_(mode), limits_(limits), out_(out) {}

  void operator()() {
    if (!mode_.mode.empty()) line("mode", mode_.mode);
    equations();
    list("known", mode_.knowns);
    list("known at first", mode_.knowns_ip);
    list("unknown at first", mode_.unknowns_ip);
    list("unknown later", mode_.unknowns_ivp);
    list("units", mode_.units);
    if (mode_.singular) {
      singular();
      return;
    }
    line("index",
         mode_.index == mode_.structural_index
             ? fmt::format("{}", mode_.index)
             : fmt::format("{} (structural index {})", mode_.index, mode_.structural_index));
    line("degrees of freedom", fmt::format("{}", mode_.degrees_of_freedom));
    list("states", mode_.states);
    list("dummy derivatives", mode_.dummies);
    for (const ModeStructure::Combined& c : mode_.combined) {
      line("combined", fmt::format("({}) is replaced by {}", c.equation + 1, c.of));
    }
    blocks("solved at first", mode_.ip);
    if (same_blocks()) {
      line("solved later", "in the same way");
    } else {
      blocks("solved later", mode_.ivp);
    }
    for (const std::string& warning : mode_.warnings) line("note", warning);
  }

 private:
  void line(std::string_view name, std::string_view text) {
    out_ += fmt::format("  {:<{}}{}\n", name, kColumn - 2, text);
  }

  void list(std::string_view name, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string text;
    std::string row;
    for (std::size_t i = 0; i < names.size() && i < limits_.names; ++i) {
      const bool last = i + 1 == names.size();
      if (!row.empty() && kColumn + row.size() + names[i].size() > kWidth) {
        row.pop_back();
        text += row + "\n" + std::string(kColumn, ' ');
        row.clear();
      }
      row += names[i] + (last ? "" : ", ");
    }
    text += row;
    if (names.size() > limits_.names)
      text += fmt::format("and {} more", names.size() - limits_.names);
    line(name, text);
  }

  void equations() {
    std::size_t width = 0, where = 0;
    const bool several = is_of_several_files();
    const std::size_t shown = std::min(mode_.equations.size(), limits_.rows);
    for (std::size_t i = 0; i < shown; ++i) {
      width = std::max(width, mode_.equations[i].text.size());
      where = std::max(where, place(mode_.equations[i], several).size());
    }
    width = std::min(width, limits_.equation);
    out_ += "  equations\n";
    for (std::size_t i = 0; i < shown; ++i) {
      const ModeStructure::Equation& e = mode_.equations[i];
      std::string remark = e.unknown.empty() ? "" : fmt::format("for {}", e.unknown);
      const auto add = [&](const std::string& text) {
        remark += (remark.empty() ? "" : ", ") + text;
      };
      if (e.times > 0) add("differentiated " + times(e.times));
      if (e.is_redundant) add("follows from others");
      if (e.is_check) add("nothing in it is unknown");
      out_ += fmt::format("  {:>4}  {:<{}}  {:<{}}  {}\n", i + 1, place(e, several), where,
                          cut(e.text, width), width, remark);
    }
    if (shown < mode_.equations.size()) {
      out_ += fmt::format("        and {} more\n", mode_.equations.size() - shown);
    }
  }

  /// Where in an equation's "file:line:column" the line begins; 0 if it has another form.
  static std::size_t line_of(const std::string& where) {
    const std::size_t column = where.rfind(':');
    if (column == std::string::npos || column == 0) return 0;
    const std::size_t line = where.rfind(':', column - 1);
    return line == std::string::npos ? 0 : line + 1;
  }

  bool is_of_several_files() const {
    const auto file = [](const ModeStructure::Equation& e) {
      return std::string_view(e.where).substr(0, line_of(e.where));
    };
    return std::ranges::any_of(mode_.equations, [&](const ModeStructure::Equation& e) {
      return file(e) != file(mode_.equations.front());
    });
  }

  /// line:column; with the name of the file if the equations come from several.
  static std::string place(const ModeStructure::Equation& equation, bool several) {
    const std::size_t line = line_of(equation.where);
    if (line == 0) return "";
    if (!several) return equation.where.substr(line);
    const std::size_t slash = equation.where.rfind('/', line);
    return equation.where.substr(slash == std::string::npos ? 0 : slash + 1);
  }

  static std::string cut(const std::string& text, std::size_t width) {
    if (text.size() <= width) return text;
    std::size_t end = width - 3;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "...";
  }

  bool same_blocks() const {
    if (mode_.ip.unknowns != mode_.ivp.unknowns) return false;
    return std::equal(mode_.ip.rows.begin(), mode_.ip.rows.end(), mode_.ivp.rows.begin(),
                      mode_.ivp.rows.end(), [](const auto& a, const auto& b) {
                        return a.equation == b.equation && a.order == b.order;
                      });
  }

  void blocks(std::string_view name, const ModeStructure::Blocks& blocks) {
    if (blocks.rows.empty()) return;
    std::size_t single = 0, largest = 0;
    for (const ModeStructure::Block& b : blocks.blocks) {
      single += b.count == 1;
      largest = std::max(largest, at(b.count));
    }
    std::string text = count(blocks.blocks.size(), "block");
    if (single < blocks.blocks.size()) text += fmt::format(", the largest of {}", largest);
    if (blocks.too_many_rows > 0) {
      text +=
          fmt::format(", and {} more than unknowns", count(at(blocks.too_many_rows), "equation"));
    }
    if (blocks.too_many_unknowns > 0) {
      text += fmt::format(", and {} more than equations",
                          count(at(blocks.too_many_unknowns), "unknown"));
    }
    line(name, text);
    std::size_t shown = 0;
    for (const ModeStructure::Block& b : blocks.blocks) {
      if (++shown > limits_.rows) {
        out_ += fmt::format("        and {} more\n", blocks.blocks.size() - limits_.rows);
        break;
      }
      block(blocks, b);
    }
  }

  void block(const ModeStructure::Blocks& blocks, const ModeStructure::Block& b) {
    std::string rows, unknowns, torn;
    for (std::int32_t k = b.first; k < b.first + b.count; ++k) {
      if (k - b.first == limits_.in_block) {
        rows += ", ...";
        unknowns += ", ...";
        break;
      }
      const ModeStructure::Row& row = blocks.rows[at(k)];
      rows += fmt::format("{}({}){}", rows.empty() ? "" : ", ", row.equation + 1,
                          std::string(at(row.order), '\''));
      unknowns += (unknowns.empty() ? "" : ", ") + blocks.unknowns[at(k)];
    }
    for (const std::string& name : b.torn) {
      if (torn.size() > limits_.torn) {
        torn += ", ...";
        break;
      }
      torn += (torn.empty() ? "" : ", ") + name;
    }
    out_ += fmt::format("        {} from {}: {}", unknowns, rows, linearity_text(b.linearity));
    if (b.count > 1) out_ += fmt::format(", {}", count(at(b.count), "equation"));
    if (!torn.empty() && (b.count > 1 || b.linearity == expr::Linearity::Nonlinear)) {
      out_ += fmt::format(
          ", {} {}", b.linearity == expr::Linearity::Nonlinear ? "iterating on" : "torn at", torn);
    }
    out_ += '\n';
  }

  void singular() {
    const ModeStructure::Singular& singular = *mode_.singular;
    line(mode_.is_static ? "singular as time passes" : "singular", singular.why.message);
    std::string numbers;
    for (std::size_t i = 0; i < singular.equations.size() && i < limits_.names; ++i) {
      numbers += fmt::format("{}({})", i == 0 ? "" : ", ", singular.equations[i] + 1);
    }
    if (!numbers.empty()) line("", "equations " + numbers);
    for (const std::string& note : singular.why.notes) line("", note);
    line("", "help: " + singular.why.help);
    if (mode_.is_static) {
      line("", "at an instant the equations have a solution");
      blocks("solved at first", mode_.ip);
    }
  }

  const ModeStructure& mode_;
  const Limits& limits_;
  std::string& out_;
};

void heading(const ModelStructure& structure, std::string& out) {
  std::size_t equations = 0;
  int index = 0, dof = 0;
  for (const ModeStructure& part : structure.parts) {
    equations += part.equations.size();
    index = std::max(index, part.index);
    dof += part.degrees_of_freedom;
  }
  out += count(equations, "equation");
  if (structure.parts.size() > 1) {
    out += fmt::format(" in {} that share no unknown", count(structure.parts.size(), "part"));
  }
  const bool is_static = std::any_of(structure.parts.begin(), structure.parts.end(),
                                     [](const ModeStructure& part) { return part.is_static; });
  if (structure.is_singular()) {
    out += ": singular\n";
  } else if (is_static) {
    out += ": they determine values at an instant, and not how time passes\n";
  } else {
    out += fmt::format(": index {}, {} of freedom\n", index,
                       dof == 1 ? "1 degree" : fmt::format("{} degrees", dof));
  }
}

}  // namespace

std::string structure_text(const ModelStructure& structure, Extent extent) {
  const Limits& limits = extent == Extent::Whole ? kWhole : kForPeople;
  if (structure.parts.empty()) return "the model has no equations\n";
  std::string out;
  heading(structure, out);
  if (!structure.memories.empty()) {
    constexpr std::size_t kMost = 20;
    out += "memory in";
    for (std::size_t i = 0; i < structure.memories.size() && i < kMost; ++i) {
      out += (i == 0 ? " " : ", ") + structure.memories[i];
    }
    if (structure.memories.size() > kMost) {
      out += fmt::format(" and {} more", structure.memories.size() - kMost);
    }
    out += "\n";
  }
  // A singular part is what is looked for.
  std::vector<const ModeStructure*> parts;
  for (const ModeStructure& part : structure.parts) parts.push_back(&part);
  std::stable_partition(parts.begin(), parts.end(),
                        [](const ModeStructure* part) { return part->singular.has_value(); });
  for (std::size_t i = 0; i < parts.size() && i < limits.parts; ++i) {
    out += parts.size() == 1 ? "\n" : fmt::format("\npart {}\n", parts[i]->part + 1);
    ModeText(*parts[i], limits, out)();
  }
  if (parts.size() > limits.parts) {
    out += fmt::format("\nand {} more; `--json` lists all\n",
                       count(parts.size() - limits.parts, "part"));
  }
  for (std::size_t i = 0; i < structure.met.size() && i < limits.parts; ++i) {
    const ModeStructure& mode = structure.met[i];
    out += fmt::format("\n{}another mode, from t = {:.10g}\n",
                       parts.size() == 1 ? "" : fmt::format("part {}, ", mode.part + 1), mode.time);
    ModeText(mode, limits, out)();
  }
  if (structure.met.size() > limits.parts) {
    out += fmt::format("\nand {} more; `--json` lists all\n",
                       count(structure.met.size() - limits.parts, "mode"));
  }
  return out;
}

}  // namespace chi::driver
