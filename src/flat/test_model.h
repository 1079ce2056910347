#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "flat/flatten.h"
#include "source/source_file.h"

/// Models for the tests of this folder, through the real parser and checker.
namespace chi::flat::testing {

struct TestModel {
  std::unique_ptr<SourceFile> source = {};
  Diagnostics diagnostics = {};
  std::optional<FlatModel> model = {};

  std::string codes() const;  ///< of the errors, in order of report
  const Diagnostic& first() const { return diagnostics.all().front(); }
  std::string variables() const;  ///< names
  std::string processes() const;  ///< names, in order of rank
  std::string channels() const;   ///< "c: P -> Q, ..."
  const Block& block(std::string_view path) const;
  std::int32_t slot_of(std::string_view variable) const;
  std::string value(std::string_view path, std::size_t parameter) const;
  std::int32_t slot(std::string_view path, std::size_t parameter) const;

  /// The equations of the model as text, a line each: `V' = Q0 - Q1`, with the guards of its
  /// branches in front: `[steady] V' = 0`. Unknowns: `[steady] |V|`. Substitutions: `x <- e`.
  std::string equations() const;
  std::string text(const EquationSet& set) const;
  std::string text(expr::ExprId e) const;
};

/// Fails the test if the text itself has errors.
TestModel flattened(std::string text, const Request& request = {});

}  // namespace chi::flat::testing
