#include <algorithm>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/evaluator.h"
#include "sema/paths.h"

namespace chi::sema {
namespace {

constexpr int kMostCalls = 1000;

}  // namespace

bool Evaluator::call(ExprId e, const Value* callee, Value& out) {
  const auto& n = *node<syntax::Call>(e);
  const auto given = m_.ast.list(n.arguments);
  const auto* builtin = callee ? nullptr : std::get_if<Builtin>(&m_.resolution[n.callee]);
  std::vector<Value> arguments(given.size());
  if (builtin && *builtin == Builtin::Map) return map_elements(e, out);
  if (builtin) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (!eval(given[i], arguments[i])) return false;
    }
    return library(*builtin, e, arguments, out);
  }
  Value function;
  if (callee) {
    function = *callee;
  } else if (!eval(n.callee, function)) {
    return false;
  }
  const auto* reference = std::get_if<Value::FunctionRef>(&function.data);
  const auto* signature = as<Func>(type(n.callee));
  if (!reference || !signature) return fail(span(e), "this has no value before the run");
  const auto parameters = m_.types.list(signature->parameters);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!eval_as(given[i], parameters[i], arguments[i])) return false;
  }
  return call_function(reference->decl, arguments, span(e), out);
}

bool Evaluator::call_function(DeclId function, std::vector<Value>& arguments, Span where,
                              Value& out) {
  if (++calls_ > kMostCalls) {
    diagnostics_.report({.code = DiagCode::ConstantTooLong,
                         .span = root_,
                         .message = fmt::format("this takes more than {} nested calls", kMostCalls),
                         .labels = {{where, "the innermost call"}}});
    return false;
  }
  if (LookupTables::is_table(function)) {
    --calls_;
    return look_up(function, arguments, where, out);
  }
  const std::int32_t definition = m_.decls[function].owner;
  if (!m_.definitions[static_cast<std::size_t>(definition)].sound) return false;  // reported
  const auto& def =
      std::get<syntax::FuncDef>(m_.ast.definitions[static_cast<std::size_t>(definition)].node);
  Frame frame;
  frame.definition = definition;
  frame.slots = std::move(arguments);
  Frame* const caller = std::exchange(frame_, &frame);
  if (!run_body(def, frame, out)) return false;
  frame_ = caller;
  --calls_;
  return true;
}

bool Evaluator::run_body(const syntax::FuncDef& def, Frame& frame, Value& out) {
  const DefinitionInfo& info = m_.definitions[static_cast<std::size_t>(frame.definition)];
  for (DeclId local : info.locals) {
    const Decl& d = m_.decls[local];
    Value value;
    const bool set = d.initial ? eval_as(d.initial, d.type, value) : zero(d.type, d.span, value);
    if (!set) return false;
    frame.slots.push_back(std::move(value));
  }
  const auto* signature = as<Func>(m_.decls[info.self].type);
  if (def.value) return eval_as(def.value, signature->result, out);
  const Flow flow = run_all(def.body);
  if (flow == Flow::Failed) return false;
  if (flow == Flow::Next) return fail(def.name.span, "this function ended without `ret`");
  out = std::move(frame.result);
  return true;
}

