// Linear layers of each backend at the limits of sums, zero points and depths.

#include "each_backend.hpp"
#include "linear_parity.hpp"

namespace {

using namespace dyadic;

using here = parity::backends_of_machine;
using parity::each_backend;
using parity::multipliers_per;

/// Returns true if all outputs of a layer are `repetitions` * y. Each row of the activations repeats the array x, and each row of
/// the packed weights repeats w.
template <class Backend, class X, std::size_t N>
bool copies_give(const X (&x)[N], const std::int8_t (&w)[N], std::int32_t y) {
  for (const int repetitions : {1, 4, 21})
    for (const index_t channels : {1, 8, 33})
      for (const index_t rows : {1, 7}) {
        const index_t depth = repetitions * static_cast<index_t>(N);
        std::vector<X> all_x;
        std::vector<std::int8_t> all_w;
        for (index_t i = 0; i < rows * repetitions; ++i) all_x.insert(all_x.end(), x, x + N);
        for (index_t i = 0; i < channels * repetitions; ++i) all_w.insert(all_w.end(), w, w + N);
        const matrix_view<const std::int8_t> weights(all_w.data(), channels, depth);
        std::vector<std::int8_t> storage(static_cast<std::size_t>(packed_size<Backend, X, std::int8_t>(channels, depth)));
        std::vector<std::int32_t> constants(static_cast<std::size_t>(channels)), out(static_cast<std::size_t>(rows * channels));
        const auto folded = fold<X>(weights, no_bias{}, {}, constants);
        const auto packed = pack<Backend, X>(weights, storage);
        if (folded.status != status::ok || packed.status != status::ok) return false;
        const matrix_view<const X> in(all_x.data(), rows, depth);
        const matrix_view<std::int32_t> to(out.data(), rows, channels);
        const linear_layer layer{packed.value, folded.value, raw_output<std::int32_t>{}};
        if (check(layer, in, to) != status::ok) return false;
        run(layer, in, to);
        for (const std::int32_t one : out)
          if (one != repetitions * y) return false;
      }
  return true;
}

}  // namespace

TEST_CASE("linear: extreme operands and wide biases equal scalar, sums that wrap included", "[parity]") {
  // The epilogue does not depend on where the weights came from.
  constexpr auto packed = parity::weights_are::packed_alone;
  parity::extremes<here, std::int16_t, std::int8_t>(raw_output<std::int64_t>{}, false);
  parity::extremes<here, std::int16_t, std::int8_t>(raw_output<std::int32_t>{}, true);
  parity::extremes<here, std::int16_t, std::int8_t, packed>(raw_output<packed_int48>{}, true);
  parity::extremes<here, std::int16_t, std::int8_t, packed>(per_tensor_output<std::int32_t, tosa::scale16>{{20000, 31}}, true);
  parity::extremes<here, std::int16_t, std::int8_t, packed>(per_tensor_output<std::int16_t, tosa::scale32>{{1 << 30, 50}}, true);
  parity::extremes<here, std::int8_t, std::int8_t, packed>(per_tensor_output<std::int16_t, tosa::scale32>{{1 << 30, 42}}, true);
  parity::extremes<here, std::int8_t, std::int8_t>(raw_output<std::int64_t>{}, false);
  parity::extremes<here, std::uint8_t, std::uint8_t>(raw_output<std::int64_t>{}, false);
  parity::extremes<here, std::int16_t, std::int16_t>(raw_output<std::int64_t>{}, false);
  parity::extremes<here, std::int16_t, std::int16_t>(raw_output<std::int32_t>{}, true);
}

TEST_CASE("linear: products that saturate vpmaddubsw or a relaxed dot product of WebAssembly are exact", "[parity]") {
  const std::uint8_t u3[] = {210, 198, 234}, u4[] = {255, 255, 255, 255};
  const std::int8_t s3[] = {-81, -80, 127}, s4[] = {127, 127, 127, 127}, least[] = {-128, -128, -128, -128},
                    next[] = {-127, -127, -127, -127};
  each_backend([&](auto backend) {
    using tested = decltype(backend);
    INFO(tested::name);
    CHECK(copies_give<tested>(u3, s3, -3132));        // onnxruntime #16105: -3050 on AVX2
    CHECK(copies_give<tested>(u4, s4, 129540));       // oneDNN #1354
    CHECK(copies_give<tested>(least, next, 65024));   // relaxed-simd #129: -65536 on x86, or -66048 or 66048
    CHECK(copies_give<tested>(least, least, 65536));  // the first depth whose pair of products leaves int16
  });
}

