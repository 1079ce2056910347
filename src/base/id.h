#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace chi {

/// An index into one kind of table: an `Id<struct VarTag>` cannot be used where an equation is due.
template <class Tag>
struct Id {
  std::int32_t index = -1;  ///< -1 means "none"
  explicit operator bool() const { return index >= 0; }
  auto operator<=>(const Id&) const = default;
};

/// A vector indexed by ids of one kind. `T` must not be `bool`.
template <class I, class T>
class Table {
 public:
  Table() = default;
  Table(int size, T value) : rows_(static_cast<std::size_t>(size), std::move(value)) {}

  I add(T row) {
    rows_.push_back(std::move(row));
    return I{size() - 1};
  }
  T& operator[](I id) { return rows_[static_cast<std::size_t>(id.index)]; }
  const T& operator[](I id) const { return rows_[static_cast<std::size_t>(id.index)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(rows_.size()); }
  bool empty() const { return rows_.empty(); }
  void resize(int size, T value) { rows_.resize(static_cast<std::size_t>(size), std::move(value)); }
  void reserve(int size) { rows_.reserve(static_cast<std::size_t>(size)); }

  auto begin() { return rows_.begin(); }
  auto end() { return rows_.end(); }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

 private:
  std::vector<T> rows_;
};

/// A run of consecutive rows in a pool of `T`s, so that a node with many children stays trivially
/// copyable. `in(pool)` gives the rows.
template <class T>
struct Slice {
  std::int32_t first = 0;
  std::int32_t count = 0;
  bool empty() const { return count == 0; }
};

}  // namespace chi

template <class Tag>
struct std::hash<chi::Id<Tag>> {
  std::size_t operator()(chi::Id<Tag> id) const { return std::hash<std::int32_t>{}(id.index); }
};
