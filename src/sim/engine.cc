#include "sim/engine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "expr/evaluate.h"
#include "expr/incidence.h"
#include "flat/layout.h"
#include "flat/scalars.h"

namespace chi::sim {
namespace {

using expr::ExprId;
using expr::VarRef;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Engine::Engine(flat::FlatModel& model, code::Program& program, code::Machine& machine,
               const Frames& frames, const RunOptions& options)
    : workshop_{.model = model, .machine = machine, .frames = frames, .options = options},
      program_(program),
      statements_(model) {
  boxes_ = std::make_unique<code::ModelBoxes>(
      model, program, machine, code::BoxPlaces{frames.base, [this](std::int32_t slot) {
                                                 return memory_slot(workshop_.model,
                                                                    workshop_.frames, slot);
                                               }});
  boxes_->interpreter().interrupted = options.interrupted;
  workshop_.boxes = boxes_.get();
  is_set_.assign(at(model.variable_slots), 0);
  for (const flat::Variable& variable : model.variables) {
    if (!model.typed.decls[variable.decl].initial) continue;
    const std::int64_t slots = flat::slot_count(model.typed.types, variable.type);
    std::fill_n(is_set_.begin() + variable.slot, slots, char{1});
  }
  workshop_.discrete = [this](expr::DiscreteId id) { return discrete_value(id); };
  workshop_.is_set = [this](std::int32_t slot) { return is_set_[at(slot)] != 0; };
  for (const flat::Substitution& s : model.equations.substitutions) {
    if (s.variable.order == 0) {
      substituted_.emplace(memory_slot(model, frames, s.variable.var.index), &s);
    }
  }
}

Engine::~Engine() = default;

double Engine::discrete_value(expr::DiscreteId id) {
  if (id.index >= kFirstHeld) {
    for (Member& member : members_) {
      for (const HeldFloor& held : member.part->equations().floors) {
        if (workshop_.pool().discrete(held.leaf) != id) continue;
        return member.part->frame()[at(member.part->leaves().place(held.leaf))];
      }
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
  const flat::DiscreteInput& input = workshop_.model.equations.discrete[id];
  if (const auto* slot = std::get_if<flat::DiscreteSlot>(&input.source)) {
    return static_cast<double>(workshop_.memory(slot->slot).i);
  }
  return boxes_->discrete(id);
}

bool Engine::fail(Diagnostic diagnostic) {
  outcome_.time = workshop_.machine.time;
  outcome_.why = ModelFailure{std::move(diagnostic)};
  return false;
}

bool Engine::start() {
  if (!translate_conditions()) return false;
  map_slots();
  see_blocks();
  steps_.resize(members_.size());
  events_.resize(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) list(static_cast<std::int32_t>(m));
  moves_ = std::any_of(members_.begin(), members_.end(), [](const Member& m) {
    return m.part->has_equations() || m.part->depends_on_time();
  });
  return true;
}

/// Of each block the parts that determine variables it can name: its own and its `ref` parameters.
void Engine::see_blocks() {
  const flat::FlatModel& model = workshop_.model;
  visible_.resize(model.blocks.size());
  const auto see = [&](std::size_t block, std::int32_t slot, std::int64_t slots) {
    for (std::int64_t s = slot; s < slot + slots; ++s) {
      const std::int32_t part = parts_.part_of_slot[static_cast<std::size_t>(s)];
      if (part >= 0) visible_[block].push_back(part);
    }
  };
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const flat::Block& block = model.blocks[b];
    const flat::Body& body = model.bodies[block.body];
    for (const flat::VariableId id : block.variables) {
      if (!id) continue;
      const flat::Variable& variable = model.variables[id];
      see(b, variable.slot, flat::slot_count(model.typed.types, variable.type));
    }
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      const auto* bound = std::get_if<flat::BoundVariable>(&block.bindings[i]);
      if (bound != nullptr) {
        see(b, bound->slot, flat::slot_count(model.typed.types, body.params[i]));
      }
    }
    std::sort(visible_[b].begin(), visible_[b].end());
    visible_[b].erase(std::unique(visible_[b].begin(), visible_[b].end()), visible_[b].end());
  }
}

void Engine::list(std::int32_t number) {
  Member& member = members_[at(number)];
  if (!std::exchange(member.is_listed, true)) changed_.push_back(number);
}

bool Engine::can_move() const { return moves_; }

void Engine::count(RunCounts& counts) const {
  for (const Member& member : members_) {
    const Part::Counts part = member.part->counts();
    counts.modes += part.modes;
    counts.steps += part.integration.steps;
    counts.rejected += part.integration.rejected;
    counts.evaluations += part.integration.evaluations;
    counts.jacobians += part.integration.jacobians;
  }
  counts.mode_switches += mode_switches_;
}

/// Every condition of a statement belongs to one part, which watches it: so parts are made when all
/// conditions are known.
bool Engine::translate_conditions() {
  Diagnostics problems;
  struct Found {
    std::int64_t key;
    ExprId expr;
    code::Wanted wanted;
    Span span;
  };
  std::vector<Found> found;
  std::vector<ExprId> together;
  flat::FlatModel& model = workshop_.model;
  std::vector<std::vector<std::int32_t>> of_body(at(model.bodies.size()));
  for (std::size_t c = 0; c < program_.conditions.size(); ++c) {
    of_body[at(program_.conditions[c].body.index)].push_back(static_cast<std::int32_t>(c));
  }
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    for (const std::int32_t c : of_body[at(model.blocks[b].body.index)]) {
      const code::Condition& condition = program_.conditions[at(c)];
      const auto block = static_cast<std::int32_t>(b);
      const std::optional<ExprId> e =
          statements_.condition(block, condition.indices, condition.source, problems);
      if (!e) return fail(problems.all().front());
      found.push_back(
          {key(block, c), *e, condition.wanted, model.typed.ast.exprs[condition.source].span});
      together.push_back(*e);
    }
  }
  parts_ = split_parts(model, together);
  for (PartEquations& equations : parts_.parts) add_member(std::move(equations));
  const auto variables = all_variables(workshop_.pool(), together);
  std::int32_t clock = -1;  // the part for what no unknown occurs in
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::int32_t member = -1;
    for (const std::int32_t slot : variables[i]) {
      if (parts_.part_of_slot[at(slot)] >= 0) member = parts_.part_of_slot[at(slot)];
    }
    if (member < 0) {
      if (clock < 0) {
        add_member({});
        clock = static_cast<std::int32_t>(members_.size()) - 1;
      }
      member = clock;
    }
    const int condition = members_[at(member)].part->add_condition(found[i].expr, found[i].span);
    awaited_.emplace(found[i].key, Awaited{static_cast<std::int32_t>(found[i].key >> 32), member,
                                           condition, found[i].wanted, found[i].span});
  }
  for (Member& member : members_) member.part->prepare();
  return true;
}

