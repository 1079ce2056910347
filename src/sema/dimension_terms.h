#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "source/span.h"
#include "units/dimension.h"

/// Dimensions that are not known yet. Internal to sema/.
namespace chi::sema {

using TermId = std::int32_t;

/// A dimension times powers of unknown dimensions.
struct DimensionTerm {
  units::Dimension fixed;
  std::vector<std::pair<std::int32_t, units::Rational>> unknowns;  ///< by number; no power is 0
  std::int32_t origin = -1;                                        ///< the unknown it was made as
};

/// Terms over the unknown dimensions of one model, and what is known of these. Dimensions are a
/// vector space over the rational numbers, so unification is one step of Gaussian elimination [1]:
/// the most general solution exists and is unique.
///
/// [1] A. J. Kennedy, "Programming Languages and Dimensions", PhD thesis, Cambridge, 1996, ch. 2.
class DimensionTerms {
 public:
  /// Of what stands outside all definitions that are used with several dimensions.
  static constexpr std::int32_t kNobody = -1;

  TermId known(const units::Dimension& dimension);
  /// A new unknown. `owner`: the definition in which each use has another.
  TermId unknown(std::int32_t owner);
  TermId product(TermId a, TermId b, units::Rational power_of_b = 1);
  TermId power(TermId a, units::Rational exponent);

  /// Makes two terms equal. False if that cannot be; then nothing is changed. `why` is remembered
  /// of the unknown that becomes known.
  bool unify(TermId a, TermId b, Span why);
  /// The dimension of a term in which nothing is unknown any more.
  std::optional<units::Dimension> value(TermId term);
  /// What of a term is known, where something is not.
  units::Dimension fixed(TermId term) { return solved(term).fixed; }
  bool is_one(TermId term);
  /// Where the unknown that the term was made as became known.
  std::optional<Span> reason(TermId term) const;

  /// Numbers without a unit have met a value of this term, at `where`: they are in its coherent
  /// unit.
  void meet_number(TermId term, Span where);
  std::optional<Span> number_met(TermId term);
  /// Of an instance of an unknown: a unit, not coherent, of a value that it stands for here. Of
  /// other terms nothing is remembered.
  void stand_for(TermId term, std::int32_t unit);
  std::int32_t stands_for(TermId term);  ///< -1 if for none
  bool is_instance(TermId term);

  /// The unknowns of `owner` that became others.
  using Renamed = std::unordered_map<std::int32_t, std::int32_t>;
  /// The term with each unknown of `owner` replaced by one of `user`. The same term if it has none.
  TermId instance(TermId term, std::int32_t owner, std::int32_t user, Renamed& renamed);

 private:
  struct Unknown {
    std::int32_t owner = kNobody;
    TermId solution = -1;
    Span why;
    bool instance = false;
    std::int32_t unit = -1;
    std::optional<Span> number = {};
  };
  /// The unknowns that a term is, and nothing else: as it was made, and as it is known now.
  std::vector<std::int32_t> names(TermId term);
  static std::int32_t only_unknown(const DimensionTerm& term);
  TermId add(DimensionTerm term);
  const DimensionTerm& solved(TermId term);

  std::vector<DimensionTerm> terms_;
  std::vector<Unknown> unknowns_;
};

}  // namespace chi::sema