Evaluator::Flow Evaluator::run_all(Slice<syntax::StatId> stats) {
  for (syntax::StatId id : m_.ast.list(stats)) {
    const Flow flow = run(id);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Evaluator::Flow Evaluator::run(syntax::StatId id) {
  using namespace syntax;
  const syntax::Stat& stat = m_.ast.stats[id];
  const auto none = [&](const auto&) { return fail(stat.span, "not in a function"), Flow::Failed; };
  const auto loop = [&](const auto& body) {
    for (bool open = true; open;) {
      if (!work(1, stat.span)) return Flow::Failed;
      const Flow flow = body(open);
      if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
  };
  return match(
      stat.node, [](const Skip&) { return Flow::Next; },
      [&](const Return& n) {
        const auto& info = m_.definitions[static_cast<std::size_t>(frame_->definition)];
        const sema::TypeId result = as<Func>(m_.decls[info.self].type)->result;
        return eval_as(n.value, result, frame_->result) ? Flow::Returned : Flow::Failed;
      },
      [&](const Assign& n) { return assign(n) ? Flow::Next : Flow::Failed; },
      [&](const Select& n) {
        bool open = false;
        const Flow flow = run_alternatives(n.alternatives, open);
        if (flow != Flow::Next || open) return flow;
        return fail(stat.span, "no alternative is open"), Flow::Failed;
      },
      [&](const Loop& n) {
        return loop([&](bool& open) {
          open = false;
          return run_alternatives(n.alternatives, open);
        });
      },
      [&](const Forever& n) { return loop([&](bool&) { return run_all(n.body); }); },
      [&](const Terminate& n) { return none(n); }, [&](const Send& n) { return none(n); },
      [&](const Receive& n) { return none(n); }, [&](const Delay& n) { return none(n); },
      [&](const Resume& n) { return none(n); }, [&](const Start& n) { return none(n); },
      [&](const Finish& n) { return none(n); }, [&](const Wait& n) { return none(n); },
      [&](const Instant& n) { return none(n); }, [&](const Assert& n) { return none(n); },
      [&](const Print& n) { return none(n); }, [&](const Error& n) { return none(n); });
}

/// Runs the first open alternative; `open` tells whether there was one.
Evaluator::Flow Evaluator::run_alternatives(Slice<syntax::Alternative> alternatives, bool& open) {
  for (const syntax::Alternative& a : m_.ast.list(alternatives)) {
    const Flow flow = a.unwind ? run_unwound(a, open) : run_if_open(a, open);
    if (flow != Flow::Next || open) return flow;
  }
  return Flow::Next;
}

Evaluator::Flow Evaluator::run_unwound(const syntax::Alternative& a, bool& open) {
  Value low, high;
  if (!eval(a.unwind.low, low) || !eval(a.unwind.high, high)) return Flow::Failed;
  const DeclId index = m_.unwind_index.at(a.unwind.variable.span.begin);
  const std::int64_t last = std::get<std::int64_t>(high.data);
  for (std::int64_t i = std::get<std::int64_t>(low.data); i <= last; ++i) {
    if (!work(1, a.span)) return Flow::Failed;
    frame_->indices[index].data = i;
    const Flow flow = run_if_open(a, open);
    if (flow != Flow::Next || open || i == last) return flow;
  }
  return Flow::Next;
}

Evaluator::Flow Evaluator::run_if_open(const syntax::Alternative& a, bool& open) {
  Value guard;
  if (!eval(a.guard, guard)) return Flow::Failed;
  open = std::get<bool>(guard.data);
  if (!open) return Flow::Next;
  if (++depth_ > kDeepest) return fail(a.span, "this nests too deeply to evaluate"), Flow::Failed;
  const Flow flow = run_all(a.body);
  --depth_;
  return flow;
}

bool Evaluator::assign(const syntax::Assign& n) {
  const auto targets = m_.ast.list(n.targets);
  const auto values = m_.ast.list(n.values);
  if (targets.size() == 1) {
    Value value;
    return eval_as(values[0], type(targets[0]), value) && store(targets[0], std::move(value));
  }
  std::vector<Value> results(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!eval_as(values[i], type(targets[i]), results[i])) return false;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!store(targets[i], std::move(results[i]))) return false;
  }
  return true;
}

bool Evaluator::store(ExprId target, Value value) {
  Value* place = locate(target);
  if (!place) return false;
  *place = std::move(value);
  return true;
}

/// Where the value of a target is kept; null after a report. A new key of a dictionary is added.
Value* Evaluator::locate(ExprId target) {
  std::vector<ExprId> steps;
  for (; !node<syntax::Name>(target); target = whole_of(m_.ast, target)) steps.push_back(target);
  const DeclId decl = std::get<DeclId>(m_.resolution[target]);
  const auto& params = m_.definitions[static_cast<std::size_t>(frame_->definition)].params;
  const auto slot = static_cast<std::size_t>(m_.decls[decl].ordinal);
  Value* place = &frame_->slots[params.size() + slot];
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (node<syntax::Parenthesized>(*step)) continue;
    Value index;
    if (const auto* n = node<syntax::Project>(*step)) {
      index.data = n->index;
    } else if (const auto* i = node<syntax::Index>(*step)) {
      const auto* dict = as<Dict>(type(i->of));
      if (!eval_as(i->index, dict ? dict->key : type(i->index), index)) return nullptr;
    } else if (m_.field[*step] >= 0) {
      index.data = std::int64_t{m_.field[*step]};
    } else if (!declared(std::get<DeclId>(m_.resolution[*step]), span(*step), index)) {
      return nullptr;
    }
    if (auto* entries = std::get_if<Value::Mapping>(&place->data)) {
      const auto before = [](const auto& entry, const Value& key) { return entry.first < key; };
      auto at = std::lower_bound(entries->begin(), entries->end(), index, before);
      if (at == entries->end() || !(at->first == index)) at = entries->insert(at, {index, {}});
      place = &at->second;
      continue;
    }
    auto& elements = std::get<Value::Sequence>(place->data);
    const std::int64_t i = std::get<std::int64_t>(index.data);
    if (i < 0 || i >= static_cast<std::int64_t>(elements.size())) {
      fail(span(*step),
           fmt::format("index {} is out of range: there are {} elements", i, elements.size()));
      return nullptr;
    }
    place = &elements[static_cast<std::size_t>(i)];
  }
  return place;
}

