#include "base/check.h"
#include "base/match.h"
#include "code/lowering.h"
#include "syntax/children.h"

// Statements, apart from selection and selective waiting (lower_select.cc).
namespace chi::code {

using sema::BasicType;
using sema::TypeId;
using syntax::ExprId;

void Lowering::statements(Slice<syntax::StatId> body) {
  for (const syntax::StatId id : ast().list(body)) statement(id);
}

void Lowering::statement(syntax::StatId id) {
  using namespace syntax;
  const Stat& stat = ast().stats[id];
  const std::int32_t top = temporary_top_;  // an enclosing selection's guards stay alive
  span_ = stat.span;
  settled_ = false;
  match(
      stat.node, [](const Skip&) {}, [&](const Terminate&) { emit(Op::Terminate); },
      [&](const Return& n) { return_value(n); }, [&](const Assign& n) { assignment(n); },
      [&](const Send& n) { send(n, stat.span); }, [&](const Receive& n) { receive(n, stat.span); },
      [&](const Delay& n) {
        if (!n.otherwise.empty()) return interruptible_delay(n, stat.span);
        settle_for(n.duration);
        const Operand duration = value(n.duration, basic(BasicType::Real));
        span_ = stat.span;
        emit(Op::Delay, duration.reg);
      },
      [&](const Resume& n) { resume(n); }, [&](const Start& n) { start_process(n, stat.span); },
      [&](const Finish& n) { finish_process(n, stat.span); },
      [&](const Wait& n) { wait(n, stat.span); }, [&](const Instant&) { instant(id); },
      [&](const Assert& n) { assertion(n, stat.span); }, [&](const Print& n) { print(n); },
      [&](const Select& n) { selection(ast().list(n.alternatives), false, stat.span); },
      [&](const Loop& n) { selection(ast().list(n.alternatives), true, stat.span); },
      [&](const Forever& n) { forever(n); },
      [](const Error&) { CHI_CHECK(false, "only correct models are lowered"); });
  temporary_top_ = top;
  settled_ = false;
}

void Lowering::assignment(const syntax::Assign& node) {
  const auto targets = ast().list(node.targets);
  const auto values = ast().list(node.values);
  for (const ExprId expr : values) settle_for(expr);
  for (const ExprId target : targets) settle_for_target(target);
  if (targets.size() == 1) {
    const TypeId type = type_of(targets[0]);
    if (managed(type) && steals(values[0], targets[0])) {
      const Location target = *place(targets[0]);
      about_to_assign(target);  // before its value is taken out
      const Operand result = value(values[0], type);
      stolen_ = {};
      put_back(target, result);
      assigned(target);
      return;
    }
    assign(targets[0], value(values[0], type));
    return;
  }
  // All values are there before the first assignment: x, y := y, x.
  std::vector<Operand> ready;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TypeId type = type_of(targets[i]);
    const std::int32_t reg = temporary(slots(type));
    into(reg, values[i], type);
    ready.push_back({reg, type, managed(type)});
  }
  assign_together(targets, ready);
}

void Lowering::return_value(const syntax::Return& node) {
  const Operand result = own(value(node.value, result_type_));
  for (const sema::DeclId variable : owned_variables_) {
    const TypeId type = decl_types_.at(variable);
    if (managed(type)) emit(Op::Release, registers_.at(variable), 0, type_index(type));
  }
  emit(Op::Return, result.reg);
}

TypeId Lowering::channel_element(ExprId channel) {
  return concrete(std::get<sema::Channel>(types()[type_of(channel)]).element);
}

std::int32_t Lowering::channel_register(ExprId channel) { return value(channel).reg; }

Offer Lowering::send_offer(const syntax::Send& node) {
  Offer offer{.kind = Offer::Kind::Send};
  if (!node.value) return offer;
  const TypeId type = channel_element(node.channel);
  offer.slots = slots(type);
  offer.type = runtime(type);
  offer.managed = managed(type);
  const Span outer = span_;
  // A variable of the process's own, or a constant, needs no code: it lies there when the other
  // side comes.
  const std::optional<Location> variable = own_variable(node.value, type);
  if (variable && !variable->use.unknown && !variable->use.substituted) {
    offer.value = variable->reg;
    return offer;
  }
  const std::int32_t skip = emit(Op::Jump);
  offer.value_pc = here();
  const bool settled = settled_;
  settled_ = false;  // it is evaluated when the communication happens
  settle_for(node.value);
  const Operand sent = own(value(node.value, type));
  offer.value = sent.reg;
  offer.value_owned = managed(type);
  emit(Op::EndValue);
  patch(skip);
  settled_ = settled;
  span_ = outer;
  return offer;
}

