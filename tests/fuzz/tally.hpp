#pragma once
/// \file
/// What the fuzz has seen.

#include <dyadic/status.hpp>

#include <cstdint>

namespace fuzz {

/// What has a status of its own. The first ones are drawn by the description; the folds, `verify` and what is
/// decided come with them.
enum class op : std::uint8_t {
  linear,
  conv2d,
  depthwise,
  transposed_conv2d,
  matmul,
  rescale,
  tosa_rescale,
  kernel_sums,
  from_pairs,
  binary,
  any_layer,
  fold,
  fold_conv2d,
  fold_depthwise,
  fold_transposed_conv2d,
  verify,
  fold_kernel_sums,
  refold,
  from_kernel_sum,
  to_kernel_sum,
  mean,
  average_pool,
  activation,
  softmax,
  prepare,
  agree,
  witness,
  prove_epilogue,
};
inline constexpr int drawn = 11;  ///< binary and all behind verify by one function; prepare by that of any_layer
inline constexpr int ops = 28;
inline constexpr int statuses = static_cast<int>(dyadic::status::misaligned_data) + 1;  // the last one

struct tally {
  std::uint64_t tried = 0;
  std::uint64_t clean_runs = 0;
  std::uint64_t compared = 0;  ///< with the oracle
  std::uint64_t seen[ops][statuses] = {};

  void note(op o, dyadic::status s) { ++seen[static_cast<int>(o)][static_cast<int>(s)]; }
  dyadic::status add(op o, dyadic::status s) {
    note(o, s);
    return s;
  }
};

/// Checks what the bytes describe, and runs it if it is accepted. Ends the program if a promise does not hold.
void fuzz_one(const std::uint8_t* data, std::size_t size, tally& t);

}  // namespace fuzz
