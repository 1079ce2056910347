#pragma once
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/ir.h"
#include "code/lower.h"
#include "code/lower_box.h"
#include "code/run_error.h"
#include "flat/equation_uses.h"
#include "flat/flat_model.h"

/// The working state of lowering, shared by the lower_*.cc files and by nobody else.
namespace chi::code {

/// A value in registers. `owned`: a temporary that holds references of its own, to be moved on or
/// released; otherwise it is somebody else's and stays valid until the next assignment.
struct Operand {
  std::int32_t reg = -1;
  sema::TypeId type;
  bool owned = false;
};

/// Where a variable or a fixed element of one lies.
struct Location {
  bool in_memory =
      false;  ///< register: `reg` is its first slot; memory: `reg` holds its slot number
  std::int32_t reg = -1;
  std::int32_t offset = 0;  ///< memory only: slots to add
  sema::TypeId type;
  flat::SlotUse use = {};  ///< what equations have to do with the variable, in any instance
};

/// What all routines of a program share.
struct LoweringContext {
  flat::FlatModel& model;
  Program& program;
  LowerOptions options;
  std::unordered_map<sema::DeclId, RoutineId> functions = {};
  std::unordered_map<sema::DeclId, std::int32_t> named_constants = {};
  std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> scalar_constants = {};
  std::map<std::pair<std::int32_t, Symbol>, std::int32_t> text_constants = {};
  /// Per body: the variables and reference parameters that equations have to do with, in any
  /// instance. Empty altogether if there are no equations.
  std::vector<std::unordered_map<sema::DeclId, flat::SlotUse>> uses = {};
  bool integrates = false;  ///< there are equations that hold while time passes
};

/// Lowers one routine. Registers are numbered in three classes while the code grows, and shifted
/// together by `finish`: variables from 0, constants from kConstantBase, temporaries from
/// kTemporaryBase.
class Lowering {
 public:
  explicit Lowering(LoweringContext& context) : context_(context) {}
  Routine lower_body(flat::BodyId id);
  Routine lower_function(std::int32_t definition);
  BoxRoutine lower_box(const flat::BlackBox& box);

 private:
  static constexpr std::int64_t kInfinity = 0x7ff0'0000'0000'0000;  // the bits of the real
  static constexpr std::int32_t kConstantBase = 1 << 28;
  static constexpr std::int32_t kTemporaryBase = 1 << 29;

  // lower.cc: frames, code, constants
  std::int32_t declare(sema::DeclId decl, sema::TypeId type);
  void fill(std::int32_t reg, sema::TypeId array, syntax::ExprId by);
  void lower_initialisers(std::span<const sema::DeclId> locals);
  bool holds_distributions(sema::TypeId type);
  void add_streams(std::int32_t reg, sema::TypeId type, const std::string& name);
  Routine finish();
  std::int32_t shifted(std::int32_t reg) const;
  std::int32_t emit(Op op, std::int32_t a = 0, std::int32_t b = 0, std::int32_t c = 0,
                    std::int32_t n = 0);
  std::int32_t here() const { return static_cast<std::int32_t>(routine_.code.size()); }
  void drop_last() {  ///< nobody jumps behind it
    routine_.code.pop_back();
    routine_.spans.pop_back();
  }
  void patch(std::int32_t jump) { routine_.code[static_cast<std::size_t>(jump)].c = here(); }
  std::int32_t temporary(std::int64_t slots);
  std::int32_t constant_register(std::int32_t constant, std::int64_t slots);
  Operand constant(sema::TypeId type, const sema::Value& value);
  Operand scalar(sema::BasicType kind, std::int64_t bits);
  std::int32_t add_constant(sema::TypeId type, sema::Value value);

  // types
  const sema::TypedModel& typed() const { return context_.model.typed; }
  const syntax::Ast& ast() const { return context_.model.typed.ast; }
  sema::Types& types() { return context_.model.typed.types; }
  sema::TypeId concrete(sema::TypeId type);
  sema::TypeId type_of(syntax::ExprId expr) { return concrete(typed().type[expr]); }
  std::int32_t slots(sema::TypeId type);
  bool managed(sema::TypeId type);
  TypeRef runtime(sema::TypeId type) { return context_.program.types.get(type); }
  std::int32_t type_index(sema::TypeId type);
  /// Of the value of an expression whose text people read.
  std::int32_t shown_type_index(sema::TypeId type, syntax::ExprId expr);
  sema::TypeId basic(sema::BasicType kind) { return types().basic(kind); }

