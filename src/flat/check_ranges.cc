#include "flat/check_ranges.h"

#include <vector>

#include <fmt/format.h>

#include "flat/known_integer.h"

namespace chi::flat {
namespace {

using sema::Value;
using syntax::Alternative;
using syntax::StatId;

class RangeCheck {
 public:
  RangeCheck(const FlatModel& model, const Body& body, Diagnostics& diagnostics)
      : typed_(model.typed), values_(body.structural), diagnostics_(diagnostics) {}

  bool run(Slice<StatId> statements) {
    stack_.push_back({.list = statements});
    while (!stack_.empty()) {
      Item& item = stack_.back();
      if (item.unwound != nullptr) {
        if (!next_copy(item)) return false;
      } else if (item.next == item.list.count) {
        stack_.pop_back();
      } else {
        const auto k = static_cast<std::size_t>(item.next++);
        if (!visit(typed_.ast.list(item.list)[k])) return false;
      }
    }
    return true;
  }

 private:
  // A list of statements, or an unwound alternative and where its index is.
  struct Item {
    Slice<StatId> list = {};
    std::int32_t next = 0;
    const Alternative* unwound = nullptr;
    sema::DeclId index = {};
    std::int64_t high = -1, left = 0;  // the last index, and how many copies are to come
  };

  bool visit(StatId id) {
    const auto& node = typed_.ast.stats[id].node;
    if (const auto* forever = std::get_if<syntax::Forever>(&node)) {
      stack_.push_back({.list = forever->body});
      return true;
    }
    if (const auto* select = std::get_if<syntax::Select>(&node)) return visit(select->alternatives);
    if (const auto* loop = std::get_if<syntax::Loop>(&node)) return visit(loop->alternatives);
    return true;
  }

  bool visit(Slice<Alternative> alternatives) {
    for (const Alternative& alternative : typed_.ast.list(alternatives)) {
      if (!alternative.unwind) {
        stack_.push_back({.list = alternative.body});
      } else if (!unwind(alternative)) {
        return false;
      }
    }
    return true;
  }

  bool unwind(const Alternative& alternative) {
    const auto low = integer(alternative.unwind.low);
    const auto high = low ? integer(alternative.unwind.high) : std::nullopt;
    if (!high) return false;
    stack_.push_back({.unwound = &alternative,
                      .index = typed_.unwind_index.at(alternative.unwind.variable.span.begin),
                      .high = *high,
                      .left = range_length(*low, *high)});
    return true;
  }

  bool next_copy(Item& item) {
    if (item.left == 0) {
      values_.erase(item.index);
      stack_.pop_back();
      return true;
    }
    if (++copies_ > kMaxAlternatives) {
      diagnostics_.report({.code = DiagCode::TooManyInstances,
                           .span = item.unwound->span,
                           .message = fmt::format("the alternatives unwind to more than {} copies",
                                                  kMaxAlternatives)});
      return false;
    }
    values_[item.index] = Value{item.high - --item.left};
    const Slice<StatId> body = item.unwound->body;
    stack_.push_back({.list = body});
    return true;
  }

  std::optional<std::int64_t> integer(syntax::ExprId expr) {
    const auto value = sema::evaluate(typed_, expr, typed_.types.basic(sema::BasicType::Int),
                                      values_, diagnostics_);
    return value ? std::optional(std::get<std::int64_t>(value->data)) : std::nullopt;
  }

  const sema::TypedModel& typed_;
  sema::Environment values_;
  Diagnostics& diagnostics_;
  std::vector<Item> stack_;
  std::int64_t copies_ = 0;
};

}  // namespace

bool check_ranges(const FlatModel& model, const Body& body, Diagnostics& diagnostics) {
  const auto definition = static_cast<std::size_t>(body.definition);
  const auto* process = std::get_if<syntax::ProcDef>(&model.typed.ast.definitions[definition].node);
  return process == nullptr || RangeCheck(model, body, diagnostics).run(process->body);
}

}  // namespace chi::flat
