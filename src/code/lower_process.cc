#include <algorithm>

#include "base/check.h"
#include "code/lowering.h"

// Interrupted delays, and processes that statements start and wait for.
namespace chi::code {

using sema::BasicType;
using sema::TypeId;
using syntax::ExprId;

namespace {

/// Slots of a distribution that say which law it is; the rest is its stream.
constexpr std::int32_t kLawSlots = 4;

}  // namespace

// `delta e else [ alts ]`: a selection of the delay and the alternatives. What is left of the delay
// is kept when an alternative happens, for `resume`.
void Lowering::interruptible_delay(const syntax::Delay& node, Span span) {
  const TypeId real = basic(BasicType::Real);
  settle_for(node.duration);
  const std::int32_t total = temporary(1);
  const std::int32_t left = temporary(1);
  const std::int32_t deadline = temporary(1);
  move(total, value(node.duration, real).reg, real);
  span_ = span;
  const std::int32_t is_number = temporary(1);
  emit(Op::EqReal, is_number, total, total);
  const std::int32_t good = emit(Op::JumpIf, is_number);
  emit(Op::Fail, 0, 0, static_cast<std::int32_t>(RunError::Domain));
  patch(good);
  Interrupted here_now{.restart = here(), .resume = -1};
  move(left, total, real);
  here_now.resume = here();
  emit(Op::Time, deadline);
  emit(Op::AddReal, deadline, deadline, left);
  const std::vector<Case> cases = unwound(ast().list(node.otherwise));
  const std::vector<Clock> clocks = start_clocks(cases);
  Selection selection{.retry_pc = here(), .waits = true, .span = span};
  start_notes(count_asked(cases));
  std::vector<Offer> offers{{.kind = Offer::Kind::Delay, .deadline = deadline, .span = span}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    bind(cases[i]);
    watch_case(cases[i], selection.watched);
    offers.push_back(case_offer(cases[i], static_cast<std::int32_t>(i) + 1, clocks[i], selection));
  }
  span_ = span;
  const auto number = static_cast<std::int32_t>(routine_.selections.size());
  emit(Op::Select, 0, 0, number);
  selection.first_offer = static_cast<std::int32_t>(routine_.offers.size());
  selection.offers = static_cast<std::int32_t>(offers.size());
  routine_.selections.push_back(selection);
  routine_.offers.insert(routine_.offers.end(), offers.begin(), offers.end());
  const auto begins = [&](std::size_t offer) {
    routine_.offers[static_cast<std::size_t>(selection.first_offer) + offer].body_pc = here();
  };
  std::vector<std::int32_t> ends;
  begins(0);
  ends.push_back(emit(Op::Jump));
  const Interrupted* const outer = interrupted_;
  interrupted_ = &here_now;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    bind(cases[i]);
    begins(i + 1);
    const std::int32_t now = temporary(1);
    emit(Op::Time, now);
    emit(Op::SubReal, left, deadline, now);
    case_body(cases[i], offers[i + 1]);
    span_ = span;
    ends.push_back(emit(Op::Jump));
  }
  interrupted_ = outer;
  for (const std::int32_t end : ends) patch(end);
}

void Lowering::resume(const syntax::Resume& node) {
  CHI_CHECK(interrupted_ != nullptr, "checked: something was interrupted");
  emit(Op::LoopBack, 0, 0, node.from_start ? interrupted_->restart : interrupted_->resume);
}

