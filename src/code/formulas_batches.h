#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "code/formulas_program.h"

namespace chi::code {

/// A `FormulaProgram` as loops: instructions that do the same and do not need each other's results
/// are one batch.
///
/// Equations that are written by unwinding, or that many instances of a process have, are the same
/// but for the variables and numbers in them. Instructions are ordered by how many others come
/// before them on the way from the leaves; what is then alike follows each other, with operands
/// that lie side by side, and one loop does it all. Every operation is the one of `run_fast`, in
/// another order, so the bits are the same.
class FormulaBatches {
 public:
  /// None if there is a branch or anything else but arithmetic in the program, or if it would be
  /// cut into pieces too short to gain by it. Near linear.
  static std::optional<FormulaBatches> make(const FormulaProgram& program);

  /// Values of the roots into `out`. False if there may be a fault, as `run_fast` has it.
  bool run(const double* frame, double* out);

  std::size_t pieces() const { return pieces_.size(); }

 private:
  // `count` operations of one kind: result k is slot dst + k, operand a is slot or place a + k
  // step_a, or, where `listed` is not negative, what the list says from there on.
  struct Piece {
    FormulaCode code = FormulaCode::End;
    bool a_in_frame = false, b_in_frame = false;  // else among the slots
    std::int32_t count = 0;
    std::int32_t dst = 0;
    std::int32_t a = 0, b = 0;
    std::int32_t step_a = 0, step_b = 0;
    std::int32_t listed = -1;
  };
  friend class BatchMaker;
  FormulaBatches() = default;
  template <class Operation>
  void apply(const Piece& piece, const double* frame, const Operation& operation);
  bool run_piece(const Piece& piece, const double* frame);

  std::vector<Piece> pieces_;
  std::vector<std::int32_t> list_;   // pairs of operands
  std::vector<double> slots_;        // constants, then results in the order of the pieces
  std::vector<std::int32_t> roots_;  // slots, or ~places of the frame
};

}  // namespace chi::code
