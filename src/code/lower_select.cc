#include <algorithm>

#include "base/check.h"
#include "code/lowering.h"
#include "sema/evaluate.h"
#include "syntax/children.h"

// Selection `[ b -> S | ... ]`, selective waiting `[ b; E -> S | ... ]` and their repetitions.
namespace chi::code {

using sema::BasicType;
using sema::TypeId;
using syntax::ExprId;

std::vector<Lowering::Case> Lowering::unwound(std::span<const syntax::Alternative> alternatives) {
  std::vector<Case> cases;
  for (const syntax::Alternative& alternative : alternatives) {
    if (!alternative.unwind) {
      cases.push_back({&alternative, {}});
      continue;
    }
    const sema::DeclId index = typed().unwind_index.at(alternative.unwind.variable.span.begin);
    for (std::int64_t i = bound(alternative.unwind.low); i <= bound(alternative.unwind.high); ++i) {
      cases.push_back({&alternative, {{index, i}}});
    }
  }
  return cases;
}

/// A bound of an unwinding: it depends on structural parameters and outer indices only.
std::int64_t Lowering::bound(ExprId expr) {
  sema::Environment environment = environment_;
  for (const auto& [decl, i] : indices_) environment[decl] = sema::Value{i};
  Diagnostics none;  // instantiation evaluated it, and found it good
  const auto known = sema::evaluate(typed(), expr, basic(BasicType::Int), environment, none);
  CHI_CHECK(known.has_value(), "instantiation evaluated this bound");
  return std::get<std::int64_t>(known->data);
}

void Lowering::bind(const Case& c) {
  for (const auto& [decl, i] : c.indices) indices_[decl] = i;
}

void Lowering::selection(std::span<const syntax::Alternative> alternatives, bool loop, Span span) {
  const std::vector<Case> cases = unwound(alternatives);
  bool waits = false;
  for (const Case& c : cases) waits = waits || static_cast<bool>(c.alternative->event);
  // With `--choice random` a selection evaluates all its guards and the scheduler picks an open
  // one.
  if (waits || (context_.options.random_choice && cases.size() > 1)) {
    waiting_selection(cases, loop, waits, span);
  } else {
    plain_selection(cases, loop, span);
  }
}

void Lowering::plain_selection(const std::vector<Case>& cases, bool loop, Span span) {
  const std::int32_t start = here();
  std::vector<std::int32_t> ends;
  for (const Case& c : cases) {
    bind(c);
    const std::int32_t top = temporary_top_;
    settle_for(c.alternative->guard);
    const Operand guard = condition_value(c.alternative->guard, {});
    const std::int32_t next = emit(Op::JumpUnless, guard.reg);
    temporary_top_ = top;
    const bool settled = settled_;  // the next guard is evaluated if this one is closed
    statements(c.alternative->body);
    settled_ = settled;
    span_ = span;
    if (loop) {
      emit(Op::LoopBack, 0, 0, start);
    } else {
      ends.push_back(emit(Op::Jump));
    }
    patch(next);
  }
  if (!loop) {
    span_ = span;
    emit(Op::Fail, 0, 0, static_cast<std::int32_t>(RunError::NoOpenGuard));
  }
  for (const std::int32_t end : ends) patch(end);
}

namespace {

bool is_true(const syntax::Ast& ast, ExprId expr) {
  while (const auto* p = std::get_if<syntax::Parenthesized>(&ast.exprs[expr].node)) expr = p->inner;
  const auto* literal = std::get_if<syntax::BoolLiteral>(&ast.exprs[expr].node);
  return literal != nullptr && literal->value;
}

}  // namespace

/// The offer of one alternative; its guard is evaluated first, and channel and condition only if it
/// is open. The guard `true` needs no code.
Offer Lowering::case_offer(const Case& c, std::int32_t number, const Clock& clock,
                           Selection& selection) {
  const syntax::Alternative& alternative = *c.alternative;
  Offer offer;
  const bool always = is_true(ast(), alternative.guard);
  if (c.shared_guard >= 0) {
    offer.guard = c.shared_guard;
  } else if (!always) {
    offer.guard = temporary(1);
    settle_for(alternative.guard);
    const InCondition in{.wanted = selection.waits ? Wanted::Lasting : Wanted::Either,
                         .selection = selection.waits ? &selection : nullptr,
                         .offer = number};
    move(offer.guard, condition_value(alternative.guard, in).reg, basic(BasicType::Bool));
  }
  offer.span = ast().exprs[alternative.guard].span;
  if (!alternative.event) return offer;
  const syntax::Stat& event = ast().stats[alternative.event];
  const std::int32_t guard = offer.guard;
  const std::int32_t closed = always ? -1 : emit(Op::JumpUnless, guard);
  const bool settled = settled_;
  if (const auto* send = std::get_if<syntax::Send>(&event.node)) {
    settle_for(send->channel);
    const std::int32_t channel = channel_register(send->channel);
    offer = send_offer(*send);
    offer.channel = channel;
  } else if (const auto* receive = std::get_if<syntax::Receive>(&event.node)) {
    settle_for(receive->channel);
    const std::int32_t channel = channel_register(receive->channel);
    offer = receive_offer(*receive);
    offer.channel = channel;
  } else if (const auto* wait = std::get_if<syntax::Wait>(&event.node)) {
    offer.ready = temporary(1);
    move(offer.ready, awaited(wait->condition, selection, number).reg, basic(BasicType::Bool));
  } else if (const auto* finish = std::get_if<syntax::Finish>(&event.node)) {
    offer.ready = has_ended(finish->handle, number, selection);
  } else {
    offer.kind = Offer::Kind::Delay;
    offer.deadline = clock.deadline;
    set_deadline(std::get<syntax::Delay>(event.node), clock);
  }
  if (!always) {
    if (here() == closed + 1) {
      drop_last();
    } else {
      patch(closed);
    }
    settled_ = settled;
  }
  offer.guard = guard;
  offer.span = event.span;
  return offer;
}

// `delta e` in an alternative: e is evaluated once, when its guard is first found open (the guard
// may protect it), and counts from when the process came to the selection.
void Lowering::set_deadline(const syntax::Delay& delay, const Clock& clock) {
  const std::int32_t known = emit(Op::JumpIf, clock.is_set);
  const bool settled = settled_;
  settle_for(delay.duration);
  const Operand duration = value(delay.duration, basic(BasicType::Real));
  const std::int32_t is_number = temporary(1);
  emit(Op::EqReal, is_number, duration.reg, duration.reg);
  const std::int32_t good = emit(Op::JumpIf, is_number);
  emit(Op::Fail, 0, 0, static_cast<std::int32_t>(RunError::Domain));
  patch(good);
  emit(Op::AddReal, clock.deadline, clock.entered, duration.reg);
  move(clock.is_set, scalar(BasicType::Bool, 1).reg, basic(BasicType::Bool));
  settled_ = settled;
  patch(known);
}

/// Registers for the deadlines of the alternatives that are delays. Code that starts them.
std::vector<Lowering::Clock> Lowering::start_clocks(const std::vector<Case>& cases) {
  std::vector<Clock> clocks(cases.size());
  std::int32_t entered = -1;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const syntax::StatId event = cases[i].alternative->event;
    if (!event || !std::holds_alternative<syntax::Delay>(ast().stats[event].node)) continue;
    if (entered < 0) {
      entered = temporary(1);
      emit(Op::Time, entered);
    }
    clocks[i] = {entered, temporary(1), temporary(1)};
    emit(Op::Clear, clocks[i].is_set, 1);
  }
  return clocks;
}

