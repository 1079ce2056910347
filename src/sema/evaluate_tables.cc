#include <algorithm>

#include <fmt/format.h>

#include "sema/evaluator.h"

// Data from files, and functions between data.
namespace chi::sema {
namespace {

double number(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*i);
  return std::get<double>(value.data);
}

std::vector<double> numbers(const Value& value) {
  std::vector<double> result;
  for (const Value& v : std::get<Value::Sequence>(value.data)) result.push_back(number(v));
  return result;
}

}  // namespace

bool Evaluator::csv(ExprId call, Value& out) {
  const auto found = m_.data.find(call);
  if (found == m_.data.end() || !found->second.numbers) return false;  // reported
  const std::vector<double>& column = *found->second.numbers;
  if (!work(column.size(), span(call))) return false;
  Value::Sequence values(column.size());
  for (std::size_t i = 0; i < column.size(); ++i) values[i].data = column[i];
  out.data = std::move(values);
  return true;
}

bool Evaluator::interpolate(ExprId call, const std::vector<Value>& arguments, Value& out) {
  LookupTable::Data data;
  data.x = numbers(arguments[0]);
  std::size_t next = 2;
  const bool two = arguments.size() > 2 && !std::holds_alternative<std::string>(arguments[2].data);
  if (two) {
    data.y = numbers(arguments[1]);
    for (const Value& row : std::get<Value::Sequence>(arguments[next++].data)) {
      const std::vector<double> values = numbers(row);
      if (values.size() != data.y.size()) {
        return bad_table(call, fmt::format("a row of {} values for {} places of the second list",
                                           values.size(), data.y.size()));
      }
      data.z.insert(data.z.end(), values.begin(), values.end());
    }
    if (data.y.empty()) return bad_table(call, "the second list is empty");
  } else {
    data.z = numbers(arguments[1]);
  }
  for (; next < arguments.size(); ++next) {
    const auto& word = std::get<std::string>(arguments[next].data);
    using Method = LookupTable::Method;
    if (word == "previous") data.method = Method::Previous;
    if (word == "pchip") data.method = Method::Pchip;
    if (word == "spline") data.method = Method::Spline;
    if (word == "hold") data.outside = LookupTable::Outside::Hold;
    if (word == "extend") data.outside = LookupTable::Outside::Extend;
  }
  if (!work(data.x.size() + data.z.size(), span(call))) return false;
  std::string problem = LookupTable::problem(data);
  if (!problem.empty()) return bad_table(call, problem);
  out.data = Value::FunctionRef{m_.tables->add(std::move(data), span(call))};
  return true;
}

bool Evaluator::bad_table(ExprId call, std::string_view problem) {
  diagnostics_.report({.code = DiagCode::TableData,
                       .span = span(call),
                       .message = fmt::format("these data make no table: {}", problem)});
  return false;
}

bool Evaluator::look_up(DeclId table, const std::vector<Value>& arguments, Span where, Value& out) {
  const LookupTable& found = (*m_.tables)[table];
  double given[2] = {0, 0};
  for (std::size_t i = 0; i < arguments.size(); ++i) given[i] = number(arguments[i]);
  const std::optional<double> value = found.value(given);
  if (value) {
    out.data = *value;
    return true;
  }
  const int axis = std::max(found.outside(given), 0);
  return fail(where, fmt::format("`interpolate` is asked outside its data, at {}: they go {}",
                                 real_text(given[axis]), found.range_text(axis)));
}

}  // namespace chi::sema
