// A layer in the flash of a microcontroller. The compiler folds the bias, derives the multipliers and packs the weights for the
// backend of its flags. Nothing is prepared at run time, and start-up code copies nothing to RAM.
#include <dyadic/dyadic.hpp>
#include <dyadic/native.hpp>

#include <cstdio>

namespace q = dyadic;
using std::int16_t, std::int32_t, std::int64_t, std::int8_t;

namespace {

// The data that a converter writes to a header: three output channels of depth 5, and scales of input * weight / output.
constexpr int8_t weights[] = {12, -7, 100, 3, 5, -128, 127, 0, 9, -30, 1, 2, 3, 4, 5};
constexpr int64_t bias[] = {5000, -20000, 0};
constexpr double scales[] = {0.011, 0.0042, 0.25};
constexpr auto w = q::matrix_view(weights, 3, 5);
using rule = q::tosa::scale16;

struct flash {
  int8_t packed[q::packed_size<q::native, int16_t, int8_t>(3, 5)] = {};
  int64_t constants[3] = {};
  rule::multiplier_type multipliers[3] = {};
  q::fold_record record;
  bool ok = false;
};
constexpr flash prepared = [] {
  flash f;
  const auto folded = q::fold<int16_t>(w, bias, {/*x*/ 100, /*w*/ 0}, f.constants);
  f.record = folded.value.record;
  f.ok = folded.status == q::status::ok && q::pack<q::native, int16_t>(w, f.packed).status == q::status::ok;
  for (int i = 0; i < 3; ++i) {
    const auto m = rule::derive(scales[i]);
    f.multipliers[i] = m.value;
    f.ok = f.ok && m.status == q::status::ok;
  }
  return f;
}();
static_assert(prepared.ok);

// `constexpr auto layer = q::linear_layer{..}` is needed, because GCC puts `constexpr q::linear_layer layer{..}`, with deduced
// arguments, into RAM.
constexpr auto layer = q::linear_layer{q::packed_matrix<q::native, int16_t, int8_t>{prepared.packed, 3, 5},
                                       q::folded_bias<int64_t>{prepared.constants, prepared.record},
                                       q::per_channel_output<int16_t, rule>{prepared.multipliers}};

struct outputs {
  int16_t y[3];
};
constexpr outputs infer(const int16_t (&x)[5]) {
  outputs out{};
  run(layer, q::matrix_view(x, 1, 5), q::matrix_view(out.y, 1, 3));
  return out;
}
constexpr int16_t sample[] = {1000, -2000, 3000, 100, -32768};
constexpr outputs expected = infer(sample);  // computed by the compiler

}  // namespace

int main() {
  int16_t x[5];
  for (int i = 0; i < 5; ++i) x[i] = sample[i];
  const outputs out = infer(x);
  std::printf("%s: %d %d %d\n", q::native::name, out.y[0], out.y[1], out.y[2]);
  return out.y[0] == expected.y[0] && out.y[1] == expected.y[1] && out.y[2] == expected.y[2] ? 0 : 1;
}