void Lowering::case_body(const Case& c, const Offer& offer) {
  if (c.alternative->event) {
    const syntax::Stat& event = ast().stats[c.alternative->event];
    span_ = event.span;
    if (const auto* receive = std::get_if<syntax::Receive>(&event.node))
      finish_receive(*receive, offer);
    if (const auto* finish = std::get_if<syntax::Finish>(&event.node))
      mark_finished(finish->handle);
  }
  statements(c.alternative->body);
}

void Lowering::waiting_selection(const std::vector<Case>& cases, bool loop, bool waits, Span span) {
  const std::int32_t start = here();
  const std::vector<Clock> clocks = start_clocks(cases);
  Selection selection{.retry_pc = here(), .waits = waits, .span = span};
  if (waits) start_notes(count_asked(cases));
  std::vector<Offer> offers;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Case c = cases[i];
    bind(c);
    watch_case(c, selection.watched);
    if (i > 0 && has_guard_of(cases[i - 1], c)) c.shared_guard = offers[i - 1].guard;
    offers.push_back(case_offer(c, static_cast<std::int32_t>(i), clocks[i], selection));
  }
  span_ = span;
  const auto number = static_cast<std::int32_t>(routine_.selections.size());
  emit(Op::Select, 0, 0, number);
  routine_.selections.push_back(selection);
  const auto first = static_cast<std::int32_t>(routine_.offers.size());
  routine_.offers.insert(routine_.offers.end(), offers.begin(), offers.end());
  std::vector<std::int32_t> ends;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    bind(cases[i]);
    routine_.offers[static_cast<std::size_t>(first) + i].body_pc = here();
    case_body(cases[i], offers[i]);
    span_ = span;
    if (loop) {
      emit(Op::LoopBack, 0, 0, start);
    } else {
      ends.push_back(emit(Op::Jump));
    }
  }
  for (const std::int32_t end : ends) patch(end);
  Selection& made = routine_.selections[static_cast<std::size_t>(number)];
  made.first_offer = first;
  made.offers = static_cast<std::int32_t>(offers.size());
  if (loop) made.closed_pc = here();
}

