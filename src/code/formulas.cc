#include "code/formulas.h"

#include "base/check.h"
#include "code/formulas_loops.h"
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
  std::size_t size;
  FormulaLoops loops;
  FormulaProgram program;          // of what is not in loops
  std::vector<std::int32_t> rest;  // the numbers of its roots; empty if there are no loops
  std::vector<double> rest_values;
  FormulaWorkspace work;
  Boxes* boxes;
  FormulaFault fault;
  FormulaTiers tiers;

  Implementation(std::size_t count, FormulaLoops taken, FormulaProgram written,
                 std::vector<std::int32_t> left, Boxes* called)
      : size(count),
        loops(std::move(taken)),
        program(std::move(written)),
        rest(std::move(left)),
        rest_values(rest.size()),
        work(program),
        boxes(called),
        tiers(program, work, called) {
    CHI_CHECK(boxes != nullptr || program.calls.empty(), "black boxes without who calls them");
  }

  bool evaluate(const double* frame, double* out) {
    if (loops.empty()) return tiers.run(frame, out);
    if (!loops.run(frame, out)) return false;
    if (rest.empty()) return true;
    if (!tiers.run(frame, rest_values.data())) return false;
    put_rest(out);
    return true;
  }

  void put_rest(double* out) const {
    for (std::size_t i = 0; i < rest.size(); ++i) out[rest[i]] = rest_values[i];
  }

  bool evaluate_checked(const double* frame, double* out) {
    if (boxes != nullptr) boxes->forget_failures();
    fault = {};
    if (!loops.empty()) fault = loops.run_checked(frame, out);
    run_checked(program, work, frame, boxes);
    tiers.take(frame, loops.empty() ? out : rest_values.data());
    put_rest(out);
    for (std::size_t i = 0; i < program.roots.size(); ++i) {
      if (program.roots[i] < 0) continue;
      const FormulaFault& found = work.faults[static_cast<std::size_t>(program.roots[i])];
      const std::int32_t root = loops.empty() ? static_cast<std::int32_t>(i) : rest[i];
      if (found.fault == expr::Fault::None || (fault.root >= 0 && fault.root < root)) continue;
      fault = found;
      fault.root = root;
    }
    return fault.root < 0;
  }
};

Formulas::Formulas(const expr::Pool& pool, std::span<const expr::ExprId> roots,
                   FormulaLeaves& leaves, Boxes* boxes) {
  std::vector<std::int32_t> rest;
  FormulaLoops loops(pool, roots, leaves, rest);
  std::vector<expr::ExprId> others;
  if (!loops.empty()) {
    for (const std::int32_t i : rest) others.push_back(roots[static_cast<std::size_t>(i)]);
  }
  Terms terms = collect_terms(pool, loops.empty() ? roots : others);
  const Contexts contexts = assign_contexts(terms, pool);
  FormulaProgram program = write_program(std::move(terms), contexts, leaves);
  if (loops.empty()) rest.clear();
  implementation_ = std::make_unique<Implementation>(roots.size(), std::move(loops),
                                                     std::move(program), std::move(rest), boxes);
}

Formulas::Formulas(Formulas&&) noexcept = default;
Formulas& Formulas::operator=(Formulas&&) noexcept = default;
Formulas::~Formulas() = default;

int Formulas::size() const { return static_cast<int>(implementation_->size); }

bool Formulas::evaluate(const double* frame, double* out) {
  Implementation& i = *implementation_;
  if (i.evaluate(frame, out)) [[likely]]
    return true;
  return i.evaluate_checked(frame, out);
}

bool Formulas::evaluate_each(const double* frame, double* out) { return evaluate(frame, out); }

bool Formulas::make_native() { return implementation_->tiers.make_native(); }
bool Formulas::make_optimised() { return implementation_->tiers.make_optimised(); }
void Formulas::start_optimising() { implementation_->tiers.start_optimising(); }
FormulaTier Formulas::tier() const {
  const Implementation& i = *implementation_;
  return i.loops.empty() ? i.tiers.tier() : FormulaTier::Loops;
}

const FormulaFault& Formulas::fault() const { return implementation_->fault; }

}  // namespace chi::code
