#pragma once

namespace chi::code::native {

/// LLVM knows no exceptions: one that is thrown in it passes its frames as they are and leaves
/// locks and tables behind. So once memory has ended in it, it is not called any more and what it
/// holds is not given back; code that is compiled stays.
bool has_llvm_failed();
/// To be called before any other function of LLVM: it would end the process otherwise.
void throw_at_end_of_memory();
void note_failure_of_llvm();

/// What `work` returns; null if memory ends in it, or has ended before.
template <class Work>
void* unless_out_of_memory(Work work) {
  if (has_llvm_failed()) return nullptr;
  throw_at_end_of_memory();
  try {
    return work();
  } catch (...) {
    note_failure_of_llvm();
    return nullptr;
  }
}

}  // namespace chi::code::native
