// dyadic_prepare [--smoke]: the time to prepare a layer, beside the time to run it once on the best backend of this machine.

#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/verify.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "support/random.hpp"

namespace bench {
namespace {

namespace q = dyadic;

/// Each figure is the least time of this number of calls.
int calls = 200;

/// Returns the least time of a call in nanoseconds. `work` returns a value that depends on the call, so that the compiler keeps
/// the call.
template <class Work>
double least_time(const Work& work) {
  using clock = std::chrono::steady_clock;
  double least = 1e18;
  for (int i = 0; i < calls; ++i) {
    const auto begin = clock::now();
    auto made = work();
    asm volatile("" : : "r"(&made) : "memory");
    least = std::min(least, std::chrono::duration<double, std::nano>(clock::now() - begin).count());
  }
  return least;
}

template <class T>
std::vector<T> drawn(support::random_bits& random, q::index_t size) {
  std::vector<T> all(static_cast<std::size_t>(size));
  for (T& x : all) x = static_cast<T>(random());
  return all;
}

struct figures {
  double fold, unverified, pack, check, verify, run;
};

void print_row(const char* name, q::index_t weights, const figures& f) {
  std::printf("%-30s %8lld", name, static_cast<long long>(weights));
  for (const double ns : {f.fold, f.unverified, f.pack, f.check, f.verify}) {
    if (ns > 0)
      std::printf(" %11.2f", ns / 1000);
    else
      std::printf(" %11s", "-");
  }
  const double prepared = f.fold + f.pack;
  std::printf(" %11.2f %11.3f %11.1f\n", f.run / 1000, prepared / static_cast<double>(weights), prepared / f.run);
}

void require(q::status s, const char* name) {
  if (s == q::status::ok) return;
  std::fprintf(stderr, "dyadic_prepare: %s: %s\n", name, q::to_string(s));
  std::exit(1);
}

using rule = q::exact::half_up;

/// Times the preparation and one run of a layer on x and y. `make` builds the layer from a fold and an output.
template <class Backend, class Fold, class Pack, class Make, class X, class Y>
void measure(const char* name, q::index_t weights, q::index_t channels, const Fold& fold, const Pack& pack, const Make& make,
             const X& x, const Y& y) {
  const auto folded = fold(q::verifiable::yes);
  require(folded.status, name);
  const std::vector<rule::multiplier_type> multipliers(static_cast<std::size_t>(channels), {1 << 30, 46});
  const auto layer = make(folded.value, q::per_channel_output<std::int8_t, rule>{multipliers});
  require(check(layer, x, y), name);
  require(verify(layer), name);
  figures f{};
  f.fold = least_time([&] { return fold(q::verifiable::yes); });
  f.unverified = least_time([&] { return fold(q::verifiable::no); });
  if constexpr (!std::is_same_v<Pack, std::nullptr_t>) f.pack = least_time(pack);
  f.check = least_time([&] { return check(layer, x, y); });
  f.verify = least_time([&] { return verify(layer); });
  f.run = least_time([&] {
    q::run<Backend>(layer, x, y);
    return 0;
  });
  print_row(name, weights, f);
}

template <class Backend, class X>
void measure_linear(const char* name, q::index_t channels, q::index_t depth) {
  support::random_bits random;
  const auto w = drawn<std::int8_t>(random, channels * depth);
  const auto bias = drawn<std::int16_t>(random, channels);
  const std::vector<std::int32_t> bias32(bias.begin(), bias.end());
  const auto x = drawn<X>(random, depth);
  std::vector<std::int8_t> y(static_cast<std::size_t>(channels));
  std::vector<std::int64_t> constants(y.size());
  std::vector<std::int8_t> storage(static_cast<std::size_t>(q::packed_size<Backend, X, std::int8_t>(channels, depth)));
  const q::matrix_view<const std::int8_t> rows(w.data(), channels, depth);
  const auto pack = [&] { return q::pack<Backend, X>(rows, storage); };
  const auto packed = pack();
  measure<Backend>(
      name, channels * depth, channels,
      [&](q::verifiable taken) {
        return q::fold<X>(rows, bias32, {3, 0}, constants, taken);
      },
      pack,
      [&](const auto& bias_of, const auto& output) {
        return q::linear_layer{packed.value, bias_of, output};
      },
      q::matrix_view<const X>(x.data(), 1, depth), q::matrix_view<std::int8_t>(y.data(), 1, channels));
}

template <class Backend>
void measure_windows(bool is_depthwise, const char* name, q::index_t size, q::index_t channels) {
  support::random_bits random;
  const q::window2d window{{3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}};
  const q::index_t depth = is_depthwise ? 9 : 9 * channels;
  const auto w = drawn<std::int8_t>(random, channels * depth);
  const auto x = drawn<std::int8_t>(random, size * size * channels);
  std::vector<std::int8_t> y(x.size());
  std::vector<std::int64_t> constants(static_cast<std::size_t>(channels));
  std::vector<std::int8_t> storage(static_cast<std::size_t>(q::packed_size<Backend, std::int8_t, std::int8_t>(channels, depth)));
  const q::matrix_view<const std::int8_t> rows(w.data(), channels, depth);
  const q::matrix_view<const std::int8_t> taps(w.data(), 9, channels);
  const q::nhwc_view<const std::int8_t> in(x.data(), 1, size, size, channels);
  const q::nhwc_view<std::int8_t> out(y.data(), 1, size, size, channels);
  if (is_depthwise)
    return measure<Backend>(
        name, channels * depth, channels,
        [&](q::verifiable taken) {
          return q::fold_depthwise<std::int8_t>(taps, q::no_bias{}, window, {3, 0}, constants, taken);
        },
        nullptr,
        [&](const auto& bias, const auto& output) {
          return q::depthwise_layer{taps, bias, window, output};
        },
        in, out);
  const auto pack = [&] { return q::pack<Backend, std::int8_t>(rows, storage); };
  const auto packed = pack();
  measure<Backend>(
      name, channels * depth, channels,
      [&](q::verifiable taken) {
        return q::fold_conv2d<std::int8_t>(rows, q::no_bias{}, window, {3, 0}, constants, taken);
      },
      pack,
      [&](const auto& bias, const auto& output) {
        return q::conv2d_layer{packed.value, bias, window, 1, output};
      },
      in, out);
}

template <class Backend>
void measure_all() {
  std::printf("preparation of layers in microseconds, and one run on %s; weights int8, outputs int8 per channel\n\n",
              Backend::name);
  std::printf("%-30s %8s %11s %11s %11s %11s %11s %11s %11s %11s\n", "", "weights", "fold", "unverified", "pack", "check",
              "verify", "run", "ns/weight", "in runs");
  measure_linear<Backend, std::int8_t>("linear a8w8 1 x 64 x 64", 64, 64);
  measure_linear<Backend, std::int8_t>("linear a8w8 1 x 256 x 256", 256, 256);
  measure_linear<Backend, std::int16_t>("linear a16w8 1 x 256 x 256", 256, 256);
  measure_linear<Backend, std::int8_t>("linear a8w8 1 x 1000 x 1024", 1000, 1024);
  measure_windows<Backend>(false, "conv a8w8 16 x 16 x 64, 3 x 3", 16, 64);
  measure_windows<Backend>(true, "depthwise a8w8 16 x 16 x 128", 16, 128);
  std::printf("\nns/weight and in runs: fold and pack together\n");
}

/// Prints the sizes of packed weights of layers with few channels, on each backend.
void print_sizes() {
  constexpr q::index_t channels[] = {1, 2, 3, 4, 8, 10, 12, 16, 20, 32, 48};
  constexpr q::index_t depths[] = {64, 576};
  constexpr double must = 1.3;
  std::printf("\nbytes of packed weights for each byte of weights int8; of 8 to 16 channels they must be %.1f or less\n\n%-24s",
              must, "channels");
  for (const q::index_t n : channels) std::printf(" %5lld", static_cast<long long>(n));
  std::printf("\n");
  const auto print = [&](const char* backend, const char* format, q::index_t (*size)(q::index_t, q::index_t)) {
    for (const q::index_t depth : depths) {
      char name[64];
      std::snprintf(name, sizeof(name), "%s %s K = %lld", backend, format, static_cast<long long>(depth));
      std::printf("%-24s", name);
      bool is_open = false;
      for (const q::index_t n : channels) {
        const double share = static_cast<double>(size(n, depth)) / static_cast<double>(n * depth);
        is_open = is_open || (n >= 8 && n <= 16 && share > must);
        std::printf(" %5.2f", share);
      }
      std::printf("%s\n", is_open ? "  open" : "");
    }
  };
  q::for_each_backend([&](auto backend, bool) {
    using packed = decltype(backend);
    print(packed::name, "a8w8", q::packed_size<packed, std::int8_t, std::int8_t>);
    print(packed::name, "a16w8", q::packed_size<packed, std::int16_t, std::int8_t>);
  });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--smoke") == 0) bench::calls = 2;
  const dyadic::status s = dyadic::with_best_backend([](auto backend) { bench::measure_all<decltype(backend)>(); });
  bench::print_sizes();
  return s == dyadic::status::ok ? 0 : 1;
}
