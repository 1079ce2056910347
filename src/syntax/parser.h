#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syntax/brackets.h"
#include "syntax/foreign.h"
#include "syntax/parse.h"

/// The parser's working state, shared by parse_*.cc and by nothing else.
namespace chi::syntax::detail {

using K = TokenKind;

/// Errors that are shown; one more says that there are others.
inline constexpr int kMaxSyntaxErrors = 200;

/// What the elements of a section are (language.md §2).
enum class Section { None, Declarations, Equations, Statements, Instances };

/// A binary operator as it stands in the text.
struct Infix {
  BinaryOp op = BinaryOp::Add;
  int level = 0;
  std::int32_t tokens = 1;
};

/// Recursive descent with one rule of recovery: a list repairs its elements.
///
/// An error sets `panic_`; until it is cleared nothing is reported and nothing is read, so every
/// function returns at once. The innermost list (arguments, equations, statements, definitions)
/// then skips to its next separator or closing bracket, jumping over paired brackets, and clears
/// it. A closing bracket is read only by the construct that holds its partner. `doubt_` outlasts
/// the panic: while it is set the parser reads on but reports nothing, so that a mistake that was
/// misunderstood is not reported again and again.
class Parser {
 public:
  Parser(const Tokens& tokens, Ast ast, Diagnostics& diagnostics);
  Ast run();

 private:
  using Kinds = std::initializer_list<TokenKind>;

  // ---- parse.cc: cursor, reports, recovery ----
  void parse_text();
  TokenKind kind_at(std::int32_t i) const;  ///< `End` from the end of the definition on
  TokenKind kind(std::int32_t ahead = 0) const { return kind_at(at_ + ahead); }
  Span span_at(std::int32_t i) const;
  Span span() const { return span_at(at_); }
  Span previous() const { return span_at(at_ > 0 ? at_ - 1 : 0); }
  Span since(Span begin) const { return join(begin, previous()); }
  std::int32_t partner(std::int32_t i) const;  ///< -1 beyond the definition too
  bool at(TokenKind k) const { return kind() == k; }
  bool at_any(Kinds kinds) const;
  bool accept(TokenKind k);
  bool adjacent(std::int32_t i) const;  ///< no space between token i and the next
  bool at_bars() const;                 ///< `||`
  bool at_box() const;                  ///< `[]`
  bool first_of_line(std::int32_t i) const;
  std::string found(std::int32_t i) const;  ///< the token as a message names it
  std::string found() const { return found(at_); }
  std::string_view text(Span s) const { return tokens_.source->text(s); }

  void report(Diagnostic diagnostic);  ///< up to kMaxSyntaxErrors
  void fail(Diagnostic diagnostic);    ///< reports and panics; both not if already in panic
  void slip(Diagnostic diagnostic);    ///< reports; the parser knows what was meant and goes on
  void guess(Diagnostic diagnostic);   ///< the same, in doubt until what follows confirms it
  void fail_expected(std::string_view what, std::string help = {});
  bool expect(TokenKind k, std::string_view where, std::string help = {});
  Ident expect_name(std::string_view what);
  void skip_to(Kinds stops);
  std::int32_t stray_ahead() const;
  void regain_confidence(int fails_before);
  void calm();
  /// Ends a bracket: skips what was not understood, reads the partner of `open`.
  void close(std::int32_t open, std::string_view what);
  void recover_in(std::int32_t open, Kinds separators);  ///< within a bracket
  void report_bracket(Diagnostic diagnostic);
  bool stray_closer();  ///< reports and reads a closing bracket that closes nothing
  bool enter();         ///< one level deeper; false, and panic, beyond kMaxNesting
  void leave() { --nesting_; }

  template <class T>
  static Slice<T> store(std::vector<T>& pool, const std::vector<T>& rows) {
    const Slice<T> slice{static_cast<std::int32_t>(pool.size()),
                         static_cast<std::int32_t>(rows.size())};
    pool.insert(pool.end(), rows.begin(), rows.end());
    return slice;
  }

  /// Whether this word, which is a name elsewhere, stands there.
  bool word_at(std::int32_t i, std::string_view word) const {
    return kind_at(i) == K::Ident && text(span_at(i)) == word;
  }

