#include "code/formulas_batches.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace chi::code {
namespace {

using Code = FormulaCode;

constexpr std::size_t kShortRun = 4;     // operands side by side that are worth a piece
constexpr std::size_t kWorthwhile = 16;  // operations in a piece, on average

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool is_arithmetic(Code code) { return code >= Code::AddSS; }

bool is_unary(Code code) {
  switch (code) {
    case Code::Neg:
    case Code::Abs:
    case Code::Sqrt:
    case Code::Exp:
    case Code::Sin:
    case Code::Cos:
    case Code::Square:
    case Code::Cube: return true;
    default: return false;
  }
}

}  // namespace

/// One instruction with its results and operands renamed: every result has a slot of its own.
class BatchMaker {
 public:
  explicit BatchMaker(const FormulaProgram& program) : program_(program) {}

  std::optional<FormulaBatches> run() {
    if (program_.code.empty() || program_.code.back().code != Code::End) return std::nullopt;
    if (!rename()) return std::nullopt;
    order();
    cut();
    const std::size_t count = instructions_.size();
    if (out_.pieces_.empty() || count < kWorthwhile * out_.pieces_.size()) return std::nullopt;
    out_.slots_.assign(program_.constants.begin(), program_.constants.end());
    out_.slots_.resize(program_.constants.size() + count);
    for (const std::int32_t place : program_.roots) {
      const bool given = place < static_cast<std::int32_t>(program_.constants.size());
      out_.roots_.push_back(given ? place : slot_of(holder_[at(place)]));
    }
    return std::move(out_);
  }

 private:
  // Operands: a constant c >= 0, ~place of the frame, or what instruction `from` made.
  struct Renamed {
    Code code = Code::End;
    std::int32_t level = 0;
    std::int32_t a = 0, b = 0;
    std::int32_t a_from = -1, b_from = -1;
  };

  bool rename() {
    holder_.assign(at(program_.places), -1);
    for (std::size_t i = 0; i + 1 < program_.code.size(); ++i) {
      const FormulaInstruction& in = program_.code[i];
      if (!is_arithmetic(in.code) && !is_unary(in.code)) return false;
      Renamed r{in.code};
      read(in.a, r.a, r.a_from, r.level);
      if (is_arithmetic(in.code)) read(in.b, r.b, r.b_from, r.level);
      holder_[at(in.dst)] = static_cast<std::int32_t>(i);
      instructions_.push_back(r);
    }
    return true;
  }

  void read(std::int32_t place, std::int32_t& operand, std::int32_t& from, std::int32_t& level) {
    operand = place;
    if (place < 0 || place < static_cast<std::int32_t>(program_.constants.size())) return;
    from = holder_[at(place)];
    level = std::max(level, instructions_[at(from)].level + 1);
  }

  // Alike are those of one level and code; unary ones also by where the operand is.
  std::int64_t key(const Renamed& r) const {
    const std::int64_t side = r.a < 0 ? 1 : 0;
    return (static_cast<std::int64_t>(r.level) << 9) + (static_cast<std::int64_t>(r.code) << 1) +
           side;
  }

  void order() {
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      order_.push_back(static_cast<std::int32_t>(i));
    }
    std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t i, std::int32_t j) {
      return key(instructions_[at(i)]) < key(instructions_[at(j)]);
    });
    rank_.resize(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) {
      rank_[at(order_[k])] = static_cast<std::int32_t>(k);
    }
  }

  std::int32_t slot_of(std::int32_t instruction) const {
    return static_cast<std::int32_t>(program_.constants.size()) + rank_[at(instruction)];
  }
  // Slot, or place of the frame.
  std::int32_t a_of(std::size_t k) const {
    const Renamed& r = instructions_[at(order_[k])];
    return r.a_from >= 0 ? slot_of(r.a_from) : r.a < 0 ? ~r.a : r.a;
  }
  std::int32_t b_of(std::size_t k) const {
    const Renamed& r = instructions_[at(order_[k])];
    if (!is_arithmetic(r.code)) return 0;
    return r.b_from >= 0 ? slot_of(r.b_from) : r.b < 0 ? ~r.b : r.b;
  }

  // How many from k on have operands at equal distances.
  std::size_t even_run(std::size_t k, std::size_t end) const {
    if (k + 1 >= end) return 1;
    const std::int32_t step_a = a_of(k + 1) - a_of(k), step_b = b_of(k + 1) - b_of(k);
    std::size_t next = k + 1;
    while (next + 1 < end && a_of(next + 1) - a_of(next) == step_a &&
           b_of(next + 1) - b_of(next) == step_b) {
      ++next;
    }
    return next + 1 - k;
  }

  void cut() {
    for (std::size_t k = 0; k < order_.size();) {
      std::size_t end = k;
      const std::int64_t alike = key(instructions_[at(order_[k])]);
      while (end < order_.size() && key(instructions_[at(order_[end])]) == alike) ++end;
      while (k < end) k = cut_piece(k, end);
    }
  }

  std::size_t cut_piece(std::size_t k, std::size_t end) {
    const Renamed& first = instructions_[at(order_[k])];
    FormulaBatches::Piece piece;
    piece.code = first.code;
    piece.dst = slot_of(order_[k]);
    piece.a = a_of(k);
    piece.b = b_of(k);
    std::size_t next = k + even_run(k, end);
    if (next - k >= kShortRun) {
      piece.step_a = a_of(k + 1) - piece.a;
      piece.step_b = b_of(k + 1) - piece.b;
    } else {
      piece.listed = static_cast<std::int32_t>(out_.list_.size());
      while (next < end) {
        const std::size_t run = even_run(next, end);
        if (run >= 4 * kShortRun) break;
        next += run;
      }
      for (std::size_t i = k; i < next; ++i) {
        out_.list_.push_back(a_of(i));
        out_.list_.push_back(b_of(i));
      }
    }
    piece.count = static_cast<std::int32_t>(next - k);
    piece.a_in_frame = first.a_from < 0 && first.a < 0;
    piece.b_in_frame = is_arithmetic(first.code) && first.b_from < 0 && first.b < 0;
    out_.pieces_.push_back(piece);
    return next;
  }

  const FormulaProgram& program_;
  FormulaBatches out_;
  std::vector<Renamed> instructions_;
  std::vector<std::int32_t> holder_;  // by place: the instruction that wrote it last
  std::vector<std::int32_t> order_, rank_;
};

