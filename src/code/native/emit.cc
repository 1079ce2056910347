#include "code/native/emit.h"

#include <array>
#include <bit>
#include <string>

namespace chi::code::native {
namespace {

using expr::Op;
using Code = FormulaCode;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// The types of the module.
struct Kit {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTypeRef real, bit, byte, number, word, reals, words, pointer, function;
  LLVMValueRef zero, one;

  explicit Kit(LLVMModuleRef m) : context(LLVMGetModuleContext(m)), module(m) {
    real = LLVMDoubleTypeInContext(context);
    bit = LLVMInt1TypeInContext(context);
    byte = LLVMInt8TypeInContext(context);
    number = LLVMInt32TypeInContext(context);
    word = LLVMInt64TypeInContext(context);
    reals = LLVMPointerType(real, 0);
    words = LLVMPointerType(word, 0);
    pointer = LLVMPointerType(byte, 0);
    std::array<LLVMTypeRef, 6> types{reals, reals, reals, words, word, pointer};
    function = LLVMFunctionType(number, types.data(), types.size(), 0);
    zero = LLVMConstReal(real, 0);
    one = LLVMConstReal(real, 1);
  }
  LLVMValueRef integer(LLVMTypeRef type, std::int64_t value) const {
    return LLVMConstInt(type, static_cast<unsigned long long>(value), 1);
  }
};

// The functions of the pieces: those of this module, or what a table says when the code runs.
struct Callees {
  std::vector<LLVMValueRef> here;
  const NativeFunction* table = nullptr;

  LLVMValueRef get(const Kit& kit, LLVMBuilderRef builder, std::size_t piece) const {
    if (table == nullptr) return here[piece];
    const auto bits = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(table + piece));
    const LLVMTypeRef callee = LLVMPointerType(kit.function, 0);
    const LLVMValueRef place =
        LLVMConstIntToPtr(kit.integer(kit.word, bits), LLVMPointerType(callee, 0));
    return LLVMBuildLoad2(builder, callee, place, "");
  }
};

// Writes one piece as one function.
//
// A computed place is an LLVM value as long as the code that computed it dominates; what is
// computed in branches goes through the scratch array. Suspicion of a fault does not branch, which
// would make registers be spilled; it is gathered, and returned at the end.
class PieceWriter {
 public:
  PieceWriter(const Kit& kit, const NativeProgram& program, const Cut& cut, const Callees& callees,
              std::size_t straight, std::vector<std::vector<std::int32_t>>& outs)
      : kit_(kit),
        program_(program),
        cut_(cut),
        callees_(callees),
        straight_(straight),
        outs_(outs),
        known_(at(program.places)) {}

  void write(std::size_t piece, LLVMValueRef function) {
    function_ = function;
    builder_ = LLVMCreateBuilderInContext(kit_.context);
    begin_block(new_block());
    suspicion_ = LLVMBuildAlloca(builder_, kit_.number, "");
    LLVMBuildStore(builder_, kit_.integer(kit_.number, 0), suspicion_);
    const Cut::Piece& range = cut_.pieces[piece];
    for (pc_ = range.begin; pc_ < range.end; ++pc_) {
      close_branches();
      if (branches_.empty()) give_out();
      instruction(program_.code[pc_]);
    }
    close_branches();
    give_out();
    if (piece + 1 == straight_) give_out_given();
    check_pair(nullptr);
    keep_suspicion();
    LLVMBuildRet(builder_, LLVMBuildLoad2(builder_, kit_.number, suspicion_, ""));
    LLVMDisposeBuilder(builder_);
    for (const auto& [place, old] : undo_) known_[at(place)] = {};
    undo_.clear();
  }

 private:
  struct Known {
    LLVMValueRef value = nullptr;
    LLVMValueRef truth = nullptr;  // of a truth value
  };
  struct BranchLevel {
    std::int32_t end = -1;  // instruction; of an `if` known at the jump over the else branch
    std::int32_t otherwise = -1;
    LLVMBasicBlockRef else_block = nullptr;
    LLVMBasicBlockRef end_block = nullptr;
    std::size_t undo = 0;
  };

  LLVMValueRef parameter(unsigned i) const { return LLVMGetParam(function_, i); }
  LLVMBasicBlockRef new_block() const {
    return LLVMAppendBasicBlockInContext(kit_.context, function_, "");
  }
  void begin_block(LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(builder_, block); }

  // ---- places ----

