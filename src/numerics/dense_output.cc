#include "numerics/dense_output.h"

#include <cstddef>

#include "base/check.h"

namespace chi::numerics {

void DenseOutput::reserve(int size, int degree) {
  c_.reserve(static_cast<std::size_t>(size) * static_cast<std::size_t>(degree + 1));
}

void DenseOutput::reset(int size, int degree, double t_old, double t_new) {
  CHI_CHECK(degree >= 0 && degree <= kMaxDegree, "degree out of range");
  size_ = size;
  degree_ = degree;
  t_old_ = t_old;
  t_new_ = t_new;
  c_.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(degree + 1));
}

std::span<double> DenseOutput::power(int k) {
  const auto n = static_cast<std::size_t>(size_);
  return {c_.data() + static_cast<std::size_t>(k) * n, n};
}

std::span<const double> DenseOutput::power(int k) const {
  const auto n = static_cast<std::size_t>(size_);
  return {c_.data() + static_cast<std::size_t>(k) * n, n};
}

double DenseOutput::value(double t, int component) const {
  const double x = theta(t);
  const auto i = static_cast<std::size_t>(component);
  double sum = power(degree_)[i];
  for (int k = degree_ - 1; k >= 0; --k) sum = sum * x + power(k)[i];
  return sum;
}

void DenseOutput::values(double t, std::span<double> y) const {
  const double x = theta(t);
  const std::span<const double> top = power(degree_);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = top[i];
  for (int k = degree_ - 1; k >= 0; --k) {
    const std::span<const double> c = power(k);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] * x + c[i];
  }
}

double DenseOutput::derivative(double t, int component) const {
  const double x = theta(t);
  const auto i = static_cast<std::size_t>(component);
  double sum = 0;
  for (int k = degree_; k >= 1; --k) sum = sum * x + k * power(k)[i];
  return sum / (t_new_ - t_old_);
}

void DenseOutput::derivatives(double t, std::span<double> yp) const {
  const double x = theta(t);
  const double h = t_new_ - t_old_;
  for (double& v : yp) v = 0;
  for (int k = degree_; k >= 1; --k) {
    const std::span<const double> c = power(k);
    for (std::size_t i = 0; i < yp.size(); ++i) yp[i] = yp[i] * x + k * c[i];
  }
  for (double& v : yp) v /= h;
}

void DenseOutput::coefficients(int component, std::span<double> c) const {
  for (int k = 0; k <= degree_; ++k) {
    c[static_cast<std::size_t>(k)] = power(k)[static_cast<std::size_t>(component)];
  }
}

double evaluate_polynomial(std::span<const double> c, double theta) {
  double sum = 0;
  for (std::size_t k = c.size(); k-- > 0;) sum = sum * theta + c[k];
  return sum;
}

}  // namespace chi::numerics
