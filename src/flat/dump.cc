#include "flat/dump.h"

#include <array>
#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "base/match.h"
#include "expr/incidence.h"
#include "expr/print.h"
#include "flat/scalars.h"

namespace chi::flat {
namespace {

constexpr std::size_t kLongest = 400;  // characters of an expression

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class Dumper {
 public:
  Dumper(const FlatModel& model, const SourceFile& source, const syntax::Wanted& wanted)
      : model_(model), source_(source), wanted_(wanted) {
    names_.variable = [this](expr::VarId v) { return scalar_name(model_, v.index); };
    names_.discrete = [this](expr::DiscreteId d) { return discrete_name(d); };
    names_.function = [this](expr::FunctionId f) { return function_name(f); };
  }

  std::string operator()() {
    for (const Block& block : model_.blocks) instance(block);
    for (const Process& p : model_.processes) {
      if (is_wanted(p.name)) put("process", p.name, fmt::format("priority {}", p.priority), {});
    }
    for (const Variable& v : model_.variables) variable(v);
    for (const Channel& c : model_.channels) channel(c);
    nodes();
    for (expr::FunctionId f{0}; f.index < model_.equations.pool.function_count(); ++f.index) {
      function(f);
    }
    for (const Substitution& s : model_.equations.substitutions) {
      if (!is_wanted(path(s.block)) && !is_wanted(name(s.variable))) continue;
      put("substitute", path(s.block), name(s.variable) + " <- " + text(s.value), s.span);
    }
    for (const Memory& m : model_.equations.memories) {
      if (!is_wanted(path(m.block))) continue;
      const std::string target = m.slot < 0 ? "" : scalar_name(model_, m.slot);
      put("memory", path(m.block), target + " <- " + text(m.value), m.span);
    }
    for (const Unknown& u : model_.equations.system.unknowns) unknown(u);
    for (const Equation& e : model_.equations.system.equations) equation(e);
    return std::move(out_);
  }

 private:
  bool is_wanted(std::string_view name) const { return !wanted_ || wanted_(name); }

  /// One line: what it is, whose, what of it, and where it is written.
  void put(std::string_view kind, std::string_view whose, std::string_view what, Span span) {
    std::string line = fmt::format("{:<11}", kind);
    if (!whose.empty()) line += fmt::format("{}  ", whose);
    line += what;
    if (span.begin < span.end) line += "  @ " + source_.where(span);
    out_ += line + "\n";
  }

  std::string path(std::int32_t block) const {
    if (block < 0) return "";
    const Block& b = model_.blocks[at(block)];
    return b.path.empty() ? definition_name(b) : b.path;
  }
  std::string definition_name(const Block& block) const {
    const std::int32_t d = model_.bodies[block.body].definition;
    return std::string(syntax::name_of(model_.typed.ast, model_.typed.ast.definitions[at(d)]));
  }
  std::string name(expr::VarRef x) const {
    return scalar_name(model_, x.var.index) + std::string(at(x.order), '\'');
  }
  std::string symbol(sema::DeclId decl) const {
    return std::string(model_.typed.ast.symbols.text(model_.typed.decls[decl].name));
  }
  std::string type(sema::TypeId t) const {
    return model_.typed.types.text(t, model_.typed.ast.symbols);
  }
  std::string text(expr::ExprId e) const {
    return expr::to_text(model_.equations.pool, e, names_, kLongest);
  }
  std::string discrete_name(expr::DiscreteId d) const {
    const auto& source = model_.equations.discrete[d].source;
    const auto* slot = std::get_if<DiscreteSlot>(&source);
    if (const auto* memory = std::get_if<DiscreteMemory>(&source)) return memory_name(*memory, d);
    return slot != nullptr ? scalar_name(model_, slot->slot) : fmt::format("box{}", d.index);
  }
  std::string memory_name(DiscreteMemory memory, expr::DiscreteId d) const {
    const Memory& m = model_.equations.memories[at(memory.memory)];
    if (m.now == d) return fmt::format("pre{}", memory.memory);
    return m.slot < 0 ? fmt::format("new{}", memory.memory)
                      : fmt::format("new({})", scalar_name(model_, m.slot));
  }
  std::string function_name(expr::FunctionId f) const {
    if (f.index < model_.equations.functions.size()) {
      const auto* user = std::get_if<UserFunction>(&model_.equations.functions[f]);
      if (user != nullptr) return symbol(user->function);
    }
    return fmt::format("f{}", f.index);
  }

  void instance(const Block& block) {
    const std::string own = block.path.empty() ? definition_name(block) : block.path;
    if (!is_wanted(own)) return;
    std::string arguments;
    const Body& body = model_.bodies[block.body];
    const auto& params = model_.typed.definitions[at(body.definition)].params;
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      arguments += fmt::format("{}{} = ", i == 0 ? "" : ", ", symbol(params[i]));
      arguments += bound(block.bindings[i], body.params[i]);
    }
    put("instance", own, fmt::format("{}({})", definition_name(block), arguments), block.span);
  }
  std::string bound(const Binding& binding, sema::TypeId param) const {
    return match(
        binding, [&](const BoundValue& b) { return sema::text(b.value, model_.typed, param); },
        [&](const BoundVariable& b) { return scalar_name(model_, b.slot); },
        [&](const BoundChannels& b) {
          std::string all;
          for (const ChannelId c : b.channels) {
            all += (all.empty() ? "" : " ") + model_.channels[c].name;
          }
          return all;
        });
  }