  LLVMValueRef address(LLVMValueRef base, LLVMTypeRef type, std::int32_t index) {
    LLVMValueRef offset = kit_.integer(kit_.word, index);
    return LLVMBuildInBoundsGEP2(builder_, type, base, &offset, 1, "");
  }
  LLVMValueRef read(std::int32_t place) {
    if (place < 0)
      return LLVMBuildLoad2(builder_, kit_.real, address(parameter(0), kit_.real, ~place), "");
    if (place < program_.constants_size) return LLVMConstReal(kit_.real, program_.constants[place]);
    Known& known = known_[at(place)];
    if (known.value != nullptr) return known.value;
    if (known.truth != nullptr)
      return LLVMBuildSelect(builder_, known.truth, kit_.one, kit_.zero, "");
    return LLVMBuildLoad2(builder_, kit_.real, address(parameter(1), kit_.real, place), "");
  }
  LLVMValueRef read_truth(std::int32_t place) {
    if (place >= program_.constants_size && known_[at(place)].truth != nullptr)
      return known_[at(place)].truth;
    return LLVMBuildFCmp(builder_, LLVMRealUNE, read(place), kit_.zero, "");
  }
  void set(std::int32_t place, Known known) {
    undo_.emplace_back(place, known_[at(place)]);
    known_[at(place)] = known;
    if (cut_.kept[at(place)] != 0) store(place, read(place));
    if (!outs_[at(place)].empty()) pending_.push_back(place);
  }
  void store(std::int32_t place, LLVMValueRef value) {
    LLVMBuildStore(builder_, value, address(parameter(1), kit_.real, place));
  }
  // The value depends on the way taken, so it is in memory.
  void set_in_branch(std::int32_t place, LLVMValueRef value) {
    store(place, value);
    forget(place);
  }
  void forget(std::int32_t place) {
    undo_.emplace_back(place, known_[at(place)]);
    known_[at(place)] = {};
  }
  void forget_since(std::size_t mark) {
    for (; undo_.size() > mark; undo_.pop_back())
      known_[at(undo_.back().first)] = undo_.back().second;
  }

  // ---- suspicion ----

  void suspect(LLVMValueRef truth) {
    const LLVMValueRef number = LLVMBuildZExt(builder_, truth, kit_.number, "");
    fresh_ = fresh_ == nullptr ? number : LLVMBuildOr(builder_, fresh_, number, "");
  }
  void suspect_compare(LLVMRealPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
    suspect(LLVMBuildFCmp(builder_, predicate, x, y, ""));
  }
  // Before the end of every block.
  void keep_suspicion() {
    if (fresh_ == nullptr) return;
    const LLVMValueRef old = LLVMBuildLoad2(builder_, kit_.number, suspicion_, "");
    LLVMBuildStore(builder_, LLVMBuildOr(builder_, old, fresh_, ""), suspicion_);
    fresh_ = nullptr;
  }
  // One comparison finds a NaN in any of two numbers.
  void check_pair(LLVMValueRef value) {
    if (unchecked_ == nullptr) {
      unchecked_ = value;
      return;
    }
    suspect_compare(LLVMRealUNO, unchecked_, value == nullptr ? unchecked_ : value);
    unchecked_ = nullptr;
  }

  // ---- roots ----

  void give_out() {
    for (const std::int32_t place : pending_) {
      const LLVMValueRef value = read(place);
      for (const std::int32_t root : outs_[at(place)]) give_out(root, value);
      outs_[at(place)].clear();
      check_pair(value);
    }
    pending_.clear();
  }
  void give_out(std::int32_t root, LLVMValueRef value) {
    LLVMBuildStore(builder_, value, address(parameter(2), kit_.real, root));
  }
  void give_out_given() {
    for (std::int32_t root = 0; root < program_.roots_size; ++root) {
      if (program_.roots[root] >= program_.constants_size) continue;
      const LLVMValueRef value = read(program_.roots[root]);
      give_out(root, value);
      check_pair(value);
    }
  }

  // ---- branches ----

  void jump_to(LLVMBasicBlockRef block) {
    check_pair(nullptr);
    keep_suspicion();
    LLVMBuildBr(builder_, block);
  }
  void choose(LLVMValueRef truth, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    check_pair(nullptr);
    keep_suspicion();
    LLVMBuildCondBr(builder_, truth, yes, no);
  }

