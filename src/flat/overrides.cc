#include "flat/overrides.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sema/suggest.h"

namespace chi::flat {
namespace {

using sema::DeclKind;

std::string joined(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string_view last_name(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

// The value parameters of the model, by path, and what else has that name.
class Parameters {
 public:
  explicit Parameters(const FlatModel& model) : model_(model) {
    for (const Block& block : model.blocks) {
      const Body& body = model.bodies[block.body];
      const auto& info = model.typed.definitions[static_cast<std::size_t>(body.definition)];
      for (std::size_t k = 0; k < info.params.size(); ++k) {
        if (!std::holds_alternative<BoundValue>(block.bindings[k])) continue;
        paths_.push_back(joined(block.path, text_of(info.params[k])));
      }
    }
  }

  std::string near(const std::string& path) const {
    std::vector<std::string_view> candidates(paths_.begin(), paths_.end());
    if (std::string found = sema::nearest(path, candidates); !found.empty()) return found;
    // The right parameter of another instance: only the path to it is wrong.
    for (const std::string_view candidate : candidates) {
      if (last_name(candidate) == last_name(path)) return std::string(candidate);
    }
    return {};
  }

  std::string some() const {
    constexpr std::size_t kMostListed = 6;
    std::string list;
    std::size_t count = 0;
    for (const std::string& path : paths_) {
      if (path.find('.') == std::string::npos || ++count > kMostListed) continue;
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", path);
    }
    if (list.empty()) return "no instance has a value parameter";
    if (count > kMostListed) list += fmt::format(" and {} more", count - kMostListed);
    return "instances have " + list;
  }

  // A variable or a `ref` parameter of that name in the instance at that path.
  const Variable* variable(std::string_view path) const {
    for (const Variable& v : model_.variables) {
      if (v.name == path) return &v;
    }
    return nullptr;
  }

 private:
  std::string_view text_of(sema::DeclId decl) const {
    return model_.typed.ast.symbols.text(model_.typed.decls[decl].name);
  }

  const FlatModel& model_;
  std::vector<std::string> paths_;
};

}  // namespace

Overrides::Overrides(const Request& request) : request_(request) {
  for (const auto& [name, text] : request.params) {
    if (name.find('.') != std::string::npos) rows_.try_emplace(name, Row{text});
  }
}

const std::string* Overrides::find(std::string_view path, std::string_view parameter) const {
  if (rows_.empty()) return nullptr;
  const auto at = rows_.find(joined(path, parameter));
  return at == rows_.end() ? nullptr : &at->second.text;
}

void Overrides::use(std::string_view path, std::string_view parameter) {
  rows_.at(joined(path, parameter)).used = true;
}

void Overrides::report_unused(const FlatModel& model, Diagnostics& diagnostics) const {
  std::optional<Parameters> known;
  for (const auto& [name, text] : request_.params) {
    const auto at = rows_.find(name);
    if (at == rows_.end() || at->second.used) continue;
    if (!known) known.emplace(model);
    Diagnostic d{
        .code = DiagCode::UnknownParameter,
        .message = fmt::format("no instance of the model has a value parameter `{}`", name)};
    if (const Variable* v = known->variable(name)) {
      d.message = fmt::format("`{}` is a variable, not a parameter", name);
      d.span = v->span;
      d.help = fmt::format(
          "to set its initial value from outside, give its process a parameter: `{0}0: {1} "
          ":= ...` and `{0}: {1} := {0}0`",
          last_name(name), model.typed.types.text(v->type, model.typed.ast.symbols));
    } else if (const std::string near = known->near(name); !near.empty()) {
      d.help = fmt::format("did you mean `{}`?", near);
    } else if (d.help = how_to_make_parameter(model.typed, last_name(name)); d.help.empty()) {
      d.help = known->some();
    }
    diagnostics.report(std::move(d));
  }
}

Request with_records(const sema::TypedModel& model, std::int32_t top, const Request& request) {
  Request result{.top = request.top};
  const auto& info = model.definitions[static_cast<std::size_t>(top)];
  const auto is_record = [&](std::string_view name) {
    return std::ranges::any_of(info.params, [&](sema::DeclId param) {
      const sema::Decl& decl = model.decls[param];
      return model.ast.symbols.text(decl.name) == name &&
             std::holds_alternative<sema::Record>(model.types[decl.type]);
    });
  };
  // What is between `prefix` and the next dot; the rows with one prefix become one.
  const auto record = [&](auto& self, const std::string& prefix) -> std::string {
    std::vector<std::string> fields;
    std::string text;
    for (const auto& [name, value] : request.params) {
      if (!name.starts_with(prefix)) continue;
      const std::size_t dot = name.find('.', prefix.size());
      const std::string field = name.substr(prefix.size(), dot - prefix.size());
      if (std::ranges::find(fields, field) != fields.end()) continue;
      fields.push_back(field);
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", field,
                          dot == std::string::npos ? value : self(self, prefix + field + "."));
    }
    return "{ " + text + " }";
  };
  std::vector<std::string> done;
  for (const auto& [name, text] : request.params) {
    const std::string root = name.substr(0, name.find('.'));
    if (root == name || !is_record(root)) {
      result.params.emplace_back(name, text);
    } else if (std::ranges::find(done, root) == done.end()) {
      done.push_back(root);
      result.params.emplace_back(root, record(record, root + "."));
    }
  }
  return result;
}

std::string how_to_make_parameter(const sema::TypedModel& model, std::string_view name) {
  for (const sema::DefinitionInfo& info : model.definitions) {
    if (!info.self) continue;
    const sema::Decl& decl = model.decls[info.self];
    if (decl.kind != DeclKind::Constant || model.ast.symbols.text(decl.name) != name) continue;
    return fmt::format(
        "`{0}` is a constant; to set it with -p make it a parameter with a default value of the "
        "part that "
        "runs: `xper ({0}: {1} := ...) = |[ ... ]|`",
        name, model.types.text(decl.type, model.ast.symbols));
  }
  return {};
}

}  // namespace chi::flat
