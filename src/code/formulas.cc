#include "code/formulas.h"

#include <limits>
#include <optional>

#include "base/check.h"
#include "code/compile_at_once.h"
#include "code/formulas_batches.h"
#include "code/formulas_native.h"
#include "code/formulas_program.h"
#include "code/formulas_run.h"

namespace chi::code {

std::int32_t FormulaLeaves::place(expr::ExprId leaf) {
  const auto [entry, fresh] = places_.try_emplace(leaf, size());
  if (fresh) leaves_.push_back(leaf);
  return entry->second;
}

std::int32_t FormulaLeaves::find(expr::ExprId leaf) const {
  const auto entry = places_.find(leaf);
  return entry == places_.end() ? -1 : entry->second;
}

namespace {

/// So much is interpreted before the compiler is called: what it costs to load it, and what it
/// costs to compile an instruction, both counted in interpreted instructions.
constexpr std::int64_t kLoadingCost = 20'000'000;
constexpr std::int64_t kCompilingCost = 5'000;
/// What loops are made of, and after how many evaluations: that costs as much as some of them.
constexpr std::size_t kManyInstructions = 500;
constexpr std::int64_t kFewEvaluations = 10;

/// How often a program of so many instructions is interpreted before it is compiled.
std::int64_t patience(std::size_t instructions) {
  if (compile_at_once()) return 0;
  return kLoadingCost / static_cast<std::int64_t>(instructions) + kCompilingCost;
}

}  // namespace

struct Formulas::Implementation {
  FormulaProgram program;
  FormulaWorkspace work;
  Boxes* boxes;
  FormulaFault fault;
  std::unique_ptr<NativeFormulas> native;
  std::optional<FormulaBatches> batches;
  std::int64_t evaluations_left = 0;  // until it is compiled
  std::int64_t until_batches = 0;     // what is left when loops are made

  Implementation(FormulaProgram written, Boxes* called)
      : program(std::move(written)), work(program), boxes(called) {
    CHI_CHECK(boxes != nullptr || program.calls.empty(), "black boxes without who calls them");
    evaluations_left = patience(program.code.size());
    const bool many = program.code.size() >= kManyInstructions;
    until_batches = many ? evaluations_left - kFewEvaluations : -1;
  }

  void compile() {
    evaluations_left = std::numeric_limits<std::int64_t>::max();  // once only
    native = NativeFormulas::compile(program);
  }

  // Values of the roots into `out`; false if there may be a fault.
  bool run(const double* frame, double* out) {
    if (native != nullptr) return native->run(program, work, frame, out, boxes);
    if (batches) return batches->run(frame, out);
    if (--evaluations_left < 0) [[unlikely]]
      compile();
    if (evaluations_left == until_batches) batches = FormulaBatches::make(program);
    return run_fast(program, work, frame, boxes) && take(frame, out);
  }

  // What the fast run made of the roots; false if one of them is NaN.
  bool take(const double* frame, double* out) const {
    const double* const s = work.scratch.data();
    bool numbers = true;
    for (const std::int32_t place : program.roots) {
      const double value = place >= 0 ? s[place] : frame[~place];
      numbers &= value == value;
      *out++ = value;
    }
    return numbers;
  }

  bool evaluate_checked(const double* frame, double* out) {
    if (boxes != nullptr) boxes->forget_failures();
    run_checked(program, work, frame, boxes);
    take(frame, out);
    fault = {};
    for (std::size_t i = 0; i < program.roots.size() && fault.root < 0; ++i) {
      if (program.roots[i] < 0) continue;
      const FormulaFault& found = work.faults[static_cast<std::size_t>(program.roots[i])];
      if (found.fault == expr::Fault::None) continue;
      fault = found;
      fault.root = static_cast<std::int32_t>(i);
    }
    return fault.root < 0;
  }
};

Formulas::Formulas(const expr::Pool& pool, std::span<const expr::ExprId> roots,
                   FormulaLeaves& leaves, Boxes* boxes) {
  Terms terms = collect_terms(pool, roots);
  const Contexts contexts = assign_contexts(terms, pool);
  implementation_ =
      std::make_unique<Implementation>(write_program(std::move(terms), contexts, leaves), boxes);
}

Formulas::Formulas(Formulas&&) noexcept = default;
Formulas& Formulas::operator=(Formulas&&) noexcept = default;
Formulas::~Formulas() = default;

int Formulas::size() const { return static_cast<int>(implementation_->program.roots.size()); }

bool Formulas::evaluate(const double* frame, double* out) {
  Implementation& i = *implementation_;
  if (i.run(frame, out)) [[likely]]
    return true;
  return i.evaluate_checked(frame, out);
}

bool Formulas::evaluate_each(const double* frame, double* out) { return evaluate(frame, out); }

bool Formulas::make_native() {
  if (implementation_->native == nullptr) implementation_->compile();
  return implementation_->native != nullptr;
}

bool Formulas::is_native() const { return implementation_->native != nullptr; }

const FormulaFault& Formulas::fault() const { return implementation_->fault; }

}  // namespace chi::code
