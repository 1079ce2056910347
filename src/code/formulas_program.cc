#include "code/formulas_program.h"

#include <bit>

namespace chi::code {
namespace {

using expr::Op;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

FormulaCode form(FormulaCode code, std::int32_t a, std::int32_t b) {
  return static_cast<FormulaCode>(static_cast<int>(code) + (a < 0 ? 2 : 0) + (b < 0 ? 1 : 0));
}

FormulaCode unary_code(Op op) {
  switch (op) {
    case Op::Neg: return FormulaCode::Neg;
    case Op::Abs: return FormulaCode::Abs;
    case Op::Sqrt: return FormulaCode::Sqrt;
    case Op::Exp: return FormulaCode::Exp;
    case Op::Sin: return FormulaCode::Sin;
    case Op::Cos: return FormulaCode::Cos;
    case Op::Not: return FormulaCode::Not;
    default: return FormulaCode::Unary;
  }
}

FormulaCode binary_code(Op op, std::int32_t a, std::int32_t b) {
  switch (op) {
    case Op::Add: return form(FormulaCode::AddSS, a, b);
    case Op::Sub: return form(FormulaCode::SubSS, a, b);
    case Op::Mul: return form(FormulaCode::MulSS, a, b);
    case Op::Div: return form(FormulaCode::DivSS, a, b);
    case Op::Min: return FormulaCode::Min;
    case Op::Max: return FormulaCode::Max;
    case Op::Less: return FormulaCode::Less;
    case Op::LessEqual: return FormulaCode::LessEqual;
    case Op::Greater: return FormulaCode::Greater;
    case Op::GreaterEqual: return FormulaCode::GreaterEqual;
    default: return FormulaCode::Binary;
  }
}

class Writer {
 public:
  Writer(Terms terms, const Contexts& contexts, FormulaLeaves& leaves)
      : terms_(std::move(terms)),
        contexts_(contexts),
        leaves_(leaves),
        place_(at(terms_.size()), kNowhere),
        uses_(contexts.uses),
        start_(contexts.contexts.size(), -1),
        number_(contexts.contexts.size(), -1) {}

  FormulaProgram run() {
    give_places();
    write_routine(0, FormulaCode::End);
    for (std::size_t c = 1; c < contexts_.contexts.size(); ++c) {
      if (!contexts_.contexts[c].shared) continue;
      start_[c] = here();
      number_[c] = out_.shared++;
      write_routine(static_cast<std::int32_t>(c), FormulaCode::Return);
    }
    for (FormulaInstruction& in : out_.code) {
      if (in.code != FormulaCode::Demand) continue;
      in.b = start_[at(in.a)];
      in.a = number_[at(in.a)];
    }
    for (const std::int32_t root : terms_.roots) out_.roots.push_back(place_[at(root)]);
    out_.boxes = std::move(terms_.boxes);
    return std::move(out_);
  }

 private:
  static constexpr std::int32_t kNowhere = std::bit_cast<std::int32_t>(0x80000000u);

  // The items of a context still to be written, and the term whose branch is being written.
  struct Level {
    std::int32_t item = -1;
    std::int32_t branching = -1;  // term
    int stage = 0;
    std::int32_t patch = -1;  // the instruction whose target is to come
  };

  std::int32_t here() const { return static_cast<std::int32_t>(out_.code.size()); }

  void give_places() {
    for (std::int32_t t = 0; t < terms_.size(); ++t) {
      if (contexts_.uses[at(t)] == 0 || !terms_.is_given(t)) continue;
      if (terms_[t].op == Op::Constant) {
        place_[at(t)] = static_cast<std::int32_t>(out_.constants.size());
        out_.constants.push_back(terms_.value(t));
      } else {
        place_[at(t)] = ~leaves_.place(terms_[t].where);
      }
    }
    out_.places = static_cast<std::int32_t>(out_.constants.size());
    // Other routines may be written before that of the term.
    for (std::int32_t t = 0; t < terms_.size(); ++t) {
      if (contexts_.of[at(t)] >= 0 && contexts_.outlives[at(t)] != 0) place_[at(t)] = out_.places++;
    }
  }

  // Reading a term; its place is free for others after its last use.
  std::int32_t use(std::int32_t t) {
    const std::int32_t place = place_[at(t)];
    if (--uses_[at(t)] == 0 && !terms_.is_given(t) && contexts_.outlives[at(t)] == 0)
      free_.push_back(place);
    return place;
  }

  std::int32_t define(std::int32_t t) {
    std::int32_t& place = place_[at(t)];
    if (contexts_.outlives[at(t)] != 0) return place;
    if (free_.empty()) {
      place = out_.places++;
    } else {
      place = free_.back();
      free_.pop_back();
    }
    return place;
  }

  void emit(std::int32_t t, FormulaInstruction instruction) {
    out_.code.push_back(instruction);
    out_.where.push_back(t < 0 ? expr::ExprId{} : terms_[t].where);
  }