  void open_if(const FormulaInstruction& in) {
    const LLVMBasicBlockRef then = new_block();
    const LLVMValueRef truth = read_truth(in.a);
    forget(in.dst);  // it will be in memory
    BranchLevel level{-1, in.b, new_block(), new_block(), undo_.size()};
    choose(truth, then, level.else_block);
    branches_.push_back(level);
    begin_block(then);
  }
  void open_connective(const FormulaInstruction& in) {
    const LLVMBasicBlockRef right = new_block();
    const LLVMValueRef truth = read_truth(in.a);
    set_in_branch(in.dst, read(in.a));
    BranchLevel level{in.b, -1, nullptr, new_block(), undo_.size()};  // it stays in memory
    if (in.code == Code::AndThen) {
      choose(truth, right, level.end_block);
    } else {
      choose(truth, level.end_block, right);
    }
    branches_.push_back(level);
    begin_block(right);
  }
  void turn_to_else(const FormulaInstruction& jump) {
    BranchLevel& level = branches_.back();
    jump_to(level.end_block);
    forget_since(level.undo);
    level.end = jump.b;
    begin_block(level.else_block);
  }
  void close_branches() {
    while (!branches_.empty() && branches_.back().end == pc_) {
      const BranchLevel level = branches_.back();
      branches_.pop_back();
      jump_to(level.end_block);
      forget_since(level.undo);
      begin_block(level.end_block);
    }
  }

  void demand(std::int32_t shared) {
    const LLVMValueRef flag = address(parameter(3), kit_.word, shared);
    const LLVMValueRef last = LLVMBuildLoad2(builder_, kit_.word, flag, "");
    const LLVMBasicBlockRef run = new_block(), after = new_block();
    choose(LLVMBuildICmp(builder_, LLVMIntEQ, last, parameter(4), ""), after, run);
    begin_block(run);
    LLVMBuildStore(builder_, parameter(4), flag);
    fresh_ = call_piece(callees_.get(kit_, builder_, straight_ + at(shared)));
    jump_to(after);
    begin_block(after);
  }
  LLVMValueRef call_piece(LLVMValueRef function) {
    std::array<LLVMValueRef, 6> arguments;
    for (unsigned i = 0; i < arguments.size(); ++i) arguments[i] = parameter(i);
    return LLVMBuildCall2(builder_, kit_.function, function, arguments.data(), arguments.size(),
                          "");
  }

  // ---- operations ----

  template <class Function>
  LLVMValueRef call_helper(Function* helper, LLVMTypeRef result,
                           std::initializer_list<std::pair<LLVMTypeRef, LLVMValueRef>> arguments) {
    std::vector<LLVMTypeRef> types;
    std::vector<LLVMValueRef> values;
    for (const auto& [type, value] : arguments) types.push_back(type), values.push_back(value);
    const auto count = static_cast<unsigned>(types.size());
    const LLVMTypeRef type = LLVMFunctionType(result, types.data(), count, 0);
    const auto bits = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(helper));
    const LLVMValueRef target =
        LLVMConstIntToPtr(kit_.integer(kit_.word, bits), LLVMPointerType(type, 0));
    return LLVMBuildCall2(builder_, type, target, values.data(), count, "");
  }
  LLVMValueRef call_unary(Op op, LLVMValueRef x) {
    return call_helper(program_.helpers.unary[static_cast<int>(op)], kit_.real, {{kit_.real, x}});
  }
  LLVMValueRef intrinsic(const char* name, LLVMValueRef x) {
    const unsigned id = LLVMLookupIntrinsicID(name, std::char_traits<char>::length(name));
    LLVMTypeRef type = kit_.real;
    const LLVMValueRef declared = LLVMGetIntrinsicDeclaration(kit_.module, id, &type, 1);
    const LLVMTypeRef signature = LLVMIntrinsicGetType(kit_.context, id, &type, 1);
    return LLVMBuildCall2(builder_, signature, declared, &x, 1, "");
  }
  LLVMValueRef product(LLVMValueRef x, LLVMValueRef y) { return LLVMBuildFMul(builder_, x, y, ""); }