void Engine::add_member(PartEquations equations) {
  Member member;
  member.part = std::make_unique<Part>(workshop_, std::move(equations),
                                       static_cast<std::int32_t>(members_.size()));
  member.run = std::make_unique<PartRun>(workshop_, *member.part);
  members_.push_back(std::move(member));
}

void Engine::map_slots() {
  const expr::Pool& pool = workshop_.pool();
  for (std::size_t m = 0; m < members_.size(); ++m) {
    Part& part = *members_[m].part;
    std::vector<ExprId> rows, deciding;
    for (const flat::Equation& e : part.equations().set.equations) rows.push_back(e.left);
    for (const HeldFloor& held : part.equations().floors) rows.push_back(held.argument);
    for (int c = 0; c < part.conditions().size(); ++c) {
      deciding.push_back(part.conditions().condition(c));
    }
    const auto add = [&](const std::vector<ExprId>& roots, bool decides) {
      const expr::Occurrences leaves = expr::occurrences(pool, roots, {}, [&](ExprId e) {
        const expr::Op op = pool.op(e);
        return op == expr::Op::Variable || op == expr::Op::DiscreteReal ||
                       op == expr::Op::DiscreteBool || op == expr::Op::Call
                   ? e
                   : ExprId{};
      });
      for (const ExprId leaf : leaves.node) add_reader(static_cast<std::int32_t>(m), leaf, decides);
    };
    add(rows, false);
    add(deciding, true);
    for (const flat::Unknown& u : part.equations().set.unknowns) {
      add_reader(static_cast<std::int32_t>(m), u.variable.var.index, false);
    }
  }
}

