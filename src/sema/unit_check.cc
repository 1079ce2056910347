#include "sema/unit_check.h"

#include <algorithm>

#include "base/cancel.h"
#include "base/match.h"
#include "sema/order.h"
#include "sema/paths.h"
#include "sema/unit_measures.h"
#include "sema/unit_rules.h"

namespace chi::sema {
namespace {

class UnitChecker {
 public:
  explicit UnitChecker(Context& c) : c_(c), rules_(c) {}

  void check() {
    find_files();
    for (const DefinitionGroup& group : definition_order(c_)) {
      for (const std::int32_t d : group.definitions) declare(d);
      for (const std::int32_t d : group.definitions) body(d);
    }
    for (const std::int32_t d : parts_first()) {
      declare(d);
      body(d);
    }
    if (!c_.diagnostics.has_errors()) fill_measures(c_, rules_);
  }

 private:
  /// A file that has no units, be it one of a model that imports parts with units, is inferred but
  /// nothing is asked of it.
  void find_files() {
    with_units_.resize(c_.ast.files.size(), false);
    for (std::size_t f = 0; f < c_.ast.files.size(); ++f) {
      const syntax::File& file = c_.ast.files[f];
      with_units_[f] = std::ranges::any_of(c_.ast.quantities,
                                           [&](const syntax::Quantity& q) {
                                             return q.literal.index >= file.first.exprs &&
                                                    q.literal.index < file.end.exprs;
                                           }) ||
                       std::ranges::any_of(c_.ast.type_units, [&](const syntax::TypeUnit& u) {
                         return u.type.index >= file.first.types && u.type.index < file.end.types;
                       });
    }
  }

  const syntax::Definition& definition(std::int32_t d) const {
    return c_.ast.definitions[static_cast<std::size_t>(d)];
  }
  const DefinitionInfo& info(std::int32_t d) const {
    return c_.model.definitions[static_cast<std::size_t>(d)];
  }

  /// Processes and systems, each after those of which it has instances: where they are used, what
  /// they ask of their parameters is known. A process may start itself; then it is not.
  std::vector<std::int32_t> parts_first() const {
    std::vector<std::vector<std::int32_t>> uses(c_.ast.definitions.size());
    for_each_file_row([&](std::int32_t d, syntax::InstanceId instance) {
      const std::int32_t of = c_.model.instance_of[instance];
      if (of >= 0) uses[static_cast<std::size_t>(d)].push_back(of);
    });
    std::vector<std::int32_t> order;
    std::vector<char> state(uses.size(), 0);  // 1: on the stack, 2: done
    for (std::size_t root = 0; root < uses.size(); ++root) {
      std::vector<std::int32_t> stack{static_cast<std::int32_t>(root)};
      while (!stack.empty()) {
        const std::int32_t d = stack.back();
        char& s = state[static_cast<std::size_t>(d)];
        if (s == 0) {
          s = 1;
          for (const std::int32_t used : uses[static_cast<std::size_t>(d)]) {
            if (state[static_cast<std::size_t>(used)] == 0) stack.push_back(used);
          }
          continue;
        }
        stack.pop_back();
        if (s == 2) continue;
        s = 2;
        const auto& node = definition(d).node;
        if (std::holds_alternative<syntax::ProcDef>(node) ||
            std::holds_alternative<syntax::SysDef>(node)) {
          order.push_back(d);
        }
      }
    }
    return order;
  }

  /// The instances in each definition: the rows of a table are in the order of the text, and a
  /// definition has those within its span.
  template <class Visit>
  void for_each_file_row(Visit visit) const {
    std::vector<std::pair<std::int32_t, std::int32_t>> begins;  // of definitions in the text
    for (std::size_t d = 0; d < c_.ast.definitions.size(); ++d) {
      begins.emplace_back(c_.ast.definitions[d].span.begin, static_cast<std::int32_t>(d));
    }
    std::ranges::sort(begins);
    for (syntax::InstanceId i{0}; i.index < c_.ast.instances.size(); ++i.index) {
      const std::int32_t at = c_.ast.instances[i].span.begin;
      const auto after =
          std::ranges::upper_bound(begins, at, {}, [](const auto& b) { return b.first; });
      if (after != begins.begin()) visit(after[-1].second, i);
    }
  }

  // ---- declarations ----

  void declare(std::int32_t d) {
    rules_.owner = d;
    match(
        definition(d).node, [](const syntax::TypeDef&) {},
        [&](const syntax::ConstDef& n) {
          rules_.owner = DimensionTerms::kNobody;
          const DeclId self = info(d).self;
          if (self && n.type) {
            rules_.of_decl(self) = rules_.shapes.of_written(n.type, DimensionTerms::kNobody);
          }
        },
        [&](const syntax::FuncDef& n) {
          params(d, n.parameters);
          locals(d, n.locals);
          std::vector<ShapeId> parts;
          for (const DeclId p : info(d).params) parts.push_back(rules_.of_decl(p));
          parts.push_back(rules_.shapes.of_written(n.result, d));
          if (info(d).self) {
            rules_.of_decl(info(d).self) = rules_.shapes.compound(UnitShape::Kind::Function, parts);
          }
        },
        [&](const auto& n) {
          params(d, n.parameters);
          locals(d, n.locals);
        });
  }

