#include "flat/count_instances.h"

#include <vector>

#include "flat/known_integer.h"

namespace chi::flat {
namespace {

using syntax::InstanceId;

/// The definitions that hold each other make no cycle (sema reports those), but may be nested
/// deeply: the walk keeps its own stack.
class Counting {
 public:
  Counting(const sema::TypedModel& model, const Blueprints& blueprints)
      : model_(model), blueprints_(blueprints), counts_(blueprints.definitions.size(), kUnknown) {}

  double of(std::int32_t top) {
    std::vector<std::int32_t> open{top};
    while (!open.empty()) {
      const std::int32_t definition = open.back();
      double& count = counts_[at(definition)];
      if (count == kUnknown) {
        count = kOpen;
        add_missing(blueprints_.definitions[at(definition)].instances, open);
        continue;
      }
      open.pop_back();
      if (count == kOpen) count = sum(blueprints_.definitions[at(definition)].instances);
    }
    return counts_[at(top)];
  }

 private:
  static constexpr double kUnknown = -1, kOpen = -2;
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  void add_missing(Slice<InstanceId> list, std::vector<std::int32_t>& open) const {
    std::vector<Slice<InstanceId>> lists{list};
    while (!lists.empty()) {
      const Slice<InstanceId> next = lists.back();
      lists.pop_back();
      for (const InstanceId id : model_.ast.list(next)) {
        const syntax::Instance& instance = model_.ast.instances[id];
        if (!instance.name) {
          lists.push_back(instance.group);
        } else if (counts_[at(model_.instance_of[id])] == kUnknown) {
          open.push_back(model_.instance_of[id]);
        }
      }
    }
  }

  /// Groups are nested as deeply as the parser allows.
  double sum(Slice<InstanceId> list) const {
    double total = 0;
    for (const InstanceId id : model_.ast.list(list)) {
      const syntax::Instance& instance = model_.ast.instances[id];
      double copies = 1;
      if (instance.unwind) {
        const auto low = quick_integer(model_, instance.unwind.low, {});
        const auto high = quick_integer(model_, instance.unwind.high, {});
        copies = low && high ? static_cast<double>(range_length(*low, *high)) : 0;
      }
      const double inside =
          instance.name ? std::max(counts_[at(model_.instance_of[id])], 0.0) : sum(instance.group);
      total += copies * (1 + inside);
    }
    return total;
  }

  const sema::TypedModel& model_;
  const Blueprints& blueprints_;
  std::vector<double> counts_;  // by definition
};

}  // namespace

double count_instances(const sema::TypedModel& model, const Blueprints& blueprints,
                       std::int32_t top) {
  return Counting(model, blueprints).of(top);
}

}  // namespace chi::flat
