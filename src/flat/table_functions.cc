#include "flat/table_functions.h"

#include <array>

#include "expr/build.h"

namespace chi::flat {
namespace {

using expr::ExprId;
using expr::FunctionId;
using sema::LookupTable;
using What = TableFunction::What;

class TableBuilder {
 public:
  TableBuilder(Equations& equations, sema::DeclId table, const LookupTable& data)
      : equations_(equations), pool_(equations.pool), table_(table), data_(data) {}

  void build() {
    const int arity = data_.arity();
    for (int a = 0; a < arity; ++a) {
      const auto k = static_cast<std::size_t>(a);
      x_[k] = expr::param_real(pool_, a);
      const bool everywhere =
          data_.is_cubic() && data_.data().outside == LookupTable::Outside::Extend;
      piece_[k] = everywhere ? expr::constant(pool_, 0)
                             : call(function(What::Piece, 1, true, a), std::array{x_[k]});
      if (!everywhere) add_borders(a);
    }
    const ExprId body = data_.is_cubic() ? cubic() : sum();
    const FunctionId f = pool_.add_function(arity, body);
    equations_.functions.resize(pool_.function_count(), {});
    equations_.function_components[table_] = {f};
  }

 private:
  FunctionId function(What what, int arity, bool has_steps, int axis, int i = 0, int j = 0) {
    const FunctionId f = pool_.add_exact(arity, has_steps);
    equations_.functions.resize(pool_.function_count(), {});
    equations_.functions[f] =
        TableFunction{.table = table_, .what = what, .axis = axis, .i = i, .j = j};
    return f;
  }

  ExprId call(FunctionId f, std::span<const ExprId> arguments) {
    return expr::call(pool_, f, arguments);
  }

  /// Found by who holds the pieces: see `table_border`.
  void add_borders(int a) {
    equations_.table_borders[{table_, a}] = {function(What::Lower, 1, false, a),
                                             function(What::Upper, 1, false, a)};
  }

  ExprId sum() {
    const auto arity = static_cast<std::size_t>(data_.arity());
    const auto pieces = std::span(piece_).first(arity);
    std::array<ExprId, 2> way{};
    for (std::size_t a = 0; a < arity; ++a) {
      const FunctionId corner = function(What::Corner, 1, false, static_cast<int>(a));
      way[a] = expr::sub(pool_, x_[a], call(corner, std::array{piece_[a]}));
    }
    const int most = data_.data().method == LookupTable::Method::Previous ? 0 : 1;
    ExprId result = expr::constant(pool_, 0);
    for (int i = 0; i <= most; ++i) {
      for (int j = 0; j <= (arity == 2 ? most : 0); ++j) {
        ExprId term = call(function(What::Coefficient, data_.arity(), false, 0, i, j), pieces);
        if (i == 1) term = expr::mul(pool_, term, way[0]);
        if (j == 1) term = expr::mul(pool_, term, way[1]);
        result = expr::add(pool_, result, term);
      }
    }
    return result;
  }

  /// Derivatives of fourth order are zero.
  ExprId cubic() {
    constexpr int kOrders = 4;
    const int arity = data_.arity();
    FunctionId of_order[kOrders][kOrders];
    const int most_j = arity == 2 ? kOrders : 1;
    for (int i = 0; i < kOrders; ++i) {
      for (int j = 0; j < most_j; ++j)
        of_order[i][j] = function(What::Cubic, 2 * arity, false, 0, i, j);
    }
    for (int i = 0; i < kOrders; ++i) {
      for (int j = 0; j < most_j; ++j) {
        if (i + 1 < kOrders) pool_.set_derivative(of_order[i][j], arity, of_order[i + 1][j]);
        if (j + 1 < most_j) pool_.set_derivative(of_order[i][j], arity + 1, of_order[i][j + 1]);
      }
    }
    std::vector<ExprId> arguments;
    for (int a = 0; a < arity; ++a) arguments.push_back(piece_[static_cast<std::size_t>(a)]);
    for (int a = 0; a < arity; ++a) arguments.push_back(x_[static_cast<std::size_t>(a)]);
    return call(of_order[0][0], arguments);
  }

  Equations& equations_;
  expr::Pool& pool_;
  sema::DeclId table_;
  const LookupTable& data_;
  std::array<ExprId, 2> x_{}, piece_{};
};

}  // namespace

void add_table_functions(const sema::TypedModel& model, Equations& equations) {
  for (std::int32_t t = 0; t < model.tables->size(); ++t) {
    const sema::DeclId table = sema::LookupTables::function(t);
    if (equations.function_components.contains(table)) continue;
    TableBuilder(equations, table, (*model.tables)[table]).build();
  }
}

}  // namespace chi::flat