  void params(std::int32_t d, Slice<syntax::Param> groups) {
    std::size_t k = 0;
    for (const syntax::Param& group : c_.ast.list(groups)) {
      // Names declared together measure the same only where they say so.
      for (std::int32_t i = 0; i < group.names.count && k < info(d).params.size(); ++i, ++k) {
        declare_one(d, info(d).params[k], group.type);
      }
    }
  }

  void locals(std::int32_t d, Slice<syntax::VarDecl> groups) {
    auto next = info(d).locals.begin();
    for (const syntax::VarDecl& group : c_.ast.list(groups)) {
      for (std::int32_t i = 0; i < group.names.count; ++i, ++next) {
        while (next != info(d).locals.end() && c_.model.decls[*next].terminal) ++next;
        if (next == info(d).locals.end()) return;
        declare_one(d, *next, group.type);
      }
    }
  }

  void declare_one(std::int32_t d, DeclId decl, syntax::TypeId type) {
    rules_.of_decl(decl) = rules_.shapes.of_written(type, d);
    if (!c_.types.node_of(c_.model.decls[decl].type)) return;
    const ShapeId flows = rules_.shapes.flows_of_written(type, d);
    rules_.flows_of(decl) = flows;
    if (const DeclId variable = c_.model.decls[decl].flows) rules_.of_decl(variable) = flows;
  }

  // ---- bodies ----

  void body(std::int32_t d) {
    check_cancelled();
    rules_.owner = d;
    rules_.silent = !with_units_[static_cast<std::size_t>(definition(d).file)];
    match(
        definition(d).node, [](const syntax::TypeDef&) {},
        [&](const syntax::ConstDef& n) { constant(info(d).self, n); },
        [&](const syntax::FuncDef& n) {
          initials(info(d).locals);
          const DeclId self = info(d).self;
          const ShapeId function = self ? rules_.of_decl(self) : rules_.shapes.any();
          result_ = self ? rules_.shapes.parts(function).back() : function;
          if (n.value) rules_.require(n.value, result_, Meeting::Result);
          statements(n.body);
        },
        [&](const syntax::ProcDef& n) {
          initials(info(d).params);
          initials(info(d).locals);
          equations(n.equations);
          statements(n.body);
        },
        [&](const syntax::SysDef& n) {
          initials(info(d).params);
          initials(info(d).locals);
          for (const syntax::InstanceId i : c_.ast.list(n.instances)) instance(i);
        });
  }

  void constant(DeclId self, const syntax::ConstDef& n) {
    rules_.owner = DimensionTerms::kNobody;
    if (!self) return;
    if (n.type) return rules_.require(n.value, rules_.of_decl(self), Meeting::Initial);
    const ShapeId value = rules_.infer(n.value);
    // `const g = 9.81` takes the unit that its uses ask for.
    const bool adapts =
        rules_.shapes.is_bare(value) && c_.types.is(c_.model.decls[self].type, BasicType::Real);
    rules_.of_decl(self) =
        adapts ? rules_.shapes.real(rules_.shapes.terms.unknown(DimensionTerms::kNobody)) : value;
  }

  /// Initial and default values, and bounds.
  void initials(const std::vector<DeclId>& decls) {
    for (const DeclId id : decls) {
      const Decl& decl = c_.model.decls[id];
      rules_.require(decl.low, rules_.of_decl(id), Meeting::Bound, {}, id);
      rules_.require(decl.high, rules_.of_decl(id), Meeting::Bound, {}, id);
      rules_.require(decl.initial, rules_.of_decl(id), Meeting::Initial, {}, id);
    }
  }

  void equations(Slice<syntax::EquationId> list) {
    for (const syntax::EquationId e : c_.ast.list(list)) equation(e);
  }

  void equation(syntax::EquationId e) {
    const Span span = c_.ast.equations[e].span;
    const auto equal = [&](ExprId left, ExprId right) {
      const ShapeId a = rules_.infer(left), b = rules_.infer(right);
      rules_.unify(a, b, {Meeting::Equation, left, right, span});
    };
    match(
        c_.ast.equations[e].node, [&](const syntax::Substitute& n) { equal(n.target, n.value); },
        [&](const syntax::Equality& n) { equal(n.left, n.right); },
        [&](const syntax::Complements& n) { complements(n); },
        [&](const syntax::GuardedEquations& n) {
          for (const auto& a : c_.ast.list(n.alternatives)) {
            rules_.infer(a.guard);
            equations(a.body);
          }
        },
        [&](const syntax::UnwoundEquations& n) { equations(n.body); },
        [&](const auto& n) { condition(n); });
  }

  /// Of a node that only says what must hold, if it does.
  template <class Node>
  void condition(const Node& node) {
    if constexpr (requires { node.condition; }) rules_.infer(node.condition);
  }

