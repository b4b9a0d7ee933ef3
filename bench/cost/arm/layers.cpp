// Runs one layer several times with one backend. An emulator counts the instructions: bench/cost/arm.sh.
//
//   arm                                 prints the backends, then the cases
//   arm BACKEND CASE REPETITIONS        prints the multiply-adds, elements or weights of one repetition
//   arm BACKEND CASE 0                  first prints the bytes of stack of one repetition, on a bare machine

#include <dyadic/conv2d.hpp>
#include <dyadic/depthwise.hpp>
#include <dyadic/elementwise/activation.hpp>
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/table.hpp>
#include <dyadic/linear.hpp>
#include <dyadic/native.hpp>
#include <dyadic/rescale.hpp>
#include <dyadic/scheme/tflite.hpp>
#include <dyadic/scheme/tosa.hpp>
#include <dyadic/verify.hpp>
#ifdef __linux__
#include <dyadic/cpu.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace dyadic;

/// Returns numbers of up to `bits` bits, the same in each run.
template <class T>
std::vector<T> numbers(index_t count, int bits) {
  static std::uint32_t state = 20240229;
  std::vector<T> all(static_cast<std::size_t>(count));
  for (T& x : all) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<std::int32_t>(state) >> (32 - bits));
  }
  return all;
}

int failed(status s) {
  std::fprintf(stderr, "%s\n", to_string(s));
  return 1;
}

/// Returns an exit code that depends on the outputs, so that no compiler removes the work.
template <class T>
int use(const std::vector<T>& y) {
  for (const T& one : y)
    if (one != y.front()) return 0;
  return y.size() < 2 ? 0 : 1;
}

/// Paints the stack below this function. Returns how many of the painted bytes a call overwrites.
template <class Call>
__attribute__((noinline)) long stack_of(const Call& call) {
  constexpr long painted = 16384;
  volatile unsigned char* end = nullptr;
  __asm__ volatile("mov %0, sp" : "=r"(end));
  for (long i = 1; i <= painted; ++i) end[-i] = 0xA5;
  call();
  long bytes = painted;
  while (bytes > 0 && end[-bytes] == 0xA5) --bytes;
  return bytes;
}

/// Repeats a run. A compiler barrier keeps the compiler from merging the runs. If `repetitions` is 0, prints the bytes of stack
/// of a single run.
template <class Run>
void repeat_run(int repetitions, const Run& run_once) {
  if (repetitions == 0) std::printf("%ld\n", stack_of(run_once));
  for (int i = 0; i < repetitions; ++i) {
    run_once();
    __asm__ volatile("" ::: "memory");
  }
}

template <class Scheme>
std::vector<typename Scheme::multiplier_type> multipliers(index_t channels, double scale) {
  std::vector<typename Scheme::multiplier_type> all;
  for (index_t o = 0; o < channels; ++o) all.push_back(Scheme::derive(scale * (1 + 0.01 * static_cast<double>(o % 16))).value);
  return all;
}

/// Runs a linear layer. A weight W is a byte, or an int4: two to a byte.
template <class Backend, class X, class W, class Scheme>
int linear(index_t rows, index_t channels, index_t depth, int repetitions) {
  const auto x = numbers<X>(rows * depth, 8 * sizeof(X));
  constexpr bool has_nibbles = std::is_same_v<W, int4>;
  const auto w = numbers<std::conditional_t<has_nibbles, std::uint8_t, W>>(channels * depth / (has_nibbles ? 2 : 1), 8);
  const auto bias = numbers<std::int32_t>(channels, 16);
  std::vector<typename Scheme::accumulator> constants(bias.size());
  std::vector<X> y(static_cast<std::size_t>(rows * channels));
  const auto m = multipliers<Scheme>(channels, 1.0 / (64 * static_cast<double>(depth)));
  const matrix_view<const W> weights(w.data(), channels, depth);
  const auto folded = fold<X>(weights, bias, {}, constants);
  std::vector<std::int8_t> storage(static_cast<std::size_t>(packed_size<Backend, X, W>(channels, depth)));
  const auto packed = pack<Backend, X>(weights, view<std::int8_t>(storage));
  if (packed.status != status::ok) return failed(packed.status);
  const matrix_view<const X> from(x.data(), rows, depth);
  const matrix_view<X> to(y.data(), rows, channels);
  const auto repeat = [&](const auto& layer) {
    if (const status s = check(layer, from, to); s != status::ok) return failed(s);
    repeat_run(repetitions, [&] { run<Backend>(layer, from, to); });
    std::printf("%ld\n", static_cast<long>(rows * channels * depth));
    return use(y);
  };
  const per_channel_output<X, Scheme> output{m, range_of<X>(1)};
  // Portable code reads weights that are not packed.
  if constexpr (std::is_same_v<Backend, backend::scalar>)
    return repeat(linear_layer{weights, folded.value, output});
  else
    return repeat(linear_layer{packed.value, folded.value, output});
}

