#pragma once
#include "code/heap.h"
#include "sema/value.h"

namespace chi::code {

/// Writes a value known before the run into slots that were garbage; the caller owns it. Numbers
/// are widened as `type` needs (nat -> int -> real). A distribution's stream is not started; a
/// function is its declaration's number. OutOfMemory or BadDistribution: then nothing is owned.
RunError make_value(Heap& heap, const RuntimeType& type, const sema::Value& value, Slot* slots);

}  // namespace chi::code
