#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "expr/expr.h"
#include "expr/operation.h"

namespace chi::code {

/// Where the leaves of expressions have their values: places in one array of doubles, the frame of
/// a part. Leaves are variables and derivatives, `time`, discrete values and `delay` nodes, which
/// count as leaves here. Truth values are 0 and 1. Places are given out in order and never change.
class FormulaLeaves {
 public:
  /// The place of a leaf, new if need be.
  std::int32_t place(expr::ExprId leaf);
  /// The place, or -1.
  std::int32_t find(expr::ExprId leaf) const;
  std::int32_t size() const { return static_cast<std::int32_t>(leaves_.size()); }
  expr::ExprId leaf(std::int32_t place) const { return leaves_[static_cast<std::size_t>(place)]; }

 private:
  std::vector<expr::ExprId> leaves_;
  std::unordered_map<expr::ExprId, std::int32_t> places_;
};

struct Failure;

/// Calls functions that have no body: χ functions with loops, boxed expressions.
class Boxes {
 public:
  virtual ~Boxes() = default;
  /// The value of black box `f`; NaN if it failed, and then whoever implements it knows why.
  virtual double call(expr::FunctionId f, std::span<const double> arguments) = 0;
  /// Before an evaluation that finds out about faults: earlier failures may be forgotten.
  virtual void forget_failures() {}
  /// Why a box gave no value, the first time since failures were forgotten; null if it always did,
  /// or nobody knows. So after a fault of `Formulas` in a call of `f`, it tells more.
  virtual const Failure* failure(expr::FunctionId) const { return nullptr; }
  /// The same of a discrete value, of the last time.
  virtual const Failure* failure(expr::DiscreteId) const { return nullptr; }
};

/// Why a formula has no value.
struct FormulaFault {
  expr::Fault fault = expr::Fault::None;
  expr::ExprId where;      ///< the node
  double argument = 0;     ///< its (first) operand
  std::int32_t root = -1;  ///< the root that needs it
};

/// Who evaluates formulas. All give the same bits.
enum class FormulaTier {
  Interpreted,
  Loops,      ///< formulas_loops.h, formulas_batches.h
  Compiled,   ///< quickly
  Optimised,  ///< by a thread beside the run
};

/// Straight code for a list of expressions over leaves: bits and faults of expr::evaluate.
///
/// Common subexpressions are computed once. `if`, `and` and `or` evaluate only what counts.
/// Evented `if`s are evaluated like plain ones. Interpreted at first; after many evaluations one
/// tier takes over from the other (formulas_tiers.h), with the same bits.
class Formulas {
 public:
  /// Enters the leaves of the roots into `leaves`. The pool may grow afterwards. `boxes` may be
  /// null if no black box is called; it outlives this.
  Formulas(const expr::Pool& pool, std::span<const expr::ExprId> roots, FormulaLeaves& leaves,
           Boxes* boxes = nullptr);
  Formulas(Formulas&&) noexcept;
  Formulas& operator=(Formulas&&) noexcept;
  ~Formulas();

  int size() const;  ///< number of roots
  /// Values of the roots for a frame into `out`. False if some root has no value: `fault()` is the
  /// first; `out` is then NaN for that root and the values of others are not to be used.
  bool evaluate(const double* frame, double* out);
  /// The same; a root without a value is NaN and the others are computed all the same. Whether all
  /// have one.
  bool evaluate_each(const double* frame, double* out);
  const FormulaFault& fault() const;

  /// These do not wait for many evaluations. Compiled, or optimised, now: false if that cannot be
  /// done here; then all stays as it was. Or as a thread beside this, if none has begun.
  bool make_native();
  bool make_optimised();
  void start_optimising();
  FormulaTier tier() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace chi::code