  // lower_value.cc: moving and owning
  void move(std::int32_t to, std::int32_t from, sema::TypeId type);
  Operand own(Operand operand);
  void drop(Operand operand);
  Operand converted(Operand operand, sema::TypeId wanted);
  Operand load(Location place);
  void store(Location place, Operand value);
  void store_laws(Location place, Operand value);
  void into(std::int32_t reg, syntax::ExprId expr, sema::TypeId wanted);
  Operand value(syntax::ExprId expr);
  Operand value(syntax::ExprId expr, sema::TypeId wanted) { return converted(value(expr), wanted); }
  Operand owned_value(syntax::ExprId expr);

  // lower_place.cc: variables, elements, assignment
  std::optional<Location> place(syntax::ExprId expr);
  std::optional<Location> name_place(sema::DeclId decl);
  Location element(Location base, sema::TypeId type, std::int64_t offset);
  Location indexed(Location base, Operand index);
  Operand index_operand(syntax::ExprId expr);
  Operand read_name(syntax::ExprId expr);
  Operand read_member(syntax::ExprId expr);
  Operand read_index(syntax::ExprId of, Operand index);
  Operand read_part(syntax::ExprId expr, syntax::ExprId of, std::int32_t index);
  std::optional<sema::DeclId> root_variable(syntax::ExprId expr) const;
  void assign_element(syntax::ExprId target, Operand value);
  Operand read_decl(sema::DeclId decl);
  void assign(syntax::ExprId target, Operand value);
  syntax::ExprId changed_operand(syntax::ExprId expr) const;
  bool steals(syntax::ExprId value, syntax::ExprId target);
  Operand take(Location place);
  void put_back(Location place, Operand value);

  // lower_expr.cc: operators and literals
  Operand unary(syntax::ExprId expr, const syntax::Unary& node);
  Operand binary(syntax::ExprId expr, const syntax::Binary& node);
  Operand arithmetic(syntax::ExprId expr);
  Operand comparison(const syntax::Binary& node);
  Operand equality(const syntax::Binary& node);
  Operand membership(const syntax::Binary& node);
  Operand connective(const syntax::Binary& node);
  Operand conditional(syntax::ExprId expr, const syntax::Conditional& node);
  Operand guarded(syntax::ExprId expr, const syntax::GuardedExpr& node);
  Operand aggregate(sema::TypeId type, std::span<const syntax::ExprId> elements);
  Operand list_literal(sema::TypeId type, std::span<const syntax::ExprId> elements);
  Operand set_literal(sema::TypeId type, std::span<const syntax::ExprId> elements);
  Operand dict_literal(sema::TypeId type, std::span<const syntax::DictEntry> entries);
  Operand record_literal(sema::TypeId type, std::span<const syntax::FieldValue> fields);
  std::optional<Op> sequence_op(syntax::ExprId expr);
  Operand changed(syntax::ExprId expr);
  std::int32_t consecutive(sema::TypeId element, std::span<const syntax::ExprId> values);

  // lower_call.cc: library and user functions
  Operand call(syntax::ExprId expr, const syntax::Call& node);
  Operand call_library(syntax::ExprId expr, sema::Builtin builtin,
                       std::span<const syntax::ExprId> arguments);
  Operand call_user(syntax::ExprId expr, const syntax::Call& node);
  Operand library_numeric(sema::Builtin builtin, sema::TypeId type,
                          std::span<const syntax::ExprId> arguments);
  Operand library_sequence(sema::Builtin builtin, sema::TypeId type,
                           std::span<const syntax::ExprId> arguments);
  Operand numeric_function(sema::Builtin builtin, sema::TypeId type,
                           std::span<const Operand> arguments);
  Operand format(sema::TypeId type, std::span<const syntax::ExprId> arguments);
  Operand library_insert(sema::TypeId type, std::span<const syntax::ExprId> arguments);
  Operand library_range(sema::TypeId type, std::span<const syntax::ExprId> arguments);
  Operand read_sequence(Op op, syntax::ExprId of, sema::TypeId result);
  Operand distribution(sema::Builtin builtin, sema::TypeId type,
                       std::span<const syntax::ExprId> arguments);
  Operand sample(syntax::ExprId operand, sema::TypeId type);

