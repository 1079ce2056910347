#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "syntax/parser.h"

namespace chi::syntax::detail {

void Parser::definition() {
  switch (kind()) {
    case K::Type: type_definition(); break;
    case K::Const: const_definition(); break;
    case K::Func: func_definition(); break;
    case K::Proc: proc_definition(); break;
    default: sys_definition(); break;
  }
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
      slip({.code = DiagCode::AssignInEquation,
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
  if (!panic_) return;
  skip_to({K::Comma});
  if (at(K::Comma)) panic_ = false;
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
  Section last = Section::None;
  do {
    const Section here = classify(at_);
    check_section_order(last, here);
    switch (here) {
      case Section::None: break;
      case Section::Declarations: def.locals = declarations(); break;
      case Section::Equations: def.equations = equations(); break;
      case Section::Statements: def.body = statements(); break;
    }
    last = std::max(last, here);
    end_section(open);
  } while (accept(K::Bar));
  close_block(open);
  ast_.definitions.push_back({since(begin), def});
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
    def.locals = declarations();
    expect(K::Bar, "between declarations and instances");
  } else if (at(K::Bar) && !at_bars()) {
    ++at_;
  }
  def.instances = instances();
  close_block(open);
  ast_.definitions.push_back({since(begin), def});
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
    fail({.code = DiagCode::Unclosed,
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
    if (at(K::Bar) && partner(open) > at_) panic_ = false;
  }
}

void Parser::check_section_order(Section last, Section here) {
  if (here == Section::None || here > last) return;
  const auto name = [](Section s) {
    return s == Section::Declarations ? "declarations"
           : s == Section::Equations  ? "equations"
                                      : "statements";
  };
  slip({.code = DiagCode::SectionOrder,
        .span = span(),
        .message = fmt::format("{} after {}", name(here), name(last)),
        .help = "a process has declarations, then equations, then statements, with `|` between"});
}

void Parser::separate_declarations() {
  if (at_any({K::Comma, K::Bar, K::End, K::RightBracket})) return;
  fail_expected("`,` or `|` after the declaration");
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

Slice<VarDecl> Parser::declarations() {
  std::vector<VarDecl> rows;
  do {
    rows.push_back(declaration());
    if (!panic_) separate_declarations();
    if (panic_) {
      skip_to({K::Comma, K::Bar});
      if (at(K::Comma)) panic_ = false;
    }
  } while (accept(K::Comma));
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
    rows.push_back(instance());
    if (panic_) {
      skip_to({K::Bar});
      if (at_bars()) panic_ = false;
    }
    if (panic_ || !at_bars()) break;
    at_ += 2;
  }
  return store(ast_.instance_lists, rows);
}

InstanceId Parser::instance() {
  const Span begin = span();
  Instance row;
  if (!enter() || panic_) {
    leave();
    return ast_.instances.add(row);
  }
  if (unwind_at(at_)) row.unwind = unwind();
  if (at(K::LeftParen)) {
    const std::int32_t open = at_++;
    row.group = instances();
    close(open, "`||` or `)` after the instance");
  } else if (row.unwind && unwind_at(at_)) {
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
  const bool outer = std::exchange(equation_level_, false);
  row.low = sum_expression();
  expect(K::DotDot, "in the range");
  row.high = sum_expression();
  equation_level_ = outer;
  expect(K::Colon, "after the range");
  return row;
}

}  // namespace chi::syntax::detail
