#include "syntax/parser.h"

// Expressions in `[ ]` and `{ }`: lists, guarded values, sets, records and dictionaries.
namespace chi::syntax::detail {

/// The sign tells what the brackets hold. `<` and `>` are no brackets to the reader ahead, so a
/// comma may stand in the first element; but where the closing bracket is missing, what follows the
/// comma may be anything.
bool Parser::element_sign_ahead(std::int32_t open, TokenKind sign) const {
  if (partner(open) >= 0) return find_ahead(open + 1, {sign}, {K::Bar}) >= 0;
  return find_ahead(open + 1, {sign}, {K::Bar, K::Comma}) >= 0;
}

ExprId Parser::bracketed() {
  if (panic_) return error_expr();
  const std::int32_t open = at_;
  if (kind(1) == K::RightBracket) {
    at_ += 2;
    return add_expr({since(span_at(open)), ListExpr{}});
  }
  const std::int32_t mark = partner(open) >= 0 ? guard_mark(open + 1) : -1;
  if ((mark >= 0 && kind_at(mark) == K::Arrow) || element_sign_ahead(open, K::Arrow)) {
    return guarded_value();
  }
  const std::vector<ExprId> values = arguments(open, "`,` or `]` after an element");
  return add_expr({since(span_at(open)), ListExpr{store(ast_.expr_lists, values)}});
}

ExprId Parser::guarded_value() {
  const std::int32_t open = at_++;
  std::vector<GuardedValue> rows;
  do {
    const ExprId condition = guard();
    expect_arrow(Section::None);
    const ExprId value = inner_expression(false);
    rows.push_back({condition, value});
    if (!panic_ && !at_box() && !at(K::Bar) && first_of_line(at_) && guard_at(at_)) {
      report_missing_alternative();
    }
    recover_in(open, {K::Bar});
  } while (alternative_bar());
  close(open, "`|` or `]` after the value");
  return add_expr({since(span_at(open)), GuardedExpr{store(ast_.guarded_values, rows)}});
}

ExprId Parser::braced() {
  if (panic_) return error_expr();
  const std::int32_t open = at_;
  const Span begin = span();
  if (kind(1) == K::Ident && kind(2) == K::Equal) return record();
  if (element_sign_ahead(open, K::Colon)) return dictionary();
  const std::vector<ExprId> values = arguments(open, "`,` or `}` after an element");
  return add_expr({since(begin), SetExpr{store(ast_.expr_lists, values)}});
}

ExprId Parser::record() {
  const std::int32_t open = at_++;
  std::vector<FieldValue> rows;
  do {
    const Ident field = expect_name("a field");
    expect(K::Equal, "after the field");
    const ExprId value = inner_expression();
    rows.push_back({field, value});
    recover_in(open, {K::Comma});
  } while (accept(K::Comma));
  close(open, "`,` or `}` after the field");
  return add_expr({since(span_at(open)), RecordExpr{store(ast_.field_values, rows)}});
}

ExprId Parser::dictionary() {
  const std::int32_t open = at_++;
  std::vector<DictEntry> rows;
  do {
    const ExprId key = inner_expression();
    expect(K::Colon, "after the key");
    const ExprId value = inner_expression();
    rows.push_back({key, value});
    recover_in(open, {K::Comma});
  } while (accept(K::Comma));
  close(open, "`,` or `}` after the entry");
  return add_expr({since(span_at(open)), DictExpr{store(ast_.dict_entries, rows)}});
}

}  // namespace chi::syntax::detail
