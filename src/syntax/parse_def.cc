#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "syntax/parser.h"
#include "syntax/similar.h"

namespace chi::syntax::detail {

namespace {

std::string_view section_name(Section s) {
  return s == Section::Declarations ? "declarations"
         : s == Section::Equations  ? "equations"
         : s == Section::Statements ? "statements"
                                    : "instances";
}

bool begins_definition(std::string_view keyword) {
  constexpr std::string_view kAll[] = {"type", "const", "func", "proc",
                                       "sys",  "syst",  "clus", "xper"};
  return std::ranges::find(kAll, keyword) != std::end(kAll);
}

}  // namespace

void Parser::definition() {
  errors_before_ = diagnostics_.error_count();
  section_ = Section::None;
  switch (kind()) {
    case K::Type: type_definition(); break;
    case K::Const: const_definition(); break;
    case K::Func: func_definition(); break;
    case K::Proc: proc_definition(); break;
    case K::Ident:
    case K::Equal: lost_definition(); break;
    default: sys_definition(); break;
  }
}

// Something where a definition should begin, with its keyword missing, misspelt or not thought of.
void Parser::lost_definition() {
  const std::string_view keyword = at(K::Ident) ? similar_keyword(text(span())) : "";
  const std::string_view word = at(K::Hash) ? text(span_at(at_ + 1)) : text(span());
  const std::string_view foreign = foreign_word(word, Wanting::Definition);
  std::string help =
      "a text is made of `type`, `const`, `func`, `proc`, `sys` and `xper` definitions";
  if (!foreign.empty()) {
    help = foreign;
  } else if (at(K::Hash)) {
    help = "a comment begins with `//`";
  } else if (begins_definition(keyword) && kind(1) == K::Ident) {
    help = fmt::format("did you mean `{}`?", keyword);
  } else if (std::binary_search(outline_.definitions.begin(), outline_.definitions.end(), at_) &&
             at(K::Ident)) {
    help = fmt::format("`proc {0}` or `sys {0}`", text(span()));
  }
  fail({.code = DiagCode::ExpectedDefinition,
        .span = span(),
        .message = fmt::format("expected a definition, found {}", found()),
        .help = std::move(help)});
  at_ = end_;
}

// `type a = T, b = U`: one definition each.
void Parser::type_definition() {
  Span begin = span();
  ++at_;
  do {
    const Ident name = expect_name("the name of a type");
    expect(K::Equal, "after the name of the type");
    const TypeId of = type();
    if (name) ast_.definitions.push_back({since(begin), TypeDef{name, of}});
    separate_definitions();
    begin = span_at(at_ + 1);
  } while (accept(K::Comma));
}

void Parser::const_definition() {
  Span begin = span();
  ++at_;
  do {
    const Ident name = expect_name("the name of a constant");
    TypeId of;
    if (accept(K::Colon)) of = type();
    if (at(K::Becomes)) {
      guess({.code = DiagCode::AssignInEquation,
             .span = span(),
             .message = "`:=` in the definition of a constant",
             .help = "a constant is defined with `=`"});
      ++at_;
    } else {
      expect(K::Equal, "in the definition of a constant");
    }
    const ExprId value = expression();
    if (name) ast_.definitions.push_back({since(begin), ConstDef{name, of, value}});
    separate_definitions();
    begin = span_at(at_ + 1);
  } while (accept(K::Comma));
}

void Parser::separate_definitions() {
  regain_confidence(fails_);
  if (panic_) {
    skip_to({K::Comma});
    if (at(K::Comma)) calm();
  }
}

void Parser::func_definition() {
  const Span begin = span();
  ++at_;
  FuncDef def;
  def.name = expect_name("the name of a function");
  def.parameters = parameters();
  expect(K::Arrow, "before the result type of a function");
  def.result = type();
  expect(K::Equal, "after the result type");
  if (at(K::Bar) || (panic_ && seek_block())) {
    const std::int32_t open = open_block();
    if (at(K::LeftBracket) && partner(at_) < 0 && declaration_at(at_ + 1)) unclosed_opener();
    if (declaration_at(at_)) {
      def.locals = declarations();
      expect(K::Bar, "between declarations and statements");
    } else {
      accept(K::Bar);
    }
    def.body = statements();
    close_block(open);
  } else {
    def.value = expression();
  }
  ast_.definitions.push_back({since(begin), def});
}

void Parser::proc_definition() {
  const Span begin = span();
  ++at_;
  ProcDef def;
  def.name = expect_name("the name of a process");
  if (at(K::LeftParen)) def.parameters = parameters();
  expect(K::Equal, "before the body of a process", "a body is written `= |[ ... ]|`");
  const std::int32_t open = open_block();
  sections(def, open);
  close_block(open);
  ast_.definitions.push_back({since(begin), def});
}

// What stands between the brackets of a process.
void Parser::sections(ProcDef& def, std::int32_t open) {
  if (open < 0) return;
  bar_missing_ = false;
  Section last = Section::None;
  do {
    if (at(K::LeftBracket) && partner(at_) < 0 && declaration_at(at_ + 1)) unclosed_opener();
    section_ = bar_missing_ ? next_section_ : classify(at_, last == Section::None);
    bar_missing_ = false;
    check_section_order(last, section_);
    switch (section_) {
      case Section::None:
      case Section::Instances: break;
      case Section::Declarations: def.locals = declarations(); break;
      case Section::Equations: def.equations = equations(); break;
      case Section::Statements: def.body = statements(); break;
    }
    last = std::max(last, section_);
    section_ = Section::None;
    end_section(open);
  } while (bar_missing_ || accept(K::Bar));
}

void Parser::sys_definition() {
  const Span begin = span();
  SysDef def;
  def.kind = at(K::Xper) ? SystemKind::Experiment : SystemKind::System;
  ++at_;
  if (def.kind == SystemKind::System || at(K::Ident))
    def.name = expect_name("the name of a system");
  if (at(K::LeftParen)) def.parameters = parameters();
  expect(K::Equal, "before the body of a system", "a body is written `= |[ ... ]|`");
  const std::int32_t open = open_block();
  if (has_system_declarations(at_)) {
    in_system_ = true;
    section_ = Section::Declarations;
    bar_missing_ = false;
    def.locals = declarations();
    section_ = Section::None;
    in_system_ = false;
    if (!bar_missing_) expect(K::Bar, "between declarations and instances");
  } else if (at(K::Bar) && !at_bars()) {
    ++at_;
  }
  def.instances = instances();
  close_block(open);
  ast_.definitions.push_back({since(begin), def});
}

// A bracket too many before what can be read without it.
void Parser::unclosed_opener() {
  report_bracket({.code = DiagCode::Unclosed,
                  .span = span(),
                  .message = fmt::format("this {} is not closed", found())});
  panic_ = false;
  ++at_;
}

bool Parser::seek_block() {
  if (!panic_) return at(K::Bar);
  for (std::int32_t i = at_; i < end_; ++i) {
    if (kind_at(i) != K::Bar || kind_at(i + 1) != K::LeftBracket) continue;
    if (i == 0 || kind_at(i - 1) != K::Equal) continue;
    at_ = i;
    panic_ = false;
    return true;
  }
  return false;
}

std::int32_t Parser::open_block() {
  seek_block();
  if (panic_) return -1;
  if (at(K::Bar) && kind(1) == K::LeftBracket) {
    at_ += 2;
    return at_ - 1;
  }
  fail_expected("`|[`");
  return -1;
}

void Parser::close_block(std::int32_t open) {
  if (open < 0) return;
  const std::int32_t closer = partner(open);
  if (closer < 0) {
    std::vector<Label> labels{{join(span_at(open - 1), span_at(open)), "the block begins here"}};
    const auto& comments = tokens_.comments;
    for (auto comment = std::ranges::lower_bound(comments, open, {}, &Comment::before);
         comment != comments.end() && comment->before <= end_ && labels.size() == 1; ++comment) {
      const bool hides_end = text(comment->span).find("]|") != std::string_view::npos;
      if (hides_end) labels.push_back({comment->span, "a comment"});
    }
    report_bracket({.code = DiagCode::Unclosed,
                    .span = span(),
                    .message = fmt::format("expected `]|`, found {}", found()),
                    .labels = std::move(labels)});
    return;
  }
  if (at_ < closer && !panic_ && !stray_closer()) fail_expected("`]|`");
  at_ = closer + 1;
  panic_ = false;
  expect(K::Bar, "after `]` at the end of a block");
}

// After the elements of a section stands a bar or the end of the block.
void Parser::end_section(std::int32_t open) {
  if (panic_) {
    skip_to({K::Bar});
    if (at(K::Bar) && partner(open) > at_) calm();
  }
}

void Parser::check_section_order(Section last, Section here) {
  if (here == Section::None || here > last || diagnostics_.error_count() > errors_before_) return;
  std::string help =
      "a process has declarations, then equations, then statements, with `|` between";
  // A statement was meant: what makes it look like equations is the unwinding.
  if (here == Section::Equations && last == here && at(K::Ident) && kind(1) == K::Colon) {
    help =
        "an unwinding `i: nat <- ...` repeats equations and instances; statements repeat as in "
        "`*[ i < n -> x.i := 0.0; i := i + 1 ]`";
  }
  guess({.code = DiagCode::SectionOrder,
         .span = span(),
         .message = fmt::format("{} after {}", section_name(here), section_name(last)),
         .help = std::move(help)});
}

// True, and reported, if a new section begins here without its bar.
bool Parser::report_missing_bar(Section after) {
  if (panic_ || section_ == Section::None || section_ >= after) return false;
  guess(
      {.code = DiagCode::MissingBar,
       .span = span(),
       .message = fmt::format("expected `|` between {} and {}, found {}", section_name(section_),
                              section_name(after), at(K::Bar) ? "the `|` of unknowns" : found())});
  next_section_ = after;
  bar_missing_ = true;
  return true;
}

// After a declaration: a comma, or an end.
void Parser::separate_declarations() {
  if (at_any({K::Comma, K::Bar, K::End}) || stray_closer()) return;
  if (at(K::RightBracket)) return;
  if (in_system_ && instance_at(at_) && report_missing_bar(Section::Instances)) return;
  if (at(K::Semicolon) && declaration_at(at_ + 1)) {
    guess({.code = DiagCode::MissingSeparator,
           .span = span(),
           .message = "expected `,` between declarations, found `;`"});
    ++at_;
    supplied_ = true;
    return;
  }
  const Section next = first_of_line(at_) ? classify(at_, true) : Section::None;
  if (next == Section::Declarations) {
    guess({.code = DiagCode::MissingSeparator,
           .span = span(),
           .message = fmt::format("expected `,` between declarations, found {}", found())});
    supplied_ = true;
  } else if (next == Section::None || !report_missing_bar(next)) {
    fail_expected("`,` or `|` after the declaration",
                  at(K::LeftParen) ? "a start value is written `x: real := 1.0`"
                  : at(K::LeftBracket)
                      ? "an array of three numbers is of type `real^3`, a list `real*`"
                      : "");
  }
}

// params ::= ['ref'] id {',' id} ':' type [':=' expr] {',' params}
Slice<Param> Parser::parameters() {
  std::vector<Param> rows;
  const std::int32_t open = at_;
  if (!expect(K::LeftParen, "before the parameters")) return {};
  if (!at(K::RightParen)) {
    do {
      const Span begin = span();
      Param row;
      row.is_ref = accept(K::Ref);
      const std::vector<Ident> group = names("the name of a parameter");
      expect(K::Colon, "after the name of a parameter");
      row.type = type();
      if (accept(K::Becomes) || accept(K::Equal)) row.initial = inner_expression();
      row.names = store(ast_.ident_lists, group);
      row.span = since(begin);
      rows.push_back(row);
      recover_in(open, {K::Comma});
    } while (accept(K::Comma));
  }
  if (at_any({K::Bang, K::Question})) {
    fail_expected("`,` or `)` after the parameter",
                  "the end of a channel is of type `!nat` to send, `?nat` to receive");
  }
  close(open, "`,` or `)` after the parameter");
  return store(ast_.params, rows);
}

std::vector<Ident> Parser::names(std::string_view what) {
  std::vector<Ident> group;
  do group.push_back(expect_name(what));
  while (accept(K::Comma));
  if (panic_) std::erase_if(group, [](const Ident& n) { return !n; });
  return group;
}

// Reads a comma behind the last declaration, and says so.
bool Parser::comma_before_bar() {
  if (!at(K::Comma) || kind(1) != K::Bar || unknown_declaration_at(at_ + 1)) return false;
  slip({.code = DiagCode::Expected,
        .span = span(),
        .message = "a `,` with no declaration after it",
        .help = "`,` stands between declarations, not before `|`"});
  ++at_;
  return true;
}

// At a comma: true if what follows it is no declaration; the bar is missing.
bool Parser::declarations_end() {
  if (panic_ || bar_missing_ || !at(K::Comma)) return bar_missing_;
  if (comma_before_bar()) return true;
  const Section next =
      in_system_ && instance_at(at_ + 1) ? Section::Instances : classify(at_ + 1, true);
  if (in_system_ && next != Section::Instances) return false;
  if (!in_system_ && next != Section::Equations && next != Section::Statements) return false;
  if (stray_ahead() >= 0) return false;
  ++at_;
  if (report_missing_bar(next)) return true;
  --at_;
  return false;
}

Slice<VarDecl> Parser::declarations() {
  std::vector<VarDecl> rows;
  do {
    supplied_ = false;
    const int fails_before = fails_;
    rows.push_back(declaration());
    regain_confidence(fails_before);
    if (!panic_) separate_declarations();
    const bool lost = panic_;
    if (lost) {
      skip_to({K::Comma, K::Bar});
      if (at(K::Comma)) panic_ = false;
    }
    if (declarations_end()) break;
    if (lost && !panic_) calm();
  } while (supplied_ || accept(K::Comma));
  return store(ast_.var_decls, rows);
}

// `real x` or `Real x`, and what can follow a declaration.
bool Parser::type_before_name() const {
  const bool word = at(K::Ident) || (kind() >= K::Bool && kind() <= K::StringType);
  if (panic_ || !word || kind(1) != K::Ident || first_of_line(at_ + 1)) return false;
  const TokenKind next = kind(2);
  return next == K::Equal || next == K::Becomes || next == K::Comma || next == K::Bar ||
         next == K::RightBracket;
}

VarDecl Parser::declaration() {
  const Span begin = span();
  VarDecl row;
  if (type_before_name()) {
    guess({.code = DiagCode::Expected,
           .span = begin,
           .message = fmt::format("{} before the name of a variable", found()),
           .help = fmt::format("a declaration is written with a colon: `{}: {}`",
                               text(span_at(at_ + 1)), at(K::Ident) ? "real" : text(begin))});
    row.type = postfix_type();
    row.names = store(ast_.ident_lists, {expect_name("the name of a variable")});
    if (accept(K::Becomes) || accept(K::Equal)) row.initial = expression();
    row.span = since(begin);
    return row;
  }
  const std::vector<Ident> group = names("the name of a variable");
  expect(K::Colon, "after the name of a variable");
  row.type = type();
  if (accept(K::In)) {
    row.low = sum_expression();
    expect(K::DotDot, "between the bounds");
    row.high = sum_expression();
  }
  if (accept(K::Becomes) || accept(K::Equal)) row.initial = expression();
  row.names = store(ast_.ident_lists, group);
  row.span = since(begin);
  return row;
}

// insts ::= inst {'||' inst}
Slice<InstanceId> Parser::instances() {
  std::vector<InstanceId> rows;
  while (true) {
    const int fails_before = fails_;
    rows.push_back(instance());
    regain_confidence(fails_before);
    if (panic_) {
      skip_to({K::Bar});
      if (at_bars()) calm();
    }
    if (panic_ || !next_instance()) break;
  }
  return store(ast_.instance_lists, rows);
}

// Reads `||`, or reports that it is missing before another instance.
bool Parser::next_instance() {
  if (at_bars()) {
    at_ += 2;
    return true;
  }
  const bool comma = at_any({K::Comma, K::Semicolon, K::Bar});
  if (!instance_at(comma ? at_ + 1 : at_)) return false;
  guess({.code = DiagCode::MissingSeparator,
         .span = span(),
         .message = fmt::format("expected `||` between instances, found {}", found())});
  if (comma) ++at_;
  return true;
}

// Equations or statements where an instance should stand.
bool Parser::report_process_part() {
  if (at(K::LeftParen) || instance_at(at_) || unwound_instance_at(at_)) return false;
  const Section here = element_kind(at_);
  if (here == Section::None) return false;
  fail({.code = DiagCode::SectionOrder,
        .span = span(),
        .message = fmt::format("{} in a system", section_name(here)),
        .help = "a system has declarations and instances; equations and statements stand in a "
                "process, `proc P() = |[ ... ]|`, which is part of the system as `P()`"});
  return true;
}

InstanceId Parser::instance() {
  const Span begin = span();
  Instance row;
  if (!enter() || panic_) {
    leave();
    return ast_.instances.add(row);
  }
  if (report_process_part()) {
    leave();
    return ast_.instances.add(row);
  }
  if (unwound_instance_at(at_)) row.unwind = unwind();
  if (at(K::LeftParen) && find_ahead(at_ + 1, {K::Comma}, {K::Bar}) >= 0) {
    fail_expected("the name of a process");
  } else if (at(K::LeftParen)) {
    const std::int32_t open = at_++;
    row.group = instances();
    close(open, "`||` or `)` after the instance");
  } else if (row.unwind && unwound_instance_at(at_)) {
    row.group = store(ast_.instance_lists, {instance()});
  } else {
    if (kind(1) == K::Colon) {
      row.label = expect_name("a label");
      ++at_;
    }
    row.name = qualified_name("an instance");
    if (at(K::LeftParen) && !panic_) {
      instance_arguments(row);
    }
    if (accept(K::At)) row.priority = primary();
  }
  leave();
  row.span = since(begin);
  return ast_.instances.add(row);
}

// args ::= [id '='] expr {',' args}. An outermost `=` after a name gives a parameter by its name.
void Parser::instance_arguments(Instance& row) {
  std::vector<Ident> names;
  std::vector<ExprId> values;
  const std::int32_t open = at_++;
  if (!at_any({K::RightParen, K::RightBracket, K::RightBrace})) {
    do {
      Ident name;
      if (at(K::Ident) && kind(1) == K::Equal) {
        name = expect_name("a parameter");
        ++at_;
      }
      names.push_back(name);
      values.push_back(inner_expression(partner(open) >= 0));
      recover_in(open, {K::Comma});
      if (partner(open) < 0 && first_of_line(at_)) break;  // the list has lost its end
    } while (accept(K::Comma));
  }
  close(open, "`,` or `)` after an argument");
  row.arguments = store(ast_.expr_lists, values);
  if (std::ranges::any_of(names, [](const Ident& n) { return static_cast<bool>(n); })) {
    row.argument_names = store(ast_.ident_lists, names);
  }
}

// unwind ::= id ':' type '<-' expr '..' expr ':'
Unwind Parser::unwind() {
  Unwind row;
  row.variable = expect_name("the variable of an unwinding");
  expect(K::Colon, "after the variable");
  row.type = type();
  expect(K::LeftArrow, "before the range");
  row.low = inner_sum();
  expect(K::DotDot, "in the range");
  row.high = inner_sum();
  expect(K::Colon, "after the range");
  return row;
}

}  // namespace chi::syntax::detail
