// A report for people who compile networks. A layer was trained for TFLite, and an accelerator rounds by TOSA's rule.
// Over all accumulators that an output channel can reach: how often do outputs differ, by how much, where first, and why?
#include <dyadic/compare.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/explain.hpp>

#include <cstdio>

namespace q = dyadic;

namespace {

constexpr int channels = 6;
constexpr int depth = 16;
constexpr std::int8_t weights[channels * depth] = {
    12,  -7, 100, 3,  5,  -128, 127, 0,   9,   -30, 1,  2,  3,   4,   5,  6,    64, 64, 64, 64,  64, 64, 64, 64,
    -64, 64, -64, 64, 64, 64,   -1,  1,   127, 127, 90, 80, 70,  60,  50, 40,   30, 20, 10, -10, 20, 30, 40, 50,
    3,   1,  4,   1,  5,  9,    2,   6,   5,   3,   5,  8,  9,   7,   9,  3,    -2, -7, -1, -8,  -2, -8, -1, -8,
    -2,  -8, -4,  -5, -9, 0,    -4,  -52, 77,  66,  55, 44, -33, -22, 11, -111, 99, 88, 0,  0,   0,  0,  0,  1};
constexpr std::int32_t bias[channels] = {100, -2000, 0, 777, -31, 5};
constexpr double scales[channels] = {0.00171, 0.0009, 0.0004, 0.0214, 0.0171, 0.5};  // input * weight / output
constexpr q::output_range range = q::range_of<std::int8_t>(-5);

}  // namespace

int main() {
  using trained = q::tflite::double_rounding;
  using accelerator = q::tosa::scale32;
  std::printf("channel  accumulators   differ  worst   first: accumulator, TFLite, TOSA\n");
  std::uint64_t all = 0;
  auto why = q::text<2048>();
  for (int c = 0; c < channels; ++c) {
    std::int32_t constant[1] = {};
    const q::matrix_view w(weights + c * depth, 1, depth);
    const auto folded = q::fold<std::int8_t>(w, q::view(bias + c, 1), {/*x*/ 3, /*w*/ 0}, constant);
    const auto m = trained::derive(scales[c]);
    const auto n = accelerator::derive(scales[c]);
    if (folded.status != q::status::ok || m.status != q::status::ok || n.status != q::status::ok) return 1;
    const q::accumulator_range bound = folded.value.record.bound;
    const auto a = q::rule_of<trained>(m.value, range);
    const auto b = q::rule_of<accelerator>(n.value, range);
    const q::difference d = q::compare_rules(a, b, q::interval{bound.lowest, bound.highest});
    if (all == 0) why = q::explain(d, a, b);
    const double share = 100.0 * static_cast<double>(d.differing) / static_cast<double>(d.compared);
    std::printf("%7d %13llu %7.3f%% %6llu", c, static_cast<unsigned long long>(d.compared), share,
                static_cast<unsigned long long>(d.worst_distance));
    if (d.differing > 0)
      std::printf("   %lld, %lld, %lld", static_cast<long long>(d.first.acc), static_cast<long long>(d.first.a),
                  static_cast<long long>(d.first.b));
    std::printf("\n");
    all += d.differing;
  }
  std::printf("\n%s\n", why.c_str());
  return all > 0 ? 0 : 1;  // the two rules do differ
}