  // Code of a routine is in one piece and jumps forward only, so what is written last is run last,
  // and freed places may be reused. Other routines run in between: they have places of their own.
  void write_routine(std::int32_t context, FormulaCode last) {
    free_.clear();
    enter(context);
    while (!levels_.empty()) {
      if (levels_.back().branching >= 0) {
        branch(levels_.back());
      } else if (levels_.back().item < 0) {
        levels_.pop_back();
      } else {
        const Contexts::Item& item = contexts_.items[at(levels_.back().item)];
        levels_.back().item = item.next;
        write(item);
      }
    }
    emit(-1, {last});
  }

  void enter(std::int32_t context) {
    if (context >= 0) levels_.push_back({contexts_.contexts[at(context)].items, -1, 0, -1});
  }

  void write(const Contexts::Item& item) {
    const std::int32_t t = item.term;
    const Term& term = terms_[t];
    if (item.demand >= 0) return emit(t, {FormulaCode::Demand, Op::Constant, -1, item.demand, -1});
    if (term.op == Op::NoAlternative)
      return emit(t, {FormulaCode::NoAlternative, term.op, define(t), -1, -1});
    if (term.op == Op::Call) return write_call(t);
    if (expr::is_if(term.op) || term.op == Op::And || term.op == Op::Or) {
      const auto [first, second] = contexts_.branches[at(t)];
      if (expr::is_if(term.op) && first < 0 && second < 0) return write_select(t);
      levels_.back().branching = t;
      levels_.back().stage = 0;
      return;
    }
    const std::int32_t a = use(term.a);
    if (term.op == Op::IntPower) return write_int_power(t, a);
    if (expr::is_unary(term.op) || term.op == Op::Not)
      return emit(t, {unary_code(term.op), term.op, define(t), a, -1});
    const std::int32_t b = use(term.b);
    emit(t, {binary_code(term.op, a, b), term.op, define(t), a, b});
  }

  void write_int_power(std::int32_t t, std::int32_t a) {
    const std::int32_t n = terms_[t].b;
    const FormulaCode code = n == 2   ? FormulaCode::Square
                             : n == 3 ? FormulaCode::Cube
                                      : FormulaCode::IntPower;
    emit(t, {code, Op::IntPower, define(t), a, n});
  }

  void write_call(std::int32_t t) {
    const Term& term = terms_[t];
    const FormulaCall call{term.a, static_cast<std::int32_t>(out_.arguments.size()), term.c};
    for (std::int32_t i = 0; i < term.c; ++i)
      out_.arguments.push_back(use(terms_.arguments[at(term.b + i)]));
    out_.calls.push_back(call);
    emit(t, {FormulaCode::Call, Op::Call, define(t),
             static_cast<std::int32_t>(out_.calls.size()) - 1, -1});
  }

  void write_select(std::int32_t t) {
    const std::int32_t condition = use(terms_[t].a), a = use(terms_[t].b), b = use(terms_[t].c);
    emit(t, {FormulaCode::Select, Op::If, define(t), condition, -1});
    emit(t, {FormulaCode::Pair, Op::If, -1, a, b});
  }

  void branch(Level& level) {
    const std::int32_t t = level.branching;
    const Term& term = terms_[t];
    const bool is_if = expr::is_if(term.op);
    if (level.stage == 0) {
      const std::int32_t a = use(term.a);
      level.patch = here();
      level.stage = is_if ? 1 : 2;
      const FormulaCode code = is_if                ? FormulaCode::Branch
                               : term.op == Op::And ? FormulaCode::AndThen
                                                    : FormulaCode::OrElse;
      emit(t, {code, term.op, define(t), a, -1});
      enter(contexts_.branches[at(t)].first);  // moves the levels
    } else if (level.stage == 1) {
      emit(t, {FormulaCode::Copy, term.op, place_[at(t)], use(term.b), -1});
      emit(t, {FormulaCode::Jump, term.op, -1, -1, -1});
      out_.code[at(level.patch)].b = here();
      level.patch = here() - 1;
      level.stage = 2;
      enter(contexts_.branches[at(t)].second);
    } else {
      emit(t, {FormulaCode::Copy, term.op, place_[at(t)], use(is_if ? term.c : term.b), -1});
      out_.code[at(level.patch)].b = here();
      level.branching = -1;
    }
  }

  Terms terms_;
  const Contexts& contexts_;
  FormulaLeaves& leaves_;
  FormulaProgram out_;
  std::vector<std::int32_t> place_;
  std::vector<std::int32_t> uses_;  // still to be written
  std::vector<std::int32_t> free_;
  std::vector<std::int32_t> start_;   // by context: where its code starts
  std::vector<std::int32_t> number_;  // by context: among the shared ones
  std::vector<Level> levels_;
};

}  // namespace

FormulaProgram write_program(Terms terms, const Contexts& contexts, FormulaLeaves& leaves) {
  return Writer(std::move(terms), contexts, leaves).run();
}

}  // namespace chi::code
