#include "experiment/evaluate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiment/executor.h"

namespace chi::experiment {

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

Evaluator::Evaluator(const Subject& subject, const Setting& setting, std::vector<std::string> names,
                     std::uint64_t seed, std::int64_t replications, int jobs)
    : subject_(subject),
      setting_(setting),
      names_(std::move(names)),
      seed_(seed),
      replications_(std::max<std::int64_t>(1, replications)),
      jobs_(jobs) {}

std::vector<std::vector<double>> Evaluator::operator()(
    const std::vector<std::vector<double>>& points) {
  const std::size_t width =
      setting_.measures.size() + setting_.samples.names.size() * setting_.samples.times.size();
  std::vector<std::vector<double>> values(points.size(), std::vector<double>(width, 0.0));
  Work work;
  work.count = static_cast<std::int64_t>(points.size()) * replications_;
  work.point = [&](std::int64_t i) {
    Point point{.parameters = {}, .seed = seed_ + static_cast<std::uint64_t>(i % replications_)};
    const std::vector<double>& numbers = points[static_cast<std::size_t>(i / replications_)];
    for (std::size_t k = 0; k < names_.size(); ++k)
      point.parameters.emplace_back(names_[k], real_text(numbers[k]));
    return point;
  };
  work.deliver = [&](std::int64_t i, const Point&, const RunResult& result) {
    ++runs_;
    std::vector<double>& sum = values[static_cast<std::size_t>(i / replications_)];
    if (!result.problem.empty()) {
      ++failed_;
      last_problem_ = result.problem;
    }
    for (std::size_t k = 0; k < width; ++k)
      sum[k] += (result.problem.empty() ? result.measures[k] : std::nan("")) /
                static_cast<double>(replications_);
    return true;
  };
  const int jobs = static_cast<int>(std::min<std::int64_t>(jobs_, work.count));
  const Worked worked = execute(subject_, setting_, work, jobs);
  if (worked.stopped != StopCause::None) throw Cancelled{worked.stopped};
  return values;
}

std::vector<double> Evaluator::operator()(const std::vector<double>& point) {
  return (*this)(std::vector<std::vector<double>>{point}).front();
}

}  // namespace chi::experiment