  void variable(const Variable& v) {
    if (!is_wanted(v.name)) return;
    std::string what = fmt::format("{}  slot {}", type(v.type), v.slot);
    if (v.low) what += fmt::format("  in {} .. {}", *v.low, v.high.value_or(*v.low));
    put("variable", v.name, what, v.span);
  }
  void channel(const Channel& c) {
    if (!is_wanted(c.name)) return;
    const auto end = [&](ProcessId p) { return p ? model_.processes[p].name : std::string("-"); };
    put("channel", c.name,
        fmt::format("{}  {} -> {}", type(c.element), end(c.sender), end(c.receiver)), c.span);
  }

  void nodes() {
    const TerminalsOfNodes terminals(model_.net);
    for (std::size_t n = 0; n < model_.net.nodes.size(); ++n) {
      const Node& node = model_.net.nodes[n];
      const std::string own = scalar_name(model_, node.potential);
      if (!is_wanted(own)) continue;
      std::string what;
      for (const std::int32_t t : terminals.of(n)) {
        const Terminal& terminal = model_.net.terminals[at(t)];
        what += fmt::format("{}{}.{}", what.empty() ? "" : ", ", path(terminal.block),
                            symbol(terminal.param));
        if (terminal.element >= 0) what += fmt::format("[{}]", terminal.element);
      }
      put("node", own, what, model_.typed.decls[node.decl].span);
    }
  }

  void function(expr::FunctionId f) {
    const expr::Function& function = model_.equations.pool.function(f);
    const std::string own = function_name(f);
    if (!is_wanted(own) || function.parent) return;
    std::string call = own + "(";
    for (int i = 0; i < function.arity; ++i) call += fmt::format("{}p{}", i == 0 ? "" : ", ", i);
    put("function", call + ")", function.body ? "= " + text(function.body) : "a black box", {});
  }

  /// The guards that must hold: `[V > 2]`, outermost first.
  std::string guards(BranchId branch) const {
    std::string all;
    while (branch) {
      const Branch& b = model_.equations.system.branches[branch];
      all = "[" + text(b.guard) + "] " + all;
      branch = model_.equations.system.choices[b.choice].parent;
    }
    return all;
  }
  void unknown(const Unknown& u) {
    if (!is_wanted(path(u.block)) && !is_wanted(name(u.variable))) return;
    put("unknown", path(u.block),
        guards(u.branch) + name(u.variable) + (u.implied ? " (of a node)" : ""), u.span);
  }
  void equation(const Equation& e) {
    if (wanted_ && !is_wanted(path(e.block)) && !mentions(e)) return;
    put("equation", path(e.block), guards(e.branch) + text(e.left) + " = " + text(e.right), e.span);
  }
  bool mentions(const Equation& e) const {
    const std::array<expr::ExprId, 2> sides = {e.left, e.right};
    for (const expr::ExprId node : expr::variables(model_.equations.pool, sides).node) {
      const expr::VarRef x = model_.equations.pool.variable(node);
      if (is_wanted(scalar_name(model_, x.var.index))) return true;
    }
    return false;
  }

  const FlatModel& model_;
  const SourceFile& source_;
  const syntax::Wanted& wanted_;
  expr::Names names_;
  std::string out_;
};

}  // namespace

std::string dump(const FlatModel& model, const SourceFile& source, const syntax::Wanted& wanted) {
  return Dumper(model, source, wanted)();
}

}  // namespace chi::flat
