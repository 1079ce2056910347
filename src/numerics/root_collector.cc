#include "numerics/root_collector.h"

#include <algorithm>

namespace chi::numerics {

void RootCollector::sign(int sign) {
  if (open_ && last_sign_ != 0) add(open_from_, open_to_, last_sign_, sign);
  open_ = false;
  last_sign_ = sign;
}

void RootCollector::zero(double from, double to) {
  if (!open_) open_from_ = from;
  open_to_ = to;
  open_ = true;
}

void RootCollector::crossing(double left, double right, int sign_at_left) {
  sign(sign_at_left);
  add(left, right, sign_at_left, -sign_at_left);
  last_sign_ = -sign_at_left;
}

void RootCollector::finish(bool odd) {
  if (open_ && last_sign_ != 0)
    add(open_from_, open_to_, last_sign_, odd ? -last_sign_ : last_sign_);
  out_.zero = out_.count == 0 && last_sign_ == 0;
  open_ = false;
}

void RootCollector::add(double left, double right, int sign_before, int sign_after) {
  if (full()) {
    out_.complete = false;
    return;
  }
  RootKind kind = sign_before < 0 ? RootKind::Rising : RootKind::Falling;
  if (sign_before == sign_after) {
    kind = sign_before > 0 ? RootKind::TouchFromAbove : RootKind::TouchFromBelow;
  }
  out_.found[static_cast<std::size_t>(out_.count++)] = {left, right, kind};
}

}  // namespace chi::numerics
