#include "code/native/emit_routine.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace chi::code::native {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// A value of this many slots is moved slot by slot.
constexpr std::int32_t kFewSlots = 8;
/// The code of a value of fewer instructions is written once more where it is sent.
constexpr std::int32_t kShort = 16;

/// Writes one routine: a block for each instruction that can be come to. Registers are read from
/// the frame and written to it; LLVM sees which of that is not needed between two calls.
class RoutineWriter {
 public:
  RoutineWriter(LLVMModuleRef module, const NativeRunView& run, const NativeRoutine& routine)
      : module_(module),
        context_(LLVMGetModuleContext(module)),
        run_(run),
        routine_(routine),
        blocks_(at(routine.code_size)) {
    number_ = LLVMInt32TypeInContext(context_);
    word_ = LLVMInt64TypeInContext(context_);
    real_ = LLVMDoubleTypeInContext(context_);
    pointer_ = LLVMPointerType(LLVMInt8TypeInContext(context_), 0);
    words_ = LLVMPointerType(word_, 0);
    for (std::int32_t i = 0; i < routine.constants_size; ++i)
      constants_[routine.constants[i].reg] = routine.constants[i].bits;
  }

  void write(const char* name) {
    std::array<LLVMTypeRef, 4> types{pointer_, words_, number_, number_};
    function_ = LLVMAddFunction(module_, name, LLVMFunctionType(word_, types.data(), 4, 0));
    builder_ = LLVMCreateBuilderInContext(context_);
    const LLVMBasicBlockRef entry = new_block(), elsewhere = new_block();
    begin(elsewhere);
    const auto interpret = static_cast<std::int64_t>(native_result(NativeStop::Interpret, 0));
    LLVMBuildRet(builder_, LLVMBuildOr(builder_, LLVMBuildZExt(builder_, parameter(2), word_, ""),
                                       word(interpret), ""));
    begin(entry);
    const std::vector<std::int32_t> entries = places_to_begin();
    const LLVMValueRef choice =
        LLVMBuildSwitch(builder_, parameter(2), elsewhere, static_cast<unsigned>(entries.size()));
    for (const std::int32_t pc : entries) LLVMAddCase(choice, number(pc), block_at(pc));
    while (!unwritten_.empty()) {
      pc_ = unwritten_.back();
      unwritten_.pop_back();
      begin(blocks_[at(pc_)]);
      instruction(routine_.code[pc_]);
    }
    LLVMDisposeBuilder(builder_);
  }

 private:
  // Where a process goes on after waiting, after the interpreter has done something, or for the
  // value of a send.
  std::vector<std::int32_t> places_to_begin() const {
    std::vector<char> is_entry(at(routine_.code_size));
    const auto add = [&](std::int32_t pc) {
      if (pc >= 0 && pc < routine_.code_size) is_entry[at(pc)] = 1;
    };
    add(routine_.main_pc);
    for (std::int32_t pc = 0; pc < routine_.code_size; ++pc) {
      const Instr& in = routine_.code[pc];
      switch (in.op) {
        case Op::LoopBack: add(in.c); break;
        case Op::Select: {
          const Selection& selection = routine_.selections[in.c];
          add(selection.retry_pc);
          add(selection.closed_pc);
          add(pc);
          break;
        }
        case Op::Send:
        case Op::Receive:
        case Op::Delay:
          add(pc);
          add(pc + 1);
          break;
        default: break;
      }
    }
    for (std::int32_t i = 0; i < routine_.offers_size; ++i) {
      add(routine_.offers[i].body_pc);
      add(routine_.offers[i].value_pc);
    }
    std::vector<std::int32_t> entries;
    for (std::int32_t pc = 0; pc < routine_.code_size; ++pc) {
      if (is_entry[at(pc)] != 0) entries.push_back(pc);
    }
    return entries;
  }

  // ---- blocks ----