/// The arguments lie side by side as the new process's parameters will; the scheduler copies them.
void Lowering::start_process(const syntax::Start& node, Span span) {
  const auto& starts = context_.model.starts;
  const auto site = std::find_if(starts.begin(), starts.end(), [&](const flat::StartSite& s) {
    return s.in.index == body_.index && s.instance == node.instance;
  });
  CHI_CHECK(site != starts.end(), "instantiation found all that is started");
  const flat::Body& body = context_.model.bodies[site->body];
  const auto& info = typed().definitions[static_cast<std::size_t>(body.definition)];
  const auto arguments = typed().arguments_of(node.instance);
  StartSite start{.body = RoutineId{site->body.index}, .keeps_handle = bool(node.handle)};
  for (const ExprId argument : arguments) settle_for(argument);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypeId type = body.params[i];
    if (typed().decls[info.params[i]].kind == sema::DeclKind::RefParam) {
      const Location shared = *place(arguments[i]);
      const std::int32_t reg = temporary(1);
      emit(Op::OffsetAddress, reg, shared.reg, shared.offset);
      start.arguments.push_back({reg, 1});
    } else if (holds_distributions(type)) {
      start_with_laws(value(arguments[i]), type, start);
    } else {
      const std::int32_t reg = temporary(slots(type));
      into(reg, arguments[i], type);
      start.arguments.push_back({reg, slots(type)});
    }
  }
  span_ = span;
  const std::int32_t handle = temporary(1);
  emit(Op::Start, handle, 0, static_cast<std::int32_t>(routine_.starts.size()));
  routine_.starts.push_back(std::move(start));
  if (node.handle) assign(node.handle, {handle, basic(BasicType::Inst)});
}

/// Of distributions the laws; the streams are the new process's own.
void Lowering::start_with_laws(Operand operand, TypeId type, StartSite& start) {
  TypeId single = type;
  while (const auto* array = std::get_if<sema::Array>(&types()[single])) single = array->element;
  StartSite::Argument argument{operand.reg, slots(type)};
  argument.stride = slots(single);
  argument.copied = kLawSlots;
  start.arguments.push_back(argument);
}

/// The truth of having ended; registers of the selection that waits for it.
std::int32_t Lowering::has_ended(ExprId handle, std::int32_t offer, Selection& selection) {
  settle_for(handle);
  const std::int32_t kept = temporary(1);
  move(kept, value(handle).reg, basic(BasicType::Inst));
  const std::int32_t ended = temporary(1);
  emit(Op::Ended, ended, kept);
  selection.ends.push_back({kept, offer});
  return ended;
}

void Lowering::finish_process(const syntax::Finish& node, Span span) {
  Selection selection{.retry_pc = here(), .span = span};
  const std::int32_t ended = has_ended(node.handle, -1, selection);
  const std::int32_t done = emit(Op::JumpIf, ended);
  selection.first_offer = static_cast<std::int32_t>(routine_.offers.size());
  span_ = span;
  emit(Op::Select, 0, 0, static_cast<std::int32_t>(routine_.selections.size()));
  routine_.selections.push_back(selection);
  patch(done);
  mark_finished(node.handle);
}

/// The variable that an expression names, or names an element of.
std::optional<sema::DeclId> Lowering::root_variable(ExprId expr) const {
  while (true) {
    const auto& node = ast().exprs[expr].node;
    if (const auto* p = std::get_if<syntax::Parenthesized>(&node)) {
      expr = p->inner;
    } else if (const auto* index = std::get_if<syntax::Index>(&node)) {
      expr = index->of;
    } else if (const auto* member = std::get_if<syntax::Member>(&node)) {
      expr = member->of;
    } else if (const auto* part = std::get_if<syntax::Project>(&node)) {
      expr = part->of;
    } else {
      break;
    }
  }
  const auto* decl = std::get_if<sema::DeclId>(&typed().resolution[expr]);
  if (decl == nullptr || !registers_.contains(*decl)) return std::nullopt;
  return *decl;
}

/// A variable that was waited for stands for no process any more: its number becomes negative.
void Lowering::mark_finished(ExprId handle) {
  if (!root_variable(handle)) return;
  const std::int32_t used = temporary(1);
  emit(Op::NegInt, used, value(handle).reg);
  assign(handle, {used, basic(BasicType::Inst)});
}

}  // namespace chi::code
