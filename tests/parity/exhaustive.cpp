// All 2^32 accumulators of the schemes over lanes, in both forms of their formulas, against scalar code; for an int48, windows.
//   parity_exhaustive [part of a name]

#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>
#include <dyadic/rescale.hpp>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

namespace q = dyadic;

constexpr std::int64_t chunk = 1 << 16;
const char* wanted = "";
int failed = 0;
int passed = 0;

/// The accumulators from first on, count of them, `step` apart.
template <class Backend, class Scheme>
std::uint64_t differences(typename Scheme::multiplier_type m, std::int64_t first, std::int64_t count, std::int64_t step) {
  using accumulator = typename Scheme::accumulator;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::uint64_t> different{0};
  const auto work = [&] {
    std::vector<accumulator> x(chunk);
    std::vector<std::int32_t> y(chunk);
    const q::rescale_layer<q::tensor_output<std::int32_t, Scheme>> layer{0, {m, {}}};
    for (std::int64_t i = next.fetch_add(chunk); i < count; i = next.fetch_add(chunk)) {
      for (std::int64_t k = 0; k < chunk; ++k) x[static_cast<std::size_t>(k)] = static_cast<accumulator>(first + (i + k) * step);
      q::run<Backend>(layer, q::matrix_view<const accumulator>{x.data(), 1, chunk},
                      q::matrix_view<std::int32_t>{y.data(), 1, chunk});
      std::uint64_t mine = 0;
      for (std::size_t k = 0; k < x.size(); ++k) mine += y[k] != q::requantize<Scheme>(x[k], m, {});
      different += mine;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return different;
}

template <class Backend, class Scheme>
void sweep(const char* scheme, std::initializer_list<typename Scheme::multiplier_type> multipliers) {
  for (const auto m : multipliers) {
    if (!Scheme::valid(m)) continue;
    const std::string name = std::string(Backend::name) + " " + scheme;
    if (name.find(wanted) == std::string::npos) continue;
    constexpr std::int64_t all = std::int64_t{1} << 32;
    std::uint64_t different = 0;
    if constexpr (sizeof(typename Scheme::accumulator) == 4) {
      different = differences<Backend, Scheme>(m, std::numeric_limits<std::int32_t>::min(), all, 1);
    } else {
      different += differences<Backend, Scheme>(m, -all / 2, all, 1);
      different += differences<Backend, Scheme>(m, -(std::int64_t{1} << 47), all, 65536);
    }
    std::printf("%s  %" PRId64 " * 2^-%d  %" PRIu64 " differ\n", name.c_str(), static_cast<std::int64_t>(m.mantissa),
                static_cast<int>(m.right_shift), different);
    std::fflush(stdout);
    ++(different == 0 ? passed : failed);
  }
}

/// Both sides of a right_shift of 32, where the shorter form begins, and its extremes; a mantissa of 0, whose product has no
/// sign.
template <class Backend>
void sweep_all() {
  const std::initializer_list<q::multiplier32> q31 = {{1 << 30, 32},      {1 << 30, 31}, {1 << 30, 33},     {0x7FFF'FFFF, 32},
                                                      {0x5A82'799A, 41},  {0, 40},       {0x7FFF'FFFF, 62}, {1, 32},
                                                      {-0x5A82'799A, 38}, {3, 2},        {0x5A82'799A, 20}};
  const std::initializer_list<q::multiplier32> q24 = {{(1 << 23) + 5, 32}, {(1 << 24) - 1, 55}, {(1 << 23) + 1, 27}, {0, 32}};
  const std::initializer_list<q::multiplier16> q15 = {{32767, 32}, {1 << 14, 31}, {23171, 25}, {23171, 40}, {0, 33}, {32767, 46}};
  sweep<Backend, q::tflite::double_rounding>("tflite::double_rounding", q31);
  sweep<Backend, q::tflite::single_rounding>("tflite::single_rounding", q31);
  sweep<Backend, q::tflite::neon_double_rounding>("tflite::neon_double_rounding", q31);
  sweep<Backend, q::tflite::neon_single_rounding>("tflite::neon_single_rounding", q31);
  sweep<Backend, q::tflite::avx2>("tflite::avx2", q31);
  sweep<Backend, q::cmsis_nn::double_rounding>("cmsis_nn::double_rounding", q31);
  sweep<Backend, q::cmsis_nn::mve_predicated_single_rounding>("cmsis_nn::mve_predicated_single_rounding", q31);
  sweep<Backend, q::tosa::scale32>("tosa::scale32", q31);
  sweep<Backend, q::tosa::scale32_double_round>("tosa::scale32_double_round", q31);
  sweep<Backend, q::fbgemm::fixed>("fbgemm::fixed", q31);
  sweep<Backend, q::xnnpack::gemmlowp>("xnnpack::gemmlowp", q31);
  sweep<Backend, q::xnnpack::rndnu>("xnnpack::rndnu", q24);
  sweep<Backend, q::xnnpack::rndna>("xnnpack::rndna", q24);
  sweep<Backend, q::xnnpack::rndnu16>("xnnpack::rndnu16", q15);
  sweep<Backend, q::tosa::scale16>("tosa::scale16", q15);
  sweep<Backend, q::tflite::reduced_int64>("tflite::reduced_int64", q15);
  sweep<Backend, q::cmsis_nn::requantize_s64>("cmsis_nn::requantize_s64", q15);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) wanted = argv[1];
  q::for_each_backend([](auto backend, bool runs_here) {
    using tested = decltype(backend);
    if (!runs_here)
      std::printf("%s: not on this machine\n", tested::name);
    else if constexpr (!std::is_same_v<tested, q::backend::scalar>)
      sweep_all<tested>();
  });
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed != 0 ? 0 : 1;
}