  // ---- parse_expr.cc ----
  ExprId expression();
  ExprId sum_expression();  ///< without relations, `and`, `or`
  /// Within brackets: `=` is a relation again, and `||` can be nothing but an `or`, if they close.
  ExprId inner_expression(bool closed = true);
  ExprId inner_sum();
  ExprId expression_at(int level);  ///< binary operators of this level and tighter
  ExprId prefix();
  ExprId postfix();
  ExprId primary();
  ExprId conditional();
  ExprId parenthesized();
  ExprId bracketed();
  ExprId guarded_value();
  bool bars_mean_or() const;
  ExprId braced();
  ExprId record();
  ExprId dictionary();
  ExprId tuple();
  ExprId literal();
  ExprId quantity(Span begin, double number);
  ExprId negated_quantity(Span begin, ExprId operand);
  ExprId add_quantity(Span whole, Quantity row);
  /// Reads the unit here; its index in Ast::units, or -1, reported.
  std::int32_t unit();
  ExprId after_dot(ExprId of);
  ExprId call(ExprId callee);
  ExprId index(ExprId of);
  ExprId arrow_as_less(ExprId left);
  std::vector<ExprId> arguments(std::int32_t open, std::string_view what);
  std::optional<Infix> infix_here() const;
  void report_foreign(const Infix& op);
  void report_chain(ExprId left);
  void fail_operand();
  bool can_be_called(ExprId id) const;
  bool guard_in_bracket() const;
  bool is_variable(ExprId id) const;
  /// What χ has for a word of another language, or "did you mean" if it is nearly a keyword.
  std::string meant(ExprId id, Wanting wanting) const;
  std::string_view called_name(ExprId id) const;  ///< of a call: `f` of `f(x)` and `x.f(y)`
  std::string_view brief(Span s) const;           ///< the text, or dots if it is long
  ExprId add_expr(Expr expr);
  ExprId error_expr() { return add_expr({span(), Error{}}); }
  template <class F>
  ExprId nested(F parse);  ///< one level deeper

  // ---- parse_type.cc ----
  TypeId type();
  TypeId product();
  TypeId postfix_type();
  TypeId atomic_type();
  TypeId container_type();
  TypeId func_type();
  bool parameter_types_at(std::int32_t i) const;
  TypeId paren_type();
  TypeId record_type();
  TypeId node_type();
  TypeId add_type(Type t);

  // ---- parse_equation.cc ----
  Slice<EquationId> equations();
  EquationId equation();
  EquationId unknown_declaration();
  EquationId impulse_declaration();
  EquationId guarded_equations();
  EquationId unwound_equations();
  EquationId requirement();
  EquationId plain_equation();
  EquationId equality(Span begin, ExprId left);
  EquationId complementarity();
  ComplementSide complement_side();
  void check_complements(Span begin, const Complements& node);
  EquationId substitute(Span begin, ExprId target, ExprId value);
  bool equations_end() const;
  bool statement_among_equations() const;
  void skip_equation();
  void separate_equations();
  void fail_after_equation();
  bool guarded_equations_at(std::int32_t i) const;
  bool unknown_declaration_at(std::int32_t i) const;
  bool equation_group_at(std::int32_t i) const;
  void check_unknown(ExprId id);
  ExprId guard();
  void expect_arrow(Section body);
  bool report_missing_alternative();
  bool half_box();
  bool alternative_bar();  ///< reads `|`, `[]` or `||` between alternatives
  Slice<ExprId> unknowns();

  // ---- parse_stat.cc ----
  Slice<StatId> statements();
  StatId statement();
  StatId repetition();
  StatId selection();
  StatId print();
  StatId instant();
  StatId lhs_statement();
  bool begins_with_word(std::int32_t i) const;
  ExprId claimed_text();
  StatId word_statement();
  StatId start(ExprId handle);
  StatId interruptible(StatId delay);
  StatId event();
  StatId communication(ExprId channel);
  Slice<Alternative> alternatives(std::int32_t open);
  Alternative alternative();
  bool starts_statement(std::int32_t i) const;
  void separate_statements();
  void fail_statement();
  void fail_after_lhs(ExprId first);
  void fail_after_statement();
  bool event_without_guard();

