#include "flat/bodies.h"

#include <bit>
#include <functional>
#include <string>

#include "base/match.h"
#include "flat/check_ranges.h"
#include "flat/layout.h"

namespace chi::flat {
namespace {

std::size_t mix(std::size_t seed, std::size_t value) {
  return (seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2))) *
         0xff51afd7ed558ccdULL;
}

std::size_t hash_of(double x) { return std::hash<double>{}(x); }

}  // namespace

// Follows the nesting of the value, which its type limits.
std::size_t hash_value(const sema::Value& value) {
  using sema::Value;
  std::size_t h = value.data.index();
  match(
      value.data, [](std::monostate) {}, [&](bool b) { h = mix(h, b ? 1U : 0U); },
      [&](std::int64_t i) { h = mix(h, static_cast<std::size_t>(i)); },
      [&](double x) { h = mix(h, hash_of(x)); },
      [&](const std::string& s) { h = mix(h, std::hash<std::string>{}(s)); },
      [&](const Value::Sequence& s) {
        for (const Value& v : s) h = mix(h, hash_value(v));
      },
      [&](const Value::Mapping& m) {
        for (const auto& [k, v] : m) h = mix(mix(h, hash_value(k)), hash_value(v));
      },
      [&](Value::FunctionRef f) { h = mix(h, static_cast<std::size_t>(f.decl.index)); },
      [&](const Value::Distribution& d) {
        h = mix(h, static_cast<std::size_t>(d.kind));
        for (const auto& argument : d.arguments) {
          h = mix(h, std::hash<Value::Distribution::Argument>{}(argument));
        }
      });
  return h;
}

std::size_t BodyTable::KeyHash::operator()(const Key& key) const {
  auto h = static_cast<std::size_t>(key.definition);
  for (const sema::Value& v : key.values) h = mix(h, hash_value(v));
  return h;
}

std::optional<BodyId> BodyTable::find(std::int32_t definition, const sema::Environment& values,
                                      Diagnostics& diagnostics) {
  const Blueprint& print = blueprints_.definitions[static_cast<std::size_t>(definition)];
  if (print.structural.empty()) {
    if (const auto at = only_.find(definition); at != only_.end()) return at->second;
    const auto body = add(definition, values, diagnostics);
    if (body) only_[definition] = *body;
    return body;
  }
  Key key{definition, {}};
  for (const std::int32_t k : print.structural) {
    key.values.push_back(values.at(print.params[static_cast<std::size_t>(k)].decl));
  }
  if (const auto at = ids_.find(key); at != ids_.end()) return at->second;
  const auto body = add(definition, values, diagnostics);
  if (body) ids_.emplace(std::move(key), *body);
  return body;
}

std::optional<BodyId> BodyTable::add(std::int32_t definition, const sema::Environment& values,
                                     Diagnostics& diagnostics) {
  const Blueprint& print = blueprints_.definitions[static_cast<std::size_t>(definition)];
  Body body{.definition = definition};
  for (const std::int32_t k : print.structural) {
    const sema::DeclId decl = print.params[static_cast<std::size_t>(k)].decl;
    body.structural[decl] = values.at(decl);
  }
  std::vector<std::int64_t> slots;
  for (const BlueprintParam& param : print.params) {
    const auto type = lengths_.close(param.type, body.structural, diagnostics);
    if (!type) return std::nullopt;
    body.params.push_back(*type);
  }
  for (const BlueprintLocal& local : print.locals) {
    const auto type = lengths_.close(local.type, body.structural, diagnostics);
    if (!type) return std::nullopt;
    body.locals.push_back(*type);
    slots.push_back(local.is_channel ? 0 : slot_count(model_.typed.types, *type));
  }
  if (!check_ranges(model_, body, diagnostics)) return std::nullopt;
  if (!shapes_.check(body, diagnostics)) return std::nullopt;
  local_slots_.add(std::move(slots));
  return model_.bodies.add(std::move(body));
}

}  // namespace chi::flat
