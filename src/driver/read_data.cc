#include "driver/read_data.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "driver/read_source.h"
#include "sema/suggest.h"

namespace chi::driver {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

/// A file of comma-separated values with names in its first line. Semicolons and tabs separate as
/// well, whichever the first line has.
class Table {
 public:
  Table(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
    std::string_view rest = text_;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    const std::string_view header = next_line(rest);
    for (const char c : {',', ';', '\t'}) {
      if (header.find(c) != std::string_view::npos) {
        separator_ = c;
        break;
      }
    }
    for_each_field(header, [&](std::size_t, std::string_view field) {
      columns_.emplace_back(field);
      return true;
    });
    rows_ = rest;
  }

  sema::DataColumn column(std::string_view name) const {
    const auto found = std::ranges::find(columns_, name);
    if (found == columns_.end()) return missing(name);
    const auto wanted = static_cast<std::size_t>(found - columns_.begin());
    auto numbers = std::make_shared<std::vector<double>>();
    std::string_view rest = rows_;
    for (std::size_t line = 2; !rest.empty(); ++line) {
      const std::string_view row = next_line(rest);
      if (row.find_first_not_of(" \t") == std::string_view::npos) continue;
      std::optional<double> number;
      std::string_view text;
      for_each_field(row, [&](std::size_t k, std::string_view field) {
        if (k != wanted) return true;
        text = field;
        number = number_in(field);
        return false;
      });
      if (!number) {
        return {
            .numbers = {},
            .problem = fmt::format("`{}`, line {}, column `{}`: {}", name_, line, name,
                                   text.empty() ? std::string("there is no number")
                                                : fmt::format("`{}` is no number", text)),
            .help = text.find(',') != std::string_view::npos ? "numbers have a decimal point" : ""};
      }
      numbers->push_back(*number);
    }
    return {.numbers = std::move(numbers), .problem = ""};
  }

 private:
  static std::string_view next_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  static std::string_view trimmed(std::string_view field) {
    const std::size_t first = field.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    field = field.substr(first, field.find_last_not_of(" \t") - first + 1);
    if (field.size() > 1 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    return field;
  }

  /// Until `visit` returns false.
  template <class Visit>
  void for_each_field(std::string_view line, Visit visit) const {
    for (std::size_t k = 0;; ++k) {
      std::size_t end = 0;
      for (bool quoted = false; end < line.size(); ++end) {
        if (line[end] == '"') quoted = !quoted;
        if (line[end] == separator_ && !quoted) break;
      }
      if (!visit(k, trimmed(line.substr(0, end))) || end >= line.size()) return;
      line.remove_prefix(end + 1);
    }
  }

  static std::optional<double> number_in(std::string_view field) {
    if (field.starts_with('+')) field.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
    return value;
  }

  sema::DataColumn missing(std::string_view name) const {
    const std::vector<std::string_view> names(columns_.begin(), columns_.end());
    const std::string near = sema::nearest(name, names);
    constexpr std::size_t kListed = 8;
    const std::size_t shown = std::min(names.size(), kListed);
    return {.numbers = {},
            .problem = fmt::format("`{}` has no column `{}`", name_, name),
            .help = !near.empty() ? fmt::format("did you mean `{}`?", near)
                                  : fmt::format("its first line has {}{}",
                                                fmt::join(std::span(names).first(shown), ", "),
                                                shown < names.size() ? ", ..." : "")};
  }

  std::string name_, text_;
  std::string_view rows_;
  std::vector<std::string> columns_;
  char separator_ = ',';
};

class DataReader {
 public:
  DataReader(const syntax::Ast& ast, const SourceFile& source) : ast_(ast), source_(source) {}

  std::unordered_map<syntax::ExprId, sema::DataColumn> read() {
    std::unordered_map<syntax::ExprId, sema::DataColumn> found;
    for (syntax::ExprId e{0}; e.index < ast_.exprs.size(); ++e.index) {
      const auto* call = std::get_if<syntax::Call>(&ast_.exprs[e].node);
      if (call == nullptr || call->arguments.count != 2) continue;
      const auto* name = std::get_if<syntax::Name>(&ast_.exprs[call->callee].node);
      if (name == nullptr || ast_.symbols.text(name->name) != "csv") continue;
      const auto file = text_of(ast_.list(call->arguments)[0]);
      const auto column = text_of(ast_.list(call->arguments)[1]);
      if (file && column) found.emplace(e, this->column(path(e, *file), *column));
    }
    return found;
  }

 private:
  std::optional<std::string> text_of(syntax::ExprId e) const {
    const auto* literal = std::get_if<syntax::StringLiteral>(&ast_.exprs[e].node);
    if (literal == nullptr) return std::nullopt;
    return std::string(ast_.symbols.text(literal->text));
  }

  std::string path(syntax::ExprId e, const std::string& file) const {
    if (file.starts_with('/')) return file;
    const std::string_view text = source_.at(ast_.exprs[e].span.begin).name();
    const std::size_t slash = text.rfind('/');
    return slash == std::string_view::npos ? file : std::string(text.substr(0, slash + 1)) + file;
  }

  const sema::DataColumn& column(const std::string& path, const std::string& name) {
    const auto [found, is_new] = columns_.try_emplace({path, name});
    if (!is_new) return found->second;
    const auto table = table_of(path);
    found->second = table != nullptr ? table->column(name)
                                     : sema::DataColumn{.numbers = {}, .problem = problems_[path]};
    return found->second;
  }

  const Table* table_of(const std::string& path) {
    const auto [found, is_new] = tables_.try_emplace(path);
    if (!is_new) return found->second.get();
    Diagnostics why;
    std::optional<std::string> text = read_file(path, kMostBytes, why);
    if (text) {
      found->second = std::make_unique<Table>(path, std::move(*text));
    } else {
      problems_[path] = why.all().front().message;
    }
    return found->second.get();
  }

  const syntax::Ast& ast_;
  const SourceFile& source_;
  std::map<std::string, std::unique_ptr<Table>> tables_;
  std::map<std::string, std::string> problems_;
  std::map<std::pair<std::string, std::string>, sema::DataColumn> columns_;
};

}  // namespace

std::unordered_map<syntax::ExprId, sema::DataColumn> read_data(const syntax::Ast& ast,
                                                               const SourceFile& source) {
  return DataReader(ast, source).read();
}

}  // namespace chi::driver
