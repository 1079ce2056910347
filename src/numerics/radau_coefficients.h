#pragma once
#include <array>

namespace chi::numerics::radau {

/// Radau IIA with three stages, order 5 [1, IV.5 and IV.8]. Everything that follows is determined
/// by the nodes c; radau_test.cc recomputes it from them.
///
/// [1] E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed. 1996.
using Matrix3 = std::array<std::array<double, 3>, 3>;

/// (4 - √6) / 10, (4 + √6) / 10, 1.
inline constexpr std::array<double, 3> kNodes = {0.1550510257216821901803, 0.6449489742783178098197,
                                                 1};

/// A⁻¹, so that the stage derivatives are Y' = A⁻¹ Z / h with Z_i = Y_i - y.
inline constexpr Matrix3 kInverseA = {
    {{3.224744871391589049099, 1.167840084690405494924, -0.2531972647421808261859},
     {-3.567840084690405494924, 0.7752551286084109509014, 1.053197264742180826186},
     {5.531972647421808261859, -7.531972647421808261859, 5}}};

/// T⁻¹ A⁻¹ T = [γ 0 0; 0 α β; 0 -β α]: one real and one complex system instead of one three times
/// as large. In ζ = w₂ + i w₃ the lower block multiplies by α - iβ.
inline constexpr double kGamma = 3.637834252744495732208;
inline constexpr double kAlpha = 2.681082873627752133896;
inline constexpr double kBeta = 3.050430199247410569426;
inline constexpr Matrix3 kT = {
    {{0.09443876248897524148749, -0.1412552950209542084280, 0.03002919410514742449186},
     {0.2502131229653333113765, 0.2041293522937999319960, -0.3829421127572619377954},
     {1, 1, 0}}};
inline constexpr Matrix3 kInverseT = {
    {{4.178718591551904727346, 0.3276828207610623870825, 0.5233764454994495480399},
     {-4.178718591551904727346, -0.3276828207610623870825, 0.4766235545005504519601},
     {0.5028726349457868759512, -2.571926949855605429187, 0.5960392048282249249688}}};

/// The collocation polynomial is y + Σ_k θ^(k+1) Σ_j kPowers[k][j] Z_j: the inverse of (c_i^(k+1)).
inline constexpr Matrix3 kPowers = {
    {{10.04880939982741556246, -1.382142733160748895794, 0.3333333333333333333333},
     {-25.62959144707663938678, 10.29625811374330605345, -2.666666666666666666667},
     {15.58078204724922382432, -8.914115380582557157653, 3.333333333333333333333}}};

/// Where |θ (θ - c₁)(θ - c₂)(θ - 1)| is largest on [0, 1].
inline constexpr double kBetweenNodes = 0.86116;

}  // namespace chi::numerics::radau
