#include "sema/value.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/match.h"
#include "sema/typed_model.h"

namespace chi::sema {
namespace {

int compare(const Value& a, const Value& b);

template <class T>
int three_way(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// A total order: NaN after all numbers, equal to itself.
int three_way(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return int{std::isnan(a)} - int{std::isnan(b)};
  return a < b ? -1 : b < a ? 1 : 0;
}

int three_way(const Value::Sequence& a, const Value::Sequence& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int order = compare(a[i], b[i])) return order;
  }
  return three_way(a.size(), b.size());
}

int three_way(const Value::Mapping& a, const Value::Mapping& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int order = compare(a[i].first, b[i].first)) return order;
    if (const int order = compare(a[i].second, b[i].second)) return order;
  }
  return three_way(a.size(), b.size());
}

int three_way(std::monostate, std::monostate) { return 0; }

// Recurses as deep as the type nests, which is limited (kMaxTypeDepth).
int compare(const Value& a, const Value& b) {
  if (a.data.index() != b.data.index()) return three_way(a.data.index(), b.data.index());
  return match(a.data, [&](const auto& x) {
    return three_way(x, std::get<std::decay_t<decltype(x)>>(b.data));
  });
}

class ValueWriter {
 public:
  explicit ValueWriter(const TypedModel& model) : model_(model) {}

  void write(const Value& value, TypeId type, bool quoted) {
    match(
        value.data, [](std::monostate) {}, [&](bool b) { out_ += b ? "true" : "false"; },
        [&](std::int64_t i) { out_ += fmt::format("{}", i); },
        [&](double r) { out_ += real_text(r); },
        [&](const std::string& s) { quoted ? write_quoted(s) : void(out_ += s); },
        [&](const Value::Sequence& s) { write_sequence(s, type); },
        [&](const Value::Mapping& m) { write_mapping(m, type); },
        [&](const Value::FunctionRef& f) {
          if (LookupTables::is_table(f.decl)) return void(out_ += "interpolate(...)");
          out_ += model_.ast.symbols.text(model_.decls[f.decl].name);
        },
        [&](const Value::Distribution& d) { write_distribution(d); });
  }

  std::string take() { return std::move(out_); }

 private:
  template <class T>
  const T* as(TypeId type) const {
    return type ? std::get_if<T>(&model_.types[type]) : nullptr;
  }

  void write_quoted(const std::string& text) {
    out_ += '"';
    for (char c : text) {
      if (c == '"' || c == '\\') out_ += '\\';
      if (c == '\n') {
        out_ += "\\n";
      } else if (c == '\t') {
        out_ += "\\t";
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  void write_sequence(const Value::Sequence& values, TypeId type) {
    if (const auto* record = as<Record>(type)) return write_record(values, *record);
    const auto* tuple = as<Tuple>(type);
    const auto* array = as<Array>(type);
    const auto* list = as<List>(type);
    const auto* set = as<Set>(type);
    out_ += list || array ? '[' : set ? '{' : '<';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ", ";
      const TypeId element = tuple   ? model_.types.list(tuple->elements)[i]
                             : array ? array->element
                             : list  ? list->element
                             : set   ? set->element
                                     : TypeId{};
      write(values[i], element, true);
    }
    out_ += list || array ? ']' : set ? '}' : '>';
  }

  void write_record(const Value::Sequence& values, const Record& record) {
    const auto fields = model_.types.list(record.fields);
    out_ += '{';
    for (std::size_t i = 0; i < values.size() && i < fields.size(); ++i) {
      out_ += fmt::format("{}{} = ", i > 0 ? ", " : "", model_.ast.symbols.text(fields[i].name));
      write(values[i], fields[i].type, true);
    }
    out_ += '}';
  }

  void write_mapping(const Value::Mapping& entries, TypeId type) {
    const auto* dict = as<Dict>(type);
    out_ += '{';
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out_ += ", ";
      write(entries[i].first, dict ? dict->key : TypeId{}, true);
      out_ += ": ";
      write(entries[i].second, dict ? dict->value : TypeId{}, true);
    }
    out_ += '}';
  }

  void write_distribution(const Value::Distribution& d) {
    out_ += distribution_name(d.kind);
    for (std::size_t i = 0; i < d.arguments.size(); ++i) {
      out_ += i == 0 ? "(" : ", ";
      match(
          d.arguments[i], [&](bool b) { out_ += b ? "true" : "false"; },
          [&](std::int64_t n) { out_ += fmt::format("{}", n); },
          [&](double r) { out_ += real_text(r); });
    }
    out_ += ')';
  }

  const TypedModel& model_;
  std::string out_;
};

}  // namespace

Value::Distribution::Argument law_argument(const Value& value) {
  if (const auto* truth = std::get_if<bool>(&value.data)) return *truth;
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return *integer;
  return std::get<double>(value.data);
}

std::string_view distribution_problem(const Value::Distribution& distribution) {
  if (distribution.kind == DistributionKind::Constant) return {};  // a boolean, or any number
  LawArgument read[kMostLawArguments] = {};
  for (std::size_t i = 0; i < distribution.arguments.size(); ++i) {
    const Value::Distribution::Argument& given = distribution.arguments[i];
    if (const auto* integer = std::get_if<std::int64_t>(&given)) {
      read[i].i = *integer;
    } else {
      read[i].r = std::get<double>(given);
    }
  }
  return distribution_problem(distribution.kind, read);
}

bool operator==(const Value& a, const Value& b) { return compare(a, b) == 0; }
bool operator<(const Value& a, const Value& b) { return compare(a, b) < 0; }

std::string real_text(double value) {
  // The sign of what is not a number depends on the machine.
  std::string text = fmt::format("{}", std::isnan(value) ? std::fabs(value) : value);
  const bool looks_integer = text.find_first_of(".en") == std::string::npos;
  return looks_integer ? text + ".0" : text;  // "inf" and "nan" have an n
}

std::string text(const Value& value, const TypedModel& model, TypeId type) {
  ValueWriter writer(model);
  writer.write(value, type, false);
  return writer.take();
}

}  // namespace chi::sema
