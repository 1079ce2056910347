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
  std::string help =
      "a text is made of `type`, `const`, `func`, `proc`, `sys` and `xper` definitions";
  if (!keyword.empty() && kind(1) == K::Ident) {
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
  expect(K::Equal, "before the body of a process");
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
  expect(K::Equal, "before the body of a system");
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
    report_bracket({.code = DiagCode::Unclosed,
                    .span = span(),
                    .message = fmt::format("expected `]|`, found {}", found()),
                    .labels = {{join(span_at(open - 1), span_at(open)), "the block begins here"}}});
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
  guess({.code = DiagCode::MissingBar,
         .span = span(),
         .message = fmt::format("expected `|` between {} and {}, found {}", section_name(section_),
                                section_name(after), found())});
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
    fail_expected("`,` or `|` after the declaration");
  }
}

// params ::= ['ref'] id {',' id} ':' type {',' params}
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
      row.names = store(ast_.ident_lists, group);
      row.span = since(begin);
      rows.push_back(row);
      recover_in(open, {K::Comma});
    } while (accept(K::Comma));
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

// At a comma: true if what follows it is no declaration; the bar is missing.
bool Parser::declarations_end() {
  if (panic_ || bar_missing_ || !at(K::Comma)) return bar_missing_;
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

VarDecl Parser::declaration() {
  const Span begin = span();
  VarDecl row;
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

InstanceId Parser::instance() {
  const Span begin = span();
  Instance row;
  if (!enter() || panic_) {
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
    row.name = expect_name("an instance");
    if (at(K::LeftParen) && !panic_) {
      row.arguments = store(ast_.expr_lists, arguments(at_, "`,` or `)` after an argument"));
    }
    if (accept(K::At)) row.priority = primary();
  }
  leave();
  row.span = since(begin);
  return ast_.instances.add(row);
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