void Engine::add_reader(std::int32_t member, ExprId leaf, bool decides) {
  const expr::Pool& pool = workshop_.pool();
  switch (pool.op(leaf)) {
    case expr::Op::Variable: return add_reader(member, pool.variable(leaf).var.index, decides);
    case expr::Op::Call: return;  // boxes read memory only through their arguments
    default: break;
  }
  if (pool.discrete(leaf).index >= kFirstHeld) return;
  const flat::DiscreteInput& input = workshop_.model.equations.discrete[pool.discrete(leaf)];
  if (const auto* slot = std::get_if<flat::DiscreteSlot>(&input.source)) {
    return add_reader(member, slot->slot, decides);
  }
  if (box_readers_.empty() || box_readers_.back().member != member) {
    box_readers_.push_back({member, decides});
  } else {
    box_readers_.back().decides_mode |= decides;
  }
}

void Engine::add_reader(std::int32_t member, std::int32_t flat_slot, bool decides) {
  const std::int64_t slot = memory_slot(workshop_.model, workshop_.frames, flat_slot);
  flat_slot_of_.emplace(slot, flat_slot);
  std::vector<Reader>& readers = readers_[slot];
  for (Reader& reader : readers) {
    if (reader.member != member) continue;
    reader.decides_mode |= decides;
    return;
  }
  readers.push_back({member, decides});
}

// Brings the frame and the memory of a part to the present time.
void Engine::bring(std::int32_t number) {
  Member& member = members_[at(number)];
  const double now = workshop_.machine.time;
  if (member.time == now) return;
  member.time = now;
  member.run->keep_past(now);
  member.run->values_at(now);
  member.part->store();
}

void Engine::visit(std::int32_t block) {
  for (const std::int32_t m : visible_[at(block)]) bring(m);
}

bool Engine::settle() {
  if (asking < 0) return true;
  for (const std::int32_t m : visible_[at(asking)]) {
    bring(m);
    if (!settle(m)) return false;
  }
  return true;
}

bool Engine::settle(std::int32_t number) {
  Member& member = members_[at(number)];
  if (!member.is_dirty && !member.has_event) return true;
  Part& part = *member.part;
  Plan* const plan = part.plan();
  StateVariant* const variant = part.variant();
  const Sides sides = part.sides();
  const bool was_dirty = member.is_dirty;
  member.time = workshop_.machine.time;
  if (!part.settle(member.time)) return fail(*part.failure());
  member.is_dirty = member.has_event = false;
  if (member.unsolved) {
    const structure::Analysis& analysis = part.plan()->analysis();
    for (const expr::VarId v : member.unsolved_for) {
      const int j = analysis.unknown_index(v);
      if (j < 0 || (analysis.d[at(j)] > 0 && !analysis.is_declared[at(j)])) {
        return fail(*member.unsolved);
      }
    }
    member.unsolved.reset();
    member.unsolved_for.clear();
  }
  part.update_sides();
  tell_changes(member, plan, sides);
  if (was_dirty || part.plan() != plan || part.variant() != variant || !part.jumps().empty()) {
    const bool same = part.plan() == plan && part.variant() == variant;
    if (!member.wants_restart || !same) {
      member.restart = same ? numerics::Restart::Warm : numerics::Restart::Cold;
    }
    member.wants_restart = true;
  }
  if (part.plan() != plan && plan != nullptr) ++mode_switches_;
  member.wants_search = true;
  list(number);
  return true;
}

std::string Engine::variable_name(VarRef x) const { return workshop_.name_of(x); }

