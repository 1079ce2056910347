#include "driver/library_doc.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/match.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::driver {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// Text on one line: comments go, other space is one blank.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size() - 1);
    }
    if (kSpaces.find(text[at]) == std::string_view::npos) {
      line += text[at];
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return std::string(trimmed(line));
}

// Text on several lines, the later ones moved left by what all of them are indented.
std::string dedented(std::string_view text, std::size_t column) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    result += result.empty() ? line : line.substr(std::min(spaces, column));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!text.empty()) result += '\n';
  }
  return result;
}

// The comment of a definition, taken apart.
struct Comment {
  std::string summary, description;
  std::vector<std::pair<std::vector<std::string>, std::string>> parameters;

  // `text` without the slashes.
  void add(std::string_view text) {
    const bool indented = text.starts_with("  ");
    const std::string_view words = trimmed(text);
    if (!indented) {
      if (!description.empty()) description += '\n';
      description += words;
    } else if (std::vector<std::string> names = head(words); !names.empty()) {
      parameters.emplace_back(std::move(names), trimmed(words.substr(words.find(':') + 1)));
    } else if (!parameters.empty()) {
      parameters.back().second += ' ';
      parameters.back().second += words;
    } else {
      description += '\n';
      description += text;
    }
  }

  void finish() {
    const std::size_t line = std::min(description.find('\n'), description.size());
    summary = description.substr(0, line);
  }

  std::string of(std::string_view name) const {
    for (const auto& [names, text] : parameters) {
      if (std::ranges::find(names, name) != names.end()) return text;
    }
    return {};
  }

 private:
  // The names before the colon of `R, L: text`; none if there is something else.
  static std::vector<std::string> head(std::string_view words) {
    const std::size_t colon = words.find(':');
    if (colon == std::string_view::npos) return {};
    std::vector<std::string> names;
    std::string_view rest = words.substr(0, colon);
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view name = trimmed(rest.substr(0, comma));
      if (name.empty() || name.find_first_of(" ()=<>") != std::string_view::npos) return {};
      names.emplace_back(name);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return names;
  }
};

std::string_view before(std::string_view text, char mark) {
  return text.substr(0, text.find(mark));
}

// The definitions of one file.
class FileReader {
 public:
  FileReader(const LibraryFile& file, const std::set<std::string>& node_types)
      : source_(std::string(file.name), std::string(file.text)),
        module_(module_of(file)),
        tokens_(syntax::lex(source_, none_)),
        ast_(syntax::parse(tokens_, none_)),
        node_types_(node_types) {}

  void add_node_types(std::set<std::string>& names) const {
    for (const syntax::Definition& definition : ast_.definitions) {
      const auto* type = std::get_if<syntax::TypeDef>(&definition.node);
      if (type == nullptr || !type->type) continue;
      if (!std::holds_alternative<syntax::NodeType>(ast_.types[type->type].node)) continue;
      names.insert(text(type->name));
    }
  }

  void add_definitions(std::vector<DocumentedDefinition>& all) const {
    for (const syntax::Definition& definition : ast_.definitions) {
      DocumentedDefinition found;
      const Comment comment = comment_above(definition.span);
      match(
          definition.node,
          [&](const syntax::TypeDef& d) { plain(found, "type", d.name, definition.span); },
          [&](const syntax::ConstDef& d) { plain(found, "const", d.name, definition.span); },
          [&](const syntax::FuncDef& d) {
            plain(found, "func", d.name, definition.span);
            found.parameters = parameters(d.parameters, comment);
          },
          [&](const syntax::ProcDef& d) {
            found.kind = "proc";
            found.name = text(d.name);
            found.parameters = parameters(d.parameters, comment);
            add_equations(found, ast_.list(d.equations), "");
            found.statements = statements(ast_.list(d.body));
          },
          [&](const syntax::SysDef& d) {
            found.kind = "sys";
            found.name = text(d.name);
            found.parameters = parameters(d.parameters, comment);
            for (const syntax::InstanceId i : ast_.list(d.instances)) {
              found.parts.push_back(on_one_line(source_.text(ast_.instances[i].span)));
            }
          });
      if (found.name.empty() || found.name.starts_with('_')) continue;
      found.module = module_;
      found.file = source_.name();
      found.summary = comment.summary;
      found.description = comment.description;
      all.push_back(std::move(found));
    }
  }

 private:
  std::string text(const syntax::Ident& ident) const {
    return ident ? std::string(ast_.symbols.text(ident.name)) : std::string();
  }

