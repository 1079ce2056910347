#pragma once
#include "numerics/root_isolation.h"

namespace chi::numerics {

/// Turns what an isolation method meets from left to right (known signs, stretches where the value
/// cannot be told from zero, brackets of simple roots) into roots with their kinds.
///
/// Zero stretches that no known sign separates are one root; its kind follows from the signs on
/// both sides. A stretch before the first known sign is the start of the window and no root.
class RootCollector {
 public:
  RootCollector(Isolation& out, int max_roots) : out_(out), max_roots_(max_roots) {}

  void sign(int sign);                ///< the function has this sign here; sign is not 0
  void zero(double from, double to);  ///< the function cannot be told from zero here
  void crossing(double left, double right, int sign_at_left);
  /// The window ends. A stretch still open reaches its end: it is a crossing if `odd`.
  void finish(bool odd);
  void stopped() { out_.complete = false; }  ///< the search ends before the window does

  bool full() const { return out_.count >= max_roots_; }
  int last_sign() const { return last_sign_; }

 private:
  void add(double left, double right, int sign_before, int sign_after);

  Isolation& out_;
  int max_roots_ = 0;
  int last_sign_ = 0;
  bool open_ = false;  // a zero stretch whose right-hand sign is not known yet
  double open_from_ = 0.0;
  double open_to_ = 0.0;
};

}  // namespace chi::numerics