void Engine::tell_changes(Member& member, Plan* before, const Sides& sides_before) {
  if (observer == nullptr) return;
  Part& part = *member.part;
  const double now = workshop_.machine.time;
  const Sides& sides = part.sides();
  for (const int b : part.mode_borders()) {
    const bool was = sides_before[at(b)] == Side::Slide, is = sides[at(b)] == Side::Slide;
    if (was == is) continue;
    observer->slide(now, part.text(part.conditions().borders()[at(b)].difference) + " = 0", is,
                    part.border_span(b));
  }
  if (before != nullptr && part.plan() != before) {
    std::string changed;
    Span span = {};
    for (const int b : part.mode_borders()) {
      if (sides[at(b)] == sides_before[at(b)] || sides[at(b)] == Side::Slide) continue;
      if (changed.empty()) span = part.border_span(b);
      const char* const relation = sides[at(b)] == Side::Plus    ? " > 0"
                                   : sides[at(b)] == Side::Minus ? " < 0"
                                                                 : " = 0";
      changed += (changed.empty() ? "" : ", ") +
                 part.text(part.conditions().borders()[at(b)].difference) + relation;
    }
    if (changed.empty()) changed = part.mode_text();
    observer->mode_change(now, part.name(), changed, span);
  }
  for (const Change& change : part.jumps()) {
    observer->jump(now, variable_name(change.variable), change.before, change.after,
                   change.is_impulse ? "impulse" : "jump", part.variable_span(change.variable));
  }
}

bool Engine::refresh(std::int64_t slot, std::int32_t count) {
  for (std::int64_t s = slot; s < slot + count; ++s) {
    const auto found = substituted_.find(s);
    if (found == substituted_.end()) continue;
    double value = 0;
    if (!evaluate_now(found->second->value, &value, found->second->span)) return false;
    workshop_.machine.memory()[s].r = value;
  }
  return true;
}

bool Engine::about_to_assign(std::int64_t slot, std::int32_t count) {
  const auto make_ready = [&](const Reader& reader) {
    bring(reader.member);
    if (!reader.decides_mode || settle(reader.member)) return true;
    // Between two assignments nothing has to hold. It is an error only if a value is kept that
    // should have been computed now: `settle` will see.
    Member& member = members_[at(reader.member)];
    const auto* failure = std::get_if<ModelFailure>(&outcome_.why);
    if (failure == nullptr) return false;
    if (!member.unsolved) {
      member.unsolved = failure->diagnostic;
      std::optional<Diagnostic> why;
      const ModeEquations* const mode = member.part->present_equations(why);
      if (mode != nullptr) member.unsolved_for = mode->system.declared;
    }
    outcome_ = {};
    return true;
  };
  for (std::int64_t s = slot; s < slot + count; ++s) {
    const auto found = readers_.find(s);
    if (found == readers_.end()) continue;
    for (const Reader& reader : found->second) {
      if (!make_ready(reader)) return false;
    }
  }
  return std::all_of(box_readers_.begin(), box_readers_.end(), make_ready);
}

void Engine::assigned(std::int64_t slot, std::int32_t count) {
  for (std::int64_t s = slot; s < slot + count; ++s) {
    const auto found = readers_.find(s);
    if (found == readers_.end()) continue;
    for (const Reader& reader : found->second) {
      members_[at(reader.member)].is_dirty = true;
      list(reader.member);
    }
    is_set_[at(flat_slot_of_.at(s))] = 1;
  }
  for (const Reader& reader : box_readers_) {
    members_[at(reader.member)].is_dirty = true;
    list(reader.member);
  }
}

bool Engine::holds(std::int32_t block, std::int32_t condition, bool* truth) {
  const Awaited& asked = awaited(block, condition);
  bring(asked.member);
  if (!settle(asked.member)) return false;
  Member& member = members_[at(asked.member)];
  if (member.part->reload()) {
    member.part->update_sides();
    member.wants_search = true;
    list(asked.member);
  }
  if (!truth_of(asked, truth)) return false;
  const bool passes =
      asked.wanted != code::Wanted::Either && *truth == (asked.wanted == code::Wanted::True);
  if (passes) {
    for (const int b : members_[at(asked.member)].part->conditions().borders_of(asked.condition)) {
      awaiting_.erase({block, asked.member, b});
    }
  }
  return true;
}

