#include "structure/hidden.h"

#include <algorithm>
#include <map>
#include <optional>

namespace chi::structure {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

using Sum = std::map<std::int32_t, std::int64_t>;

// The rows of J within their diagonal blocks, as whole numbers times symbols: an unknown that
// stands alone in a term is one symbol, any other term one for each number of times it is
// differentiated. The derivatives of such a term with respect to the unknowns are the same in every
// row with the same symbol, so a sum that cancels the symbols cancels the rows of J.
class BlockRows {
 public:
  BlockRows(const RowMatrix& matrix, const graph::Offsets& offsets,
            const graph::BlockTriangularForm& blocks, std::int32_t num_unknowns)
      : matrix_(matrix), offsets_(offsets), blocks_(blocks), num_symbols_(num_unknowns) {}

  void add(std::int32_t row, IntegerRows& to) {
    const IntegerRows& entries = matrix_.entries;
    for (std::int32_t k = entries.row_start[at(row)]; k < entries.row_start[at(row) + 1]; ++k) {
      const std::int32_t column = entries.column[at(k)];
      for (const Occurrence& x : matrix_.unknowns_in(column)) {
        if (!is_in_block(row, x)) continue;
        if (matrix_.is_leaf[at(column)]) {
          to.add(x.unknown, entries.coefficient[at(k)]);
          continue;
        }
        const auto symbol = symbols_.try_emplace({column, offsets_.c[{row}]}, num_symbols_);
        if (symbol.second) ++num_symbols_;
        to.add(symbol.first->second, entries.coefficient[at(k)]);
        break;
      }
    }
    to.end_row();
  }

  std::int32_t num_symbols() const { return num_symbols_; }

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
  std::map<std::pair<std::int32_t, int>, std::int32_t> symbols_;  // of a term and an offset
  std::int32_t num_symbols_;
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
  BlockRows block_rows(matrix, offsets, blocks, sigma.pattern.num_vars());
  IntegerRows rows;
  std::vector<std::int32_t> row_of;
  for (graph::EqId eq{0}; eq.index < sigma.pattern.num_eqs(); ++eq.index) {
    if (blocks.eqs_of(blocks.block_of[eq]).size() == 1) continue;
    block_rows.add(eq.index, rows);
    row_of.push_back(eq.index);
  }
  if (row_of.empty()) return {};

  std::vector<HiddenConstraint> found;
  const std::vector<char> all(at(block_rows.num_symbols()), 1);
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
