#include "flat/flatten.h"

#include <utility>

#include "flat/blueprint.h"
#include "flat/choose_top.h"
#include "flat/flatten_equations.h"
#include "flat/instantiate.h"
#include "flat/open_lengths.h"
#include "flat/overrides.h"

namespace chi::flat {

std::optional<FlatModel> flatten(sema::TypedModel typed, const Request& request,
                                 Diagnostics& diagnostics) {
  FlatModel model{.typed = std::move(typed)};
  const auto top = choose_top(model.typed, request.top, diagnostics);
  if (!top) return std::nullopt;
  OpenLengths lengths(model.typed);
  const int before = diagnostics.error_count();
  const Blueprints blueprints = make_blueprints(model.typed, lengths, diagnostics);
  if (diagnostics.error_count() != before) return std::nullopt;
  const Request whole = with_records(model.typed, *top, request);
  if (!instantiate(model, *top, whole, blueprints, lengths, diagnostics)) return std::nullopt;
  if (!flatten_equations(model, diagnostics)) return std::nullopt;
  return model;
}

}  // namespace chi::flat
