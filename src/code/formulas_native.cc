#include "code/formulas_native.h"

#include <cmath>
#include <limits>
#include <utility>

#include "code/native_library.h"

namespace chi::code {
namespace {

using expr::Op;

// ---- what compiled code calls ----

template <int kOp>
double unary_helper(double x) {
  return expr::apply_unary(static_cast<Op>(kOp), x).value;
}

template <std::size_t... kOffset>
void set_unary(NativeHelpers& helpers, std::index_sequence<kOffset...>) {
  constexpr int kFirst = static_cast<int>(Op::Neg);
  ((helpers.unary[kFirst + static_cast<int>(kOffset)] =
        unary_helper<kFirst + static_cast<int>(kOffset)>),
   ...);
}

double power_helper(double x, double y) { return expr::apply_binary(Op::Pow, x, y).value; }
double atan2_helper(double x, double y) { return expr::apply_binary(Op::Atan2, x, y).value; }

struct CallContext {
  const FormulaProgram& program;
  FormulaWorkspace& work;
  Boxes* boxes;
};

double call_helper(void* context, std::int32_t number, const double* frame) {
  const CallContext& c = *static_cast<CallContext*>(context);
  const FormulaCall& call = c.program.calls[static_cast<std::size_t>(number)];
  const auto count = static_cast<std::size_t>(call.count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t place = c.program.arguments[static_cast<std::size_t>(call.first) + i];
    const double x = place >= 0 ? c.work.scratch[static_cast<std::size_t>(place)] : frame[~place];
    if (x != x) return x;
    c.work.arguments[i] = x;
  }
  return call_box(c.program.boxes[static_cast<std::size_t>(call.box)], c.work, count, *c.boxes);
}

NativeHelpers make_helpers() {
  NativeHelpers helpers;
  set_unary(helpers, std::make_index_sequence<expr::kUnaryCount>());
  const auto direct = [&](Op op, NativeHelpers::Unary f) {
    helpers.unary[static_cast<std::size_t>(op)] = f;
  };
  direct(Op::Exp, std::exp);
  direct(Op::Sin, std::sin);
  direct(Op::Cos, std::cos);
  helpers.power = power_helper;
  helpers.atan2 = atan2_helper;
  helpers.call = call_helper;
  return helpers;
}

std::int32_t count(const auto& table) { return static_cast<std::int32_t>(table.size()); }

NativeProgram view_of(const FormulaProgram& program) {
  return {.code = program.code.data(),
          .code_size = count(program.code),
          .constants = program.constants.data(),
          .constants_size = count(program.constants),
          .roots = program.roots.data(),
          .roots_size = count(program.roots),
          .calls = program.calls.data(),
          .arguments = program.arguments.data(),
          .places = program.places,
          .shared = program.shared,
          .helpers = make_helpers()};
}

}  // namespace

NativeFormulas::NativeFormulas(void* handle)
    : handle_(handle), function_(reinterpret_cast<void*>(native_library().function(handle))) {}

std::unique_ptr<NativeFormulas> NativeFormulas::compile(const FormulaProgram& program) {
  if (native_library().compile == nullptr) return nullptr;
  const NativeProgram view = view_of(program);
  void* const handle = native_library().compile(&view);
  if (handle == nullptr) return nullptr;
  return std::unique_ptr<NativeFormulas>(new NativeFormulas(handle));
}

std::unique_ptr<NativeFormulas> NativeFormulas::optimise(const FormulaProgram& program,
                                                         const std::atomic<bool>& given_up) {
  if (native_library().optimise == nullptr) return nullptr;
  const NativeProgram view = view_of(program);
  void* const handle = native_library().optimise(&view, &given_up);
  if (handle == nullptr) return nullptr;
  return std::unique_ptr<NativeFormulas>(new NativeFormulas(handle));
}

NativeFormulas::~NativeFormulas() { native_library().release(handle_); }

bool NativeFormulas::run(const FormulaProgram& program, FormulaWorkspace& work, const double* frame,
                         double* out, Boxes* boxes) const {
  CallContext context{program, work, boxes};
  const auto function = reinterpret_cast<NativeFunction>(function_);
  return function(frame, work.scratch.data(), out, work.demanded.data(), ++work.run, &context) == 0;
}

}  // namespace chi::code
