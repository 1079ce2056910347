#include "base/cancel.h"

namespace chi::detail {

void throw_cancelled(StopCause cause) { throw Cancelled{cause}; }

}  // namespace chi::detail
