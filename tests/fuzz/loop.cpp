// Reads arbitrary bytes as descriptions of layers. A description that `check` accepts must run clean.
// No description may cause undefined behaviour, under ASan and UBSan.
// Half of the descriptions are drawn afresh; the other half are earlier descriptions with a few bytes changed.
//   fuzz           the default number of descriptions
//   fuzz FILE...   the descriptions in these files, as libFuzzer and a failure leave them

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "../support/random.hpp"
#include "tally.hpp"

/// The function of the sanitizers, null where no sanitizer is linked.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using fuzz::op;
using status = dyadic::status;
using description = std::vector<std::uint8_t>;

/// The descriptions of a run. It goes on until it has seen each status that it wants, or has run four times this number.
constexpr int descriptions = DYADIC_TEST_DIVISOR == 1 ? 400000 : 150000;
constexpr int longest = 400;
constexpr std::size_t kept = 512;  ///< descriptions that ran and may be changed further

description current;

/// Writes the description that the program was reading when it failed.
void print_current() {
  std::fprintf(stderr, "the description, for xxd -r -p:\n");
  for (const std::uint8_t byte : current) std::fprintf(stderr, "%02x", byte);
  std::fprintf(stderr, "\n");
}

void on_signal(int signal) {
  print_current();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void print_at_the_end() {
  std::signal(SIGABRT, on_signal);
  if (__sanitizer_set_death_callback != nullptr) return __sanitizer_set_death_callback(print_current);
  std::signal(SIGSEGV, on_signal);
  std::signal(SIGFPE, on_signal);
}

description drawn_afresh(support::random_bits& random) {
  description d(static_cast<std::size_t>(1 + random.below(longest)));
  for (std::uint8_t& byte : d) byte = static_cast<std::uint8_t>(random());
  return d;
}

/// Returns the description with a few bytes changed, often to values that mean a fault.
description changed(description d, support::random_bits& random) {
  for (int i = 1 + random.below(3); i > 0 && !d.empty(); --i) {
    const std::size_t at = random() % d.size();
    switch (random.below(5)) {
      case 0: d[at] = 255; break;
      case 1: d[1 % d.size()] = static_cast<std::uint8_t>(random()); break;
      case 2: d.insert(d.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random())); break;
      case 3: d.erase(d.begin() + static_cast<std::ptrdiff_t>(at)); break;
      default: d[at] = static_cast<std::uint8_t>(random()); break;
    }
  }
  return d;
}

void describe_with(const description& d, fuzz::tally& t) {
  current = d;
  fuzz::fuzz_one(current.data(), current.size(), t);
}

using set = std::vector<status>;

