#pragma once
#include "flat/equations.h"
#include "sema/typed_model.h"

namespace chi::flat {

/// The tables of the model as functions of the expressions, in `function_components`.
///
/// A table that is linear or steps gets a body: with k the piece that x is in, c0(k) + c1(k)
/// (x - corner(k)), and so for two variables. The number of the piece moves in steps, so it is held
/// between events like the value of `floor`, and on a piece the function is linear. A cubic is one
/// function of piece and variable; its pieces are inside and outside the data.
void add_table_functions(const sema::TypedModel& model, Equations& equations);

}  // namespace chi::flat
