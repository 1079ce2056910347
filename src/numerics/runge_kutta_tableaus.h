#pragma once
#include <array>
#include <cstddef>

namespace chi::numerics {

/// An explicit pair whose last stage is f at the new point, so that it is the first of the next
/// step:
///   Y_i = y + h Σ_j a_ij K_j,  y_new = Y_last,  error = h Σ e_i K_i,
///   y(t + θh) = y + h Σ_i K_i (d_i1 θ + d_i2 θ² + d_i3 θ³ + d_i4 θ⁴).
template <std::size_t stages>
struct ExplicitTableau {
  std::array<double, stages> c = {};
  std::array<std::array<double, stages>, stages> a = {};
  std::array<double, stages> e = {};
  std::array<std::array<double, 4>, stages> d = {};
};

struct DormandPrince {
  static constexpr std::size_t kStages = 7;
  static constexpr bool kLastStageInError = true;
  static constexpr double kShare = 0.5;          ///< of the tolerance, for one step
  static constexpr std::size_t kStiffStage = 5;  ///< another stage with c = 1
  /// On the negative real axis it is 3.31; a step that stability limits settles a little inside.
  static constexpr double kStabilityBound = 3.0;
  static constexpr ExplicitTableau<7> kTableau = {
      .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
      .a = {{{},
             {1.0 / 5},
             {3.0 / 40, 9.0 / 40},
             {44.0 / 45, -56.0 / 15, 32.0 / 9},
             {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
             {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
             {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}}},
      .e = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
      .d = {
          {{1, -8048581381.0 / 2820520608, 8663915743.0 / 2820520608, -12715105075.0 / 11282082432},
           {},
           {0, 131558114200.0 / 32700410799, -68118460800.0 / 10900136933,
            87487479700.0 / 32700410799},
           {0, -1754552775.0 / 470086768, 14199869525.0 / 1410260304, -10690763975.0 / 1880347072},
           {0, 127303824393.0 / 49829197408, -318862633887.0 / 49829197408,
            701980252875.0 / 199316789632},
           {0, -282668133.0 / 205662961, 2019193451.0 / 616988883, -1453857185.0 / 822651844},
           {0, 40617522.0 / 29380423, -110615467.0 / 29380423, 69997945.0 / 29380423}}}};
};

struct Fehlberg {
  static constexpr std::size_t kStages = 7;  ///< six of the pair, and f at the new point
  static constexpr bool kLastStageInError = false;
  static constexpr double kShare = 0.3;
  static constexpr std::size_t kStiffStage = 4;
  static constexpr double kStabilityBound = 3.0;
  static constexpr ExplicitTableau<7> kTableau = {
      .c = {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2, 1},
      .a = {{{},
             {1.0 / 4},
             {3.0 / 32, 9.0 / 32},
             {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
             {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
             {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40},
             {16.0 / 135, 0, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55}}},
      .e = {1.0 / 360, 0, -128.0 / 4275, -2197.0 / 75240, 1.0 / 50, 2.0 / 55, 0},
      .d = {{{1, -253031.0 / 101160, 375809.0 / 151740, -9631.0 / 11240},
             {},
             {0, 5951488.0 / 1201275, -28227584.0 / 3603825, 1360384.0 / 400425},
             {0, -73795033.0 / 21142440, 285590227.0 / 31713660, -35299199.0 / 7047480},
             {0, 16729.0 / 14050, -21787.0 / 7025, 12158.0 / 7025},
             {0, -25552.0 / 15455, 53352.0 / 15455, -27238.0 / 15455},
             {0, 3.0 / 2, -4, 5.0 / 2}}}};
};

}  // namespace chi::numerics