  // lower_vector.cc: vectors and matrices
  /// How often a loop has been run: known where it is unrolled, else in a register.
  struct Counter {
    std::int64_t known = 0;
    std::int32_t reg = -1;
  };
  struct Stride {
    Counter counter;
    std::int64_t stride = 1;
  };
  sema::TypeId number_of(sema::TypeId type);
  sema::TypeId computed(sema::TypeId number);
  template <class Body>
  void repeat(std::int64_t count, bool unrolled, const Body& body);
  std::pair<std::int32_t, bool> cell_place(std::int32_t base, std::initializer_list<Stride> steps);
  Operand read_cell(const Operand& array, std::initializer_list<Stride> steps);
  void write_cell(const Operand& array, std::initializer_list<Stride> steps, Operand value);
  Operand number_operation(syntax::BinaryOp op, sema::TypeId number, Operand a, Operand b);
  Operand new_array(sema::TypeId type);
  Operand by_elements(syntax::BinaryOp op, sema::TypeId type, Operand a, Operand b);
  Operand negated(Operand a, sema::TypeId type);
  Operand matrix_product(sema::TypeId type, Operand a, Operand b, std::int64_t rows,
                         std::int64_t inner, std::int64_t columns);
  Operand vector_operation(syntax::ExprId expr, const syntax::Binary& node);
  Operand vector_function(sema::Builtin builtin, sema::TypeId type,
                          std::span<const syntax::ExprId> arguments);
  Operand diagonal(sema::TypeId type, Operand a);
  Operand cross_product(sema::TypeId type, Operand a, Operand b);
  Operand mapped(sema::TypeId type, std::span<const syntax::ExprId> arguments);

  // lower_equations.cc: what is asked of the equations around the statements
  /// What an expression reads.
  struct Reads {
    bool unknown = false;  ///< the equations may have to be solved for it
    bool moves = false;    ///< it changes otherwise than by assignments
    bool time = false;
    bool samples = false;
  };
  /// A condition that is being lowered, of a guard or a `nabla`.
  struct InCondition {
    Wanted wanted = Wanted::Either;
    bool awaited = false;            // of a `nabla`
    Selection* selection = nullptr;  // where it is noted what the evaluation came to; null: nowhere
    std::int32_t offer = -1;
  };
  flat::SlotUse use_of(sema::DeclId decl) const;
  Reads reads(syntax::ExprId expr) const;
  bool is_relation(const syntax::Binary& node);
  bool is_asked(syntax::ExprId expr);
  Operand ask_condition(syntax::ExprId expr);
  void check_indices(syntax::ExprId expr);
  Operand condition_value(syntax::ExprId expr, InCondition condition);
  Operand with_wanted(Wanted wanted, syntax::ExprId expr);
  Operand deciding(syntax::ExprId expr);
  std::int32_t count_asked(syntax::ExprId expr, bool awaited);
  void start_notes(std::int32_t count);
  UnwindingIndices unwinding_indices() const;
  Operand asked_value(syntax::ExprId expr);  ///< of a derivative or a `delay`
  Operand derivative(syntax::ExprId expr);
  void instant(syntax::StatId stat);
  void settle_for(syntax::ExprId expr);
  void settle_for_target(syntax::ExprId target);
  void refresh(const Location& place);
  void about_to_assign(const Location& place);
  void assigned(const Location& place);
  bool is_fixed_place(syntax::ExprId target);
  void assign_together(std::span<const syntax::ExprId> targets, std::span<const Operand> values);

  // lower_box.cc: boxed expressions
  std::optional<Operand> box_step(syntax::ExprId expr);
  Operand box_derivative(syntax::ExprId of);
  Location rate_place(sema::DeclId decl);

  // lower_stat.cc and lower_select.cc: statements
  void statements(Slice<syntax::StatId> body);
  void statement(syntax::StatId id);
  void assignment(const syntax::Assign& node);
  void return_value(const syntax::Return& node);
  void send(const syntax::Send& node, Span span);
  void receive(const syntax::Receive& node, Span span);
  void print(const syntax::Print& node);
  void wait(const syntax::Wait& node, Span span);
  Operand awaited(syntax::ExprId condition, Selection& selection, std::int32_t offer);
  void forever(const syntax::Forever& node);

