// A residual block and an int16 softmax in a whole network, by the rules of three engines.

#include "residual.hpp"

#include <dyadic/native.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "../support/catch.hpp"
#include "../support/softmax_tables.hpp"

using namespace dyadic;
using std::int16_t;

namespace {

using ethos = digits::residual_network<tosa::scale16, executorch::arm::add<int16_t>>;
using micro = digits::residual_network<tflite::reduced_int64, tflite::add<int16_t>>;
using vendor = digits::residual_network<cmsis_nn::requantize_s64, cmsis_nn::add<int16_t, tflite::single_rounding>>;

const tflite::softmax_tables& tables = support::softmax_tables();

/// Returns a * x + b * branch in the scale of y. It is computed in binary64, whose error is far below one half.
double real_sum(int x, int branch) {
  using sum = digits::residual_sum;
  const double y = (x * sum::x_scale + branch * sum::branch_scale) / sum::y_scale;
  return std::min<double>(sum::y_max, std::max<double>(sum::y_min, y));
}

double real_softmax(const std::array<int16_t, digits::class_count>& logits, int c) {
  const double scale = digits::residual::a16w8::layer3::y_scale;
  double total = 0;
  for (const int16_t logit : logits) total += std::exp(scale * (logit - logits[static_cast<std::size_t>(c)]));
  return 32768 / total;
}

/// Reads all images and returns how many are right. Checks that each sum is within `sum_error` of the real sum, and each softmax
/// within `softmax_error` of the real softmax.
template <class Network>
int read_all(double sum_error, double softmax_error) {
  const Network net(tables);
  REQUIRE(net.status() == status::ok);
  int correct = 0;
  double worst_sum = 0;
  double worst_softmax = 0;
  for (int i = 0; i < digits::image_count; ++i) {
    const auto s = net(digits::image(i));
    for (std::size_t c = 0; c < s.sum.size(); ++c)
      worst_sum = std::max(worst_sum, std::abs(s.sum[c] - real_sum(s.x[c], s.branch[c])));
    for (int c = 0; c < digits::class_count; ++c)
      worst_softmax = std::max(worst_softmax, std::abs(s.softmax[static_cast<std::size_t>(c)] - real_softmax(s.logits, c)));
    correct += digits::largest(s.logits) == digits::labels[i] ? 1 : 0;
  }
  CHECK(worst_sum <= sum_error);
  CHECK(worst_softmax <= softmax_error);
  return correct;
}

template <class Network, class Other>
void require_same() {
  const Network net(tables);
  const Other other(tables);
  REQUIRE(other.status() == status::ok);
  for (int i = 0; i < digits::image_count; ++i) {
    const auto a = net(digits::image(i));
    const auto b = other(digits::image(i));
    REQUIRE((a.x == b.x && a.branch == b.branch && a.sum == b.sum && a.logits == b.logits && a.softmax == b.softmax));
  }
}

}  // namespace

TEST_CASE("the residual network reads 97 of 100 digits by every engine's rules") {
  // The float network reads 583 of 599, and a network whose outputs are each rounded once reads 582.
  CHECK(read_all<ethos>(0.52, 9) >= 581);
  CHECK(read_all<micro>(1.0, 9) >= 581);
  CHECK(read_all<vendor>(0.52, 9) >= 581);
}

TEST_CASE("the residual network gives the same results on vector backends") {
  require_same<ethos, digits::residual_network<tosa::scale16, executorch::arm::add<int16_t>, native>>();
  require_same<micro, digits::residual_network<tflite::reduced_int64, tflite::add<int16_t>, native>>();
}
