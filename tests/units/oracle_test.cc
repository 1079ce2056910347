// Compares our units with those of the UDUNITS-2 library, which reads its own database.
#include <cmath>
#include <string>
#include <string_view>
#include <udunits2.h>
#include <vector>

#include <gtest/gtest.h>

#include "units/unit.h"

namespace chi::units {
namespace {

class Oracle {
 public:
  Oracle() {
    ut_set_error_message_handler(ut_ignore);
    system_ = ut_read_xml(nullptr);
    base_ = ut_parse(system_, "kg", UT_UTF8);
  }
  ~Oracle() {
    ut_free(base_);
    ut_free_system(system_);
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
  bool works() const { return system_ != nullptr; }

  /// `number` of the unit `text` in the unit `coherent`; none if it does not know one of them or
  /// they are of two dimensions.
  std::optional<double> convert(const std::string& text, double number,
                                const std::string& coherent) const {
    ut_unit* from = ut_parse(system_, text.c_str(), UT_UTF8);
    ut_unit* to = ut_parse(system_, coherent.c_str(), UT_UTF8);
    cv_converter* converter = from && to ? ut_get_converter(from, to) : nullptr;
    std::optional<double> result;
    if (converter != nullptr) result = cv_convert_double(converter, number);
    cv_free(converter);
    ut_free(from);
    ut_free(to);
    return result;
  }

 private:
  ut_system* system_ = nullptr;
  ut_unit* base_ = nullptr;
};

/// The coherent unit in base units only, as both sides read it.
std::string base_text(const Dimension& dimension) {
  constexpr const char* kSymbols[] = {"kg", "m", "s", "A", "K", "mol", "cd"};
  std::string text = "1";
  for (std::size_t i = 0; i < kBases; ++i) {
    const Rational e = dimension.exponents[i];
    if (!e.is_zero()) text += std::string(".") + kSymbols[i] + "^" + e.text();
  }
  return text;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  const auto add = [&](std::string_view list) {
    while (!list.empty()) {
      const std::size_t end = std::min(list.find(' '), list.size());
      names.emplace_back(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  };
#define CHI_BASE(base, list) add(list);
#define CHI_UNIT(definition, offset, list) add(list);
#include "units/units.def"
#undef CHI_BASE
#undef CHI_UNIT
  return names;
}

/// What we have and UDUNITS-2 has not.
bool is_addition(std::string_view name) {
  return name == "deg" || name == "Wh" || name == "Ah" || name == "Ω";
}

TEST(UdunitsOracle, EveryNameHasItsValue) {
  const Oracle oracle;
  if (!oracle.works()) GTEST_SKIP() << "no units database";
  int compared = 0;
  for (const std::string& name : all_names()) {
    UnitProblem problem;
    const std::optional<Unit> unit = read_unit(name, problem);
    ASSERT_TRUE(unit.has_value()) << name;
    for (const double number : {1.0, 20.0}) {
      const auto expected = oracle.convert(name, number, base_text(unit->dimension));
      if (!expected && is_addition(name)) continue;
      ASSERT_TRUE(expected.has_value()) << name;
      EXPECT_NEAR(unit->to_si(number), *expected, 1e-6 * std::abs(*expected)) << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 300);
}

TEST(UdunitsOracle, ProductsAreRead) {
  const Oracle oracle;
  if (!oracle.works()) GTEST_SKIP() << "no units database";
  for (const std::string text : {"km/h",
                                 "kg.m2.s-2",
                                 "W/m2/K",
                                 "m/s.kg",
                                 "kg m2 s-3 A-1",
                                 "l/min",
                                 "mmol/l",
                                 "kW.hour",
                                 "N.m/degree",
                                 "1/min",
                                 "100 kPa",
                                 "rpm",
                                 "mbar",
                                 "daN",
                                 "m^2",
                                 "m**2",
                                 "m²",

                                 "kg/(m.s)",
                                 "hPa",
                                 "ug",
                                 "µg",
                                 "microgram",
                                 "millimeters",
                                 "J kg-1 K-1",
                                 "cm^-1",
                                 "nautical_mile/hour",
                                 "ft.lbf",
                                 "mile/gallon",
                                 "degF",
                                 "degC",
                                 "inch"}) {
    UnitProblem problem;
    const std::optional<Unit> unit = read_unit(text, problem);
    ASSERT_TRUE(unit.has_value()) << text;
    const auto expected = oracle.convert(text, 3, base_text(unit->dimension));
    ASSERT_TRUE(expected.has_value()) << text;
    EXPECT_NEAR(unit->to_si(3), *expected, 1e-6 * std::abs(*expected)) << text;
  }
}

}  // namespace
}  // namespace chi::units
