#include "code/formulas_tiers.h"

#include <limits>
#include <utility>

#include "code/compile_at_once.h"
#include "code/native_library.h"

namespace chi::code {
namespace {

/// What loops are made of, and after how many evaluations: that costs as much as some of them.
constexpr std::int64_t kManyInstructions = 500;
constexpr std::int64_t kFewEvaluations = 10;
/// What compiling quickly costs, in evaluations; and loading the compiler, in instructions
/// interpreted.
constexpr std::int64_t kCompilingCost = 5'000;
constexpr std::int64_t kLoadingCost = 20'000'000;
/// What compiling well costs, in evaluations by the tier before, of which it saves about half; and
/// what it costs for each program, in instructions.
constexpr std::int64_t kOptimisingCost = 500'000;
constexpr std::int64_t kBeginningCost = 10'000'000;
/// How often one looks whether the thread is done, or another one.
constexpr std::int64_t kOften = 1'000;
/// For tests: short runs have all tiers, but do not compile all twice.
constexpr std::int64_t kAtOnce = 100;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// Whether so much was interpreted in this process, by all programs, that loading the compiler is
/// repaid soon; `more` are new.
bool pays_to_load(std::int64_t more) {
  static std::atomic<std::int64_t> interpreted = 0;
  return native_library_was_opened() ||
         interpreted.fetch_add(more, std::memory_order_relaxed) + more >= kLoadingCost;
}

/// Whether some program of this process is being compiled well.
std::atomic<bool>& optimiser_is_busy() {
  static std::atomic<bool> busy = false;
  return busy;
}

std::int64_t optimising_cost(std::int64_t size) {
  return compile_at_once() ? kAtOnce : kOptimisingCost + kBeginningCost / size;
}

}  // namespace

FormulaTiers::FormulaTiers(const FormulaProgram& program, FormulaWorkspace& work, Boxes* boxes)
    : program_(program), work_(work), boxes_(boxes) {
  if (compile_at_once()) {
    next(Stage::Compile, 0);
  } else if (size() >= kManyInstructions) {
    next(Stage::Loops, kFewEvaluations);
  } else {
    next(Stage::Compile, kCompilingCost);
  }
}

FormulaTiers::~FormulaTiers() { given_up_.store(true, std::memory_order_relaxed); }

bool FormulaTiers::take(const double* frame, double* out) const {
  const double* const s = work_.scratch.data();
  bool numbers = true;
  for (const std::int32_t place : program_.roots) {
    const double value = place >= 0 ? s[place] : frame[~place];
    numbers &= value == value;
    *out++ = value;
  }
  return numbers;
}

void FormulaTiers::next(Stage stage, std::int64_t evaluations) {
  stage_ = stage;
  until_look_ = evaluations;
}

void FormulaTiers::look() {
  switch (stage_) {
    case Stage::Loops:
      batches_ = FormulaBatches::make(program_);
      if (batches_) return next(Stage::Optimise, optimising_cost(size()));
      return next(Stage::Compile, kCompilingCost);
    case Stage::Compile:
      if (!compile_at_once() && !pays_to_load(kCompilingCost * size()))
        return next(Stage::Compile, kCompilingCost);
      return compile();
    case Stage::Optimise: return optimise();
    case Stage::Collect: return collect();
    case Stage::Nothing: return next(Stage::Nothing, kNever);
  }
}

void FormulaTiers::compile() {
  native_ = NativeFormulas::compile(program_);
  // What cannot be compiled quickly cannot be compiled well.
  if (native_ == nullptr) return next(Stage::Nothing, kNever);
  next(Stage::Optimise, optimising_cost(size()));
}

void FormulaTiers::optimise() {
  std::atomic<bool>& busy = optimiser_is_busy();
  if (busy.exchange(true, std::memory_order_acq_rel)) return next(Stage::Optimise, kOften);
  next(Stage::Collect, kOften);
  const bool begun = optimiser_.start([this, &busy] {
    struct Turn {
      std::atomic<bool>& taken;
      ~Turn() { taken.store(false, std::memory_order_release); }
    } const turn{busy};
    optimised_ = NativeFormulas::optimise(program_, given_up_);
  });
  if (begun) return;
  busy.store(false, std::memory_order_release);
  next(Stage::Nothing, kNever);
}

void FormulaTiers::collect() {
  if (!optimiser_.collect()) return next(Stage::Collect, compile_at_once() ? 0 : kOften);
  next(Stage::Nothing, kNever);
  if (optimised_ == nullptr) return;
  native_ = std::move(optimised_);
  batches_.reset();
  is_optimised_ = true;
}

bool FormulaTiers::make_native() {
  if (native_ == nullptr) compile();
  return native_ != nullptr;
}

bool FormulaTiers::make_optimised() {
  if (is_optimised_) return true;
  std::unique_ptr<NativeFormulas> made = NativeFormulas::optimise(program_, given_up_);
  if (made == nullptr) return false;
  native_ = std::move(made);
  is_optimised_ = true;
  if (stage_ != Stage::Collect) next(Stage::Nothing, kNever);
  return true;
}

void FormulaTiers::start_optimising() {
  if (stage_ != Stage::Collect && stage_ != Stage::Nothing) next(Stage::Optimise, 0);
}

FormulaTier FormulaTiers::tier() const {
  if (is_optimised_) return FormulaTier::Optimised;
  if (native_ != nullptr) return FormulaTier::Compiled;
  return batches_ ? FormulaTier::Loops : FormulaTier::Interpreted;
}

}  // namespace chi::code