  // The multiplications of expr::int_power.
  LLVMValueRef int_power(LLVMValueRef x, std::int32_t n) {
    if (n == 0) {
      suspect_compare(LLVMRealUNO, x, x);
      return kit_.one;
    }
    if (n < 0) suspect_compare(LLVMRealUEQ, x, kit_.zero);
    const std::uint32_t bits =
        n < 0 ? 0u - static_cast<std::uint32_t>(n) : static_cast<std::uint32_t>(n);
    LLVMValueRef r = x;
    for (int bit = static_cast<int>(std::bit_width(bits)) - 2; bit >= 0; --bit) {
      r = product(r, r);
      if ((bits >> bit & 1u) != 0) r = product(r, x);
    }
    return n < 0 ? LLVMBuildFDiv(builder_, kit_.one, r, "") : r;
  }

  // x <= y || x != x ? x : y
  LLVMValueRef extreme(LLVMRealPredicate predicate, LLVMValueRef x, LLVMValueRef y) {
    const LLVMValueRef compared = LLVMBuildFCmp(builder_, predicate, x, y, "");
    const LLVMValueRef nan = LLVMBuildFCmp(builder_, LLVMRealUNO, x, x, "");
    return LLVMBuildSelect(builder_, LLVMBuildOr(builder_, compared, nan, ""), x, y, "");
  }

  static LLVMRealPredicate predicate(Op op) {
    switch (op) {
      case Op::Less: return LLVMRealOLT;
      case Op::LessEqual: return LLVMRealOLE;
      case Op::Greater: return LLVMRealOGT;
      case Op::GreaterEqual: return LLVMRealOGE;
      case Op::Equal: return LLVMRealOEQ;
      default: return LLVMRealUNE;
    }
  }

  LLVMValueRef unary(Op op, LLVMValueRef x) {
    switch (op) {
      case Op::Neg: return LLVMBuildFNeg(builder_, x, "");
      case Op::Abs: return intrinsic("llvm.fabs", x);
      case Op::Sqrt: return intrinsic("llvm.sqrt", x);
      default: return call_unary(op, x);
    }
  }

  LLVMValueRef binary(Op op, LLVMValueRef x, LLVMValueRef y) {
    switch (op) {
      case Op::Add: return LLVMBuildFAdd(builder_, x, y, "");
      case Op::Sub: return LLVMBuildFSub(builder_, x, y, "");
      case Op::Mul: return product(x, y);
      case Op::Div:
        if (!is_nonzero_constant(y)) suspect_compare(LLVMRealUEQ, y, kit_.zero);
        return LLVMBuildFDiv(builder_, x, y, "");
      case Op::Min: return extreme(LLVMRealOLE, x, y);
      case Op::Max: return extreme(LLVMRealOGE, x, y);
      case Op::Atan2:
        return call_helper(program_.helpers.atan2, kit_.real, {{kit_.real, x}, {kit_.real, y}});
      default:  // a power, which hides a NaN
        suspect_compare(LLVMRealUNO, x, y);
        return call_helper(program_.helpers.power, kit_.real, {{kit_.real, x}, {kit_.real, y}});
    }
  }
  static bool is_nonzero_constant(LLVMValueRef y) {
    if (LLVMIsAConstantFP(y) == nullptr) return false;
    LLVMBool loses = 0;
    const double value = LLVMConstRealGetDouble(y, &loses);
    return value < 0 || value > 0;
  }

  void instruction(const FormulaInstruction& in) {
    switch (in.code) {
      case Code::Branch: return open_if(in);
      case Code::Jump: return turn_to_else(in);
      case Code::AndThen:
      case Code::OrElse: return open_connective(in);
      case Code::Copy: return copy(in);
      case Code::Select: return select(in);
      case Code::Pair: return;
      case Code::Demand: return demand(in.a);
      case Code::NoAlternative:
        suspect(kit_.integer(kit_.bit, 1));
        return set(in.dst, {kit_.zero, nullptr});
      case Code::Call: return call(in);
      case Code::Not: return set(in.dst, {nullptr, LLVMBuildNot(builder_, read_truth(in.a), "")});
      default: break;
    }
    const LLVMValueRef x = read(in.a);
    if (in.op == Op::IntPower) return set(in.dst, {int_power(x, in.b), nullptr});
    if (expr::is_unary(in.op)) return set(in.dst, {unary(in.op, x), nullptr});
    const LLVMValueRef y = read(in.b);
    if (!expr::is_relation(in.op)) return set(in.dst, {binary(in.op, x, y), nullptr});
    suspect_compare(LLVMRealUNO, x, y);
    set(in.dst, {nullptr, LLVMBuildFCmp(builder_, predicate(in.op), x, y, "")});
  }

