#include "structure/hidden.h"

#include <algorithm>
#include <map>
#include <optional>

namespace chi::structure {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

using Sum = std::map<std::int32_t, std::int64_t>;

// The row of J within its diagonal block, if all its entries there are whole numbers.
class BlockRows {
 public:
  BlockRows(const RowMatrix& matrix, const graph::Offsets& offsets,
            const graph::BlockTriangularForm& blocks)
      : matrix_(matrix), offsets_(offsets), blocks_(blocks) {}

  bool add(std::int32_t row, IntegerRows& to) const {
    const std::size_t before = to.column.size();
    const IntegerRows& entries = matrix_.entries;
    for (std::int32_t k = entries.row_start[at(row)]; k < entries.row_start[at(row) + 1]; ++k) {
      const std::int32_t column = entries.column[at(k)];
      for (const Occurrence& x : matrix_.unknowns_in(column)) {
        if (!is_in_block(row, x)) continue;
        if (!matrix_.is_leaf[at(column)]) {
          to.column.resize(before);
          to.coefficient.resize(before);
          return false;
        }
        to.add(x.unknown, entries.coefficient[at(k)]);
      }
    }
    to.end_row();
    return true;
  }

 private:
  bool is_in_block(std::int32_t row, const Occurrence& x) const {
    const graph::VarId var{x.unknown};
    const graph::EqId eq{row};
    return blocks_.block_of_var[var] == blocks_.block_of[eq] &&
           offsets_.d[var] - offsets_.c[eq] == x.order;
  }

  const RowMatrix& matrix_;
  const graph::Offsets& offsets_;
  const graph::BlockTriangularForm& blocks_;
};

// A multiple of `sum` minus a multiple of `other` without `row`. Empty if numbers get too large.
std::optional<Sum> without(std::int32_t row, const Sum& sum, const HiddenConstraint& other) {
  const auto place = sum.find(row);
  if (place == sum.end()) return sum;
  std::int64_t pivot = 0;
  for (const auto& [r, value] : other.sum) {
    if (r == row) pivot = value;
  }
  const std::int64_t g = std::gcd(pivot, place->second);
  const std::int64_t a = pivot / g, b = -place->second / g;
  Sum result;
  for (const auto& [r, value] : sum) {
    if (!product(value, a, result[r])) return std::nullopt;
  }
  for (const auto& [r, value] : other.sum) {
    std::int64_t part = 0;
    if (!product(value, b, part) || !structure::sum(result[r], part, result[r])) {
      return std::nullopt;
    }
  }
  std::erase_if(result, [](const auto& entry) { return entry.second == 0; });
  return result;
}

}  // namespace

std::vector<HiddenConstraint> hidden_constraints(const RowMatrix& matrix,
                                                 const graph::Signature& sigma,
                                                 const graph::Offsets& offsets) {
  const graph::BlockTriangularForm blocks = graph::fine_blocks(sigma, offsets);
  const BlockRows block_rows(matrix, offsets, blocks);
  IntegerRows rows;
  std::vector<std::int32_t> row_of;
  for (graph::EqId eq{0}; eq.index < sigma.pattern.num_eqs(); ++eq.index) {
    if (blocks.eqs_of(blocks.block_of[eq]).size() == 1) continue;
    if (block_rows.add(eq.index, rows)) row_of.push_back(eq.index);
  }
  if (row_of.empty()) return {};

  std::vector<HiddenConstraint> found;
  const std::vector<char> all(at(sigma.pattern.num_vars()), 1);
  std::map<std::int32_t, std::vector<std::size_t>> found_in;  // by block
  for (const Dependency& dependency : find_dependencies(rows, all)) {
    if (!dependency.has_coefficients) continue;
    std::optional<Sum> sum = Sum{};
    for (const auto& [r, coefficient] : dependency.of) (*sum)[row_of[at(r)]] = coefficient;
    const std::int32_t block = blocks.block_of[{row_of[at(dependency.row)]}].index;
    // A row that an earlier sum stands for must not be needed by this one.
    for (const std::size_t k : found_in[block]) {
      if (sum) sum = without(found[k].row, *sum, found[k]);
    }
    if (!sum) continue;
    HiddenConstraint constraint;
    constraint.row = -1;
    for (const auto& [r, value] : *sum) {
      constraint.sum.push_back({r, value});
      const int c = offsets.c[{r}];
      if (constraint.row < 0 || c <= offsets.c[{constraint.row}]) constraint.row = r;
    }
    found_in[block].push_back(found.size());
    found.push_back(std::move(constraint));
  }
  return found;
}

}  // namespace chi::structure