bool Engine::truth_of(const Awaited& asked, bool* truth) {
  Part& part = *members_[at(asked.member)].part;
  const Truth now = part.truth_now(asked.condition);
  if (now == Truth::Undefined) {
    return fail(part.explain_undefined("the condition",
                                       part.conditions().condition(asked.condition), asked.span));
  }
  *truth = now == Truth::True;
  // Where a border is reached, what holds from now on counts: a ball that has just bounced does not
  // find itself on the floor again. Only the process that waited for the event passes if the
  // condition holds at the instant itself, once.
  const bool wanted = asked.wanted == code::Wanted::True;
  if (asked.wanted == code::Wanted::Either || !part.is_reached(asked.condition)) return true;
  const bool after = part.truth_after(asked.condition) == Truth::True;
  const auto borders = part.conditions().borders_of(asked.condition);
  const bool came_for_it = std::any_of(borders.begin(), borders.end(), [&](int b) {
    const auto found = awaiting_.find({asked.block, asked.member, b});
    return found != awaiting_.end() && found->second == workshop_.machine.time;
  });
  if (!came_for_it || *truth != wanted) *truth = after;
  return true;
}

double Engine::value_of(VarRef x) {
  if (x.order == 0) {
    const std::int32_t owner = parts_.part_of_slot[at(x.var.index)];
    if (owner >= 0 && !is_viewing_) bring(owner);
    return workshop_.memory(x.var.index).r;
  }
  const std::int32_t part = parts_.part_of_slot[at(x.var.index)];
  if (part < 0) return 0;
  bring(part);
  Part& p = *members_[at(part)].part;
  if (p.plan() == nullptr) return 0;
  const structure::Analysis& analysis = p.plan()->analysis();
  const int j = analysis.unknown_index(x.var);
  if (j < 0) return 0;
  const int beyond = x.order - analysis.d[at(j)];
  if (beyond > 0) {  // no equation mentions it: by differentiating them
    p.plan()->build_tower(beyond);
    p.fit(p.frame());
    if (!p.plan()->climb(p.frame().data(), beyond)) return std::numeric_limits<double>::quiet_NaN();
  }
  return p.frame()[at(p.place(x))];
}

expr::Value Engine::evaluate_at(ExprId e, double time) {
  expr::Point point;
  point.time = time;
  point.variable = [this](VarRef x) { return value_of(x); };
  point.discrete = [this](expr::DiscreteId d) { return discrete_value(d); };
  point.opaque = [this](expr::FunctionId f, std::span<const double> arguments) {
    return boxes_->call(f, arguments);
  };
  return expr::evaluate(workshop_.pool(), e, point);
}

bool Engine::evaluate_now(ExprId e, double* result, Span span) {
  const expr::Value value = evaluate_at(e, workshop_.machine.time);
  *result = value.value;
  if (value.fault == expr::Fault::None) return true;
  return fail({.code = DiagCode::ConditionUndefined,
               .span = span,
               .message = fmt::format("this has no value at t = {}: {}", workshop_.machine.time,
                                      expr::fault_text(value.fault))});
}

bool Engine::value(std::int32_t block, std::int32_t number, double* result) {
  const code::DerivativeValue& row = program_.values[at(number)];
  const Span span = workshop_.model.typed.ast.exprs[row.source].span;
  auto [place, is_new] = values_.try_emplace(key(block, number));
  if (is_new) {
    Diagnostics problems;
    const auto scalars = statements_.value(block, row.indices, row.source, problems);
    if (!scalars) return fail(problems.all().front());
    place->second = *scalars;
  }
  for (std::size_t i = 0; i < place->second.size(); ++i) {
    if (!evaluate_now(place->second[i], result + i, span)) return false;
  }
  return true;
}

void Engine::watch(std::int32_t process, std::int32_t block, std::int32_t condition) {
  const Awaited& asked = awaited(block, condition);
  Member& member = members_[at(asked.member)];
  for (const int b : member.part->conditions().borders_of(asked.condition)) member.run->watch(b);
  member.part->update_sides();  // nobody followed these borders since they were watched last
  member.wants_search = true;
  list(asked.member);
  bool seen = false;
  truth_of(asked, &seen);
  member.watching.push_back({process, &asked, seen});
  if (watched_by_.size() <= at(process)) watched_by_.resize(at(process) + 1);
  watched_by_[at(process)].push_back(asked.member);
}

