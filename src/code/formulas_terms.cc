#include "code/formulas_terms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "expr/cone.h"

namespace chi::code {
namespace {

using expr::Cone;
using expr::ExprId;
using expr::FunctionId;
using expr::Op;

constexpr expr::Follow kPresent{.delayed = false};

// Walks cones as the reference evaluator does, with a stack of its own for the bodies.
class Collector {
 public:
  Collector(const expr::Pool& pool, std::span<const ExprId> given, std::span<const Decided> decided)
      : pool_(pool), given_(given.begin(), given.end()), decided_(decided) {}

  Terms run(std::span<const ExprId> roots) {
    const Cone cone(pool_, roots, kPresent);
    frames_.push_back({&cone, {}, {}});
    while (true) {
      Frame& frame = frames_.back();
      if (frame.next() < frame.cone->size()) {
        step(frame);
        continue;
      }
      if (frames_.size() == 1) break;
      const std::int32_t result = frame.terms.back();  // the body is the last node of its cone
      frames_.pop_back();
      frames_.back().terms.push_back(result);
    }
    for (const ExprId root : roots) result_.roots.push_back(at(frames_.back(), root));
    return std::move(result_);
  }

 private:
  struct Frame {
    const Cone* cone = nullptr;
    std::vector<std::int32_t> arguments;
    std::vector<std::int32_t> terms;  // by position in the cone
    int next() const { return static_cast<int>(terms.size()); }
  };

  static std::int32_t at(const Frame& frame, ExprId e) {
    return frame.terms[static_cast<std::size_t>(frame.cone->position(e))];
  }

  void step(Frame& frame) {
    const ExprId e = (*frame.cone)[frame.next()];
    const Op op = pool_.op(e);
    if (frames_.size() == 1 && given_.count(e) != 0)
      return frame.terms.push_back(add(Term{Op::Variable, e}));
    if (op == Op::Call) return call(frame, e);
    if (op == Op::PlainIf && frames_.size() == 1 && !decided_.empty()) {
      const expr::Operands x = pool_.operands(e);
      const auto known = std::ranges::find(decided_, x[0], &Decided::leaf);
      if (known != decided_.end()) {
        return frame.terms.push_back(at(frame, x[known->holds ? 1 : 2]));
      }
    }
    if (op == Op::ParamReal || op == Op::ParamBool)
      return frame.terms.push_back(frame.arguments[static_cast<std::size_t>(pool_.param(e))]);
    frame.terms.push_back(add(op == Op::Constant || op == Op::Boolean ? constant(e)
                              : expr::is_leaf(op) || op == Op::Delay  ? Term{op, e}
                                                                      : operation(frame, e)));
  }

  Term constant(ExprId e) const {
    const double value = pool_.op(e) == Op::Constant ? pool_.constant(e) : pool_.boolean(e);
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return {Op::Constant, e, static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)),
            static_cast<std::int32_t>(static_cast<std::uint32_t>(bits >> 32)), -1};
  }

  Term operation(const Frame& frame, ExprId e) const {
    const expr::Operands operands = pool_.operands(e);
    Term term{pool_.op(e), e, at(frame, operands[0])};
    if (term.op == Op::IntPower) term.b = pool_.exponent(e);
    if (operands.size() > 1) term.b = at(frame, operands[1]);
    if (operands.size() > 2) term.c = at(frame, operands[2]);
    return term;
  }

  void call(Frame& frame, ExprId e) {
    const expr::Operands operands = pool_.operands(e);
    std::vector<std::int32_t> arguments;
    for (int i = 0; i < operands.size(); ++i) arguments.push_back(at(frame, operands[i]));
    const FunctionId f = pool_.called(e);
    if (const ExprId body = pool_.function(f).body) {
      const Cone& cone = body_cone(f, body);  // before `frame` may move
      frames_.push_back({&cone, std::move(arguments), {}});
      return;
    }
    std::vector<std::int32_t>& all = result_.arguments;
    const auto first = static_cast<std::int32_t>(all.size());
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto count = static_cast<std::int32_t>(arguments.size());
    frame.terms.push_back(add({Op::Call, e, box(f), first, count}));
  }

  const Cone& body_cone(FunctionId f, ExprId body) {
    std::unique_ptr<Cone>& cone = bodies_[f];
    if (!cone) cone = std::make_unique<Cone>(pool_, std::array{body}, kPresent);
    return *cone;
  }

  std::int32_t box(FunctionId f) {
    const auto [entry, fresh] =
        boxes_.try_emplace(f, static_cast<std::int32_t>(result_.boxes.size()));
    if (!fresh) return entry->second;
    Box box;
    for (; pool_.function(f).parent; f = pool_.function(f).parent)
      box.by.push_back(pool_.function(f).param);
    CHI_CHECK(box.by.size() < 16, "a derivative of a black box of an order beyond all use");
    box.function = f;
    box.relative_step = std::pow(std::numeric_limits<double>::epsilon(),
                                 1.0 / static_cast<double>(box.by.size() + 2));
    result_.boxes.push_back(std::move(box));
    return entry->second;
  }

  std::int32_t add(Term term) {
    result_.terms.push_back(term);
    return result_.size() - 1;
  }

  const expr::Pool& pool_;
  std::unordered_set<ExprId> given_;  // outside of bodies
  std::span<const Decided> decided_;
  Terms result_;
  std::vector<Frame> frames_;
  std::unordered_map<FunctionId, std::unique_ptr<Cone>> bodies_;
  std::unordered_map<FunctionId, std::int32_t> boxes_;
};

}  // namespace

double Terms::value(std::int32_t constant) const {
  const Term& term = (*this)[constant];
  const auto low = static_cast<std::uint64_t>(static_cast<std::uint32_t>(term.a));
  const auto high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(term.b));
  return std::bit_cast<double>(low | high << 32);
}

bool Terms::is_given(std::int32_t t) const {
  const Op op = (*this)[t].op;
  return (expr::is_leaf(op) && op != Op::NoAlternative) || op == Op::Delay;
}

Terms collect_terms(const expr::Pool& pool, std::span<const ExprId> roots,
                    std::span<const ExprId> given, std::span<const Decided> decided) {
  return Collector(pool, given, decided).run(roots);
}

}  // namespace chi::code