std::optional<FormulaBatches> FormulaBatches::make(const FormulaProgram& program) {
  return BatchMaker(program).run();
}

template <class Operation>
void FormulaBatches::apply(const Piece& p, const double* frame, const Operation& operation) {
  const auto n = at(p.count);
  double* const __restrict d = slots_.data() + p.dst;  // nobody reads what the piece writes
  const double* const x = p.a_in_frame ? frame : slots_.data();
  const double* const y = p.b_in_frame ? frame : slots_.data();
  if (p.listed >= 0) {
    const std::int32_t* const list = list_.data() + p.listed;
    for (std::size_t k = 0; k < n; ++k) d[k] = operation(x[list[2 * k]], y[list[2 * k + 1]]);
    return;
  }
  const double *a = x + p.a, *b = y + p.b;
  if (p.step_a == 1 && p.step_b == 1) {
    for (std::size_t k = 0; k < n; ++k) d[k] = operation(a[k], b[k]);
  } else if (p.step_a == 0 && p.step_b == 1) {
    const double one = *a;
    for (std::size_t k = 0; k < n; ++k) d[k] = operation(one, b[k]);
  } else if (p.step_a == 1 && p.step_b == 0) {
    const double one = *b;
    for (std::size_t k = 0; k < n; ++k) d[k] = operation(a[k], one);
  } else {
    for (std::size_t k = 0; k < n; ++k, a += p.step_a, b += p.step_b) d[k] = operation(*a, *b);
  }
}

bool FormulaBatches::run_piece(const Piece& p, const double* frame) {
  switch (p.code) {
    case Code::AddSS:
    case Code::AddSF:
    case Code::AddFS:
    case Code::AddFF: return apply(p, frame, [](double x, double y) { return x + y; }), true;
    case Code::SubSS:
    case Code::SubSF:
    case Code::SubFS:
    case Code::SubFF: return apply(p, frame, [](double x, double y) { return x - y; }), true;
    case Code::MulSS:
    case Code::MulSF:
    case Code::MulFS:
    case Code::MulFF: return apply(p, frame, [](double x, double y) { return x * y; }), true;
    case Code::DivSS:
    case Code::DivSF:
    case Code::DivFS:
    case Code::DivFF: {
      bool good = true;
      apply(p, frame, [&good](double x, double y) {
        good &= y != 0;
        return x / y;
      });
      return good;
    }
    case Code::Neg: return apply(p, frame, [](double x, double) { return -x; }), true;
    case Code::Abs: return apply(p, frame, [](double x, double) { return std::fabs(x); }), true;
    case Code::Sqrt: return apply(p, frame, [](double x, double) { return std::sqrt(x); }), true;
    case Code::Exp: return apply(p, frame, [](double x, double) { return std::exp(x); }), true;
    case Code::Sin: return apply(p, frame, [](double x, double) { return std::sin(x); }), true;
    case Code::Cos: return apply(p, frame, [](double x, double) { return std::cos(x); }), true;
    case Code::Square: return apply(p, frame, [](double x, double) { return x * x; }), true;
    case Code::Cube: return apply(p, frame, [](double x, double) { return x * x * x; }), true;
    default: return false;
  }
}

bool FormulaBatches::run(const double* frame, double* out) {
  for (const Piece& piece : pieces_) {
    if (!run_piece(piece, frame)) return false;
  }
  bool numbers = true;
  const double* const s = slots_.data();
  for (const std::int32_t place : roots_) {
    const double value = place >= 0 ? s[place] : frame[~place];
    numbers &= value == value;
    *out++ = value;
  }
  return numbers;
}

}  // namespace chi::code