/// The location of `expr` if it is a local variable of this process, or a fixed part of one, of
/// just that type.
std::optional<Location> Lowering::own_variable(ExprId expr, TypeId type) {
  ExprId root = expr;
  while (true) {
    const auto& node = ast().exprs[root].node;
    if (const auto* p = std::get_if<syntax::Project>(&node)) {
      root = p->of;
    } else if (const auto* m = std::get_if<syntax::Member>(&node);
               m != nullptr && typed().field[root] >= 0) {
      root = m->of;
    } else {
      break;
    }
  }
  const auto* decl = std::get_if<sema::DeclId>(&typed().resolution[root]);
  if (decl == nullptr || !registers_.contains(*decl) ||
      typed().decls[*decl].kind == sema::DeclKind::RefParam) {
    return std::nullopt;
  }
  if (type_of(expr) != type) return std::nullopt;
  std::optional<Location> found = place(expr);
  if (found && found->in_memory) return std::nullopt;
  return found;
}

void Lowering::send(const syntax::Send& node, Span span) {
  settle_for(node.channel);
  const std::int32_t channel = channel_register(node.channel);
  Offer offer = send_offer(node);
  offer.channel = channel;
  offer.span = span;
  span_ = span;
  routine_.offers.push_back(offer);
  emit(Op::Send, 0, channel, static_cast<std::int32_t>(routine_.offers.size()) - 1);
}

/// A value is received where it belongs if that is a register of a plain type; else into a
/// temporary, from which `finish_receive` assigns it.
Offer Lowering::receive_offer(const syntax::Receive& node) {
  Offer offer{.kind = Offer::Kind::Receive};
  if (!node.target) return offer;
  const TypeId type = channel_element(node.channel);
  offer.slots = slots(type);
  offer.type = runtime(type);
  const std::optional<Location> variable =
      managed(type) ? std::nullopt : own_variable(node.target, type);
  offer.value = variable && !variable->use.used ? variable->reg : temporary(offer.slots);
  return offer;
}

void Lowering::finish_receive(const syntax::Receive& node, const Offer& offer) {
  if (!node.target || offer.value < kTemporaryBase) return;
  const TypeId type = channel_element(node.channel);
  settled_ = false;
  settle_for_target(node.target);
  assign(node.target, converted({offer.value, type, managed(type)}, type_of(node.target)));
}

void Lowering::receive(const syntax::Receive& node, Span span) {
  settle_for(node.channel);
  const std::int32_t channel = channel_register(node.channel);
  Offer offer = receive_offer(node);
  offer.channel = channel;
  offer.span = span;
  span_ = span;
  routine_.offers.push_back(offer);
  emit(Op::Receive, 0, channel, static_cast<std::int32_t>(routine_.offers.size()) - 1);
  finish_receive(node, offer);
}

void Lowering::print(const syntax::Print& node) {
  const auto values = ast().list(node.values);
  for (const ExprId& expr : values) settle_for(expr);
  for (const ExprId& expr : values) {
    const Operand operand = value(expr);
    emit(Op::Print, operand.reg, &expr == &values.back() ? 1 : 0,
         shown_type_index(operand.type, expr));
    drop(operand);
  }
}

void Lowering::wait(const syntax::Wait& node, Span span) {
  Selection selection{.retry_pc = here(), .span = span};
  start_notes(count_asked(node.condition, true));
  const Operand condition = awaited(node.condition, selection, -1);
  const std::int32_t done = emit(Op::JumpIf, condition.reg);
  selection.first_offer = static_cast<std::int32_t>(routine_.offers.size());
  watch(node.condition, selection.watched);
  routine_.selections.push_back(selection);
  span_ = span;
  emit(Op::Select, 0, 0, static_cast<std::int32_t>(routine_.selections.size()) - 1);
  patch(done);
}

/// The truth of a condition that the process waits for. Where it compares `time` with something,
/// the time at which it may come true is kept for the calendar.
Operand Lowering::awaited(ExprId condition, Selection& selection, std::int32_t offer) {
  const std::size_t first = selection.deadlines.size();
  for (std::size_t n = syntax::time_relations(ast(), condition).size(); n > 0; --n) {
    selection.deadlines.push_back(temporary(1));
    move(selection.deadlines.back(), scalar(BasicType::Real, kInfinity).reg,
         basic(BasicType::Real));
  }
  deadlines_ = std::span(selection.deadlines).subspan(first);
  settle_for(condition);
  const Operand result = condition_value(
      condition,
      {.wanted = Wanted::True, .awaited = true, .selection = &selection, .offer = offer});
  deadlines_ = {};
  return result;
}

void Lowering::forever(const syntax::Forever& node) {
  const std::int32_t start = here();
  const Span span = span_;
  statements(node.body);
  span_ = span;
  emit(Op::LoopBack, 0, 0, start);
}

}  // namespace chi::code
