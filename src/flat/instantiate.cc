#include "flat/instantiate.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/cancel.h"
#include "flat/arguments.h"
#include "flat/block_builder.h"
#include "flat/count_instances.h"
#include "flat/known_integer.h"
#include "flat/overrides.h"
#include "flat/parameter_value.h"
#include "flat/top_arguments.h"

namespace chi::flat {
namespace {

using sema::TypeId;
using sema::Value;
using syntax::InstanceId;

// Where the walk is in the instances of one system: in a list of them, or at one copy of an unwound
// instance.
struct Level {
  Slice<InstanceId> list = {};
  std::int32_t next = 0;
  InstanceId unwound = {};  // none: a list
  sema::DeclId index = {};
  std::int64_t high = -1, left = 0;  // the last index, and how many copies are to come
};

// A system whose instances are being made.
struct Frame {
  std::int32_t block = -1;
  sema::Environment values = {};  // its parameters, and the unwinding indices around `levels`
  std::optional<std::int64_t> priority = {};  // what its processes inherit
  std::vector<std::int64_t> numbers = {};     // next number of each group of unlabelled instances
  std::vector<std::int64_t> indices = {};     // of the unwindings, outermost first
  std::vector<Level> levels = {};
};

class InstanceArguments : public ValueSource {
 public:
  InstanceArguments(const Scope& scope, std::span<const syntax::ExprId> arguments,
                    const Blueprint& print, std::string_view path, Overrides& overrides,
                    Diagnostics& diagnostics)
      : scope_(scope),
        arguments_(arguments),
        print_(print),
        path_(path),
        overrides_(overrides),
        diagnostics_(diagnostics) {}

  bool gives(std::size_t k) const override {
    return arguments_[k] || overrides_.find(path_, name_of(k)) != nullptr;
  }

  std::optional<Value> value(std::size_t k, TypeId type) override {
    const std::string* text = overrides_.find(path_, name_of(k));
    if (text == nullptr) return value_argument(scope_, arguments_[k], type, diagnostics_);
    overrides_.use(path_, name_of(k));
    return parameter_value(scope_.model.typed, fmt::format("{}.{}", path_, name_of(k)), *text, type,
                           scope_.model.typed.measures.of(print_.params[k].decl), diagnostics_);
  }

 private:
  std::string_view name_of(std::size_t k) const {
    const sema::TypedModel& typed = scope_.model.typed;
    return typed.ast.symbols.text(typed.decls[print_.params[k].decl].name);
  }

  const Scope& scope_;
  std::span<const syntax::ExprId> arguments_;
  const Blueprint& print_;
  std::string_view path_;
  Overrides& overrides_;
  Diagnostics& diagnostics_;
};

class Instantiation {
 public:
  Instantiation(FlatModel& model, const Request& request, const Blueprints& blueprints,
                OpenLengths& lengths, Diagnostics& diagnostics)
      : model_(model),
        request_(request),
        overrides_(request),
        prints_(blueprints),
        builder_(model, blueprints, lengths, diagnostics),
        diagnostics_(diagnostics),
        broken_(model.typed.ast.instances.size(), 0) {}

  bool run(std::int32_t top) {
    const int before = diagnostics_.error_count();
    const double count = count_instances(model_.typed, prints_, top);
    if (count > static_cast<double>(kMaxInstances)) return too_many(top, count);
    start(top);
    while (!frames_.empty() && !stopped_) {
      check_cancelled();
      step();
    }
    if (diagnostics_.error_count() == before) overrides_.report_unused(model_, diagnostics_);
    if (diagnostics_.error_count() != before) return false;
    builder_.sort_processes();
    return builder_.find_starts();
  }

 private:
  void start(std::int32_t top) {
    TopArguments arguments(model_, top, prints_.definitions[static_cast<std::size_t>(top)],
                           request_, diagnostics_);
    sema::Environment values;
    Block block{.span = model_.typed.ast.definitions[static_cast<std::size_t>(top)].span};
    const bool bound = builder_.bind_values(top, arguments, block, values);
    if (!bound || !arguments.all_good() || !builder_.find_body(top, block, values)) return;
    if (!builder_.make_top_variables(top, block)) return;
    finish(top, std::move(block), std::move(values), std::nullopt);
  }

  // One move of the walk. References into `frames_` end where a frame may be pushed.
  void step() {
    Frame& frame = frames_.back();
    if (frame.levels.empty()) {
      frames_.pop_back();
      return;
    }
    Level& level = frame.levels.back();
    if (!level.unwound) {
      if (level.next == level.list.count) {
        frame.levels.pop_back();
      } else {
        const auto k = static_cast<std::size_t>(level.next++);
        visit(model_.typed.ast.list(level.list)[k]);
      }
    } else if (level.left == 0 || broken_[level.unwound] != 0) {
      frame.values.erase(level.index);
      frame.indices.pop_back();
      frame.levels.pop_back();
    } else if (count_copy(level.unwound)) {
      const std::int64_t at = level.high - --level.left;
      frame.values[level.index] = Value{at};
      frame.indices.back() = at;
      visit_copy(level.unwound);
    }
  }

