// Linear layers of each backend, of the pairs of types other than int16 x int8 and int8 x int8.

#include "each_backend.hpp"
#include "linear_parity.hpp"

namespace {

using namespace dyadic;

using here = parity::backends_of_machine;
using parity::multipliers_per;

/// A scheme that has no formula.
struct own_rule {
  using accumulator = std::int64_t;
  using multiplier_type = multiplier16;
  static constexpr bool valid(multiplier_type) noexcept { return true; }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept { return acc * m.mantissa >> m.right_shift; }
};

}  // namespace

TEST_CASE("linear: int16 x int4 of every shape equals scalar and stays within its memory", "[parity]") {
  parity::every_shape<here, std::int16_t, int4, std::uint8_t, tosa::scale32, multipliers_per::channel>();
}

TEST_CASE("linear: int16 x int16 of every shape equals scalar and stays within its memory", "[parity]") {
  parity::every_shape<here, std::int16_t, std::int16_t, std::int16_t, tosa::scale16, multipliers_per::tensor>();
}

TEST_CASE("linear: activations of 8 bits of every shape equal scalar and stay within their memory", "[parity]") {
  parity::every_shape<here, std::int8_t, int4, std::int16_t, tosa::scale16, multipliers_per::tensor>();
  parity::every_shape<here, std::uint8_t, std::uint8_t, std::uint8_t, tosa::scale32, multipliers_per::tensor>();
  parity::every_shape<here, std::uint8_t, std::int8_t, std::uint8_t, tosa::scale32, multipliers_per::channel>();
}

TEST_CASE("linear: clamped uint16 outputs whose zero point is folded into the multiplier equal scalar", "[parity]") {
  parity::linear_runs<here, std::int16_t, std::int8_t, std::uint16_t, parity::weights_are::packed_alone> runs{{24, 40, 64}};
  for (const std::int32_t zero : {0, 20000})
    runs.compare({24, 40, 64}, {}, per_tensor_output<std::uint16_t, tosa::scale16>{{20000, 24}, {zero, 15000, 30000}});
  runs.t.check();
}

TEST_CASE("linear: binary64 scales with ties, tiny scales, and results beyond int64 equal scalar", "[parity]") {
  parity::numbers<binary64> scales;
  for (const double scale :
       {0.5, 0x1p-9, 1.0 / 6, 0x1.fffffffffffffp-2, -0x1p-8, 0x1.8p-20, 1e300, -1e300, 0x1p-1074, 0.0, 0x1p40})
    for (int i = 0; i < 3; ++i) scales.push_back(scale * (1 << i));
  const auto channels = static_cast<index_t>(scales.size());
  const auto each_size = [](const auto& compare) {
    for (const index_t rows : {2, 13})
      for (const int bits : {9, 30, 46}) {
        parity::conditions c;
        c.w_limit = bits == 9 ? 1 : 0;
        compare(rows, bits, c);
      }
  };
  {
    parity::linear_runs<here, std::int8_t, std::int8_t, std::int8_t> runs{{13, channels, 37}};
    each_size([&](index_t rows, int bits, parity::conditions c) {
      c.bias_bits = bits < 31 ? bits : 30;
      runs.compare({rows, channels, 37}, c,
                   per_channel_output<std::int8_t, tflite::double_scale<std::int32_t>>{scales, {-3, -128, 127}});
    });
    runs.t.check();
  }
  parity::linear_runs<here, std::int16_t, std::int8_t, std::int32_t> runs{{13, channels, 37}};  // one, to spare memory
  each_size([&](index_t rows, int bits, parity::conditions c) {
    c.bias_bits = bits;
    for (const std::int32_t zero : {int32_min, std::int32_t{7}, int32_max})
      runs.compare({rows, channels, bits == 9 ? 3 : 37}, c,
                   per_channel_output<std::int32_t, tflite::double_scale<std::int64_t>>{scales, range_of<std::int32_t>(zero)});
    runs.compare({rows, channels, 37}, c, per_tensor_output<std::int32_t, tflite::double_scale<std::int64_t>>{{1.0 / 6}});
  });
  runs.t.check();
}

TEST_CASE("linear: schemes without a formula equal scalar", "[parity]") {
  parity::linear_runs<parity::backends_of_machine, std::int16_t, std::int8_t, std::int8_t> runs{{5, 40, 600}};
  runs.compare({5, 40, 600}, {}, per_tensor_output<std::int8_t, exact::half_even>{{1 << 30, 49}});
  runs.compare({5, 37, 21}, {}, per_tensor_output<std::int8_t, tflite::double_scale<std::int64_t>>{{0.00001}});
  std::vector<multiplier16> multipliers;
  for (std::int16_t i = 0; i < 40; ++i) multipliers.push_back({static_cast<std::int16_t>(16384 + 100 * i), 30 + i % 3});
  parity::conditions at_end;
  at_end.at_end = true;
  runs.compare({5, 40, 21}, at_end, per_channel_output<std::int8_t, own_rule>{multipliers});
  runs.t.check();
}
