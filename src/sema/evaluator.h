#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sema/evaluate.h"

namespace chi::sema {

using syntax::ExprId;

/// The working state of `evaluate`, shared by evaluate*.cc and nothing else.
///
/// Functions return false after they reported; then the evaluation is over. Chains of operators are
/// followed by a loop, so that depth counts brackets and calls only. What recurses is not inlined:
/// frames stay small.
class Evaluator {
 public:
  Evaluator(const TypedModel& model, const Environment& environment, Diagnostics& diagnostics)
      : m_(model), environment_(environment), diagnostics_(diagnostics) {}

  /// The value of `expr`, converted to `wanted`.
  bool evaluate(ExprId expr, TypeId wanted, Value& out);
  bool zero(TypeId type, Span span, Value& out);
  void set_root(Span span) { root_ = span; }

  // ---- evaluate_library.cc ----
  /// Applies a library function to values of the types its arguments have.
  bool library(Builtin builtin, ExprId call, std::vector<Value>& arguments, Value& out);

 private:
  /// The variables of a function that is running: parameters, then locals.
  struct Frame {
    std::int32_t definition = -1;
    std::vector<Value> slots;
    std::unordered_map<DeclId, Value> indices;
    Value result;
  };
  enum class Flow { Next, Returned, Failed };
  static constexpr int kDeepest = 5000;  // nested brackets and calls together

  // ---- evaluate.cc ----
  bool eval(ExprId expr, Value& out);                  ///< at the type the expression has
  bool eval_as(ExprId expr, TypeId type, Value& out);  ///< converted
  bool convert(Value& value, TypeId from, TypeId to, Span span);
  bool leaf(ExprId expr, Value& out);
  [[gnu::noinline]] bool literal(ExprId expr, Value& out);
  bool combine(ExprId expr, Value& value);
  ExprId first_operand(ExprId expr) const;
  [[gnu::noinline]] bool name(ExprId expr, Value& out);
  bool declared(DeclId decl, Span span, Value& out);
  [[gnu::noinline]] bool conditional(ExprId expr, Value& out);
  [[gnu::noinline]] bool guarded(ExprId expr, Value& out);
  [[gnu::noinline]] bool element(ExprId expr, Value& value);
  bool at_index(Value& value, std::int64_t index, Span span);
  [[gnu::noinline]] bool sequence(Slice<ExprId> elements, TypeId type, Value& out);
  [[gnu::noinline]] bool record(ExprId expr, Value& out);
  [[gnu::noinline]] bool dictionary(ExprId expr, Value& out);

  // ---- evaluate_operators.cc ----
  [[gnu::noinline]] bool unary(ExprId expr, Value& value);
  [[gnu::noinline]] bool binary(ExprId expr, Value& value);
  bool arithmetic(ExprId expr, Value& left, Value& right);
  bool scalar_arithmetic(syntax::BinaryOp op, Span span, const Value& a, const Value& b,
                         Value& out);
  bool integer_arithmetic(syntax::BinaryOp op, Span span, std::int64_t a, std::int64_t b,
                          Value& out);
  bool real_arithmetic(syntax::BinaryOp op, Span span, double a, double b, Value& out);
  bool combine_sets(ExprId expr, Value& left, Value& right);
  bool remove_elements(Value& left, const Value& right);
  bool is_member(const Value& element, const Value& collection, bool& found);
  int compare(const Value& a, const Value& b) const;

  // ---- evaluate_vectors.cc ----
  bool negate_elements(ExprId expr, Value& value);
  bool vector_arithmetic(ExprId expr, const Value& left, const Value& right, Value& out);
  bool row_times(ExprId expr, const Value& row, const Value& right, bool matrix, Value& out);
  bool inner_product(ExprId expr, const Value& left, const Value& right, Value& out);
  bool cross_product(Span span, const Value& left, const Value& right, Value& out);
  bool by_elements(syntax::BinaryOp op, Span span, const Value& left, const Value& right,
                   Value& out);
  bool vector_function(Builtin builtin, ExprId call, std::vector<Value>& arguments, Value& out);
  bool identity(ExprId call, const Value& size, Value& out);
  [[gnu::noinline]] bool map_elements(ExprId call, Value& out);
  bool apply_to_elements(ExprId call, std::vector<Value>& arguments, Value& out);

  // ---- evaluate_calls.cc ----
  [[gnu::noinline]] bool call(ExprId expr, const Value* callee, Value& out);
  bool call_function(DeclId function, std::vector<Value>& arguments, Span span, Value& out);
  bool run_body(const syntax::FuncDef& def, Frame& frame, Value& out);
  Flow run_all(Slice<syntax::StatId> stats);
  Flow run(syntax::StatId stat);
  Flow run_alternatives(Slice<syntax::Alternative> alternatives, bool& open);
  Flow run_unwound(const syntax::Alternative& alternative, bool& open);
  Flow run_if_open(const syntax::Alternative& alternative, bool& open);
  bool assign(const syntax::Assign& assign);
  bool store(ExprId target, Value value);
  Value* locate(ExprId target);

  // ---- evaluate_library.cc ----
  bool format(ExprId call, const std::vector<Value>& arguments, Value& out);
  bool real_function(Builtin builtin, ExprId call, std::vector<Value>& arguments, Value& out);
  bool rounding(Builtin builtin, ExprId call, const Value& argument, Value& out);
  bool sign_function(Builtin builtin, ExprId call, Value& value);
  bool extreme(Builtin builtin, ExprId call, std::vector<Value>& arguments, Value& out);
  bool list_function(Builtin builtin, ExprId call, std::vector<Value>& arguments, Value& out);
  bool range(ExprId call, const std::vector<Value>& arguments, Value& out);
  bool csv(ExprId call, Value& out);
  bool interpolate(ExprId call, const std::vector<Value>& arguments, Value& out);
  bool bad_table(ExprId call, std::string_view problem);
  bool look_up(DeclId table, const std::vector<Value>& arguments, Span span, Value& out);
  bool sum(ExprId call, const Value& list, Value& out);
  bool sort(ExprId call, Value& list, const Value& less);
  bool insert(ExprId call, Value& list, Value& element, const Value& less);
  bool is_less(const Value& less, const Value& a, const Value& b, Span span, bool& result);
  bool distribution(Builtin builtin, ExprId call, std::vector<Value>& arguments, Value& out);

  // ---- shared ----
  bool fail(Span span, std::string_view message);
  bool work(std::size_t steps, Span span);  ///< counts; false, and reported, beyond the budget
  Span span(ExprId expr) const { return m_.ast.exprs[expr].span; }
  TypeId type(ExprId expr) const { return m_.type[expr]; }
  template <class T>
  const T* node(ExprId expr) const {
    return std::get_if<T>(&m_.ast.exprs[expr].node);
  }
  template <class T>
  const T* as(TypeId id) const {
    return id ? std::get_if<T>(&m_.types[id]) : nullptr;
  }

  const TypedModel& m_;
  const Environment& environment_;
  Diagnostics& diagnostics_;
  Frame* frame_ = nullptr;
  std::vector<ExprId> chain_;
  std::int64_t steps_ = 0;
  int depth_ = 0;
  int calls_ = 0;
  Span root_;
};

}  // namespace chi::sema
