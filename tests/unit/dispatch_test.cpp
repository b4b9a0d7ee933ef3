#include <dyadic/dispatch.hpp>
#include <dyadic/rescale.hpp>
#include <dyadic/scheme/tosa.hpp>

#include <cstdint>
#include <type_traits>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

/// A backend without any kernel.
struct bare {
  using fallback = q::backend::scalar;
};
/// A backend with its own kernel, and a backend that falls back on it.
struct own {
  using fallback = bare;
};
struct above_own {
  using fallback = own;
};

// A kernel without copies takes only the rows.
static_assert(std::is_convertible_v<q::detail::rows_to_run&, const q::row_range&>);
static_assert(std::is_trivially_copyable_v<q::row_range> && std::is_trivially_copyable_v<q::run_options>);
// Options are made from a range or from two numbers. The default is all rows of y.
static_assert(std::is_convertible_v<q::row_range, q::run_options>);
static_assert(q::run_options{3, 5}.rows.begin == 3 && q::run_options{3, 5}.rows.end == 5);
static_assert(q::run_options{}.rows.begin == 0 && q::run_options{}.rows.end == q::to_end &&
              q::run_options{3, 5}.channels.begin == 0 && q::run_options{3, 5}.channels.end == q::to_end &&
              q::run_options{}.workspace.empty());
static_assert(q::row_range{}.begin == 0 && q::row_range{3, 5}.begin == 3 && q::row_range{3, 5}.end == 5);

}  // namespace

template <>
struct dyadic::kernel<own, dyadic::op::rescale> {
  template <class Layer, class X, class Y>
  static void run(const Layer&, const X&, const Y& y, row_range) noexcept {
    y.row(0)[0] = 77;
  }
};

namespace {

template <class Backend>
constexpr std::int8_t halved(std::int32_t value) {
  const std::int32_t x[1] = {value};
  std::int8_t y[1] = {};
  const q::rescale_layer layer{0, q::per_tensor_output<std::int8_t, q::tosa::scale32>{{1 << 30, 31}}};
  q::run<Backend>(layer, q::matrix_view<const std::int32_t>{x, 1, 1}, q::matrix_view<std::int8_t>{y, 1, 1});
  return y[0];
}
static_assert(halved<q::backend::scalar>(20) == 10 && halved<bare>(20) == 10);
static_assert(halved<own>(20) == 10, "the constant evaluator runs the scalar kernel");

}  // namespace

TEST_CASE("an operation runs the nearest kernel down the chain of fallbacks", "[dispatch]") {
  CHECK(halved<q::backend::scalar>(20) == 10);
  CHECK(halved<bare>(20) == 10);
  CHECK(halved<own>(20) == 77);
  CHECK(halved<above_own>(20) == 77);
}
