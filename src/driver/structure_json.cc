#include "driver/structure_json.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/json_text.h"

namespace chi::driver {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

template <class Items, class Text>
std::string joined(const Items& items, Text text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : ",") + text(item);
  return all;
}

std::string list(const std::vector<std::string>& names) {
  return joined(names, [](const std::string& name) { return json_quote(name); });
}

const char* linearity_name(expr::Linearity linearity) {
  switch (linearity) {
    case expr::Linearity::Free:
    case expr::Linearity::Constant: return "constant";
    case expr::Linearity::Varying: return "linear";
    case expr::Linearity::Nonlinear: break;
  }
  return "nonlinear";
}

/// The lists of one mode, without the brackets around them: a model's are those of its parts, one
/// after the other.
class Lists {
 public:
  explicit Lists(const ModeStructure& mode) : mode_(mode) {}

  std::string reference(std::int32_t e) const {
    const ModeStructure::Equation& equation = mode_.equations[at(e)];
    return fmt::format("\"equation\":{},\"where\":{}", json_quote(equation.text),
                       json_quote(equation.where));
  }

  std::string equations() const {
    return joined(mode_.equations, [](const ModeStructure::Equation& e) {
      return fmt::format(
          "{{\"equation\":{},\"where\":{},\"unknown\":{},\"times\":{},\"redundant\":{},"
          "\"check\":{}}}",
          json_quote(e.text), json_quote(e.where),
          e.unknown.empty() ? std::string("null") : json_quote(e.unknown), e.times, e.is_redundant,
          e.is_check);
    });
  }

  std::string differentiated() const {
    return chosen([](const ModeStructure::Equation& e) { return e.times > 0; }, true);
  }
  std::string redundant() const {
    return chosen([](const ModeStructure::Equation& e) { return e.is_redundant; }, false);
  }

  std::string combined() const {
    return joined(mode_.combined, [this](const ModeStructure::Combined& c) {
      return fmt::format("{{{},\"of\":{}}}", reference(c.equation), json_quote(c.of));
    });
  }

  std::string blocks(const ModeStructure::Blocks& blocks) const {
    return joined(blocks.blocks, [&](const ModeStructure::Block& block) {
      std::vector<std::string> unknowns;
      std::string rows;
      for (std::int32_t k = block.first; k < block.first + block.count; ++k) {
        unknowns.push_back(blocks.unknowns[at(k)]);
        const ModeStructure::Row& row = blocks.rows[at(k)];
        rows += fmt::format("{}{{{},\"times\":{}}}", rows.empty() ? "" : ",",
                            reference(row.equation), row.order);
      }
      return fmt::format(
          "{{\"size\":{},\"linearity\":\"{}\",\"linear\":{},\"unknowns\":[{}],\"equations\":[{}],"
          "\"torn\":[{}]}}",
          block.count, linearity_name(block.linearity),
          block.linearity != expr::Linearity::Nonlinear, list(unknowns), rows, list(block.torn));
    });
  }

  std::string singular() const {
    if (!mode_.singular) return "null";
    const ModeStructure::Singular& singular = *mode_.singular;
    return fmt::format(
        "{{\"kind\":\"{}\",\"equations\":[{}],\"unknowns\":[{}],\"message\":{},\"help\":{},"
        "\"at_an_instant_only\":{}}}",
        singular.kind,
        joined(singular.equations,
               [this](std::int32_t e) { return fmt::format("{{{}}}", reference(e)); }),
        list(singular.unknowns), json_quote(singular.why.message), json_quote(singular.why.help),
        mode_.is_static);
  }

 private:
  std::string chosen(const std::function<bool(const ModeStructure::Equation&)>& takes,
                     bool with_times) const {
    std::string all;
    for (std::size_t i = 0; i < mode_.equations.size(); ++i) {
      if (!takes(mode_.equations[i])) continue;
      all += all.empty() ? "{" : ",{";
      all += reference(static_cast<std::int32_t>(i));
      if (with_times) all += fmt::format(",\"times\":{}", mode_.equations[i].times);
      all += '}';
    }
    return all;
  }

  const ModeStructure& mode_;
};

std::string body(const std::vector<const ModeStructure*>& modes) {
  int index = 0, structural_index = 0, dof = 0;
  bool regular = true, chose = false;
  std::string singular = "null";
  for (const ModeStructure* mode : modes) {
    index = std::max(index, mode->index);
    structural_index = std::max(structural_index, mode->structural_index);
    dof += mode->degrees_of_freedom;
    chose = chose || mode->chose_states;
    if (!mode->singular) continue;
    regular = false;
    if (singular == "null") singular = Lists(*mode).singular();
  }
  const auto number = [&](int n) { return regular ? fmt::format("{}", n) : std::string("null"); };
  std::string text =
      fmt::format("\"index\":{},\"structural_index\":{},\"dof\":{},\"chose_states\":{}",
                  number(index), number(structural_index), number(dof), chose);
  const auto add = [&](const char* key,
                       const std::function<std::string(const ModeStructure&)>& of) {
    text += fmt::format(",\"{}\":[", key);
    bool first = true;
    for (const ModeStructure* mode : modes) {
      const std::string part = of(*mode);
      if (part.empty()) continue;
      if (!first) text += ',';
      first = false;
      text += part;
    }
    text += ']';
  };
  add("states", [](const ModeStructure& m) { return list(m.states); });
  add("dummies", [](const ModeStructure& m) { return list(m.dummies); });
  add("differentiated", [](const ModeStructure& m) { return Lists(m).differentiated(); });
  add("blocks", [](const ModeStructure& m) { return Lists(m).blocks(m.ivp); });
  add("initial_blocks", [](const ModeStructure& m) { return Lists(m).blocks(m.ip); });
  add("knowns", [](const ModeStructure& m) { return list(m.knowns); });
  add("declared", [](const ModeStructure& m) { return list(m.declared); });
  add("knowns_ip", [](const ModeStructure& m) { return list(m.knowns_ip); });
  add("unknowns_ip", [](const ModeStructure& m) { return list(m.unknowns_ip); });
  add("unknowns_ivp", [](const ModeStructure& m) { return list(m.unknowns_ivp); });
  add("equations", [](const ModeStructure& m) { return Lists(m).equations(); });
  add("redundant", [](const ModeStructure& m) { return Lists(m).redundant(); });
  add("combined", [](const ModeStructure& m) { return Lists(m).combined(); });
  add("warnings", [](const ModeStructure& m) { return list(m.warnings); });
  const auto has_units = [](const ModeStructure* m) { return !m->units.empty(); };
  if (std::ranges::any_of(modes, has_units)) {
    add("units", [](const ModeStructure& m) { return list(m.units); });
  }
  return text + ",\"singular\":" + singular;
}

std::string one(const ModeStructure& mode) {
  return fmt::format("{{\"part\":{},\"time\":{},\"mode\":{},{}}}", mode.part,
                     json_number(mode.time), json_quote(mode.mode), body({&mode}));
}

}  // namespace

std::string structure_json(const ModelStructure& structure) {
  std::vector<const ModeStructure*> parts;
  for (const ModeStructure& part : structure.parts) parts.push_back(&part);
  return fmt::format("{{{},\"memories\":[{}],\"parts\":[{}],\"modes\":[{}]}}\n", body(parts),
                     list(structure.memories), joined(structure.parts, one),
                     joined(structure.met, one));
}

}  // namespace chi::driver