template <class Backend, class X, class Scheme>
int conv2d(index_t size, index_t in, index_t out, int repetitions) {
  const window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  const auto x = numbers<X>(size * size * in, 8 * sizeof(X));
  const auto w = numbers<std::int8_t>(out * 9 * in, 8);
  const auto bias = numbers<std::int32_t>(out, 16);
  std::vector<typename Scheme::accumulator> constants(static_cast<std::size_t>(out));
  std::vector<X> y(static_cast<std::size_t>(size * size * out));
  const auto m = multipliers<Scheme>(out, 1.0 / (64 * 9 * static_cast<double>(in)));
  const matrix_view<const std::int8_t> weights(w.data(), out, 9 * in);
  const auto folded = fold_conv2d<X>(weights, bias, window, {}, constants);
  std::vector<std::int8_t> storage(static_cast<std::size_t>(packed_conv2d_size<Backend, X, std::int8_t>(out, 9 * in, window, 1)));
  const auto packed = pack_conv2d<Backend, X>(weights, window, 1, view<std::int8_t>(storage));
  const nhwc_view<const X> from(x.data(), 1, size, size, in);
  const nhwc_view<X> to(y.data(), 1, size, size, out);
  const auto repeat = [&](const auto& layer) {
    if (const status s = check(layer, from, to); s != status::ok) return failed(s);
    repeat_run(repetitions, [&] { run<Backend>(layer, from, to); });
    std::printf("%ld\n", static_cast<long>(size * size * out * 9 * in));
    return use(y);
  };
  const per_channel_output<X, Scheme> output{m, range_of<X>(1)};
  if constexpr (std::is_same_v<Backend, backend::scalar>)
    return repeat(conv2d_layer{weights, folded.value, window, 1, output});
  else
    return repeat(conv2d_layer{packed.value, folded.value, window, 1, output});
}

template <class Backend, class X, class Scheme>
int depthwise(index_t size, index_t channels, int repetitions) {
  const window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  const auto x = numbers<X>(size * size * channels, 8 * sizeof(X));
  const auto w = numbers<std::int8_t>(9 * channels, 8);
  const auto bias = numbers<std::int32_t>(channels, 16);
  std::vector<typename Scheme::accumulator> constants(static_cast<std::size_t>(channels));
  std::vector<X> y(static_cast<std::size_t>(size * size * channels));
  const auto m = multipliers<Scheme>(channels, 1.0 / (64 * 9));
  const matrix_view<const std::int8_t> weights(w.data(), 9, channels);
  const auto folded = fold_depthwise<X>(weights, bias, window, {}, constants);
  const depthwise_layer layer{weights, folded.value, window, per_channel_output<X, Scheme>{m, range_of<X>(1)}};
  const nhwc_view<const X> from(x.data(), 1, size, size, channels);
  const nhwc_view<X> to(y.data(), 1, size, size, channels);
  if (const status s = check(layer, from, to); s != status::ok) return failed(s);
  repeat_run(repetitions, [&] { run<Backend>(layer, from, to); });
  std::printf("%ld\n", static_cast<long>(size * size * channels * 9));
  return use(y);
}

template <class Backend, class X, class Y, class Scheme>
int rescale(bool per_channel, int repetitions) {
  constexpr index_t rows = 16;
  constexpr index_t channels = 64;
  const auto x = numbers<X>(rows * channels, 24);
  std::vector<Y> y(static_cast<std::size_t>(rows * channels));
  const auto m = multipliers<Scheme>(channels, 1e-5);
  const matrix_view<const X> from(x.data(), rows, channels);
  const matrix_view<Y> to(y.data(), rows, channels);
  const auto repeat = [&](const auto& layer) {
    if (const status s = check(layer, from, to); s != status::ok) return failed(s);
    repeat_run(repetitions, [&] { run<Backend>(layer, from, to); });
    std::printf("%ld\n", static_cast<long>(rows * channels));
    return use(y);
  };
  if (per_channel) return repeat(rescale_layer{0, per_channel_output<Y, Scheme>{m, range_of<Y>(3)}});
  return repeat(rescale_layer{0, per_tensor_output<Y, Scheme>{m[0], range_of<Y>(3)}});
}

