#include "code/formulas_native.h"

#include <array>
#include <cmath>
#include <dlfcn.h>
#include <limits>
#include <string>
#include <unistd.h>
#include <utility>

#include <climits>

#include "code/native/native.h"

namespace chi::code {
namespace {

using expr::Op;

struct Library {
  decltype(&chi_native_compile) compile = nullptr;
  decltype(&chi_native_function) function = nullptr;
  decltype(&chi_native_release) release = nullptr;
};

std::string executable_folder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  const std::string whole(path.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.rfind('/') + 1);
}

Library open_library() {
  const std::string folder = executable_folder(), name = "libchi_native.so";
  void* opened = nullptr;
  for (const std::string& place :
       {folder + name, folder + "../" + name, folder + "../lib/" + name, name}) {
    if (opened == nullptr) opened = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  Library library;
  if (opened == nullptr) return library;
  const auto find = [opened]<class Function>(const char* symbol, Function*& result) {
    result = reinterpret_cast<Function*>(dlsym(opened, symbol));
    return result != nullptr;
  };
  std::uint32_t (*version)() = nullptr;
  if (!find("chi_native_version", version) || version() != kNativeVersion) return {};
  if (!find("chi_native_compile", library.compile) ||
      !find("chi_native_function", library.function) ||
      !find("chi_native_release", library.release))
    return {};
  return library;
}

const Library& library() {
  static const Library opened = open_library();  // stays open
  return opened;
}

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
  constexpr auto kCount = static_cast<std::size_t>(Op::Atanh) - static_cast<std::size_t>(Op::Neg);
  set_unary(helpers, std::make_index_sequence<kCount + 1>());
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

}  // namespace

std::unique_ptr<NativeFormulas> NativeFormulas::compile(const FormulaProgram& program) {
  if (library().compile == nullptr) return nullptr;
  const NativeProgram view{.code = program.code.data(),
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
  void* const handle = library().compile(&view);
  if (handle == nullptr) return nullptr;
  std::unique_ptr<NativeFormulas> native(new NativeFormulas);
  native->handle_ = handle;
  native->function_ = reinterpret_cast<void*>(library().function(handle));
  return native;
}

NativeFormulas::~NativeFormulas() {
  if (handle_ != nullptr) library().release(handle_);
}

bool NativeFormulas::run(const FormulaProgram& program, FormulaWorkspace& work, const double* frame,
                         double* out, Boxes* boxes) const {
  CallContext context{program, work, boxes};
  const auto function = reinterpret_cast<NativeFunction>(function_);
  return function(frame, work.scratch.data(), out, work.demanded.data(), ++work.run, &context) == 0;
}

}  // namespace chi::code