  void plain(DocumentedDefinition& found, std::string kind, const syntax::Ident& name,
             Span span) const {
    found.kind = std::move(kind);
    found.name = text(name);
    found.parts.push_back(dedented(source_.text(span), 0));
  }

  std::vector<DocumentedParameter> parameters(Slice<syntax::Param> list,
                                              const Comment& comment) const {
    std::vector<DocumentedParameter> found;
    for (const syntax::Param& param : ast_.list(list)) {
      for (const syntax::Ident& name : ast_.list(param.names)) {
        DocumentedParameter p{.name = text(name), .description = comment.of(text(name))};
        if (param.type) p.type = on_one_line(source_.text(ast_.types[param.type].span));
        if (param.initial) p.initial = on_one_line(source_.text(ast_.exprs[param.initial].span));
        p.is_terminal = node_types_.contains(std::string(before(p.type, '^')));
        if (param.is_ref) p.type = "ref " + p.type;
        found.push_back(std::move(p));
      }
    }
    return found;
  }

  void add_equations(DocumentedDefinition& found, std::span<const syntax::EquationId> list,
                     const std::string& guard) const {
    DocumentedEquations here{.guard = guard};
    std::vector<const syntax::GuardedEquations*> guarded;
    for (const syntax::EquationId id : list) {
      const syntax::Equation& equation = ast_.equations[id];
      if (std::holds_alternative<syntax::UnknownDecl>(equation.node)) continue;
      if (const auto* modes = std::get_if<syntax::GuardedEquations>(&equation.node)) {
        guarded.push_back(modes);
      } else {
        here.equations.push_back(on_one_line(source_.text(equation.span)));
      }
    }
    if (!here.equations.empty()) found.equations.push_back(std::move(here));
    for (const syntax::GuardedEquations* modes : guarded) {
      for (const syntax::EquationAlternative& mode : ast_.list(modes->alternatives)) {
        const std::string own = on_one_line(source_.text(ast_.exprs[mode.guard].span));
        add_equations(found, ast_.list(mode.body), guard.empty() ? own : guard + ", " + own);
      }
    }
  }

  std::string statements(std::span<const syntax::StatId> list) const {
    if (list.empty()) return {};
    const Span first = ast_.stats[list.front()].span, last = ast_.stats[list.back()].span;
    const int column = source_.position(first.begin).column - 1;
    return dedented(source_.text({first.begin, last.end}), static_cast<std::size_t>(column));
  }

  // The block of comments that ends on the line above.
  Comment comment_above(Span span) const {
    Comment comment;
    const int line = source_.position(span.begin).line;
    int first = line;
    while (first > 1 && source_.line(first - 1).starts_with("//")) --first;
    for (int at = first; at < line; ++at) {
      std::string_view text = source_.line(at).substr(2);
      if (text.starts_with(' ')) text.remove_prefix(1);
      comment.add(text);
    }
    comment.finish();
    return comment;
  }

  SourceFile source_;
  std::string module_;
  Diagnostics none_;
  syntax::Tokens tokens_;
  syntax::Ast ast_;
  const std::set<std::string>& node_types_;
};

// A model without the directives of its test and the empty lines around.
std::string shown(std::string_view text) {
  constexpr std::string_view kDirectives[] = {"RUN",    "ARGS", "SOLVERS", "EXPECT",
                                              "ALWAYS", "INIT", "ANALYZE", "CHECK"};
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool directive = std::ranges::any_of(kDirectives, [&](std::string_view word) {
      return line.starts_with("//") && trimmed(line.substr(2)).starts_with(word);
    });
    if (!directive) result.append(line).append("\n");
  }
  return std::string(trimmed(result)) + "\n";
}

}  // namespace

std::vector<DocumentedDefinition> document(std::span<const LibraryFile> files,
                                           std::span<const LibraryFile> examples) {
  std::set<std::string> node_types;
  std::vector<std::unique_ptr<FileReader>> readers;
  for (const LibraryFile& file : files) {
    readers.push_back(std::make_unique<FileReader>(file, node_types));
    readers.back()->add_node_types(node_types);
  }
  std::vector<DocumentedDefinition> all;
  for (const auto& reader : readers) reader->add_definitions(all);
  for (DocumentedDefinition& definition : all) {
    for (const LibraryFile& example : examples) {
      if (example.name == definition.module + "/" + definition.name + ".chi") {
        definition.example = shown(example.text);
      }
    }
  }
  return all;
}

std::vector<DocumentedDefinition> library_documentation() {
  return document(library_files(), library_examples());
}

}  // namespace chi::driver
