#include "code/compare.h"

#include <array>
#include <cmath>
#include <vector>

#include "code/ordered.h"
#include "code/sequence.h"
#include "code/text_value.h"

namespace chi::code {
namespace {

// `Total` is the order of `compare`; `Same` only tells equal (0) from different.
enum class Relation { Total, Same };

template <class T>
int order(T a, T b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

template <Relation relation>
int compare_reals(double a, double b) {
  if (relation == Relation::Same) return a == b ? 0 : 1;
  if (std::isnan(a) || std::isnan(b)) return order<int>(std::isnan(a), std::isnan(b));
  return order(a, b);
}

/// One value of a leaf that is no sequence.
template <Relation relation>
int compare_scalar(TypeKind kind, const Slot* a, const Slot* b) {
  if (kind == TypeKind::Real) return compare_reals<relation>(a->r, b->r);
  if (kind == TypeKind::String) return text_compare(a, b);
  if (kind != TypeKind::Distribution) return order(a->i, b->i);
  for (int i = 0; i < 4; ++i) {  // the law, not the stream
    if (const int result = order(a[i].i, b[i].i); result != 0) return result;
  }
  return 0;
}

/// Values without lists, sets and dictionaries in them.
template <Relation relation>
int compare_flat(const RuntimeType& type, const Slot* a, const Slot* b) {
  for (const Leaf& leaf : type.leaves) {
    std::int32_t slot = leaf.offset;
    for (std::int32_t i = 0; i < leaf.count; ++i, slot += leaf.type->slots) {
      const int result = compare_scalar<relation>(leaf.type->kind, a + slot, b + slot);
      if (result != 0) return result;
    }
  }
  return 0;
}

/// The elements of a list or the entries of a set or dictionary, in order.
class Reader {
 public:
  Reader() = default;
  Reader(const RuntimeType& type, const Slot* sequence)
      : left_(sequence_length(sequence)), stride_(type.entry->slots) {
    if (left_ == 0) return;
    ordered_ = type.kind != TypeKind::List;
    if (ordered_) {
      cursor_ = OrderedCursor(sequence);
    } else {
      const Sequence q = load_sequence(sequence);
      at_ = q.buffer->at(q.begin);
    }
  }
  bool done() const { return left_ == 0; }
  const Slot* get() const { return ordered_ ? cursor_.entry() : at_; }
  void next() {
    --left_;
    if (ordered_) {
      cursor_.next();
    } else {
      at_ += stride_;
    }
  }

 private:
  std::uint32_t left_ = 0;
  std::int32_t stride_ = 0;
  bool ordered_ = false;
  const Slot* at_ = nullptr;
  OrderedCursor cursor_;
};

/// A sequence being compared, and how far its current entries are.
struct Frame {
  const RuntimeType* entry = nullptr;
  Reader a, b;
  std::size_t leaf = 0;
  std::int32_t item = 0;
};

/// Compares sequences that may hold sequences, with a stack as deep as the type.
template <Relation relation>
class Comparison {
 public:
  explicit Comparison(std::int32_t depth) {
    if (static_cast<std::size_t>(depth) <= near_.size()) return;
    far_.resize(static_cast<std::size_t>(depth));
    stack_ = far_.data();
  }

  int run(const RuntimeType& type, const Slot* a, const Slot* b) {
    int result = enter(type, a, b);
    while (result == 0 && top_ > 0) result = step(stack_[top_ - 1]);
    return result;
  }

 private:
  /// Decides what can be decided at once, else pushes the two sequences.
  int enter(const RuntimeType& type, const Slot* a, const Slot* b) {
    if (a[0].o == b[0].o && a[1].i == b[1].i) return 0;
    if (relation == Relation::Same && sequence_length(a) != sequence_length(b)) return 1;
    stack_[top_++] = {type.entry, Reader(type, a), Reader(type, b), 0, 0};
    return 0;
  }

  int step(Frame& f) {
    if (f.a.done() || f.b.done()) {
      --top_;
      return order<int>(!f.a.done(), !f.b.done());
    }
    if (f.entry->depth == 0) {
      const int result = compare_flat<relation>(*f.entry, f.a.get(), f.b.get());
      advance(f);
      return result;
    }
    if (f.leaf == f.entry->leaves.size()) {
      advance(f);
      return 0;
    }
    const Leaf& leaf = f.entry->leaves[f.leaf];
    const std::int32_t slot = leaf.offset + f.item * leaf.type->slots;
    if (++f.item == leaf.count) {
      f.item = 0;
      ++f.leaf;
    }
    const Slot* a = f.a.get() + slot;
    const Slot* b = f.b.get() + slot;
    return leaf.type->depth == 0 ? compare_scalar<relation>(leaf.type->kind, a, b)
                                 : enter(*leaf.type, a, b);
  }

  static void advance(Frame& f) {
    f.a.next();
    f.b.next();
    f.leaf = 0;
    f.item = 0;
  }

  std::array<Frame, 4> near_;
  std::vector<Frame> far_;
  Frame* stack_ = near_.data();
  std::size_t top_ = 0;
};

template <Relation relation>
int compare_values(const RuntimeType& type, const Slot* a, const Slot* b) {
  if (type.kind > TypeKind::Void && type.kind <= TypeKind::String) {  // by far the most frequent
    return compare_scalar<relation>(type.kind, a, b);
  }
  if (type.depth == 0) return compare_flat<relation>(type, a, b);
  Comparison<relation> comparison(type.depth);
  for (const Leaf& leaf : type.leaves) {
    std::int32_t slot = leaf.offset;
    for (std::int32_t i = 0; i < leaf.count; ++i, slot += leaf.type->slots) {
      const int result = leaf.type->depth == 0
                             ? compare_scalar<relation>(leaf.type->kind, a + slot, b + slot)
                             : comparison.run(*leaf.type, a + slot, b + slot);
      if (result != 0) return result;
    }
  }
  return 0;
}

}  // namespace

bool equal(const RuntimeType& type, const Slot* a, const Slot* b) {
  return compare_values<Relation::Same>(type, a, b) == 0;
}

int compare(const RuntimeType& type, const Slot* a, const Slot* b) {
  return compare_values<Relation::Total>(type, a, b);
}

}  // namespace chi::code
