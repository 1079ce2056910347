#pragma once
#include <cstdint>

#include "code/random.h"

/// Exact methods for the laws that need more than a formula. Used by distributions.cc. Derivations
/// and choices: docs/theory/random-streams.md.
namespace chi::code {

/// Box and Muller [1]: two words, always.
double sample_standard_normal(SampleWords& words);
/// Gamma with scale 1, by Marsaglia and Tsang [2]. Requires shape > 0.
double sample_gamma(SampleWords& words, double shape);
/// Beta as G1 / (G1 + G2); in logarithms when a shape is below 1, where gammas underflow.
double sample_beta(SampleWords& words, double p, double q);
/// The sum of k exponentials of mean 1. Requires k >= 1.
double sample_erlang(SampleWords& words, std::int64_t k);

/// Whole numbers as doubles. Inversion for small means, else Hörmann's transformed rejection
/// [3], [4] with the logarithms of the probabilities by Loader's formulas [5], which keep all
/// digits for large arguments. Requires mean >= 0; 0 <= p <= 1/2, n >= 0.
double sample_poisson(SampleWords& words, double mean);
double sample_binomial(SampleWords& words, double n, double p);

/// The logarithms of the probabilities of whole k; 0 <= k <= n, 0 < p < 1, mean > 0.
double log_poisson_probability(double k, double mean);
double log_binomial_probability(double k, double n, double p);

// [1] G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", Ann. Math.
//     Stat. 29(2), 1958, 610-611.
// [2] G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3),
//     2000, 363-372.
// [3] W. Hörmann, "The transformed rejection method for generating Poisson random variables",
//     Insurance: Mathematics and Economics 12(1), 1993, 39-45. Algorithm PTRS.
// [4] W. Hörmann, "The generation of binomial random variates", J. Stat. Comput. Simul. 46, 1993,
//     101-110. Algorithm BTRS.
// [5] C. Loader, "Fast and accurate computation of binomial probabilities", 2000.

}  // namespace chi::code