void Engine::unwatch(std::int32_t process) {
  if (watched_by_.size() <= at(process)) return;
  for (const std::int32_t number : watched_by_[at(process)]) {
    Member& member = members_[at(number)];
    std::erase_if(member.watching, [&](const Watching& w) {
      if (w.process != process) return false;
      for (const int b : member.part->conditions().borders_of(w.awaited->condition)) {
        member.run->unwatch(b);
      }
      return true;
    });
    member.wants_search = true;
    list(number);
  }
  watched_by_[at(process)].clear();
}

bool Engine::finish_discrete_phase(std::vector<std::int32_t>& woken) {
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    if (!settle(changed_[i])) return false;
  }
  for (const std::int32_t number : changed_) {
    Member& member = members_[at(number)];
    if (!member.wants_search) continue;
    for (Watching& w : member.watching) {
      bool truth = false;
      if (!truth_of(*w.awaited, &truth)) return false;
      if (truth == w.seen) continue;
      w.seen = truth;
      woken.push_back(w.process);
    }
  }
  std::sort(woken.begin(), woken.end());
  woken.erase(std::unique(woken.begin(), woken.end()), woken.end());
  if (recorder != nullptr && woken.empty()) bring_all();
  return true;
}

// ---- motion -----------------------------------------------------------------------------------

class Engine::View : public MotionView {
 public:
  View(Engine& engine, double from) : engine_(engine), good_(from) {}
  bool has_values() const override { return !engine_.output_failed_; }
  double good() const { return good_; }  ///< the last time at which there were values
  void values_at(double time) override {
    for (Member& member : engine_.members_) {
      if (!member.run->moves()) continue;
      member.output = member.part->frame();
      if (member.run->values_for_output(time, member.output)) {
        member.part->store(member.output);
      } else if (!engine_.output_failed_) {
        engine_.output_failed_ = member.run->explain_values(time);
      }
    }
    engine_.is_viewing_ = true;
    engine_.store_substituted(time);
    engine_.is_viewing_ = false;
    if (!engine_.output_failed_) good_ = time;
  }
  double derivative(std::int32_t flat_slot) const override {
    return engine_.derivative_for_output(flat_slot);
  }

 private:
  Engine& engine_;
  double good_;
};

double Engine::derivative_for_output(std::int32_t flat_slot) {
  const std::int32_t part = parts_.part_of_slot[at(flat_slot)];
  const double none = std::numeric_limits<double>::quiet_NaN();
  if (part < 0) return none;
  Member& member = members_[at(part)];
  if (member.part->plan() == nullptr) return none;
  const structure::Analysis& analysis = member.part->plan()->analysis();
  const int j = analysis.unknown_index({flat_slot});
  if (j < 0 || analysis.d[at(j)] < 1) return none;
  const std::size_t place = at(member.part->place({{flat_slot}, 1}));
  return place < member.output.size() ? member.output[place] : none;
}

/// False if some value that is to be recorded does not exist.
bool Engine::record(double from, double to) {
  if (recorder == nullptr || !(to > from)) return true;
  View view(*this, from);
  output_failed_.reset();
  recorder->moved(from, to, view);
  if (!output_failed_) return true;
  workshop_.machine.time = view.good();
  view.values_at(view.good());
  return fail(*output_failed_);
}

/// Its place in the race.
void Engine::follow(std::int32_t number) {
  const Member& member = members_[at(number)];
  const bool moves = member.run->moves();
  steps_.set(at(number), moves ? member.run->reached() : kInfinity);
  events_.set(at(number), moves ? member.run->event_time() : kInfinity);
}

bool Engine::prepare_to_move() {
  const double now = workshop_.machine.time;
  for (const std::int32_t number : changed_) {
    Member& member = members_[at(number)];
    member.is_listed = false;
    if (member.wants_restart) {
      if (auto why = member.part->explain_static()) return fail(std::move(*why));
      member.run->restart(now, member.restart);
      member.restart = numerics::Restart::Warm;
    } else if (member.wants_search) {
      member.run->search(now);
    }
    member.wants_restart = member.wants_search = false;
    follow(number);
  }
  changed_.clear();
  return true;
}

