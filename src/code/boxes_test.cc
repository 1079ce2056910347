#include "code/boxes.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "code/lower.h"
#include "code/make_value.h"
#include "flat/flatten.h"
#include "flat/layout.h"
#include "sema/check.h"
#include "syntax/lexer.h"
#include "syntax/parse.h"

namespace chi::code {
namespace {

// A model in memory, before its initialisers have run: all variables are zero.
class Running {
 public:
  explicit Running(const std::string& text) {
    const SourceFile source("model.chi", text);
    Diagnostics diagnostics;
    const syntax::Tokens tokens = syntax::lex(source, diagnostics);
    auto flat = flat::flatten(sema::check(syntax::parse(tokens, diagnostics), diagnostics), {},
                              diagnostics);
    EXPECT_FALSE(diagnostics.has_errors())
        << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
    model = std::make_unique<flat::FlatModel>(std::move(*flat));
    program = lower(*model, {});
    machine = std::make_unique<Machine>(*program);
    for (const flat::Block& block : model->blocks)
      bases.push_back(machine->add_frame(program->bodies[RoutineId{block.body.index}]));
    machine->fix_frames();
    for (std::size_t b = 0; b < model->blocks.size(); ++b) bind(b);
    boxes = std::make_unique<ModelBoxes>(
        *model, *program, *machine,
        BoxPlaces{bases, [this](std::int32_t slot) { return memory_slot(slot); }});
  }

  std::int64_t memory_slot(std::int32_t flat_slot) const {
    for (std::size_t b = 0; b < model->blocks.size(); ++b) {
      const flat::Block& block = model->blocks[b];
      const Routine& body = program->bodies[RoutineId{block.body.index}];
      for (std::size_t i = 0; i < block.variables.size(); ++i) {
        if (!block.variables[i]) continue;
        const flat::Variable& v = model->variables[block.variables[i]];
        const std::int64_t offset = flat_slot - v.slot;
        if (offset >= 0 && offset < flat::slot_count(model->typed.types, v.type))
          return bases[b] + body.local_offsets[i] + offset;
      }
    }
    ADD_FAILURE() << "no variable at " << flat_slot;
    return 0;
  }

  Slot& variable(std::string_view name) {
    for (const flat::Variable& v : model->variables) {
      if (v.name == name) return machine->memory()[memory_slot(v.slot)];
    }
    ADD_FAILURE() << "no variable " << name;
    return machine->memory()[0];
  }

  // The black boxes, in the order of the text; derivatives are none.
  std::vector<expr::FunctionId> functions() const {
    std::vector<expr::FunctionId> found;
    for (expr::FunctionId f{0}; f.index < model->equations.functions.size(); ++f.index) {
      if (!std::holds_alternative<std::monostate>(model->equations.functions[f]))
        found.push_back(f);
    }
    return found;
  }
  double call(std::vector<double> arguments, std::size_t number = 0) {
    return boxes->call(functions().at(number), arguments);
  }

  std::unique_ptr<flat::FlatModel> model;
  std::unique_ptr<Program> program;
  std::unique_ptr<Machine> machine;
  std::vector<std::int64_t> bases;
  std::unique_ptr<ModelBoxes> boxes;

