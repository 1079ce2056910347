#include "base/interner.h"

namespace chi {

Symbol Interner::intern(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const Symbol id{size()};
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

Symbol Interner::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? Symbol{} : found->second;
}

}  // namespace chi