  // The end of a branch. The place is a root's, perhaps: then it is given out behind the branches.
  void copy(const FormulaInstruction& in) {
    set_in_branch(in.dst, read(in.a));
    if (!outs_[at(in.dst)].empty() && (pending_.empty() || pending_.back() != in.dst))
      pending_.push_back(in.dst);
  }
  void select(const FormulaInstruction& in) {
    const FormulaInstruction& pair = program_.code[pc_ + 1];
    const LLVMValueRef truth = read_truth(in.a), a = read(pair.a);
    set(in.dst, {LLVMBuildSelect(builder_, truth, a, read(pair.b), ""), nullptr});
  }
  void call(const FormulaInstruction& in) {
    const LLVMValueRef value = call_helper(program_.helpers.call, kit_.real,
                                           {{kit_.pointer, parameter(5)},
                                            {kit_.number, kit_.integer(kit_.number, in.a)},
                                            {kit_.reals, parameter(0)}});
    suspect_compare(LLVMRealUNO, value, value);
    set(in.dst, {value, nullptr});
  }

  const Kit& kit_;
  const NativeProgram& program_;
  const Cut& cut_;
  const Callees& callees_;
  std::size_t straight_;                          // number of pieces of context 0
  std::vector<std::vector<std::int32_t>>& outs_;  // by place: roots not given out yet
  std::vector<Known> known_;
  std::vector<std::pair<std::int32_t, Known>> undo_;
  std::vector<BranchLevel> branches_;
  std::vector<std::int32_t> pending_;  // places of roots that are computed
  LLVMValueRef function_ = nullptr;
  LLVMBuilderRef builder_ = nullptr;
  LLVMValueRef suspicion_ = nullptr;  // where it is kept
  LLVMValueRef fresh_ = nullptr;      // found in this block
  LLVMValueRef unchecked_ = nullptr;  // a root that waits for another one
  std::int32_t pc_ = 0;
};

// Calls the pieces of context 0 one after the other.
void emit_main(const Kit& kit, std::size_t straight, const Callees& callees) {
  const LLVMValueRef main = LLVMAddFunction(kit.module, "chi_formulas", kit.function);
  const LLVMBuilderRef builder = LLVMCreateBuilderInContext(kit.context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(kit.context, main, ""));
  std::array<LLVMValueRef, 6> arguments;
  LLVMGetParams(main, arguments.data());
  LLVMValueRef suspicion = kit.integer(kit.number, 0);
  for (std::size_t k = 0; k < straight; ++k) {
    const LLVMValueRef found = LLVMBuildCall2(builder, kit.function, callees.get(kit, builder, k),
                                              arguments.data(), arguments.size(), "");
    suspicion = LLVMBuildOr(builder, suspicion, found, "");
  }
  LLVMBuildRet(builder, suspicion);
  LLVMDisposeBuilder(builder);
}

}  // namespace

ProgramWriter::ProgramWriter(const NativeProgram& program, const Cut& cut)
    : program_(program), cut_(cut), outs_(at(program.places)) {
  for (const Cut::Piece& piece : cut.pieces) straight_ += piece.shared < 0 ? 1 : 0;
  for (std::int32_t root = 0; root < program.roots_size; ++root) {
    const std::int32_t place = program.roots[root];
    if (place >= program.constants_size) outs_[at(place)].push_back(root);
  }
}

void ProgramWriter::write_all(LLVMModuleRef module) {
  const Kit kit(module);
  Callees callees;
  for (std::size_t k = 0; k < cut_.pieces.size(); ++k) {
    callees.here.push_back(LLVMAddFunction(module, "", kit.function));
    LLVMSetLinkage(callees.here.back(), LLVMInternalLinkage);
  }
  PieceWriter writer(kit, program_, cut_, callees, straight_, outs_);
  for (std::size_t k = 0; k < cut_.pieces.size(); ++k) writer.write(k, callees.here[k]);
  emit_main(kit, straight_, callees);
}

void ProgramWriter::write_piece(LLVMModuleRef module, std::size_t k, const NativeFunction* pieces) {
  const Kit kit(module);
  const Callees callees{{}, pieces};
  PieceWriter writer(kit, program_, cut_, callees, straight_, outs_);
  writer.write(k, LLVMAddFunction(module, "chi_piece", kit.function));
}

void ProgramWriter::write_main(LLVMModuleRef module, const NativeFunction* pieces) {
  emit_main(Kit(module), straight_, {{}, pieces});
}

}  // namespace chi::code::native
