#pragma once
#include <cstdint>
#include <string_view>

#include "code/random.h"
#include "code/run_error.h"
#include "code/slot.h"
#include "sema/distribution_law.h"

/// Distributions: a law and a random stream in six slots, {kind, a, b, c, key, count}.
///
/// The law is the kind and the arguments; the stream is a key and how many samples were taken from
/// it (random.h). The stream belongs to the place where the distribution lies, the law to the
/// value: `d := exponential(3.0)` and `d := e` change the law of d and let its stream go on
/// (`assign` in heap.h does so). Methods: docs/theory/random-streams.md. Arguments and moments, for
/// users: docs/language/distributions.md.
namespace chi::code {

using sema::DistributionKind;

/// Makes a law from its arguments: writes slots 0 to 3 and leaves the stream in slots 4 and 5 as it
/// is. BadDistribution, with nothing written, when an argument is out of range.
RunError distribution_make(DistributionKind kind, const Slot* arguments, Slot* distribution);
/// What is wrong with arguments that distribution_make refuses (sema/distribution_law.h); empty
/// when nothing is.
std::string_view distribution_problem(DistributionKind kind, const Slot* arguments);

/// Starts a stream: slots 4 and 5. Every distribution variable gets one, before its first value,
/// and so does every place where a distribution is sampled that is no variable (`sample normal(0.0,
/// 1.0)`); a distribution never started shares the stream with key 0.
void distribution_start(std::uint64_t key, Slot* distribution);

/// Draws the next sample: *value is set and the count goes up by one. Overflow, with nothing
/// changed, when an integer sample does not fit in 64 bits. No allocation; about 12 ns for
/// exponential.
RunError distribution_sample(SampleBlocks& blocks, Slot* distribution, Slot* value);

/// Mean and variance of the law. Constant's argument is read as a real.
double distribution_mean(const Slot* distribution);
double distribution_variance(const Slot* distribution);

}  // namespace chi::code