  LLVMValueRef parameter(unsigned i) const { return LLVMGetParam(function_, i); }
  LLVMBasicBlockRef new_block() const {
    return LLVMAppendBasicBlockInContext(context_, function_, "");
  }
  void begin(LLVMBasicBlockRef block) { LLVMPositionBuilderAtEnd(builder_, block); }
  LLVMBasicBlockRef block_at(std::int32_t pc) {
    LLVMBasicBlockRef& block = blocks_[at(pc)];
    if (block == nullptr) {
      block = new_block();
      unwritten_.push_back(pc);
    }
    return block;
  }
  void go_to(std::int32_t pc) { LLVMBuildBr(builder_, block_at(pc)); }
  void go_on() {
    if (whole_ < 0) go_to(pc_ + 1);  // else what follows is written right behind
  }
  void give_back(NativeStop stop, std::int32_t pc) {
    LLVMBuildRet(builder_, word(static_cast<std::int64_t>(native_result(stop, pc))));
  }
  void interpret() { give_back(NativeStop::Interpret, whole_ < 0 ? pc_ : whole_); }
  /// Goes on only if `good`; else the interpreter does this instruction.
  void require(LLVMValueRef good) {
    const LLVMBasicBlockRef yes = new_block(), no = new_block();
    LLVMBuildCondBr(builder_, good, yes, no);
    begin(no);
    interpret();
    begin(yes);
  }

  // ---- values ----

