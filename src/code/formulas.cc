#include "code/formulas.h"

#include "base/check.h"
#include "code/formulas_program.h"
#include "code/formulas_run.h"
#include "code/formulas_tiers.h"

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

struct Formulas::Implementation {
  FormulaProgram program;
  FormulaWorkspace work;
  Boxes* boxes;
  FormulaFault fault;
  FormulaTiers tiers;

  Implementation(FormulaProgram written, Boxes* called)
      : program(std::move(written)), work(program), boxes(called), tiers(program, work, called) {
    CHI_CHECK(boxes != nullptr || program.calls.empty(), "black boxes without who calls them");
  }

  bool evaluate_checked(const double* frame, double* out) {
    if (boxes != nullptr) boxes->forget_failures();
    run_checked(program, work, frame, boxes);
    tiers.take(frame, out);
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
  if (i.tiers.run(frame, out)) [[likely]]
    return true;
  return i.evaluate_checked(frame, out);
}

bool Formulas::evaluate_each(const double* frame, double* out) { return evaluate(frame, out); }

bool Formulas::make_native() { return implementation_->tiers.make_native(); }
bool Formulas::make_optimised() { return implementation_->tiers.make_optimised(); }
void Formulas::start_optimising() { implementation_->tiers.start_optimising(); }
FormulaTier Formulas::tier() const { return implementation_->tiers.tier(); }

const FormulaFault& Formulas::fault() const { return implementation_->fault; }

}  // namespace chi::code
