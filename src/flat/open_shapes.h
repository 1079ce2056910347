#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flat/flat_model.h"
#include "flat/open_lengths.h"
#include "sema/vectors.h"

namespace chi::flat {

/// The shapes of vectors and matrices that have to fit each other and depend on parameters.
class OpenShapes {
 public:
  /// One loop over all expressions.
  OpenShapes(const sema::TypedModel& model, OpenLengths& lengths);

  /// Whether those in a body fit. Reports if not.
  bool check(const Body& body, Diagnostics& diagnostics) const;

 private:
  struct Pair {
    Span span;
    std::string_view what;  ///< the operator or function
    sema::ShapeRule rule = sema::ShapeRule::Same;
    sema::TypeId left, right;
  };
  void enter(syntax::ExprId expr);

  const sema::TypedModel& model_;
  OpenLengths& lengths_;
  std::unordered_map<std::int32_t, std::vector<Pair>> pairs_;  // by definition
};

}  // namespace chi::flat
