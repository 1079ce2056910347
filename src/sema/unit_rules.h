#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sema/unit_shapes.h"

/// What expressions measure. Internal to sema/.
namespace chi::sema {

/// Where two values meet that must measure the same.
enum class Meeting {
  // equals
  Sum,
  Difference,
  Comparison,
  Equation,
  Branches,
  Elements,
  // something that is given a value
  Assignment,
  Initial,
  Bound,
  Argument,
  Message,
  Result,
  Time,
};

/// Two values that meet, the expected one first; either may have no expression of its own.
struct Met {
  Meeting how = Meeting::Equation;
  ExprId first, second;
  Span span;             ///< what is marked
  DeclId declared = {};  ///< what is given a value, if that has a name
};

/// Infers the shapes of expressions and reports what does not fit. Requires that the model was
/// checked and is free of errors.
class UnitRules {
 public:
  explicit UnitRules(Context& c);

  /// The shape of an expression. Works through it from its leaves, which come first in the table,
  /// so chains of operators are loops.
  ShapeId infer(ExprId root);
  ShapeId found(ExprId expr) const { return of_expr_[static_cast<std::size_t>(expr.index)]; }
  /// Makes two shapes equal, and gives what both are; reports where they cannot be.
  ShapeId unify(ShapeId a, ShapeId b, const Met& met);
  /// Infers an expression that must fit a shape.
  void require(ExprId expr, ShapeId wanted, Meeting how, ExprId place = {}, DeclId declared = {});

  ShapeId& of_decl(DeclId decl) { return of_decl_[static_cast<std::size_t>(decl.index)]; }
  /// Of a node: the flows through it.
  ShapeId& flows_of(DeclId decl) { return flows_[decl]; }

  UnitShapes shapes;
  std::int32_t owner = DimensionTerms::kNobody;  ///< the definition being looked at
  bool silent = false;                           ///< nothing is reported: in a file without units
  std::vector<ExprId> printed;                   ///< expressions whose text people read

 private:
  ShapeId rule(ExprId expr);
  ShapeId name(ExprId expr);
  ShapeId binary(ExprId expr, const syntax::Binary& n);
  ShapeId sum(ExprId expr, const syntax::Binary& n);
  ShapeId power(ExprId expr, const syntax::Binary& n);
  ShapeId call(ExprId expr, const syntax::Call& n);
  ShapeId library(ExprId expr, Builtin builtin, std::span<const ExprId> arguments);
  ShapeId pure(ExprId call, std::span<const ExprId> arguments);
  ShapeId together(std::span<const ExprId> exprs, Meeting how);
  ShapeId compound(std::span<const ExprId> exprs);
  ShapeId record(ExprId expr, const syntax::RecordExpr& n);
  ShapeId reals(ShapeId a, ShapeId b, const Met& met);
  ShapeId bare(ShapeId bare, ShapeId real, const Met& met, bool bare_first);
  std::optional<double> constant(ExprId expr) const;
  bool is_default(const Met& met) const;
  void carry(ShapeId value, ShapeId parameter, const Met& met);
  bool has_offset(ShapeId shape) const;
  void require_pure(ExprId expr, std::string_view what);
  void reject_temperature(ExprId expr);

  // unit_reports.cc
  void report(Diagnostic diagnostic) {
    if (!silent) c_.report(std::move(diagnostic));
  }
  void report_mismatch(ShapeId a, ShapeId b, const Met& met);
  void report_bare(ShapeId real, const Met& met, bool bare_first);
  void report_inner_number(ShapeId value, Span number, const Met& met);
  void report_difference(ShapeId temperature, const Met& met);
  void report_sum_of_temperatures(ExprId expr, ShapeId a, ShapeId b);
  void report_not_pure(ExprId expr, std::string_view what);
  void report_power(ExprId expr, ExprId base);
  std::string remedy(ShapeId a, ShapeId b, const Met& met);
  void label_side(Diagnostic& d, ExprId expr, ShapeId shape);
  void label_declared(Diagnostic& d, const Met& met, ShapeId shape);
  void label_sources(Diagnostic& d, ExprId expr);

  Context& c_;
  std::vector<ShapeId> of_expr_, of_decl_;
  std::unordered_map<DeclId, ShapeId> flows_;
  std::vector<ExprId> todo_;
};

}  // namespace chi::sema
