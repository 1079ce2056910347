#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/id.h"

namespace chi {

using Symbol = Id<struct SymbolTag>;

/// Gives equal texts the same small id, and the text back for an id.
class Interner {
 public:
  Interner() = default;
  Interner(Interner&&) = default;
  Interner& operator=(Interner&&) = default;
  Interner(const Interner&) = delete;  // the map's keys point into `texts_`
  Interner& operator=(const Interner&) = delete;

  Symbol intern(std::string_view text);
  Symbol find(std::string_view text) const;  ///< none if it was never interned
  std::string_view text(Symbol symbol) const {
    return texts_[static_cast<std::size_t>(symbol.index)];
  }
  std::int32_t size() const { return static_cast<std::int32_t>(texts_.size()); }

 private:
  std::deque<std::string> texts_;  // a deque: growing it moves no string
  std::unordered_map<std::string_view, Symbol> ids_;
};

}  // namespace chi
