#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "syntax/parser.h"

namespace chi::syntax::detail {

// `from` and `import` are words only at the head of a text, where no name can stand.
bool Parser::import_at(std::int32_t i) const {
  if (kind_at(i) != K::Ident || kind_at(i + 1) != K::Ident) return false;
  const std::string_view word = text(span_at(i));
  return word == "from" || word == "import";
}

// imports ::= {import}. Read behind a definition too, where it is reported.
void Parser::imports() {
  while (!panic_ && import_at(at_)) {
    if (!ast_.definitions.empty() && !outline_.definitions.empty() &&
        at_ > outline_.definitions.front()) {
      guess({.code = DiagCode::ImportPlace,
             .span = span(),
             .message = fmt::format("`{}` behind a definition", text(span())),
             .help = "imports stand at the head of the file"});
    }
    import();
    if (panic_) {
      while (at_ < end_ && !(first_of_line(at_) && import_at(at_))) ++at_;
      panic_ = false;
      doubt_ = false;
    }
  }
}

// import ::= 'from' module 'import' ('*' | id {',' id}) | 'import' module 'as' id
void Parser::import() {
  const Span begin = span();
  const bool from = text(begin) == "from";
  ++at_;
  Import row;
  row.module = module_name();
  const std::string_view word = from ? "import" : "as";
  if (!panic_ && (!at(K::Ident) || text(span()) != word)) {
    fail_expected(fmt::format("`{}` after the file", word),
                  from ? "`from a.b import *`, or the names to import"
                       : fmt::format("`import {} as NAME`, or `from {} import *`",
                                     text(row.module.span), text(row.module.span)));
  }
  if (panic_) return;
  ++at_;
  if (!from) {
    row.kind = ImportKind::Alias;
    row.alias = expect_name("the name of the import");
    if (row.alias) aliases_.push_back(row.alias.name);
  } else if (accept(K::Star)) {
    row.kind = ImportKind::All;
  } else {
    row.names = store(ast_.ident_lists, names("a definition to import"));
  }
  row.span = since(begin);
  if (!panic_) imports_.push_back(row);
}

// module ::= id {'.' id}
Ident Parser::module_name() {
  Ident name = expect_name("the file to import from");
  if (!name) return {};
  std::string whole(ast_.symbols.text(name.name));
  Span span = name.span;
  while (accept(K::Dot)) {
    const Ident part = expect_name("a file or folder");
    if (!part) return {};
    whole += '.';
    whole += ast_.symbols.text(part.name);
    span = join(span, part.span);
  }
  return {ast_.symbols.intern(whole), span};
}

bool Parser::is_alias(Symbol name) const { return std::ranges::count(aliases_, name) != 0; }

bool Parser::is_alias_at(std::int32_t i) const {
  return kind_at(i) == K::Ident && std::ranges::any_of(aliases_, [&](Symbol alias) {
           return ast_.symbols.text(alias) == text(span_at(i));
         });
}

Ident Parser::qualified_name(std::string_view what) {
  Ident name = expect_name(what);
  if (!name || !is_alias(name.name) || !at(K::Dot)) return name;
  ++at_;
  const Ident member = expect_name(what);
  if (!member) return {};
  return {ast_.symbols.intern(
              fmt::format("{}.{}", ast_.symbols.text(name.name), ast_.symbols.text(member.name))),
          join(name.span, member.span)};
}

File::Rows Parser::rows_so_far() const {
  return {.definitions = static_cast<std::int32_t>(ast_.definitions.size()),
          .exprs = ast_.exprs.size(),
          .types = ast_.types.size(),
          .instances = ast_.instances.size()};
}

}  // namespace chi::syntax::detail