Physics::Advance Engine::advance(double limit, std::vector<std::int32_t>& woken) {
  code::Machine& machine = workshop_.machine;
  if (!prepare_to_move()) return Advance::Failed;
  double recorded = machine.time;
  while (true) {
    const double event = events_.time(), front = steps_.time();
    const double target = std::min(event, limit);
    const double until = std::min(front, target);
    if (!std::isfinite(front) && !std::isfinite(limit)) return Advance::AtRest;
    if (until > recorded && std::isfinite(until)) {
      if (!record(recorded, until)) return Advance::Failed;
      recorded = until;
    }
    if (front >= target) {
      if (target > recorded && !record(recorded, target)) return Advance::Failed;
      machine.time = target;
      return arrive(event <= limit, woken);
    }
    if (++steps_since_check_ % 64 == 0) {
      if (progress != nullptr) progress->passed(recorded);
      if (workshop_.options.interrupted != nullptr && workshop_.options.interrupted->load()) {
        machine.time = std::max(machine.time, recorded);
        bring_all();
        return Advance::Interrupted;
      }
    }
    const auto last = static_cast<std::int32_t>(steps_.first());
    Member& member = members_[at(last)];
    if (!member.run->step(limit)) {
      machine.time = std::max(machine.time, recorded);
      bring_all();
      fail(*member.part->failure());
      return Advance::Failed;
    }
    follow(last);
    tell_states(member);
  }
}

/// Says which variables are states where that was not for the modeller's declarations to decide.
void Engine::tell_states(Member& member) {
  const StateVariant* const variant = member.part->variant();
  if (observer == nullptr || variant == member.told || variant == nullptr) return;
  const bool first = member.told == nullptr;
  member.told = variant;
  if (!member.part->plan()->has_choice() || (first && !variant->choice.was_free)) return;
  std::string names;
  for (const VarRef x : variant->choice.states) {
    if (names.size() > 200) break;
    names += (names.empty() ? "" : ", ") + variable_name(x);
  }
  observer->note(member.run->from(), "states", names.empty() ? "none" : names,
                 member.part->first_span());
}

std::vector<Part*> Engine::parts() {
  std::vector<Part*> all;
  for (Member& member : members_) all.push_back(member.part.get());
  return all;
}

void Engine::bring_all() {
  for (std::size_t m = 0; m < members_.size(); ++m) bring(static_cast<std::int32_t>(m));
  store_substituted(workshop_.machine.time);
}

/// Substituted variables in memory, for who records them. One that has no value keeps its last.
void Engine::store_substituted(double time) {
  for (const auto& [slot, substitution] : substituted_) {
    const expr::Value value = evaluate_at(substitution->value, time);
    if (value.fault == expr::Fault::None) workshop_.machine.memory()[slot].r = value.value;
  }
}

Physics::Advance Engine::arrive(bool has_event, std::vector<std::int32_t>& woken) {
  const double now = workshop_.machine.time;
  if (recorder != nullptr) bring_all();
  if (!has_event) return Advance::ReachedLimit;
  while (events_.time() == now) {
    const auto m = static_cast<std::int32_t>(events_.first());
    bring(m);
    note_event(members_[at(m)], woken);
    list(m);
    if (!notice_chattering(members_[at(m)]) || !notice_zeno(m)) return Advance::Failed;
    events_.set(at(m), kInfinity);
  }
  std::sort(woken.begin(), woken.end());
  woken.erase(std::unique(woken.begin(), woken.end()), woken.end());
  return Advance::Event;
}

