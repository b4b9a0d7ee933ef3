// The formulas of a backend in a program whose flags allow more instructions, contraction and reordering outside of the target
// region. Tests run one scheme for each accumulator type, and one scheme with a binary32.

#include "each_backend.hpp"
#include "parity.hpp"

#include <dyadic/blocks/matrices.hpp>
#include <dyadic/blocks/vectors.hpp>
#include <dyadic/scheme/fbgemm.hpp>

namespace {

#if defined(__ARM_NEON)
using tested = dyadic::backend::neon;
#else
using tested = dyadic::backend::sse41;
#endif

}  // namespace

TEST_CASE("fast math: binary32 scales equal scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary32_ties_and_edges<tested, dyadic::fbgemm::floating, std::int8_t>();
  parity::binary32_ties_and_edges<tested, dyadic::fbgemm::floating, std::int32_t>();
}

TEST_CASE("fast math: chains of three binary32s equal scalar", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary32_chains<tested, std::int8_t>();
}

TEST_CASE("fast math: scales in binary64 equal scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::binary64_ties_and_edges<tested, std::int32_t, std::int16_t>();
  parity::binary64_ties_and_edges<tested, std::int64_t, std::int32_t>();
}

TEST_CASE("fast math: integers equal scalar at ties and edges", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::ties_and_edges_of_tensor<tested, dyadic::tosa::scale32, std::int8_t>();
  parity::ties_and_edges_of_channels<tested, dyadic::tflite::double_rounding, std::int32_t>();
  parity::ties_and_edges_of_channels<tested, dyadic::tosa::scale16, std::int16_t>();
}

TEST_CASE("fast math: every length equals scalar and stays within its memory", "[parity]") {
  if (!parity::is_tested<tested>()) return;
  parity::every_length<tested, std::int32_t, std::int8_t, dyadic::tosa::scale32, parity::multipliers_per::channel>();
}

TEST_CASE("fast math: sums of scaled blocks are divided by the scale of outputs, not multiplied by its reciprocal", "[parity]") {
  namespace q = dyadic;
  using q::index_t;
  constexpr index_t channels = 32, depth = 4;
  std::int8_t w[channels * depth] = {};
  float ones[channels] = {}, bias[channels] = {};
  for (index_t c = 0; c < channels; ++c) {
    w[c * depth] = static_cast<std::int8_t>(2 * c - 31);
    ones[c] = 1;
    bias[c] = c % 3 == 0 ? 0.0f : c % 3 == 1 ? 0x1p-60f : -0x1p-60f;
  }
  const std::int8_t x[depth] = {1};
  const q::dynamic_row number[] = {{q::binary32(0x1.fffffep-1f), 0, {}}};
  using weights = q::one_scale_rows<q::element_codes<std::int8_t>>;
  unsigned char memory[4096], workspace[256];
  const auto packed = q::pack_rows(weights{{w}, ones, channels}, memory);
  REQUIRE(packed.status == q::status::ok);
  q::sum_epilogue e{bias};
  e.scale = q::binary32(0x1.fffffep0f);
  parity::each_backend([&](auto backend) {
    using Backend = decltype(backend);
    std::int8_t y[channels] = {};
    REQUIRE(q::exact::linear<Backend>(q::dynamic_rows{{x, 1, depth}, number}, packed.value,
                                      q::matrix_view<std::int8_t>(y, 1, channels), e, workspace) == q::status::ok);
    for (index_t c = 0; c < channels; ++c) {
      const index_t below = c - 16, even = below % 2 == 0 ? below : below + 1;  // the sum is below + 1/2 times the scale
      INFO(Backend::name << ", channel " << c);
      CHECK(y[c] == (bias[c] > 0 ? below + 1 : bias[c] < 0 ? below : even));
    }
  });
}
