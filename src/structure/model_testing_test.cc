#include "structure/model_testing.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "expr/build.h"
#include "expr/evaluate.h"
#include "expr/print.h"

namespace chi::structure::testing {
namespace {

using expr::ExprId;

class Reader {
 public:
  Reader(Model& model, std::map<std::string, std::int32_t, std::less<>>& discrete,
         std::string_view text)
      : model_(model), discrete_(discrete), text_(text) {}

  ExprId sum() {
    ExprId left = product();
    for (;;) {
      if (take('+')) {
        left = expr::add(model_.pool, left, product());
      } else if (take('-')) {
        left = expr::sub(model_.pool, left, product());
      } else {
        return left;
      }
    }
  }

  bool take(char c) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool at_end() {
    take(' ');
    return at_ == text_.size();
  }

 private:
  ExprId product() {
    ExprId left = power();
    for (;;) {
      if (take('*')) {
        left = expr::mul(model_.pool, left, power());
      } else if (take('/')) {
        left = expr::div(model_.pool, left, power());
      } else {
        return left;
      }
    }
  }

  ExprId power() {
    if (take('-')) return expr::neg(model_.pool, power());
    const ExprId base = primary();
    return take('^') ? expr::pow(model_.pool, base, primary()) : base;
  }

  ExprId primary() {
    if (take('(')) {
      const ExprId inner = sum();
      EXPECT_TRUE(take(')'));
      return inner;
    }
    const std::string word = this->word();
    if (word.empty()) {
      ADD_FAILURE() << "cannot read " << text_ << " at " << at_;
      at_ = text_.size();
      return expr::constant(model_.pool, 0);
    }
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      return expr::constant(model_.pool, std::stod(word));
    }
    if (word == "time") return expr::time(model_.pool);
    if (word[0] == '#') {
      const auto place = discrete_.emplace(word, static_cast<std::int32_t>(discrete_.size())).first;
      return expr::discrete_real(model_.pool, {place->second});
    }
    if (take('(')) {
      const ExprId inner = sum();
      EXPECT_TRUE(take(')'));
      const expr::Op op = word == "sin"    ? expr::Op::Sin
                          : word == "cos"  ? expr::Op::Cos
                          : word == "sqrt" ? expr::Op::Sqrt
                                           : expr::Op::Exp;
      return expr::unary(model_.pool, op, inner);
    }
    int order = 0;
    while (take('\'')) ++order;
    return expr::variable(model_.pool, model_.var(word), order);
  }

  std::string word() {
    take(' ');
    std::string found;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '.' || text_[at_] == '#')) {
      found += text_[at_++];
    }
    return found;
  }

  Model& model_;
  std::map<std::string, std::int32_t, std::less<>>& discrete_;
  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

}  // namespace

Model::Model(std::string_view declared, const std::vector<std::string_view>& equations)
    : Model("", declared, equations) {}

Model::Model(std::string_view order, std::string_view declared,
             const std::vector<std::string_view>& equations) {
  for (const std::string& name : words(order)) var(name);
  for (const std::string_view equation : equations) system.rows.push_back(parse(equation));
  for (const std::string& name : words(declared)) system.declared.push_back(var(name));
  std::sort(system.declared.begin(), system.declared.end());
}

expr::ExprId Model::parse(std::string_view text) {
  Reader reader(*this, discrete_, text);
  const ExprId left = reader.sum();
  if (!reader.take('=')) {
    EXPECT_TRUE(reader.at_end()) << text;
    return left;
  }
  const ExprId right = reader.sum();
  EXPECT_TRUE(reader.at_end()) << text;
  return expr::sub(pool, left, right);
}

expr::VarId Model::var(std::string_view name) {
  auto place = std::find(names_.begin(), names_.end(), name);
  if (place == names_.end()) place = names_.insert(place, std::string(name));
  return {static_cast<std::int32_t>(place - names_.begin())};
}

std::string Model::name(expr::VarId var) const {
  return names_.at(static_cast<std::size_t>(var.index));
}

std::string Model::text(expr::VarRef x) const {
  return name(x.var) + std::string(static_cast<std::size_t>(x.order), '\'');
}

std::string Model::text(const std::vector<expr::VarRef>& values) const {
  std::string result;
  for (const expr::VarRef x : values) result += (result.empty() ? "" : " ") + text(x);
  return result;
}

std::string Model::text(const std::vector<expr::VarId>& vars) const {
  std::string result;
  for (const expr::VarId x : vars) result += (result.empty() ? "" : " ") + name(x);
  return result;
}

std::string Model::text(expr::ExprId e) const {
  expr::Names names;
  names.variable = [this](expr::VarId v) { return name(v); };
  return expr::to_text(pool, e, names);
}

std::vector<double> NamedValues::values(std::span<const expr::ExprId> roots) {
  expr::Point point;
  point.time = 0.7;
  point.variable = [&](expr::VarRef x) {
    const auto place = values_.find(model_.text(x));
    return place == values_.end() ? 0.3 : place->second;
  };
  point.discrete = [](expr::DiscreteId) { return 0.4; };
  std::vector<double> numbers;
  for (const expr::Value& value : expr::evaluate(model_.pool, roots, point)) {
    numbers.push_back(value.where ? std::numeric_limits<double>::quiet_NaN() : value.value);
  }
  return numbers;
}

std::vector<int> sorted(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(ModelTesting, ReadsWhatTestsWrite) {
  Model model("", {"x' = -2*x + sin(y')/#U", "0 = (x + y)^2 - time"});
  EXPECT_EQ(model.text(model.system.rows[0]), "x' - (sin(y') / d0 - 2 * x)");
  EXPECT_EQ(model.text(model.system.rows[1]), "-((x + y)^2 - time)");
}

}  // namespace chi::structure::testing