/// Two unwound cases of one alternative whose guard does not mention the index: it is evaluated
/// once.
bool Lowering::has_guard_of(const Case& before, const Case& c) const {
  if (before.alternative != c.alternative || context_.integrates) return false;
  bool mentions = false;
  std::vector<ExprId> pending{c.alternative->guard};
  while (!pending.empty() && !mentions) {
    const ExprId id = pending.back();
    pending.pop_back();
    const auto* decl = std::get_if<sema::DeclId>(&typed().resolution[id]);
    mentions = decl != nullptr && *decl == c.indices.front().first;
    syntax::append_children(ast(), id, pending);
  }
  return !mentions;
}

void Lowering::watch_case(const Case& c, std::vector<Watched>& watched) {
  watch(c.alternative->guard, watched);
  if (!c.alternative->event) return;
  const auto* wait = std::get_if<syntax::Wait>(&ast().stats[c.alternative->event].node);
  if (wait != nullptr) watch(wait->condition, watched);
}

/// Adds the registers of the shared variables that `expr` reads.
void Lowering::watch(ExprId expr, std::vector<Watched>& watched) {
  std::vector<ExprId> pending{expr};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    const auto* decl = std::get_if<sema::DeclId>(&typed().resolution[id]);
    if (decl != nullptr && typed().decls[*decl].kind == sema::DeclKind::RefParam) {
      const std::int32_t reg = registers_.at(*decl);
      const bool known = std::any_of(watched.begin(), watched.end(),
                                     [&](const Watched& w) { return w.reg == reg; });
      if (!known) watched.push_back({reg, slots(decl_types_.at(*decl))});
    }
    const auto first = static_cast<std::ptrdiff_t>(pending.size());
    syntax::append_children(ast(), id, pending);
    std::reverse(pending.begin() + first, pending.end());  // in reading order
  }
}

}  // namespace chi::code
