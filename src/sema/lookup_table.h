#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sema/decl_id.h"
#include "source/span.h"

namespace chi::sema {

/// Data between which a function is interpolated, of one variable or two: `interpolate`.
///
/// The range of each variable falls into pieces, on which the function is smooth: between two data
/// where it is linear or a step, all of the data where it is a cubic. A piece has a number, counted
/// from 0; -1 is below the data and `pieces` above them. Who integrates a model holds the numbers
/// of pieces between events, so that corners and steps are events.
///
/// Construction is linear in the data, looking up logarithmic.
class LookupTable {
 public:
  enum class Method : std::uint8_t { Linear, Previous, Pchip, Spline };
  /// What the function is outside the data.
  enum class Outside : std::uint8_t {
    Error,
    Hold,   ///< the nearest value
    Extend  ///< the outermost piece goes on
  };
  struct Data {
    Method method = Method::Linear;
    Outside outside = Outside::Error;
    std::vector<double> x, y;  ///< ascending; `y` is empty if there is one variable
    std::vector<double> z;     ///< by x, then by y
    bool operator==(const Data&) const = default;
  };
  /// What is wrong with the data, "" if nothing is.
  static std::string problem(const Data& data);
  /// Requires that nothing is wrong.
  LookupTable(Data data, Span span);

  const Data& data() const { return data_; }
  Span span() const { return span_; }  ///< of the call that made it
  int arity() const { return data_.y.empty() ? 1 : 2; }
  bool is_cubic() const { return data_.method >= Method::Pchip; }
  const std::vector<double>& axis(int a) const { return a == 0 ? data_.x : data_.y; }
  /// "from 0.0 to 10.0", of one variable.
  std::string range_text(int a) const;

  /// The value; none outside the data where that is an error.
  std::optional<double> value(const double* arguments) const;
  /// The variable that is outside; -1 if none is.
  int outside(const double* arguments) const;

  // ---- piece by piece ----
  std::int64_t pieces(int a) const;
  /// The piece in which `v` is. Where it is an error to be outside, that begins at a distance
  /// `margin` from the data.
  double piece(int a, double v, double margin) const;
  /// Where a piece begins and ends.
  double lower(int a, double piece, double margin) const;
  double upper(int a, double piece, double margin) const;
  /// Not cubic: the function is Σ c(i, j) (x - corner)^i (y - corner)^j on a piece, i and j 0 or 1.
  /// NaN where it is an error to be.
  double corner(int a, double piece) const;
  double coefficient(int i, int j, double piece_x, double piece_y) const;
  /// Cubic: the derivative of order `i` and `j` at a point, by the piece it is taken to be in. NaN
  /// where it is an error to be.
  double cubic(int i, int j, const double* pieces, const double* point) const;

 private:
  struct Place {
    std::size_t index = 0;  ///< of the data below
    bool is_held = false;   ///< outside, where the value is that of the data at `index`
    bool is_error = false;
  };
  Place place(int a, double piece) const;
  double at(std::size_t i, std::size_t j) const { return data_.z[i * columns_ + j]; }
  void make_slopes();

  Data data_;
  Span span_;
  std::size_t columns_ = 1;
  std::vector<double> zx_, zy_, zxy_;  // slopes at the data, if cubic
};

/// The tables of a model: functions as values, whose numbers as declarations begin behind all that
/// are written.
class LookupTables {
 public:
  static constexpr std::int32_t kFirst = 1 << 28;
  static bool is_table(DeclId function) { return function.index >= kFirst; }

  /// The function; the same one for the same data.
  DeclId add(LookupTable::Data data, Span span);
  const LookupTable& operator[](DeclId function) const {
    return *tables_[static_cast<std::size_t>(function.index - kFirst)];
  }
  std::int32_t size() const { return static_cast<std::int32_t>(tables_.size()); }
  static DeclId function(std::int32_t number) { return {kFirst + number}; }

 private:
  std::vector<std::unique_ptr<LookupTable>> tables_;
};

}  // namespace chi::sema