// Recurses as deep as the type nests, which is limited (kMaxTypeDepth).
bool Evaluator::zero(TypeId type, Span where, Value& out) {
  if (!work(4, where)) return false;
  const auto fill = [&](Value::Sequence& values, std::size_t i, TypeId element) {
    return zero(element, where, values[i]);
  };
  const auto none = [&] { return out.data = std::monostate(), true; };
  return match(
      m_.types[type], [&](UnknownType) { return none(); },
      [&](Basic b) {
        switch (b.kind) {
          case BasicType::Bool: out.data = false; break;
          case BasicType::Nat:
          case BasicType::Int: out.data = std::int64_t{0}; break;
          case BasicType::Real: out.data = 0.0; break;
          case BasicType::String: out.data = std::string(); break;
          case BasicType::Inst: out.data = std::int64_t{0}; break;
          case BasicType::Void: return none();
        }
        return true;
      },
      [&](List) { return out.data = Value::Sequence{}, true; },
      [&](Set) { return out.data = Value::Sequence{}, true; },
      [&](Dict) { return out.data = Value::Mapping{}, true; },
      [&](const Array& a) {
        Value length{{a.length}};
        if (a.length < 0) {
          if (!a.length_expr) return none();
          if (!eval(a.length_expr, length)) return false;
        }
        const std::int64_t count = std::get<std::int64_t>(length.data);
        if (count < 0)
          return fail(span(a.length_expr), fmt::format("an array cannot have {} elements", count));
        if (!work(static_cast<std::size_t>(count), where)) return false;
        Value::Sequence values(static_cast<std::size_t>(count));
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (!fill(values, i, a.element)) return false;
        }
        out.data = std::move(values);
        return true;
      },
      [&](Tuple t) {
        Value::Sequence values(static_cast<std::size_t>(t.elements.count));
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (!fill(values, i, m_.types.list(t.elements)[i])) return false;
        }
        out.data = std::move(values);
        return true;
      },
      [&](Record r) {
        Value::Sequence values(static_cast<std::size_t>(r.fields.count));
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (!fill(values, i, m_.types.list(r.fields)[i].type)) return false;
        }
        out.data = std::move(values);
        return true;
      },
      [&](Func) { return none(); },
      [&](Dist d) {
        Value sample;
        if (!zero(d.result, where, sample)) return false;
        out.data = Value::Distribution{DistributionKind::Constant, {law_argument(sample)}};
        return true;
      },
      [&](Channel) { return none(); });
}

std::optional<Value> zero_value(const TypedModel& model, TypeId type,
                                const Environment& environment, Diagnostics& diagnostics) {
  Evaluator evaluator(model, environment, diagnostics);
  Value value;
  if (!evaluator.zero(type, {}, value)) return std::nullopt;
  return value;
}

}  // namespace chi::sema