  void claim(ExprId condition, ExprId text) {
    rules_.infer(condition);
    if (text) rules_.infer(text);
  }

  /// The two sides have units of their own; what is compared on one side has the same.
  void complements(const syntax::Complements& n) {
    for (const syntax::ComplementSide& side : {n.left, n.right}) {
      const ShapeId value = rules_.infer(side.value);
      for (const ExprId bound : {side.low, side.high}) {
        if (!bound) continue;
        rules_.unify(value, rules_.infer(bound),
                     {Meeting::Comparison, side.value, bound, c_.span(bound)});
      }
    }
    if (n.restitution) rules_.require(n.restitution, rules_.shapes.one(), Meeting::Argument);
  }

  void statements(Slice<syntax::StatId> list) {
    for (const syntax::StatId s : c_.ast.list(list)) statement(s);
  }

  void statement(syntax::StatId s) {
    using namespace syntax;
    const auto all = [&](Slice<Alternative> list) {
      for (const Alternative& a : c_.ast.list(list)) {
        rules_.infer(a.guard);
        if (a.event) statement(a.event);
        statements(a.body);
      }
    };
    const auto gets = [&](ExprId target, ExprId value, Meeting how) {
      if (target && value) rules_.require(value, rules_.infer(target), how, target);
    };
    match(
        c_.ast.stats[s].node,
        [&](const Return& n) { rules_.require(n.value, result_, Meeting::Result); },
        [&](const Assign& n) {
          for (std::int32_t k = 0; k < std::min(n.targets.count, n.values.count); ++k) {
            const auto at = static_cast<std::size_t>(k);
            gets(c_.ast.list(n.targets)[at], c_.ast.list(n.values)[at], Meeting::Assignment);
          }
        },
        [&](const Send& n) { gets(n.channel, n.value, Meeting::Message); },
        [&](const Receive& n) { gets(n.channel, n.target, Meeting::Message); },
        [&](const Delay& n) {
          rules_.require(n.duration, rules_.shapes.seconds(), Meeting::Time);
          all(n.otherwise);
        },
        [&](const Start& n) { instance(n.instance); },
        [&](const Wait& n) { rules_.infer(n.condition); },
        [&](const Instant& n) { equations(n.equations); },
        [&](const Assert& n) { claim(n.condition, n.text); },
        [&](const Print& n) {
          for (const ExprId e : c_.ast.list(n.values)) {
            rules_.infer(e);
            rules_.printed.push_back(e);
          }
        },
        [&](const Select& n) { all(n.alternatives); }, [&](const Loop& n) { all(n.alternatives); },
        [&](const Forever& n) { statements(n.body); }, [&](const auto& n) { condition(n); });
  }

  void instance(syntax::InstanceId id) {
    const syntax::Instance& row = c_.ast.instances[id];
    for (const syntax::InstanceId member : c_.ast.list(row.group)) instance(member);
    const std::int32_t of = c_.model.instance_of[id];
    if (of < 0) return;
    const auto& params = info(of).params;
    const auto arguments = c_.model.arguments_of(id);
    DimensionTerms::Renamed renamed;
    const auto here = [&](ShapeId shape) {
      return of == rules_.owner ? shape : rules_.shapes.instance(shape, of, rules_.owner, renamed);
    };
    // Numbers without a unit adapt to the others; a default value is one of them.
    const auto count = std::min(params.size(), arguments.size());
    std::vector<std::size_t> order, numbers;
    for (std::size_t k = 0; k < count; ++k) {
      const ExprId value = arguments[k] ? arguments[k] : c_.model.decls[params[k]].initial;
      const ShapeId shape = arguments[k] ? rules_.infer(value)
                            : value      ? rules_.found(value)
                                         : rules_.shapes.any();
      (rules_.shapes.is_bare(shape) ? numbers : order).push_back(k);
    }
    order.insert(order.end(), numbers.begin(), numbers.end());
    for (const std::size_t k : order) {
      const ShapeId wanted = here(rules_.of_decl(params[k]));
      if (!arguments[k]) {
        const ExprId value = c_.model.decls[params[k]].initial;
        if (!value || !rules_.shapes.is_bare(rules_.found(value))) continue;
        rules_.unify(wanted, rules_.found(value),
                     {Meeting::Argument, {}, {}, row.name.span, params[k]});
        continue;
      }
      rules_.require(arguments[k], wanted, Meeting::Argument, {}, params[k]);
      const DeclId node = root_of(c_, arguments[k]);
      if (!node || !c_.types.node_of(c_.model.decls[params[k]].type)) continue;
      rules_.unify(here(rules_.flows_of(params[k])), rules_.flows_of(node),
                   {Meeting::Argument, {}, arguments[k], c_.span(arguments[k]), params[k]});
    }
  }

  Context& c_;
  UnitRules rules_;
  std::vector<bool> with_units_;  // by file
  ShapeId result_ = 0;            // of the function being looked at
};

}  // namespace

void check_units(Context& c) { UnitChecker(c).check(); }

}  // namespace chi::sema