/// Runs a rule of two inputs on 16 rows of 64 elements.
template <class Backend, class Rule>
int binary(int repetitions) {
  using X = typename Rule::value_type;
  constexpr index_t rows = 16;
  constexpr index_t channels = 64;
  const auto a = numbers<X>(rows * channels, 8 * sizeof(X));
  const auto b = numbers<X>(rows * channels, 8 * sizeof(X));
  std::vector<X> y(a.size());
  const matrix_view<const X> left(a.data(), rows, channels), right(b.data(), rows, channels);
  const matrix_view<X> to(y.data(), rows, channels);
  const binary_layer<Rule> layer{Rule::derive(0.031f, 0, 0.043f, 0, 0.05f, range_of<X>()).value};
  if (const status s = check(layer, left, right, to); s != status::ok) return failed(s);
  repeat_run(repetitions, [&] { run<Backend>(layer, left, right, to); });
  std::printf("%ld\n", static_cast<long>(rows * channels));
  return use(y);
}

/// Runs a table of X on 16 rows of 64 elements.
template <class Backend, class X>
int look_up(int repetitions) {
  constexpr index_t rows = 16;
  constexpr index_t channels = 64;
  const auto x = numbers<X>(rows * channels, 8 * sizeof(X));
  const auto entries = numbers<X>(table_size<X>, 8 * sizeof(X));
  std::vector<X> y(x.size());
  const matrix_view<const X> from(x.data(), rows, channels);
  const matrix_view<X> to(y.data(), rows, channels);
  const activation_layer<tflite::table<X>> layer{{{entries.data(), table_size<X>}}};
  if (const status s = check(layer, from, to); s != status::ok) return failed(s);
  repeat_run(repetitions, [&] { run<Backend>(layer, from, to); });
  std::printf("%ld\n", static_cast<long>(rows * channels));
  return use(y);
}

enum preparation { folding, folding_unverified, packing, verifying };

/// Prepares a linear layer of `size` channels and depth `size`.
template <class Backend>
int prepare(preparation what, index_t size, int repetitions) {
  const auto w = numbers<std::int8_t>(size * size, 8);
  const matrix_view<const std::int8_t> weights(w.data(), size, size);
  std::vector<std::int32_t> constants(static_cast<std::size_t>(size));
  std::vector<std::int8_t> storage(static_cast<std::size_t>(packed_size<Backend, std::int8_t, std::int8_t>(size, size)));
  const auto fold_weights = [&](verifiable taken) { return fold<std::int8_t>(weights, no_bias{}, {3, 0}, constants, taken); };
  const auto pack_weights = [&] { return pack<Backend, std::int8_t>(weights, view<std::int8_t>(storage)); };
  const linear_layer layer{pack_weights().value, fold_weights(verifiable::yes).value, raw_output<std::int32_t>{}};
  status s = status::ok;
  repeat_run(repetitions, [&] {
    if (what == packing) s = pack_weights().status;
    if (what == verifying) s = verify(layer);
    if (what == folding) s = fold_weights(verifiable::yes).status;
    if (what == folding_unverified) s = fold_weights(verifiable::no).status;
  });
  std::printf("%ld\n", static_cast<long>(size * size));
  return s == status::ok ? 0 : failed(s);
}

