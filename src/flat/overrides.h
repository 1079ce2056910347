#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "diag/diagnostic.h"
#include "flat/flat_model.h"
#include "flat/flatten.h"

namespace chi::flat {

/// Values of parameters of instances, by path: `-p Motor.J=0.2`, `-p Line.M[2].k=3.0`. A name with
/// a dot is a path; one without is a parameter of the part that runs (top_arguments.h).
class Overrides {
 public:
  explicit Overrides(const Request& request);

  bool empty() const { return rows_.empty(); }
  /// The text given for this parameter of the instance at `path`; null if none is. Constant time.
  const std::string* find(std::string_view path, std::string_view parameter) const;
  /// Notes that the value was used.
  void use(std::string_view path, std::string_view parameter);

  /// After instantiation: reports the paths that name no value parameter, with what is near and
  /// what stands there instead.
  void report_unused(const FlatModel& model, Diagnostics& diagnostics) const;

 private:
  struct Row {
    std::string text;
    bool used = false;
  };
  const Request& request_;
  std::unordered_map<std::string, Row> rows_;
};

/// The request with `-p r.a=1 -p r.b=2` as `-p r={ a = 1, b = 2 }` where r is a record among the
/// parameters of the part that runs: a file of parameters has it as a section.
Request with_records(const sema::TypedModel& model, std::int32_t top, const Request& request);

/// Help for a name that is no parameter but a constant of the model, or a variable of the part that
/// runs: how to make it one. Empty if it is neither.
std::string how_to_make_parameter(const sema::TypedModel& model, std::string_view name);

}  // namespace chi::flat
