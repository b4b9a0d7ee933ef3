#include <dyadic/verify.hpp>

#include "each_backend.hpp"
#include "linear_parity.hpp"

namespace {

using namespace dyadic;

using parity::each_backend;

template <class X, class W, class Y, class Scheme>
void every_shape() {
  each_backend([](auto backend) { parity::every_shape<decltype(backend), X, W, Y, Scheme>(); });
}

template <class Backend>
constexpr bool packed_at_compile_time() {
  const std::int8_t w[] = {1, 2, 3, -1, -2, -3};
  const std::int16_t x[] = {1000, -2000, 3000};
  std::int64_t constants[2] = {};
  std::int8_t storage[packed_size<Backend, std::int16_t, std::int8_t>(2, 3)] = {};
  std::int64_t y[2] = {};
  const auto folded = fold<std::int16_t>(matrix_view(w, 2, 3), no_bias{}, {8, 1}, constants);
  const auto packed = pack<Backend, std::int16_t>(matrix_view(w, 2, 3), storage);
  if (folded.status != status::ok || packed.status != status::ok) return false;
  const linear_layer layer{packed.value, folded.value, zero_points{8, 1}, raw_output<std::int64_t>{}};
  if (check(layer, matrix_view(x, 1, 3), matrix_view(y, 1, 2)) != status::ok) return false;
  run(layer, matrix_view(x, 1, 3), matrix_view(y, 1, 2));
  return y[0] == 3976 && y[1] == -7928;
}
static_assert(packed_at_compile_time<backend::scalar>());
static_assert(packed_at_compile_time<parity::usual_backend>());
static_assert(packed_at_compile_time<backend::DYADIC_BEST>());

#if defined(__x86_64__) || defined(__i386__)

// The last 8 bytes of each channel are the sum of its weights.
constexpr bool sums_are_packed() {
  const std::int8_t w[] = {1, 2, 3, -1, -2, -3};
  std::int8_t storage[packed_size<backend::avx512vnni, std::int8_t, std::int8_t>(2, 3)] = {};
  if (pack<backend::avx512vnni, std::int8_t>(matrix_view(w, 2, 3), storage).status != status::ok) return false;
  return storage[32 * 4] == 6 && storage[32 * 4 + 7] == 0 && storage[32 * 4 + 8] == -6 && storage[32 * 4 + 15] == -1;
}
static_assert(sums_are_packed());
static_assert(packed_size<backend::avx512vnni, std::int8_t, std::int8_t>(33, 5) == 2 * 32 * (8 + 8));

// Two panels of 8 columns, pairs along the depth, zeros at the end of the depth and of the columns.
static_assert(packed_size<backend::sse41, std::int16_t, std::int8_t>(9, 3) == 2 * 8 * 4);
static_assert(packed_size<backend::avx2, std::int16_t, int4>(16, 4) == 16 * 4);
static_assert(packed_size<backend::avx512vnni, std::int16_t, std::int8_t>(33, 0) == 0);
static_assert(packed_size<backend::avx512vnni, std::int16_t, std::int8_t>(limits<index_t>::max, 1) == -1);
static_assert(packed_size<backend::avx512vnni, std::int16_t, std::int8_t>(1, limits<index_t>::max) == -1);
static_assert(packed_size<backend::avx512vnni, std::int16_t, std::int8_t>(limits<index_t>::max / 2, 8) == -1);
#elif defined(__ARM_FEATURE_MVE)
// Two panels of 8 columns, 8 weights or 16 along the depth.
static_assert(packed_size<backend::mve, std::int16_t, std::int8_t>(9, 3) == 2 * 8 * 8);
static_assert(packed_size<backend::mve, std::int16_t, int4>(9, 9) == 2 * 8 * 16);
static_assert(packed_size<backend::mve, std::int8_t, std::int8_t>(9, 9) == 2 * 8 * 16);
static_assert(packed_size<backend::mve, std::uint8_t, std::int8_t>(9, 9) == 2 * 8 * 16);
#elif !defined(__ARM_NEON)
// Three panels of 4 columns, 4 weights along the depth.
static_assert(packed_size<backend::dsp, std::int16_t, std::int8_t>(9, 3) == 3 * 4 * 4);
#else
// Two panels of 8 columns.
static_assert(packed_size<backend::neon, std::int16_t, std::int8_t>(9, 3) == 2 * 8 * 3);
#if defined(__aarch64__)
// 16 weights along the depth, and 8 bytes with the sum of the second eight of each.
constexpr bool second_halves_are_summed() {
  const std::int8_t w[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
  std::int8_t storage[packed_size<backend::neon, std::int8_t, std::int8_t>(1, 17)] = {};
  if (pack<backend::neon, std::int8_t>(matrix_view(w, 1, 17), storage).status != status::ok) return false;
  return storage[8 * 16] == 17 && storage[8 * 32] == 100 && storage[8 * 32 + 1] == 0;
}
static_assert(second_halves_are_summed());
static_assert(packed_size<backend::neon, std::int8_t, std::int8_t>(9, 3) == 2 * 8 * (16 + 8));
#endif
#endif

}  // namespace

TEST_CASE("linear: int16 x int8 of every shape equals scalar and stays within its memory", "[parity]") {
  every_shape<std::int16_t, std::int8_t, std::int16_t, tosa::scale16>();
  every_shape<std::int16_t, std::int8_t, std::int8_t, tflite::double_rounding>();
}
TEST_CASE("linear: int16 x int4 of every shape equals scalar and stays within its memory", "[parity]") {
  every_shape<std::int16_t, int4, std::uint8_t, tosa::scale32>();
}

TEST_CASE("linear: int16 x int16 of every shape equals scalar and stays within its memory", "[parity]") {
  every_shape<std::int16_t, std::int16_t, std::int16_t, tosa::scale16>();
}

TEST_CASE("linear: activations of 8 bits of every shape equal scalar and stay within their memory", "[parity]") {
  every_shape<std::int8_t, std::int8_t, std::int8_t, tflite::double_rounding>();
  every_shape<std::int8_t, int4, std::int16_t, tosa::scale16>();
  every_shape<std::uint8_t, std::uint8_t, std::uint8_t, tosa::scale32>();
  every_shape<std::uint8_t, std::int8_t, std::uint8_t, tosa::scale32>();
}

TEST_CASE("linear: extreme operands and wide biases equal scalar, sums that wrap included", "[parity]") {
  each_backend([](auto backend) {
    using tested = decltype(backend);
    parity::extremes<tested, std::int16_t, std::int8_t>(raw_output<std::int64_t>{}, false);
    parity::extremes<tested, std::int16_t, std::int8_t>(raw_output<std::int32_t>{}, true);
    parity::extremes<tested, std::int16_t, std::int8_t>(raw_output<packed_int48>{}, true);
    parity::extremes<tested, std::int16_t, std::int8_t>(per_tensor_output<std::int32_t, tosa::scale16>{{20000, 31}}, true);
    parity::extremes<tested, std::int16_t, std::int8_t>(per_tensor_output<std::int16_t, tosa::scale32>{{1 << 30, 50}}, true);
    parity::extremes<tested, std::int8_t, std::int8_t>(per_tensor_output<std::int16_t, tosa::scale32>{{1 << 30, 42}}, true);
    parity::extremes<tested, std::uint8_t, std::uint8_t>(raw_output<std::int64_t>{}, false);
    parity::extremes<tested, std::int16_t, std::int16_t>(raw_output<std::int64_t>{}, false);
    parity::extremes<tested, std::int16_t, std::int16_t>(raw_output<std::int32_t>{}, true);
  });
}

TEST_CASE("linear: the ends of the zero points with multipliers of all shifts equal scalar", "[parity]") {
  each_backend([](auto backend) {
    using tested = decltype(backend);
    parity::zero_points_of<tested, tflite::double_rounding, std::int8_t, std::int8_t>();
    parity::zero_points_of<tested, tosa::scale16, std::int16_t, std::int16_t>();
    parity::zero_points_of<tested, tosa::scale32, std::int16_t, std::uint8_t>();
  });
}

TEST_CASE("linear: depths beyond every buffer equal scalar", "[parity]") {
  each_backend([](auto backend) {
    using tested = decltype(backend);
    {
      parity::linear_runs<tested, std::int16_t, std::int8_t, std::int64_t> wide{{50, 40, 9000}};
      wide.compare({50, 33, 4200}, {}, raw_output<std::int64_t>{});
      wide.compare({8, 5, 9000}, {}, raw_output<std::int64_t>{});
      wide.compare({2, 9, 9000}, {}, raw_output<std::int64_t>{});
      wide.t.check();
    }
    {
      parity::linear_runs<tested, std::int8_t, std::int8_t, std::int32_t> narrow{{50, 40, 4200}};
      narrow.compare({50, 33, 4200}, {}, raw_output<std::int32_t>{});
      narrow.compare({3, 33, 2049}, {}, raw_output<std::int32_t>{});
      narrow.t.check();
    }
    parity::linear_runs<tested, std::int16_t, std::int16_t, std::int64_t> sixteen{{50, 40, 9000}};
    sixteen.compare({50, 33, 4200}, {}, raw_output<std::int64_t>{});
    sixteen.compare({3, 9, 9000}, {}, raw_output<std::int64_t>{});
    sixteen.t.check();
  });
}

TEST_CASE("linear: schemes without a formula run as scalar does", "[parity]") {
  each_backend([](auto backend) {
    using tested = decltype(backend);
    parity::linear_runs<tested, std::int16_t, std::int8_t, std::int8_t> runs{{5, 40, 600}};
    runs.compare({5, 40, 600}, {}, per_tensor_output<std::int8_t, exact::half_even>{{1 << 30, 49}});
    runs.compare({5, 37, 21}, {}, per_tensor_output<std::int8_t, tflite::double_scale<std::int64_t>>{{0.00001}});
    runs.t.check();
  });
}
TEST_CASE("linear: a range of rows and a framework's two arrays", "[parity]") {
  each_backend([](auto backend) {
    using tested = decltype(backend);
    const std::int16_t x[] = {1000, -1000, 2000, 3000, 5001, -5001, 7000, 9, -9};
    const std::int8_t w[] = {1, 2, 3, -4, -5, -6};
    const std::int64_t mantissas[] = {1 << 30, 1500000000};
    const std::int64_t shifts[] = {-3, -4};
    std::int64_t constants[2] = {};
    std::int8_t storage[packed_size<tested, std::int16_t, std::int8_t>(2, 3)] = {};
    std::int16_t y[6] = {99, 99, 99, 99, 99, 99};
    std::int16_t expected[6] = {99, 99, 99, 99, 99, 99};
    const auto folded = fold<std::int16_t>(matrix_view(w, 2, 3), no_bias{}, {}, constants);
    const auto packed = pack<tested, std::int16_t>(matrix_view(w, 2, 3), storage);
    const per_channel_arrays_output<std::int16_t, tflite::reduced_int64, std::int64_t> output{mantissas, shifts};
    run(linear_layer{packed.value, folded.value, zero_points{}, output}, matrix_view(x, 3, 3), matrix_view(y, 3, 2), {1, 2});
    run(linear_layer{matrix_view(w, 2, 3), folded.value, zero_points{}, output}, matrix_view(x, 3, 3),
        matrix_view(expected, 3, 2), {1, 2});
    for (int i = 0; i < 6; ++i) CHECK(y[i] == expected[i]);
    CHECK(y[0] == 99);
    CHECK(y[2] != 99);
  });
}

TEST_CASE("pack: the weights are those of the fold, or verify says so", "[parity]") {
  using tested = backend::DYADIC_BEST;
  const std::int8_t w[6] = {1, 2, 3, -4, -5, -6};
  std::int32_t constants[2] = {};
  std::int8_t storage[packed_size<tested, std::int8_t, std::int8_t>(2, 3)] = {};
  const auto folded = fold<std::int8_t>(matrix_view(w, 2, 3), no_bias{}, {5, 6}, constants);
  const auto packed = pack<tested, std::int8_t>(matrix_view(w, 2, 3), storage);
  const linear_layer layer{packed.value, folded.value, zero_points{5, 6}, raw_output<std::int32_t>{}};
  CHECK(verify(layer) == status::ok);
  ++storage[1];
  CHECK(verify(layer) == status::fold_mismatch);
}

TEST_CASE("pack: what is wrong is said, and nothing is written", "[parity]") {
  using tested = parity::usual_backend;
  constexpr index_t size = packed_size<tested, std::int16_t, std::int8_t>(2, 3);
  const std::int8_t w[6] = {1, 2, 3, 4, 5, 6};
  std::int8_t storage[64];
  for (auto& s : storage) s = 99;
  CHECK(pack<tested, std::int16_t>(matrix_view<const std::int8_t>(nullptr, 2, 3), storage).status == status::null_data);
  CHECK(pack<tested, std::int16_t>(matrix_view<const std::int8_t>(w, -2, 3), storage).status == status::negative_size);
  CHECK(pack<tested, std::int16_t>(matrix_view(w, 2, 3), view(storage, size - 1)).status == status::shape_mismatch);
  CHECK(pack<tested, std::int16_t>(matrix_view(w, 2, 3), view<std::int8_t>(nullptr, size)).status == status::null_data);
  CHECK(pack<tested, std::int16_t>(matrix_view(storage, 2, 3), storage).status == status::overlap);
  for (const auto s : storage) CHECK(s == 99);
  const auto packed = pack<tested, std::int16_t>(matrix_view(w, 2, 3), storage);
  CHECK(packed.status == status::ok);
  CHECK(check(packed.value) == status::ok);
  CHECK(check(packed_matrix<tested, std::int16_t, std::int8_t>(nullptr, 2, 3)) == status::null_data);
  CHECK(check(packed_matrix<tested, std::int16_t, std::int8_t>(nullptr, 0, 3)) == status::ok);
  CHECK(check(packed_matrix<tested, std::int16_t, std::int8_t>(storage, 2, -3)) == status::negative_size);
}
