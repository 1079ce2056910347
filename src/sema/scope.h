#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/interner.h"
#include "sema/decl_id.h"

namespace chi::sema {

/// Which declaration each name stands for at the point that is being checked. Finding, adding and
/// leaving take constant time per name.
class Scope {
 public:
  explicit Scope(const Interner& symbols);

  DeclId find(Symbol name) const { return innermost_[static_cast<std::size_t>(name.index)]; }
  void add(Symbol name, DeclId decl);

  /// `leave(enter())` forgets all names added in between.
  std::size_t enter() const { return added_.size(); }
  void leave(std::size_t mark);

  /// The declarations added so far, some of which may hide others of the same name.
  std::span<const DeclId> visible() const { return decls_; }

 private:
  struct Added {
    Symbol name;
    DeclId hidden;  // what the name stood for before
  };
  std::vector<DeclId> innermost_;
  std::vector<Added> added_;
  std::vector<DeclId> decls_;
};

}  // namespace chi::sema
