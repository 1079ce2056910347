#pragma once
#include <optional>
#include <string_view>

#include "flat/block_builder.h"
#include "flat/blueprint.h"
#include "flat/flat_model.h"
#include "flat/flatten.h"

namespace chi::flat {

/// The parameters of the part that runs, from `-p name=value`. Reports what is missing, unknown,
/// given twice, of the wrong type, and channel parameters, which nothing could be connected to.
class TopArguments : public ValueSource {
 public:
  TopArguments(const FlatModel& model, std::int32_t top, const Blueprint& print,
               const Request& request, Diagnostics& diagnostics);

  bool gives(std::size_t k) const override;
  /// The value of parameter `k`, which has type `type`; empty exactly when it reported.
  std::optional<sema::Value> value(std::size_t k, sema::TypeId type) override;

  bool all_good() const { return good_; }  ///< nothing was reported so far

 private:
  std::string_view name_of(std::size_t k) const;
  std::string near_name(std::string_view name) const;
  void check_names();

  const FlatModel& model_;
  std::int32_t top_;
  const Blueprint& print_;
  const Request& request_;
  Diagnostics& diagnostics_;
  bool good_ = true;
};

}  // namespace chi::flat
