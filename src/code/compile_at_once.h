#pragma once

namespace chi::code {

/// Whether CHI_COMPILE=at-once is in the environment: nothing is interpreted first to see whether
/// compiling is worth while, so that tests compare both ways, and both threads, on any model.
bool compile_at_once();

}  // namespace chi::code
