#pragma once

namespace chi::numerics::testing {

/// How often the test program has called operator new so far (allocation_test.cc replaces it).
long allocation_count();

}  // namespace chi::numerics::testing