TEST_CASE("linear: int8 x int4 at the limits of int16 sums of products equals scalar", "[parity]") {
  using parity::values;
  parity::linear_runs<here, std::int8_t, int4, std::int32_t> runs{{13, 33, 48}};
  for (const values x : {values::least, values::greatest, values::corners})
    for (const values w : {values::least, values::greatest, values::corners}) {
      parity::conditions c;
      c.x = x, c.w = w;
      for (index_t depth = 1; depth <= 48; ++depth)
        for (const index_t rows : {1, 4, 6, 13})
          runs.compare({rows, depth % 2 == 0 ? 33 : 8, depth}, c, raw_output<std::int32_t>{});
    }
  runs.t.check();
}

TEST_CASE("linear: the ends of the zero points with multipliers of all shifts equal scalar", "[parity]") {
  parity::zero_points_of<here, tflite::double_rounding, std::int8_t, std::int8_t, multipliers_per::channel>();
  parity::zero_points_of<here, tosa::scale16, std::int16_t, std::int16_t, multipliers_per::channel>();
  parity::zero_points_of<here, tosa::scale16, std::int16_t, std::int16_t, multipliers_per::tensor>();
  parity::zero_points_of<here, tosa::scale32, std::int16_t, std::uint8_t, multipliers_per::tensor>();
}

TEST_CASE("linear: a sum of a row of activations beyond int32 equals scalar", "[parity]") {
  if (parity::has_little_memory) return;
  each_backend([](auto backend) {
    using tested = decltype(backend);
    constexpr index_t depth = 600'000;
    constexpr index_t channels = 2;  // a single channel would run in portable code
    const std::vector<std::int16_t> x(3 * depth, -32768);
    const std::vector<std::int8_t> w(channels * depth, 1);
    const matrix_view<const std::int8_t> weights(w.data(), channels, depth);
    std::vector<std::int8_t> storage(static_cast<std::size_t>(packed_size<tested, std::int16_t, std::int8_t>(channels, depth)));
    std::int64_t constants[channels] = {};
    const auto folded = fold<std::int16_t>(weights, no_bias{}, {0, -127}, constants);
    const auto packed = pack<tested, std::int16_t>(weights, storage);
    REQUIRE((folded.status == status::ok && packed.status == status::ok));
    const linear_layer layer{packed.value, folded.value, raw_output<std::int64_t>{}};
    for (const index_t rows : {1, 3}) {
      std::int64_t y[3 * channels] = {};
      run(layer, matrix_view(x.data(), rows, depth), matrix_view(y, rows, channels));
      for (index_t i = 0; i < rows * channels; ++i) CHECK(y[i] == std::int64_t{depth} * -32768 * 128);
    }
  });
}

TEST_CASE("linear: depths beyond every buffer equal scalar", "[parity]") {
  {
    parity::linear_runs<here, std::int16_t, std::int8_t, std::int64_t> wide{{50, 40, 9000}};
    wide.compare({50, 33, 4200}, {}, raw_output<std::int64_t>{});
    wide.compare({8, 5, 9000}, {}, raw_output<std::int64_t>{});
    wide.compare({2, 9, 9000}, {}, raw_output<std::int64_t>{});
    parity::conditions least;  // one step more than 4, 8 and 16 lanes of 32 bits can sum, and part of a step
    least.x = least.w = parity::values::least;
    for (const index_t depth : {2047, 2048, 4095, 4096, 8191, 8192})
      wide.compare({2, 5, depth}, least, raw_output<std::int64_t>{});
    // A single row, by several panels and a narrow one. The depth is beyond one drain of 32-bit lanes, and beyond two.
    for (const index_t depth : {511, 512, 1023, 1100}) wide.compare({1, 40, depth}, least, raw_output<std::int64_t>{});
    wide.t.check();
  }
  {
    // The depth is so large that a block has fewer columns than share constants.
    parity::linear_runs<here, std::int16_t, std::int8_t, std::int64_t> broad{{1, 270, 1600}};
    broad.compare({1, 270, 1600}, {}, raw_output<std::int64_t>{});
    parity::conditions least;
    least.x = least.w = parity::values::least;
    broad.compare({1, 70, 1100}, least, raw_output<std::int64_t>{});
    broad.t.check();
  }
  {
    parity::linear_runs<here, std::int8_t, std::int8_t, std::int32_t> narrow{{50, 40, 4200}};
    narrow.compare({50, 33, 4200}, {}, raw_output<std::int32_t>{});
    narrow.compare({3, 33, 2049}, {}, raw_output<std::int32_t>{});
    narrow.t.check();
  }
  {
    parity::linear_runs<here, std::int8_t, std::int8_t, std::int64_t> short_sums{{7, 9, 2400}};
    short_sums.compare({7, 9, 2400}, {}, raw_output<std::int64_t>{});
    short_sums.t.check();
  }
  parity::linear_runs<here, std::int16_t, std::int16_t, std::int64_t> sixteen{{50, 40, 9000}};
  sixteen.compare({50, 33, 4200}, {}, raw_output<std::int64_t>{});
  sixteen.compare({3, 9, 9000}, {}, raw_output<std::int64_t>{});
  sixteen.t.check();
}