void Engine::note_event(Member& member, std::vector<std::int32_t>& woken) {
  Part& part = *member.part;
  std::vector<Part::BorderValue> values;
  part.border_values(part.frame(), values);
  for (const BorderEvent& event : member.run->events()) {
    if (event.border < 0) {
      member.is_dirty = member.is_dirty || event.border == kReturn;
      member.has_event = member.wants_restart = true;
      continue;
    }
    // How far from zero the values of the formulas are, where the event was located.
    const double value = std::max(std::abs(event.value), std::abs(values[at(event.border)].value));
    part.touch(event.border, event.time, value, event.direction == 0);
    if (event.is_forced) {  // the step size is worn out
      member.wants_restart = true;
      member.restart = numerics::Restart::Cold;
      if (member.run->put_on_border(event.border)) member.is_dirty = true;
    }
    const auto& deciding = part.mode_borders();
    if (std::find(deciding.begin(), deciding.end(), event.border) != deciding.end()) {
      member.has_event = true;
    }
    if (observer != nullptr) {
      observer->state_event(
          event.time, part.text(part.conditions().borders()[at(event.border)].difference) + " = 0",
          part.border_span(event.border), event.direction);
    }
    for (const Watching& w : member.watching) {
      const auto borders = part.conditions().borders_of(w.awaited->condition);
      if (std::find(borders.begin(), borders.end(), event.border) != borders.end()) {
        woken.push_back(w.process);
        awaiting_[{w.awaited->block, w.awaited->member, event.border}] = event.time;
      }
    }
  }
  part.update_sides();
  member.wants_search = true;
}

/// Event after event, and time hardly passes: chattering that is neither sliding nor Zeno.
bool Engine::notice_chattering(Member& member) {
  constexpr int kMost = 20000;
  const double now = workshop_.machine.time;
  const double least = 1e-13 * std::max(std::abs(now), 1e-3 * now + 1e-300);
  member.crowded = now - member.last_event <= least ? member.crowded + 1 : 0;
  member.last_event = now;
  if (member.crowded < kMost) return true;
  const int border = member.run->events().front().border;
  const std::string what =
      border < 0
          ? std::string("an event")
          : "`" + member.part->text(member.part->conditions().borders()[at(border)].difference) +
                " = 0`";
  return fail(
      {.code = DiagCode::Zeno,
       .span = border < 0 ? member.part->first_span() : member.part->border_span(border),
       .message = fmt::format("{} events without time passing at t = {}: {} again and again", kMost,
                              now, what),
       .help = "the modes on both sides of the condition send the motion back at once: give "
               "them a hysteresis, or a mode of its own for the border"});
}

/// Events whose distances shrink like a geometric series never get past its limit.
bool Engine::notice_zeno(std::int32_t number) {
  constexpr std::size_t kKept = 12;
  Member& member = members_[at(number)];
  std::vector<double>& times = member.instants;
  const double now = workshop_.machine.time;
  if (times.empty() || now > times.back()) times.push_back(now);
  if (times.size() <= kKept) return true;
  times.erase(times.begin());
  if (workshop_.options.zeno == Zeno::Continue) return true;
  double least = kInfinity, most = 0;
  for (std::size_t i = 2; i < times.size(); ++i) {
    const double ratio = (times[i] - times[i - 1]) / (times[i - 1] - times[i - 2]);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  const double step = times.back() - times[times.size() - 2];
  const double rest = step * most / (1 - most);
  const bool geometric = most < 0.995 && most - least < 0.02 * most + 1e-3;
  if (!geometric || rest > 1e-8 * std::max(std::abs(now), times.back() - times.front())) {
    return true;
  }
  const double limit = now + rest;
  const BorderEvent& event = member.run->events().front();
  if (event.border < 0) return true;
  const std::string what =
      member.part->text(member.part->conditions().borders()[at(event.border)].difference) + " = 0";
  if (observer != nullptr) observer->zeno(limit, what, member.part->border_span(event.border));
  return fail({.code = DiagCode::Zeno,
               .span = member.part->border_span(event.border),
               .message = fmt::format("events accumulate towards t = {:.10g}: {} comes ever faster",
                                      limit, what),
               .notes = {fmt::format("the last events were {:.3g} apart, each time {:.4g} of the "
                                     "time before",
                                     step, most)},
               .help = "model what happens there as a mode of its own, end the run before, or use "
                       "`--zeno continue`"});
}

std::unique_ptr<Physics> make_physics(flat::FlatModel& model, code::Program& program,
                                      code::Machine& machine, const Frames& frames,
                                      const RunOptions& options) {
  return std::make_unique<Engine>(model, program, machine, frames, options);
}

}  // namespace chi::sim