  LLVMValueRef word(std::int64_t value) const {
    return LLVMConstInt(word_, static_cast<unsigned long long>(value), 1);
  }
  LLVMValueRef number(std::int32_t value) const {
    return LLVMConstInt(number_, static_cast<unsigned long long>(value), 1);
  }
  template <class T>
  LLVMValueRef address(const T* object) const {
    return LLVMConstIntToPtr(
        word(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(object))), pointer_);
  }
  LLVMValueRef as(LLVMTypeRef type, LLVMValueRef pointer) {
    return LLVMBuildBitCast(builder_, pointer, LLVMPointerType(type, 0), "");
  }
  LLVMValueRef load_from(LLVMTypeRef type, LLVMValueRef pointer) {
    return LLVMBuildLoad2(builder_, type, as(type, pointer), "");
  }
  LLVMValueRef place(std::int32_t reg) {
    LLVMValueRef offset = word(reg);
    return LLVMBuildInBoundsGEP2(builder_, word_, parameter(1), &offset, 1, "");
  }
  LLVMValueRef slot(std::int32_t reg) {
    const auto known = constants_.find(reg);
    return known != constants_.end() ? word(known->second) : load_from(word_, place(reg));
  }
  LLVMValueRef real(std::int32_t reg) {
    const auto known = constants_.find(reg);
    return known != constants_.end() ? LLVMConstBitCast(word(known->second), real_)
                                     : load_from(real_, place(reg));
  }
  void set(std::int32_t reg, LLVMValueRef value) {
    LLVMBuildStore(builder_, value, as(LLVMTypeOf(value), place(reg)));
  }
  void set_truth(std::int32_t reg, LLVMValueRef truth) {
    set(reg, LLVMBuildZExt(builder_, truth, word_, ""));
  }
  LLVMValueRef is_true(std::int32_t reg) {
    return LLVMBuildICmp(builder_, LLVMIntNE, slot(reg), word(0), "");
  }
  LLVMValueRef memory_at(LLVMValueRef index) {
    return LLVMBuildGEP2(builder_, word_,
                         LLVMBuildBitCast(builder_, address(run_.memory), words_, ""), &index, 1,
                         "");
  }
  LLVMValueRef plus(LLVMValueRef x, std::int64_t y) {
    return LLVMBuildAdd(builder_, x, word(y), "");
  }

  // ---- calls ----

  template <class Result, class... Parameter, class... Value>
  LLVMValueRef call(Result (*function)(Parameter...), Value... values) {
    static_assert(sizeof...(Parameter) == sizeof...(Value));
    std::array<LLVMTypeRef, sizeof...(Parameter)> types{type_of<Parameter>()...};
    std::array<LLVMValueRef, sizeof...(Parameter)> arguments{values...};
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i] == pointer_)
        arguments[i] = LLVMBuildBitCast(builder_, arguments[i], pointer_, "");
    }
    const LLVMTypeRef signature =
        LLVMFunctionType(type_of<Result>(), types.data(), static_cast<unsigned>(types.size()), 0);
    const LLVMValueRef callee = LLVMConstIntToPtr(
        word(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(function))),
        LLVMPointerType(signature, 0));
    return LLVMBuildCall2(builder_, signature, callee, arguments.data(),
                          static_cast<unsigned>(arguments.size()), "");
  }
  template <class T>
  LLVMTypeRef type_of() const {
    if constexpr (std::is_void_v<T>) {
      return LLVMVoidTypeInContext(context_);
    } else if constexpr (std::is_pointer_v<T>) {
      return pointer_;
    } else if constexpr (std::is_floating_point_v<T>) {
      return real_;
    } else {
      return sizeof(T) == 8 ? word_ : number_;
    }
  }
  /// A call that returns 0 if all went well.
  template <class... Arguments>
  void require_call(Arguments... arguments) {
    require(LLVMBuildICmp(builder_, LLVMIntEQ, call(arguments...), number(0), ""));
  }
  LLVMValueRef intrinsic(std::string_view name, LLVMTypeRef type,
                         std::initializer_list<LLVMValueRef> operands) {
    const unsigned id = LLVMLookupIntrinsicID(name.data(), name.size());
    std::vector<LLVMValueRef> arguments(operands);
    const LLVMValueRef declared = LLVMGetIntrinsicDeclaration(module_, id, &type, 1);
    const LLVMTypeRef signature = LLVMIntrinsicGetType(context_, id, &type, 1);
    return LLVMBuildCall2(builder_, signature, declared, arguments.data(),
                          static_cast<unsigned>(arguments.size()), "");
  }

  // ---- instructions ----

  void checked(const Instr& in, std::string_view name, LLVMValueRef x, LLVMValueRef y) {
    const LLVMValueRef both = intrinsic(name, word_, {x, y});
    const LLVMValueRef overflow = LLVMBuildExtractValue(builder_, both, 1, "");
    require(LLVMBuildNot(builder_, overflow, ""));
    set(in.a, LLVMBuildExtractValue(builder_, both, 0, ""));
    go_on();
  }
  void absolute(const Instr& in) {
    const LLVMValueRef x = slot(in.b);
    const LLVMValueRef both = intrinsic("llvm.ssub.with.overflow", word_, {word(0), x});
    require(LLVMBuildNot(builder_, LLVMBuildExtractValue(builder_, both, 1, ""), ""));
    const LLVMValueRef negative = LLVMBuildICmp(builder_, LLVMIntSLT, x, word(0), "");
    set(in.a,
        LLVMBuildSelect(builder_, negative, LLVMBuildExtractValue(builder_, both, 0, ""), x, ""));
    go_on();
  }
  void compare(const Instr& in, LLVMIntPredicate predicate) {
    set_truth(in.a, LLVMBuildICmp(builder_, predicate, slot(in.b), slot(in.c), ""));
    go_on();
  }
  void compare(const Instr& in, LLVMRealPredicate predicate) {
    set_truth(in.a, LLVMBuildFCmp(builder_, predicate, real(in.b), real(in.c), ""));
    go_on();
  }
  void extreme(const Instr& in, LLVMIntPredicate predicate) {
    const LLVMValueRef x = slot(in.b), y = slot(in.c);
    // std::min(x, y) and std::max(x, y)
    set(in.a, LLVMBuildSelect(builder_, LLVMBuildICmp(builder_, predicate, y, x, ""), y, x, ""));
    go_on();
  }
  void sign_of_int(const Instr& in) {
    const LLVMValueRef x = slot(in.b);
    const LLVMValueRef up = LLVMBuildICmp(builder_, LLVMIntSGT, x, word(0), "");
    const LLVMValueRef down = LLVMBuildICmp(builder_, LLVMIntSLT, x, word(0), "");
    set(in.a, LLVMBuildSelect(builder_, up, word(1),
                              LLVMBuildSelect(builder_, down, word(-1), word(0), ""), ""));
    go_on();
  }
  void sign_of_real(const Instr& in) {
    const LLVMValueRef x = real(in.b), zero = LLVMConstReal(real_, 0);
    const LLVMValueRef up = LLVMBuildFCmp(builder_, LLVMRealOGT, x, zero, "");
    const LLVMValueRef down = LLVMBuildFCmp(builder_, LLVMRealOLT, x, zero, "");
    set(in.a,
        LLVMBuildSelect(builder_, up, LLVMConstReal(real_, 1),
                        LLVMBuildSelect(builder_, down, LLVMConstReal(real_, -1), zero, ""), ""));
    go_on();
  }
  void divide(const Instr& in) {
    const LLVMValueRef y = real(in.c);
    require(LLVMBuildFCmp(builder_, LLVMRealUNE, y, LLVMConstReal(real_, 0), ""));
    set(in.a, LLVMBuildFDiv(builder_, real(in.b), y, ""));
    go_on();
  }
  void loop_back(const Instr& in) {
    const LLVMValueRef done = plus(load_from(word_, address(run_.work)), 1);
    const LLVMValueRef rest = LLVMBuildAnd(builder_, done, word(run_.patience - 1), "");
    require(LLVMBuildICmp(builder_, LLVMIntNE, rest, word(0), ""));
    LLVMBuildStore(builder_, done, as(word_, address(run_.work)));
    go_to(in.c);
  }
  /// As the interpreter's memmove.
  void move_slots(std::int32_t count, const auto& from, const auto& to) {
    std::vector<LLVMValueRef> values;
    for (std::int32_t i = 0; i < count; ++i) values.push_back(load_from(word_, from(i)));
    for (std::int32_t i = 0; i < count; ++i) LLVMBuildStore(builder_, values[at(i)], to(i));
    go_on();
  }
  /// A store to a slot that somebody watches is the interpreter's, which notes it.
  void require_unwatched(LLVMValueRef index) {
    if (run_.watched == 0) return;
    const LLVMBasicBlockRef look = new_block(), no = new_block(), yes = new_block();
    LLVMBuildCondBr(builder_, LLVMBuildICmp(builder_, LLVMIntULT, index, word(run_.watched), ""),
                    look, yes);
    begin(look);
    const LLVMValueRef watchers =
        LLVMBuildGEP2(builder_, number_, as(number_, address(run_.watchers)), &index, 1, "");
    const LLVMValueRef count = LLVMBuildLoad2(builder_, number_, watchers, "");
    LLVMBuildCondBr(builder_, LLVMBuildICmp(builder_, LLVMIntSGT, count, number(0), ""), no, yes);
    begin(no);
    interpret();
    begin(yes);
  }
  void store_at(const Instr& in) {
    if (in.c > kFewSlots) return interpret();
    const LLVMValueRef first = slot(in.a);
    for (std::int32_t i = 0; i < in.c; ++i) require_unwatched(plus(first, i));
    move_slots(
        in.c, [&](std::int32_t i) { return place(in.b + i); },
        [&](std::int32_t i) { return memory_at(plus(first, i)); });
  }

  /// Goes on behind the instruction, or gives back `stop` with `pc`.
  void go_on_unless(LLVMValueRef stop, std::int32_t pc) {
    const LLVMBasicBlockRef back = new_block();
    LLVMBuildCondBr(builder_, LLVMBuildICmp(builder_, LLVMIntEQ, stop, number(0), ""),
                    block_at(pc_ + 1), back);
    begin(back);
    const LLVMValueRef wide = LLVMBuildZExt(builder_, stop, word_, "");
    LLVMBuildRet(builder_,
                 LLVMBuildOr(builder_, LLVMBuildShl(builder_, wide, word(32), ""), word(pc), ""));
  }
  /// Whether an instruction does nothing but to compute, so that it may be done again from the
  /// beginning of the code that it stands in.
  bool only_computes(const Instr& in) const {
    if (in.op == Op::MoveN || in.op == Op::LoadAt) return in.c <= kFewSlots;
    if (in.op == Op::ListHead) return element(in)->is_plain;
    if (in.op >= Op::AddInt && in.op <= Op::MulInt) return true;
    if (in.op >= Op::NegInt && in.op <= Op::DivReal) return true;
    if (in.op >= Op::NegReal && in.op <= Op::LeReal) return true;
    return in.op == Op::Move || in.op == Op::LoadRef || in.op == Op::Address ||
           in.op == Op::OffsetAddress || in.op == Op::CheckIndex || in.op == Op::Time ||
           in.op == Op::Length;
  }
  /// Whether the code of an offer's value can be written where the offer is: it is short and has no
  /// effect, for then the interpreter can do the whole instruction if a part of it fails.
  bool value_fits_here(const Offer& offer) const {
    if (offer.value_pc < 0) return false;
    for (std::int32_t i = 0; i < kShort; ++i) {
      const Instr& in = routine_.code[offer.value_pc + i];
      if (in.op == Op::EndValue) return true;
      if (!only_computes(in)) return false;
    }
    return false;
  }
  void value_here(const Offer& offer) {
    whole_ = pc_;
    for (pc_ = offer.value_pc; routine_.code[pc_].op != Op::EndValue; ++pc_)
      instruction(routine_.code[pc_]);
    pc_ = std::exchange(whole_, -1);
  }
  /// A communication for which the other side is there: how it went.
  LLVMValueRef meet_somebody(const Offer& offer) {
    auto action = offer.kind == Offer::Kind::Send ? run_.actions.send : run_.actions.receive;
    if (offer.kind == Offer::Kind::Send && value_fits_here(offer)) {
      value_here(offer);
      action = run_.actions.send_computed;
    }
    return meet(offer, action);
  }
  LLVMValueRef meet(const Offer& offer,
                    NativeStop (*action)(void*, std::int32_t, const Offer*, std::int64_t)) {
    return call(action, parameter(0), parameter(3), address(&offer), slot(offer.channel));
  }
  void send(const Instr& in) {
    const Offer& offer = routine_.offers[in.c];
    if (value_fits_here(offer)) {
      const LLVMBasicBlockRef yes = new_block(), no = new_block();
      LLVMBuildCondBr(builder_, is_somebody(run_.receivers, offer), yes, no);
      begin(yes);
      go_on_unless(meet_somebody(offer), pc_ + 1);
      begin(no);
    }
    go_on_unless(meet(offer, run_.actions.send), pc_ + 1);
  }
  void receive(const Instr& in) {
    go_on_unless(meet(routine_.offers[in.c], run_.actions.receive), pc_ + 1);
  }
  void delay(const Instr& in) {
    const LLVMValueRef duration = real(in.a), zero = LLVMConstReal(real_, 0);
    const LLVMBasicBlockRef wait = new_block(), other = new_block();
    LLVMBuildCondBr(builder_, LLVMBuildFCmp(builder_, LLVMRealOGT, duration, zero, ""), wait,
                    other);
    begin(wait);
    call(run_.actions.delay, parameter(0), parameter(3), duration);
    give_back(NativeStop::Wait, pc_ + 1);
    begin(other);
    require(LLVMBuildFCmp(builder_, LLVMRealORD, duration, duration, ""));
    go_on();
  }
  /// Whether an alternative, whose guard is open, is possible now.
  LLVMValueRef is_possible(const Offer& offer) {
    switch (offer.kind) {
      case Offer::Kind::Immediate:
        return offer.ready < 0 ? LLVMConstInt(LLVMInt1TypeInContext(context_), 1, 0)
                               : is_true(offer.ready);
      case Offer::Kind::Delay:
        return LLVMBuildFCmp(builder_, LLVMRealOLE, real(offer.deadline),
                             load_from(real_, address(run_.time)), "");
      case Offer::Kind::Send: return is_somebody(run_.receivers, offer);
      case Offer::Kind::Receive: return is_somebody(run_.senders, offer);
    }
    return nullptr;
  }
  LLVMValueRef is_somebody(const std::int32_t* table, const Offer& offer) {
    LLVMValueRef offset =
        LLVMBuildMul(builder_, slot(offer.channel), word(run_.channel_stride), "");
    const LLVMValueRef place =
        LLVMBuildGEP2(builder_, LLVMInt8TypeInContext(context_), address(table), &offset, 1, "");
    return LLVMBuildICmp(builder_, LLVMIntSGE, load_from(number_, place), number(0), "");
  }
  /// The first alternative that is possible is taken, here; the rest is the scheduler's.
  void select_first(const Instr& in) {
    const Selection& selection = routine_.selections[in.c];
    for (std::int32_t i = 0; i < selection.offers; ++i) {
      const Offer& offer = routine_.offers[selection.first_offer + i];
      const LLVMBasicBlockRef yes = new_block(), no = new_block();
      if (offer.guard >= 0) {
        const LLVMBasicBlockRef open = new_block();
        LLVMBuildCondBr(builder_, is_true(offer.guard), open, no);
        begin(open);
      }
      LLVMBuildCondBr(builder_, is_possible(offer), yes, no);
      begin(yes);
      const bool meets = offer.kind == Offer::Kind::Send || offer.kind == Offer::Kind::Receive;
      const LLVMValueRef stop = meets && !run_.tells ? meet_somebody(offer)
                                                     : call(run_.actions.take, parameter(0),
                                                            parameter(3), address(&offer));
      const LLVMBasicBlockRef back = new_block();
      LLVMBuildCondBr(builder_, LLVMBuildICmp(builder_, LLVMIntEQ, stop, number(0), ""),
                      block_at(offer.body_pc), back);
      begin(back);
      give_back(NativeStop::End, pc_);
      begin(no);
    }
    const LLVMValueRef result =
        waits_for_partners(selection, routine_.offers)
            ? call(run_.actions.wait_for_partners, parameter(0), parameter(3), address(&selection),
                   number(in.c), number(pc_ + 1))
            : call(run_.actions.wait, parameter(0), parameter(3), number(in.c), number(pc_ + 1));
    if (selection.closed_pc < 0) {
      LLVMBuildRet(builder_, result);
      return;
    }
    const LLVMBasicBlockRef back = new_block();
    LLVMBuildCondBr(builder_,
                    LLVMBuildICmp(builder_, LLVMIntEQ, result, word(selection.closed_pc), ""),
                    block_at(selection.closed_pc), back);
    begin(back);
    LLVMBuildRet(builder_, result);
  }
  void select(const Instr& in) {
    if (run_.takes_first) return select_first(in);
    const LLVMValueRef result =
        call(run_.actions.select, parameter(0), parameter(3), number(in.c), number(pc_ + 1));
    const Selection& selection = routine_.selections[in.c];
    std::vector<std::int32_t> ways;
    for (std::int32_t i = 0; i < selection.offers; ++i)
      ways.push_back(routine_.offers[selection.first_offer + i].body_pc);
    if (selection.closed_pc >= 0) ways.push_back(selection.closed_pc);
    std::sort(ways.begin(), ways.end());
    ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
    const LLVMBasicBlockRef elsewhere = new_block();
    const LLVMValueRef choice =
        LLVMBuildSwitch(builder_, result, elsewhere, static_cast<unsigned>(ways.size()));
    for (const std::int32_t way : ways) LLVMAddCase(choice, word(way), block_at(way));
    begin(elsewhere);
    LLVMBuildRet(builder_, result);
  }
  const RuntimeType* element(const Instr& in) const { return routine_.types[in.n]->element; }
  void operate(const Instr& in) {
    require_call(run_.actions.operate, address(run_.interpreter), address(routine_.routine),
                 address(&in), parameter(1));
    go_on();
  }

  void instruction(const Instr& in) {
    switch (in.op) {
      case Op::Jump: return go_to(in.c);
      case Op::JumpIf:
        LLVMBuildCondBr(builder_, is_true(in.a), block_at(in.c), block_at(pc_ + 1));
        return;
      case Op::JumpUnless:
        LLVMBuildCondBr(builder_, is_true(in.a), block_at(pc_ + 1), block_at(in.c));
        return;
      case Op::LoopBack: return loop_back(in);
      case Op::EndValue: return give_back(NativeStop::ValueReady, pc_);
      case Op::Call:
      case Op::CallValue:
        return go_on_unless(call(run_.actions.call, address(run_.interpreter),
                                 address(routine_.routine), parameter(1), number(pc_)),
                            pc_);

      case Op::Move: set(in.a, slot(in.b)); return go_on();
      case Op::MoveN:
        if (in.c > kFewSlots) return operate(in);
        return move_slots(
            in.c, [&](std::int32_t i) { return place(in.b + i); },
            [&](std::int32_t i) { return place(in.a + i); });
      case Op::Clear:
        if (in.b > kFewSlots) return operate(in);
        for (std::int32_t i = 0; i < in.b; ++i) set(in.a + i, word(0));
        return go_on();
      case Op::LoadRef:
        set(in.a, load_from(word_, memory_at(plus(slot(in.b), in.c))));
        return go_on();
      case Op::StoreRef: {
        const LLVMValueRef index = plus(slot(in.a), in.c);
        require_unwatched(index);
        LLVMBuildStore(builder_, slot(in.b), memory_at(index));
        return go_on();
      }
      case Op::Address: {
        const LLVMValueRef here = LLVMBuildPtrToInt(builder_, place(in.b), word_, "");
        const auto memory =
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(run_.memory));
        set(in.a, LLVMBuildAShr(builder_, plus(here, -memory), word(3), ""));
        return go_on();
      }
      case Op::OffsetAddress: set(in.a, plus(slot(in.b), in.c)); return go_on();
      case Op::ElementAddress:
        set(in.a, LLVMBuildAdd(builder_, slot(in.a),
                               LLVMBuildMul(builder_, slot(in.b), word(in.c), ""), ""));
        return go_on();
      case Op::LoadAt: {
        if (in.c > kFewSlots) return operate(in);
        const LLVMValueRef first = slot(in.b);
        return move_slots(
            in.c, [&](std::int32_t i) { return memory_at(plus(first, i)); },
            [&](std::int32_t i) { return place(in.a + i); });
      }
      case Op::StoreAt: return store_at(in);
      case Op::CheckIndex:
        require(LLVMBuildICmp(builder_, LLVMIntULT, slot(in.a), word(in.b), ""));
        return go_on();

      case Op::AddInt: return checked(in, "llvm.sadd.with.overflow", slot(in.b), slot(in.c));
      case Op::SubInt: return checked(in, "llvm.ssub.with.overflow", slot(in.b), slot(in.c));
      case Op::MulInt: return checked(in, "llvm.smul.with.overflow", slot(in.b), slot(in.c));
      case Op::NegInt: return checked(in, "llvm.ssub.with.overflow", word(0), slot(in.b));
      case Op::AbsInt: return absolute(in);
      case Op::SignInt: return sign_of_int(in);
      case Op::MinInt: return extreme(in, LLVMIntSLT);
      case Op::MaxInt: return extreme(in, LLVMIntSGT);
      case Op::EqInt: return compare(in, LLVMIntEQ);
      case Op::NeInt: return compare(in, LLVMIntNE);
      case Op::LtInt: return compare(in, LLVMIntSLT);
      case Op::LeInt: return compare(in, LLVMIntSLE);
      case Op::CheckNat:
        require(LLVMBuildICmp(builder_, LLVMIntSGE, slot(in.b), word(0), ""));
        set(in.a, slot(in.b));
        return go_on();
      case Op::Not:
        set_truth(in.a, LLVMBuildICmp(builder_, LLVMIntEQ, slot(in.b), word(0), ""));
        return go_on();

      case Op::IntToReal:
        set(in.a, LLVMBuildSIToFP(builder_, slot(in.b), real_, ""));
        return go_on();
      case Op::AddReal:
        set(in.a, LLVMBuildFAdd(builder_, real(in.b), real(in.c), ""));
        return go_on();
      case Op::SubReal:
        set(in.a, LLVMBuildFSub(builder_, real(in.b), real(in.c), ""));
        return go_on();
      case Op::MulReal:
        set(in.a, LLVMBuildFMul(builder_, real(in.b), real(in.c), ""));
        return go_on();
      case Op::DivReal: return divide(in);
      case Op::NegReal: set(in.a, LLVMBuildFNeg(builder_, real(in.b), "")); return go_on();
      case Op::AbsReal: set(in.a, intrinsic("llvm.fabs", real_, {real(in.b)})); return go_on();
      case Op::SignReal: return sign_of_real(in);
      case Op::MinReal: set(in.a, call(run_.actions.least, real(in.b), real(in.c))); return go_on();
      case Op::MaxReal:
        set(in.a, call(run_.actions.greatest, real(in.b), real(in.c)));
        return go_on();
      case Op::EqReal: return compare(in, LLVMRealOEQ);
      case Op::NeReal: return compare(in, LLVMRealUNE);
      case Op::LtReal: return compare(in, LLVMRealOLT);
      case Op::LeReal: return compare(in, LLVMRealOLE);
      case Op::Time: set(in.a, load_from(real_, address(run_.time))); return go_on();

      case Op::Sample:
        require_call(run_.actions.sample, address(run_.blocks), place(in.b), place(in.a));
        return go_on();
      case Op::Length:
        set(in.a, LLVMBuildLShr(builder_, slot(in.b + 1), word(32), ""));
        return go_on();
      case Op::ListPush:
        require_call(run_.actions.list_push, address(run_.heap), address(element(in)), place(in.a),
                     place(in.b));
        return go_on();
      case Op::ListHead:
        require_call(run_.actions.list_head, address(element(in)), place(in.b), place(in.a));
        return go_on();
      case Op::ListTail:
        require_call(run_.actions.list_tail, address(run_.heap), address(element(in)), place(in.a));
        return go_on();

      case Op::Send: return send(in);
      case Op::Receive: return receive(in);
      case Op::Delay: return delay(in);
      case Op::Select: return select(in);

      default: return native_operates(in.op) ? operate(in) : interpret();
    }
  }

  LLVMModuleRef module_;
  LLVMContextRef context_;
  const NativeRunView& run_;
  const NativeRoutine& routine_;
  LLVMTypeRef number_, word_, real_, pointer_, words_;
  std::unordered_map<std::int32_t, std::int64_t> constants_;  // by register
  std::vector<LLVMBasicBlockRef> blocks_;                     // by place in the code
  std::vector<std::int32_t> unwritten_;
  LLVMValueRef function_ = nullptr;
  LLVMBuilderRef builder_ = nullptr;
  std::int32_t pc_ = 0;
  std::int32_t whole_ = -1;  // the instruction that what is written now is a part of
};

}  // namespace

void emit_routine(LLVMModuleRef module, const char* name, const NativeRunView& run,
                  const NativeRoutine& routine) {
  RoutineWriter(module, run, routine).write(name);
}

}  // namespace chi::code::native