  // ---- parse_import.cc ----
  void imports();
  bool import_at(std::int32_t i) const;
  void import();
  Ident module_name();
  bool is_alias(Symbol name) const;
  bool is_alias_at(std::int32_t i) const;
  /// A name, or `alias.name` as one name with its dot.
  Ident qualified_name(std::string_view what);
  File::Rows rows_so_far() const;

  // ---- parse_def.cc ----
  void definition();
  void lost_definition();
  void type_definition();
  void const_definition();
  void func_definition();
  void proc_definition();
  void sys_definition();
  Slice<Param> parameters();
  Slice<VarDecl> declarations();
  VarDecl declaration();
  Slice<InstanceId> instances();
  bool next_instance();
  InstanceId instance();
  void instance_arguments(Instance& row);
  bool report_process_part();
  Unwind unwind();
  std::vector<Ident> names(std::string_view what);
  void separate_definitions();
  void separate_declarations();
  bool declarations_end();
  bool comma_before_bar();
  bool type_before_name() const;
  void check_section_order(Section last, Section here);
  void end_section(std::int32_t open);
  void sections(ProcDef& def, std::int32_t open);
  bool report_missing_bar(Section after);
  void unclosed_opener();
  bool seek_block();          ///< in panic: skips to the `|[` after `=` and calms down
  std::int32_t open_block();  ///< the `[` of `|[`, or -1
  void close_block(std::int32_t open);

  // ---- classify.cc: what stands here, by lookahead ----
  Section classify(std::int32_t i, bool declarations) const;  ///< whether they may stand here
  Section element_kind(std::int32_t i) const;
  bool declaration_at(std::int32_t i) const;
  bool broken_declaration_at(std::int32_t i) const;
  bool bar_begins_unknowns(std::int32_t i) const;
  std::int32_t unknowns_end(std::int32_t i) const;
  bool lost_bar(std::int32_t i) const;
  bool guard_at(std::int32_t i) const;
  std::int32_t guard_mark(std::int32_t i) const;
  bool lone_call_at(std::int32_t i) const;
  bool unwind_at(std::int32_t i) const;
  bool claim_at(std::int32_t i, std::string_view word) const;
  bool instance_at(std::int32_t i) const;
  bool unwound_instance_at(std::int32_t i) const;
  bool has_system_declarations(std::int32_t i) const;
  /// The first of `kinds` outside brackets, before any of `stops`; -1 if there is none.
  std::int32_t find_ahead(std::int32_t i, Kinds kinds, Kinds stops) const;
  bool element_sign_ahead(std::int32_t open, TokenKind sign) const;

  const Tokens& tokens_;
  Diagnostics& diagnostics_;
  Outline outline_;
  Ast ast_;
  std::vector<ExprId> children_;  ///< of the expression just made
  std::vector<std::int16_t> expr_depth_;
  std::vector<std::int16_t> type_depth_;
  std::int32_t at_ = 0;
  std::int32_t end_ = 0;              ///< of the definition being parsed
  std::int32_t minus_of_arrow_ = -1;  ///< a `<-` that opened a tuple, and is a sign from then on
  int nesting_ = 0;
  bool panic_ = false;
  int fails_ = 0;
  int reported_ = 0;
  bool doubt_ = false;     ///< after an error, until the parser is sure again where it is
  bool supplied_ = false;  ///< the separator here is missing, was reported, and is assumed
  Section next_section_ = Section::None;
  bool bar_missing_ = false;          ///< the same of the bar between two sections
  bool alternative_missing_ = false;  ///< the same of the bar between two alternatives
  std::int32_t brace_ = -1;           ///< of the instantaneous equations being parsed
  Section section_ = Section::None;   ///< of the process being parsed
  bool in_system_ = false;
  int errors_before_ = 0;         ///< this definition
  bool too_deep_ = false;         ///< reported
  bool equation_level_ = false;   ///< `=` is the equation sign
  bool in_brackets_ = false;      ///< where no bar can stand
  bool in_guard_ = false;         ///< before its arrow
  std::set<TokenKind> as_names_;  ///< keywords already reported as names
  std::vector<Symbol> aliases_;   ///< of the imports of this file
  std::vector<Import> imports_;
  std::unordered_map<std::string, std::int32_t> unit_rows_;  ///< by text
};

}  // namespace chi::syntax::detail