set operator+(set a, const set& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The statuses that an operator must have returned.
struct demand {
  op what;
  const char* name;
  set wanted;
};

std::vector<demand> demands() {
  using s = status;
  const set arrays = {s::ok, s::null_data, s::negative_size, s::size_overflow, s::misaligned_data};
  const set views = arrays + set{s::stride_too_small, s::shape_mismatch};
  const set fold = views + set{s::zero_point_out_of_range, s::overlap};
  const set window = {s::bad_window};
  const set output = fold + set{s::empty_range, s::range_out_of_type, s::multiplier_out_of_range, s::multiplier_count_mismatch,
                                s::accumulator_overflow};
  const set output_of_types = {s::zero_point_out_of_range, s::overlap, s::empty_range, s::range_out_of_type,
                               s::multiplier_out_of_range};
  const set layer = output + set{s::fold_of_other_type, s::fold_of_other_shape};
  const set decided = views + window + set{s::zero_point_out_of_range,
                                           s::fold_of_other_type,
                                           s::fold_of_other_shape,
                                           s::fold_of_other_weights,
                                           s::empty_range,
                                           s::range_out_of_type,
                                           s::multiplier_out_of_range,
                                           s::multiplier_count_mismatch,
                                           s::accumulator_overflow};
  const set elementwise = fold + set{s::empty_range, s::range_out_of_type};
  const set exchange = arrays + set{s::shape_mismatch, s::overlap};
  const set blocks = {s::ok, s::null_data, s::negative_size, s::shape_mismatch};
  const set quantized = blocks + set{s::scale_not_finite};
  const set sums = quantized + set{s::value_out_of_range};
  return {{op::linear, "linear", layer},
          {op::conv2d, "conv2d", layer + window},
          {op::depthwise, "depthwise", layer + window},
          {op::transposed_conv2d, "transposed_conv2d", layer + window},
          {op::matmul, "matmul", output},
          {op::rescale, "rescale", output},
          {op::tosa_rescale, "tosa::rescale", views + set{s::overlap, s::illegal_operator, s::unpredictable}},
          {op::fold, "fold", fold},
          {op::fold_conv2d, "fold_conv2d", fold + window},
          {op::fold_depthwise, "fold_depthwise", fold + window},
          {op::fold_transposed_conv2d, "fold_transposed_conv2d", fold + window},
          {op::verify, "verify", arrays + window + set{s::stride_too_small, s::fold_of_other_shape, s::fold_of_other_weights}},
          {op::kernel_sums, "kernel_sums", views + set{s::overlap}},
          {op::fold_kernel_sums, "fold_kernel_sums", exchange + set{s::zero_point_out_of_range, s::value_out_of_range}},
          {op::refold, "refold", exchange + set{s::zero_point_out_of_range}},
          {op::from_kernel_sum, "from_kernel_sum", {s::ok, s::negative_size, s::size_overflow, s::zero_point_out_of_range}},
          {op::to_kernel_sum, "to_kernel_sum", exchange + set{s::value_out_of_range}},
          {op::binary, "binary", elementwise + set{s::multiplier_out_of_range, s::accumulator_overflow}},
          {op::mean, "mean", elementwise + set{s::multiplier_out_of_range, s::accumulator_overflow}},
          {op::average_pool, "average_pool", elementwise + window + set{s::multiplier_out_of_range}},
          {op::pool, "pool", views + window + set{s::zero_point_out_of_range, s::overlap, s::empty_range, s::range_out_of_type}},
          {op::extreme, "extreme", views + set{s::overlap}},
          {op::pad, "pad", views + set{s::overlap}},
          {op::resize, "resize", views + set{s::overlap, s::illegal_operator, s::reads_outside, s::size_overflow}},
          {op::activation, "activation", elementwise + set{s::multiplier_out_of_range}},
          {op::softmax, "softmax",
           views + set{s::overlap, s::multiplier_out_of_range, s::value_out_of_range, s::accumulator_overflow}},
          {op::recurrent, "recurrent", fold + set{s::multiplier_out_of_range, s::accumulator_overflow}},
          {op::svdf, "svdf", elementwise + set{s::multiplier_out_of_range, s::accumulator_overflow}},
          {op::norm, "norm", elementwise + set{s::multiplier_out_of_range, s::value_out_of_range, s::accumulator_overflow}},
          {op::from_pairs, "from_pairs", exchange + set{s::multiplier_out_of_range}},
          {op::prepare, "prepare",
           arrays + window + output_of_types + set{s::shape_mismatch, s::unknown_kind, s::arena_too_small, s::arena_misaligned}},
          {op::any_layer, "any_layer",
           views + window + output_of_types +
               set{s::fold_of_other_shape, s::type_mismatch, s::arena_too_small, s::unknown_kind, s::accumulator_overflow}},
          {op::agree, "agree", decided + set{s::not_monotone}},
          {op::find_witness, "find_witness", decided + set{s::no_witness}},
          {op::prove_epilogue, "prove_epilogue", decided},
          {op::quantize_blocks, "quantize_blocks", quantized + set{s::overlap, s::scale_negative}},
          {op::quantize_mx, "quantize_mx", quantized},
          {op::quantize_ggml, "quantize_ggml", quantized + set{s::scale_too_large}},
          {op::quantize_row, "quantize_row", quantized + set{s::scale_too_small}},
          {op::reorder_nibbles, "reorder_nibbles", blocks},
          {op::lpbq, "lpbq", quantized},
          {op::lpbq_expand, "lpbq_expand", blocks + set{s::value_out_of_range}},
          {op::exact_dot, "exact_dot", sums + set{s::empty_range}},
          {op::engine_dot, "engine_dot", sums + set{s::zero_point_out_of_range, s::scale_too_small}},
          {op::pack_rows, "pack_rows", sums + set{s::overlap, s::arena_too_small}},
          {op::exact_linear, "exact::linear", sums + set{s::overlap, s::arena_too_small, s::stride_too_small}}};
}

/// Prints the counts of the tally.
void print(const fuzz::tally& t) {
  std::printf("%llu descriptions, %llu clean runs, %llu of them equal to the definition\n",
              static_cast<unsigned long long>(t.tried), static_cast<unsigned long long>(t.clean_runs),
              static_cast<unsigned long long>(t.compared));
  for (const demand& d : demands()) {
    const auto& seen = t.seen[static_cast<int>(d.what)];
    std::printf("%s:", d.name);
    for (int s = 0; s < fuzz::statuses; ++s)
      if (seen[s] != 0)
        std::printf(" %s %llu,", dyadic::to_string(static_cast<status>(s)), static_cast<unsigned long long>(seen[s]));
    std::printf("\n");
  }
}

/// Returns true if every wanted status was seen, or says which was not. A fuzz run that sees only refusals proves nothing.
bool is_enough(const fuzz::tally& t, bool is_silent = false) {
  bool enough = t.clean_runs != 0 && t.compared != 0;
  for (const demand& d : demands())
    for (const status s : d.wanted)
      if (t.seen[static_cast<int>(d.what)][static_cast<int>(s)] == 0) {
        if (!is_silent) std::printf("never seen of %s: %s\n", d.name, dyadic::to_string(s));
        enough = false;
      }
  return enough;
}

}  // namespace

int main(int argc, char** argv) {
  print_at_the_end();
  fuzz::tally t;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 2;
    }
    describe_with(description(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()), t);
  }
  if (argc > 1) {
    print(t);
    return 0;
  }

  support::random_bits random;
  std::vector<description> pool;
  std::printf("seed %llu\n", static_cast<unsigned long long>(support::seed));
  const auto goes_on = [&](int i) { return i < descriptions || (i < 4 * descriptions && !is_enough(t, true)); };
  for (int i = 0; i % 10000 != 0 || goes_on(i); ++i) {
    const bool afresh = pool.size() < kept || random.one_in(2);
    const description d = afresh ? drawn_afresh(random) : changed(pool[random() % pool.size()], random);
    const std::uint64_t runs = t.clean_runs;
    describe_with(d, t);
    if (t.clean_runs == runs) continue;
    if (pool.size() < kept)
      pool.push_back(d);
    else
      pool[random() % kept] = d;
  }
  print(t);
  return is_enough(t) ? 0 : 1;
}
