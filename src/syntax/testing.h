#pragma once
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "source/source_file.h"
#include "syntax/dump.h"
#include "syntax/parse.h"

/// What the tests of this folder share.
namespace chi::syntax::testing {

struct Parsed {
  std::unique_ptr<SourceFile> source;
  Diagnostics diagnostics;
  Ast ast;
};

inline Parsed parse_text(std::string_view text) {
  Parsed result{std::make_unique<SourceFile>("test.chi", std::string(text)), {}, {}};
  const Tokens tokens = lex(*result.source, result.diagnostics);
  result.ast = parse(tokens, result.diagnostics);
  return result;
}

/// The diagnostics as "line:column code message", one a line, by position.
inline std::string listed(const Parsed& parsed) {
  std::string lines;
  for (const Diagnostic& d : parsed.diagnostics.sorted()) {
    const Position p = parsed.source->position(d.span->begin);
    lines += fmt::format("{}:{} {} {}\n", p.line, p.column, code_text(d.code), d.message);
  }
  return lines;
}

/// The dump, preceded by the diagnostics if there are any.
inline std::string dumped(std::string_view text) {
  const Parsed parsed = parse_text(text);
  std::string result = listed(parsed) + dump(parsed.ast);
  while (!result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

inline std::string errors_of(std::string_view text) { return listed(parse_text(text)); }

/// The dump of an expression, as the value of a constant.
inline std::string expr(std::string_view text) {
  const std::string all = dumped("const c = " + std::string(text));
  constexpr std::string_view kHead = "(const c _ ";
  if (!all.starts_with(kHead)) return all;
  return all.substr(kHead.size(), all.size() - kHead.size() - 1);
}

/// The equations and the statements of a process, as it is dumped.
inline std::string body(std::string_view text) {
  const std::string all = dumped("proc P() = |[ " + std::string(text) + " ]|");
  constexpr std::string_view kHead = "(proc P () ";
  if (!all.starts_with(kHead)) return all;
  return all.substr(kHead.size(), all.size() - kHead.size() - 1);
}

struct TextFile {
  std::string name;
  std::string text;
};

/// The χ texts of a folder, by name.
inline std::vector<TextFile> texts_in(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".chi") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<TextFile> files;
  for (const auto& path : paths) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    files.push_back({path.filename().string(), text.str()});
  }
  return files;
}

}  // namespace chi::syntax::testing