  void visit(InstanceId id) {
    if (broken_[id] != 0) return;
    const syntax::Unwind& unwind = model_.typed.ast.instances[id].unwind;
    if (!unwind) {
      if (count_copy(id)) visit_copy(id);
      return;
    }
    Frame& frame = frames_.back();
    const auto low = integer_argument(scope(frame), unwind.low, diagnostics_);
    const auto high = integer_argument(scope(frame), unwind.high, diagnostics_);
    if (!low || !high) {
      broken_[id] = 1;
      return;
    }
    const std::int64_t copies = range_length(*low, *high);
    if (copies > kMaxInstances) {
      too_many(id);
      return;
    }
    const sema::DeclId index = model_.typed.unwind_index.at(unwind.variable.span.begin);
    frame.indices.push_back(*low);
    frame.levels.push_back({.unwound = id, .index = index, .high = *high, .left = copies});
  }

  void visit_copy(InstanceId id) {
    const syntax::Instance& instance = model_.typed.ast.instances[id];
    if (!instance.name) {
      frames_.back().levels.push_back({.list = instance.group});
    } else if (!make_instance(id)) {
      broken_[id] = 1;
    }
  }

  // Counts unwound groups too, which may hold nothing and so would go on unseen.
  bool count_copy(InstanceId id) { return ++copies_ <= kMaxInstances || too_many(id); }

  bool too_many(std::int32_t top, double count) {
    diagnostics_.report(
        {.code = DiagCode::TooManyInstances,
         .span = model_.typed.ast.definitions[static_cast<std::size_t>(top)].span,
         .message = fmt::format("the model has at least {:.6g} instances", count),
         .help =
             fmt::format("there may be {}; look for what holds many of the next, level by level",
                         kMaxInstances)});
    return false;
  }

  bool too_many(InstanceId id) {
    stopped_ = true;
    diagnostics_.report(
        {.code = DiagCode::TooManyInstances,
         .span = model_.typed.ast.instances[id].span,
         .message = fmt::format("the model has more than {} instances", kMaxInstances)});
    return false;
  }

  Scope scope(const Frame& frame) const {
    return {model_, model_.blocks[static_cast<std::size_t>(frame.block)], frame.values};
  }

  bool make_instance(InstanceId id) {
    Frame& frame = frames_.back();
    const syntax::Instance& instance = model_.typed.ast.instances[id];
    const std::int32_t definition = model_.typed.instance_of[id];
    const auto arguments = model_.typed.arguments_of(id);
    const Scope around = scope(frame);
    sema::Environment values;
    Block block{.span = instance.span};
    block.path = path_of(frame, id);
    InstanceArguments source(around, arguments,
                             prints_.definitions[static_cast<std::size_t>(definition)], block.path,
                             overrides_, diagnostics_);
    if (!builder_.bind_values(definition, source, block, values)) return false;
    if (!builder_.find_body(definition, block, values)) return false;
    if (!builder_.bind_places(definition, around, arguments, block)) return false;
    std::optional<std::int64_t> priority = frame.priority;
    if (instance.priority) {
      priority = integer_argument(around, instance.priority, diagnostics_);
      if (!priority) return false;
    }
    return finish(definition, std::move(block), std::move(values), priority);
  }

  // Enters the block; a system's instances come next.
  bool finish(std::int32_t definition, Block block, sema::Environment values,
              std::optional<std::int64_t> priority) {
    const Blueprint& print = prints_.definitions[static_cast<std::size_t>(definition)];
    const Span span = block.span;
    if (!builder_.declare_locals(definition, block, values)) return false;
    const auto index = static_cast<std::int32_t>(model_.blocks.size());
    model_.blocks.push_back(std::move(block));
    if (print.is_process) return builder_.add_process(definition, index, priority.value_or(0));
    if (frames_.size() >= kMaxSystemDepth) {
      stopped_ = true;
      diagnostics_.report(
          {.code = DiagCode::ModelTooLarge,
           .span = span,
           .message = fmt::format("systems are nested more than {} deep here", kMaxSystemDepth)});
      return false;
    }
    Frame frame{.block = index, .values = std::move(values), .priority = priority};
    frame.numbers.resize(static_cast<std::size_t>(print.name_groups), 0);
    frame.levels.push_back({.list = print.instances});
    frames_.push_back(std::move(frame));
    return true;
  }

  std::string path_of(Frame& frame, InstanceId id) const {
    const InstanceName& name = prints_.names[id];
    std::string path = model_.blocks[static_cast<std::size_t>(frame.block)].path;
    if (!path.empty()) path += '.';
    path += model_.typed.ast.symbols.text(name.base);
    if (name.labelled) {
      for (const std::int64_t i : frame.indices) path += fmt::format("[{}]", i);
    } else if (name.group >= 0) {
      path += fmt::format("[{}]", frame.numbers[static_cast<std::size_t>(name.group)]++);
    }
    return path;
  }

  FlatModel& model_;
  const Request& request_;
  Overrides overrides_;
  const Blueprints& prints_;
  BlockBuilder builder_;
  Diagnostics& diagnostics_;
  Table<InstanceId, char> broken_;  // already reported; its further copies are not made
  std::vector<Frame> frames_;
  std::int64_t copies_ = 0;
  bool stopped_ = false;
};

}  // namespace

bool instantiate(FlatModel& model, std::int32_t top, const Request& request,
                 const Blueprints& blueprints, OpenLengths& lengths, Diagnostics& diagnostics) {
  return Instantiation(model, request, blueprints, lengths, diagnostics).run(top);
}

}  // namespace chi::flat