struct test_case {
  const char* name;
  int what;
  index_t a, b, c;
};
enum { linear16, linear8, linear16w4, linear8w4, conv16, conv8, depthwise16, depthwise8 };
enum { double_rounding = depthwise8 + 1, single_rounding, short_multiplier, prepared };
enum { add8 = prepared + 1, add16, multiply8, multiply16, table8, table16 };
constexpr test_case cases[] = {
    {"a16w8 linear 1x64x64", linear16, 1, 64, 64},
    {"a16w8 linear 1x64x256", linear16, 1, 64, 256},
    {"a16w8 linear 1x64x1024", linear16, 1, 64, 1024},
    {"a16w8 linear 48x64x64", linear16, 48, 64, 64},
    {"a16w8 linear 48x64x256", linear16, 48, 64, 256},
    {"a16w8 linear 48x64x1024", linear16, 48, 64, 1024},
    {"a8w8 linear 1x64x256", linear8, 1, 64, 256},
    {"a8w8 linear 48x64x256", linear8, 48, 64, 256},
    {"a16w4 linear 1x64x256", linear16w4, 1, 64, 256},
    {"a16w4 linear 48x64x256", linear16w4, 48, 64, 256},
    {"a8w4 linear 1x64x256", linear8w4, 1, 64, 256},
    {"a8w4 linear 48x64x256", linear8w4, 48, 64, 256},
    {"a16w8 conv2d 3x3 10x10x16->16", conv16, 10, 16, 16},
    {"a8w8 conv2d 3x3 10x10x16->16", conv8, 10, 16, 16},
    {"a16w8 conv2d 3x3 16x16x16->32", conv16, 16, 16, 32},
    {"a8w8 conv2d 3x3 16x16x16->32", conv8, 16, 16, 32},
    {"a16w8 depthwise 3x3 10x10x16", depthwise16, 10, 16, 0},
    {"a8w8 depthwise 3x3 10x10x16", depthwise8, 10, 16, 0},
    {"a16w8 depthwise 3x3 16x16x16", depthwise16, 16, 16, 0},
    {"i32->i8 double rounding, per tensor", double_rounding, 0, 0, 0},
    {"i32->i8 double rounding, per channel", double_rounding, 1, 0, 0},
    {"i32->i8 single rounding, per tensor", single_rounding, 0, 0, 0},
    {"i32->i8 single rounding, per channel", single_rounding, 1, 0, 0},
    {"i32->i16 15-bit multiplier, per tensor", short_multiplier, 0, 0, 0},
    {"add int8", add8, 0, 0, 0},
    {"add int16", add16, 0, 0, 0},
    {"multiply int8", multiply8, 0, 0, 0},
    {"multiply int16", multiply16, 0, 0, 0},
    {"table int8", table8, 0, 0, 0},
    {"table int16", table16, 0, 0, 0},
    {"fold 256x256", prepared, folding, 256, 0},
    {"fold 256x256, no fingerprint", prepared, folding_unverified, 256, 0},
    {"pack 256x256", prepared, packing, 256, 0},
    {"verify 256x256, packed", prepared, verifying, 256, 0},
};

template <class Backend>
int run_case(const test_case& t, int n) {
  using std::int16_t;
  using std::int32_t;
  using std::int8_t;
  switch (t.what) {
    case linear16: return linear<Backend, int16_t, int8_t, tosa::scale16>(t.a, t.b, t.c, n);
    case linear8: return linear<Backend, int8_t, int8_t, tflite::double_rounding>(t.a, t.b, t.c, n);
    case linear16w4: return linear<Backend, int16_t, int4, tosa::scale16>(t.a, t.b, t.c, n);
    case linear8w4: return linear<Backend, int8_t, int4, tflite::double_rounding>(t.a, t.b, t.c, n);
    case conv16: return conv2d<Backend, int16_t, tosa::scale16>(t.a, t.b, t.c, n);
    case conv8: return conv2d<Backend, int8_t, tflite::double_rounding>(t.a, t.b, t.c, n);
    case depthwise16: return depthwise<Backend, int16_t, tosa::scale16>(t.a, t.b, n);
    case depthwise8: return depthwise<Backend, int8_t, tflite::double_rounding>(t.a, t.b, n);
    case double_rounding: return rescale<Backend, int32_t, int8_t, tflite::double_rounding>(t.a != 0, n);
    case single_rounding: return rescale<Backend, int32_t, int8_t, tosa::scale32>(t.a != 0, n);
    case add8: return binary<Backend, tflite::add<int8_t>>(n);
    case add16: return binary<Backend, tflite::add<int16_t>>(n);
    case multiply8: return binary<Backend, tflite::multiply<int8_t>>(n);
    case multiply16: return binary<Backend, tflite::multiply<int16_t>>(n);
    case table8: return look_up<Backend, int8_t>(n);
    case table16: return look_up<Backend, int16_t>(n);
    case prepared: return prepare<Backend>(static_cast<preparation>(t.a), t.b, n);
    default: return rescale<Backend, int32_t, int16_t, tosa::scale16>(t.a != 0, n);
  }
}

#ifdef __linux__
using best = backend::DYADIC_BEST;
#else
using best = native;
#endif

/// Calls use(backend) for the best backend and its fallbacks.
template <class Backend = best, class Use>
void each_backend(const Use& use) {
  use(Backend{});
  if constexpr (!std::is_same_v<Backend, backend::scalar>) each_backend<typename Backend::fallback>(use);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    each_backend([](auto backend) { std::printf("%s ", decltype(backend)::name); });
    std::printf("\n");
    for (const test_case& t : cases) std::printf("%s\n", t.name);
    return 0;
  }
  int exit_code = 2;
  for (const test_case& t : cases)
    if (std::strcmp(t.name, argv[2]) == 0)
      each_backend([&](auto backend) {
        using chosen = decltype(backend);
        if (std::strcmp(chosen::name, argv[1]) == 0) exit_code = run_case<chosen>(t, std::atoi(argv[3]));
      });
  if (exit_code == 2) std::fprintf(stderr, "no such backend or case\n");
  return exit_code;
}
