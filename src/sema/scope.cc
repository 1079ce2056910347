#include "sema/scope.h"

namespace chi::sema {

Scope::Scope(const Interner& symbols) : innermost_(static_cast<std::size_t>(symbols.size())) {}

void Scope::add(Symbol name, DeclId decl) {
  DeclId& slot = innermost_[static_cast<std::size_t>(name.index)];
  added_.push_back({name, slot});
  decls_.push_back(decl);
  slot = decl;
}

void Scope::leave(std::size_t mark) {
  while (added_.size() > mark) {
    const Added last = added_.back();
    innermost_[static_cast<std::size_t>(last.name.index)] = last.hidden;
    added_.pop_back();
    decls_.pop_back();
  }
}

}  // namespace chi::sema