  // lower_claim.cc: assertions and requirements
  void assertion(const syntax::Assert& node, Span span);
  void monitors(std::int32_t definition);
  void monitor(const sema::Requirement& requirement, std::size_t depth);
  void broken(syntax::ExprId condition, syntax::ExprId text, Span span);
  std::vector<syntax::ExprId> told_values(syntax::ExprId condition);
  bool text_of_path(syntax::ExprId e, std::string& out);
  Offer send_offer(const syntax::Send& node);
  Offer receive_offer(const syntax::Receive& node);
  std::optional<Location> own_variable(syntax::ExprId expr, sema::TypeId type);
  void finish_receive(const syntax::Receive& node, const Offer& offer);
  std::int32_t channel_register(syntax::ExprId channel);
  sema::TypeId channel_element(syntax::ExprId channel);

  /// One alternative after unwinding.
  struct Case {
    const syntax::Alternative* alternative = nullptr;
    std::vector<std::pair<sema::DeclId, std::int64_t>> indices;
    std::int32_t shared_guard = -1;  ///< the register of a guard that has been evaluated
  };
  bool has_guard_of(const Case& before, const Case& c) const;
  std::vector<Case> unwound(std::span<const syntax::Alternative> alternatives);
  void selection(std::span<const syntax::Alternative> alternatives, bool loop, Span span);
  void plain_selection(const std::vector<Case>& cases, bool loop, Span span);
  void waiting_selection(const std::vector<Case>& cases, bool loop, bool waits, Span span);
  /// Registers of a delay that is an alternative: when the process came there, when it passes, and
  /// whether that is known yet.
  struct Clock {
    std::int32_t entered = -1, deadline = -1, is_set = -1;
  };
  std::vector<Clock> start_clocks(const std::vector<Case>& cases);
  void set_deadline(const syntax::Delay& delay, const Clock& clock);
  Offer case_offer(const Case& c, std::int32_t number, const Clock& clock, Selection& selection);
  void case_body(const Case& c, const Offer& offer);
  void watch(syntax::ExprId expr, std::vector<Watched>& watched);
  void watch_case(const Case& c, std::vector<Watched>& watched);
  std::int32_t count_asked(const std::vector<Case>& cases);
  void bind(const Case& c);
  std::int64_t bound(syntax::ExprId expr);

  // lower_process.cc: interruption, and processes that are started
  /// Where `resume` and `restart` go.
  struct Interrupted {
    std::int32_t restart = -1, resume = -1;
  };
  void interruptible_delay(const syntax::Delay& node, Span span);
  void resume(const syntax::Resume& node);
  void start_process(const syntax::Start& node, Span span);
  void start_with_laws(Operand operand, sema::TypeId type, StartSite& start);
  std::int32_t has_ended(syntax::ExprId handle, std::int32_t offer, Selection& selection);
  void finish_process(const syntax::Finish& node, Span span);
  void mark_finished(syntax::ExprId handle);

  LoweringContext& context_;
  Routine routine_ = {};
  sema::Environment environment_ = {};                             // structural parameters
  std::unordered_map<sema::DeclId, std::int32_t> registers_ = {};  // of locals and parameters
  std::unordered_map<sema::DeclId, std::int64_t> indices_ = {};    // of unwindings
  std::unordered_map<sema::DeclId, sema::TypeId> decl_types_ = {};
  std::unordered_map<std::int32_t, std::int32_t> constant_registers_ = {};
  std::vector<sema::DeclId> owned_variables_ = {};  // functions: released on return
  std::map<std::int32_t, std::int32_t> type_indices_ = {};
  sema::TypeId result_type_ = {};
  syntax::ExprId stolen_ =
      {};  // the occurrence of the variable being assigned that may be changed in place
  std::span<const std::int32_t> deadlines_ = {};  // of an awaited condition's comparisons with time
  Span span_ = {};
  std::int32_t variable_slots_ = 0;
  std::int32_t constant_slots_ = 0;
  std::int32_t temporary_top_ = 0;
  std::int32_t temporary_slots_ = 0;
  std::int32_t sample_sites_ = 0;
  bool is_function_ = false;
  BoxRoutine* box_ = nullptr;  // the one being lowered: variables are in memory
  bool rates_ = false;         // names stand for the derivatives of the variables
  RoutineId body_ = {};
  const std::unordered_map<sema::DeclId, flat::SlotUse>* uses_ =
      nullptr;                                       // while statements among equations are lowered
  InCondition* condition_ = nullptr;                 // the one being lowered
  std::int32_t next_note_ = -1, end_of_notes_ = -1;  // registers, see Noted
  const Interrupted* interrupted_ = nullptr;         // by the alternative being lowered
  bool settled_ = false;  // the code up to here in this statement has settled
};

}  // namespace chi::code