 private:
  void bind(std::size_t b) {
    const flat::Block& block = model->blocks[b];
    const Routine& body = program->bodies[RoutineId{block.body.index}];
    for (std::size_t i = 0; i < block.bindings.size(); ++i) {
      Slot* const at = machine->memory() + bases[b] + body.param_offsets[i];
      if (const auto* value = std::get_if<flat::BoundValue>(&block.bindings[i])) {
        const RuntimeType& type = program->types.at(model->bodies[block.body].params[i]);
        EXPECT_EQ(make_value(machine->heap(), type, value->value, at), RunError::None);
      } else if (const auto* bound = std::get_if<flat::BoundVariable>(&block.bindings[i])) {
        at->i = memory_slot(bound->slot);
      }
    }
  }
};

TEST(ModelBoxes, FunctionsWithLoops) {
  Running m(R"(
    func steps(x: real, n: nat) -> real = |[ s: real, k: nat
      | *[ k < n -> s := s + x; k := k + 1 ]; ret s ]|
    proc P = |[ x: real, n: nat | x' = steps(x, n) ]|)");
  EXPECT_EQ(m.call({1.5, 4}), 6.0);
  EXPECT_EQ(m.call({1.5, 4.000001}), 6.0);  // a difference quotient steps aside
  EXPECT_TRUE(std::isnan(m.call({1.5, -3})));
  EXPECT_NE(m.boxes->failure(m.functions()[0]), nullptr);
}

TEST(ModelBoxes, ComponentsOfResults) {
  Running m(R"(
    func both(x: real) -> real # nat # bool = |[ k: nat
      | *[ k < 3 -> k := k + 1 ]; ret <x * x, k, (x > 2.0)> ]|
    proc P = |[ x, y: real | |y|, x' = both(x).0, y = if both(x).2 then both(x).1 else 0 ]|)");
  ASSERT_EQ(m.functions().size(), 3u);
  EXPECT_EQ(m.call({3}, 0), 9.0);
  EXPECT_EQ(m.call({3}, 1), 3.0);
  EXPECT_EQ(m.call({3}, 2), 1.0);
  EXPECT_EQ(m.call({1}, 2), 0.0);
}

TEST(ModelBoxes, BoxedExpressionsReadTheirFrameAndLeaveItAlone) {
  Running m(R"(
    proc P(ref x: real, k: real, l: nat) = |[ a: real^3, y: real, i: nat
     | |y|, a' = <1.0, 1.0, 1.0>, y = sum([x * k, a[l], 100.0 * i, time]) ]|
    sys S = |[ z: real | P(z, 7.0, 1) ]|)");
  m.variable("P.i").i = 2;
  m.variable("z").r = -1;
  m.machine->time = 0.5;
  ASSERT_EQ(m.functions().size(), 1u);
  const auto& source = std::get<flat::BoxFunction>(m.model->equations.functions[m.functions()[0]]);
  ASSERT_TRUE(source.reads_time);
  std::vector<double> arguments(source.inputs.size(), 10);
  arguments.push_back(1000);  // the time
  arguments[0] = 3;           // z
  EXPECT_EQ(m.call(arguments), 3 * 7.0 + 10 + 200 + 1000);
  EXPECT_EQ(m.variable("z").r, -1);
  EXPECT_EQ(m.machine->time, 0.5);
  EXPECT_EQ(m.boxes->failure(m.functions()[0]), nullptr);
}

TEST(ModelBoxes, DerivativesAreInputsToo) {
  Running m(R"(
    proc P(ref a: real^3) = |[ y: real
     | |y|, a' = <1.0, 1.0, 1.0>, y = max([a.1, a'.2, a[0]']) ]|
    sys S = |[ z: real^3 | P(z) ]|)");
  const auto& source = std::get<flat::BoxFunction>(m.model->equations.functions[m.functions()[0]]);
  const auto run = [&](std::vector<double> a, std::vector<double> rates) {
    std::vector<double> arguments;
    for (const expr::VarRef v : source.inputs)
      arguments.push_back((v.order == 0 ? a : rates)[static_cast<std::size_t>(v.var.index)]);
    return m.call(arguments);
  };
  EXPECT_EQ(run({9, 1, 9}, {2, 9, 3}), 3.0);
  EXPECT_EQ(run({9, 4, 9}, {2, 9, 3}), 4.0);
  EXPECT_EQ(run({9, 4, 9}, {8, 9, 3}), 8.0);
}

TEST(ModelBoxes, DiscreteInputs) {
  Running m(R"(
    proc P = |[ n: nat, b: bool, xs: real*, x: real, s: string
     | x' = if b then n div 2 else len(xs) + 1.0*n, [ s = "" -> x = 1.0 ] ]|)");
  m.variable("n").i = 7;
  m.variable("b").i = 1;
  std::vector<double> values;
  for (expr::DiscreteId d{0}; d.index < m.model->equations.discrete.size(); ++d.index)
    values.push_back(m.boxes->discrete(d));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<double>{0, 1, 1, 3, 7}));
}

TEST(ModelBoxes, UnwindingIndicesAndFailures) {
  Running m(R"(
    proc P = |[ xs: real*, x: real^2 | i: nat <- 0..1: x[i]' = xs[i] ]|)");
  ASSERT_EQ(m.model->equations.discrete.size(), 2);
  EXPECT_TRUE(std::isnan(m.boxes->discrete({1})));
  const Failure* failure = m.boxes->failure(expr::DiscreteId{1});
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->error, RunError::IndexOutOfRange);
  EXPECT_EQ(failure->facts[0], 1);
}

// Through formulas: values, a difference quotient, and what a failure leaves behind.
TEST(ModelBoxes, InFormulas) {
  Running m(R"(
    func cube(x: real) -> real = |[ s: real := 1.0, k: nat
      | [ x < 0.0 -> k := 1 div k | true -> skip ]; *[ k < 3 -> s := s * x; k := k + 1 ]; ret s ]|
    proc P = |[ x: real | x' = cube(x) ]|)");
  expr::Pool& pool = m.model->equations.pool;
  const expr::ExprId root = m.model->equations.system.equations[{0}].right;
  const expr::FunctionId f = pool.called(root);
  const expr::FunctionId by = pool.add_derivative(f, 0, {});
  const expr::ExprId slope = pool.intern_call(by, std::array{pool.operand(root, 0)});
  FormulaLeaves leaves;
  Formulas formulas(pool, std::array{root, slope}, leaves, m.boxes.get());
  std::array<double, 2> out{};
  double x = 2;
  ASSERT_TRUE(formulas.evaluate(&x, out.data()));
  EXPECT_EQ(out[0], 8.0);
  EXPECT_NEAR(out[1], 12.0, 1e-8);
  EXPECT_EQ(m.boxes->failure(f), nullptr);
  x = -1;
  EXPECT_FALSE(formulas.evaluate(&x, out.data()));
  EXPECT_EQ(formulas.fault().where, root);
  ASSERT_NE(m.boxes->failure(f), nullptr);
  EXPECT_EQ(m.boxes->failure(f)->error, RunError::DivisionByZero);
}

}  // namespace
}  // namespace chi::code
