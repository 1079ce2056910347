#include "flat/top_arguments.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "flat/choose_top.h"
#include "flat/overrides.h"
#include "flat/parameter_value.h"
#include "sema/suggest.h"

namespace chi::flat {

TopArguments::TopArguments(const FlatModel& model, std::int32_t top, const Blueprint& print,
                           const Request& request, Diagnostics& diagnostics)
    : model_(model), top_(top), print_(print), request_(request), diagnostics_(diagnostics) {
  check_names();
}

std::string_view TopArguments::name_of(std::size_t k) const {
  return model_.typed.ast.symbols.text(model_.typed.decls[print_.params[k].decl].name);
}

void TopArguments::check_names() {
  const std::string_view part = definition_name(model_.typed, top_);
  const int before = diagnostics_.error_count();
  std::string values;
  for (std::size_t k = 0; k < print_.params.size(); ++k) {
    if (print_.params[k].role == ParamRole::Value) {
      values += fmt::format("{}`{}`", values.empty() ? "" : ", ", name_of(k));
    } else if (print_.params[k].role == ParamRole::Channel) {
      diagnostics_.report(
          {.code = DiagCode::ChannelParameterOfTop,
           .span = model_.typed.decls[print_.params[k].decl].span,
           .message = fmt::format("`{}` cannot run by itself: nothing is connected to channel `{}`",
                                  part, name_of(k)),
           .help = fmt::format("run a system that instantiates `{}`", part)});
    }
  }
  for (std::size_t i = 0; i < request_.params.size(); ++i) {
    const std::string& name = request_.params[i].first;
    const auto same = [&](const auto& param) { return param.first == name; };
    const auto first = std::find_if(request_.params.begin(), request_.params.end(), same);
    bool known = name.find('.') != std::string::npos;  // a path: overrides.h
    for (std::size_t k = 0; k < print_.params.size(); ++k) {
      known |= print_.params[k].role == ParamRole::Value && name_of(k) == name;
    }
    if (!known) {
      std::string help = how_to_make_parameter(model_.typed, name);
      if (help.empty()) help = near_name(name);
      if (help.empty()) {
        help = values.empty() ? fmt::format("`{}` has none", part) : "it has " + values;
      }
      diagnostics_.report({.code = DiagCode::UnknownParameter,
                           .message = fmt::format("`{}` has no value parameter `{}`", part, name),
                           .help = std::move(help)});
    } else if (first - request_.params.begin() != static_cast<std::ptrdiff_t>(i)) {
      diagnostics_.report({.code = DiagCode::ParameterGivenTwice,
                           .message = fmt::format("parameter `{}` is given twice", name)});
    }
  }
  good_ = diagnostics_.error_count() == before;
}

std::string TopArguments::near_name(std::string_view name) const {
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < print_.params.size(); ++k) {
    if (print_.params[k].role == ParamRole::Value) names.push_back(name_of(k));
  }
  const std::string near = sema::nearest(name, names);
  return near.empty() ? near : fmt::format("did you mean `{}`?", near);
}

bool TopArguments::gives(std::size_t k) const {
  return std::ranges::any_of(request_.params, [&](const auto& p) { return p.first == name_of(k); });
}

std::optional<sema::Value> TopArguments::value(std::size_t k, sema::TypeId type) {
  const std::string_view name = name_of(k);
  for (const auto& [given, text] : request_.params) {
    if (given == name) {
      const sema::MeasureId measure = model_.typed.measures.of(print_.params[k].decl);
      return parameter_value(model_.typed, name, text, type, measure, diagnostics_);
    }
  }
  diagnostics_.report(
      {.code = DiagCode::MissingParameter,
       .span = model_.typed.decls[print_.params[k].decl].span,
       .message = fmt::format("parameter `{}` of `{}` has no value", name,
                              definition_name(model_.typed, top_)),
       .help = fmt::format("give it with -p {}=... ({})", name,
                           model_.typed.types.text(type, model_.typed.ast.symbols))});
  return std::nullopt;
}

}  // namespace chi::flat
