#pragma once
/// \file
/// The counts of what the fuzz run has seen.

#include <dyadic/status.hpp>

#include <cstdint>

namespace fuzz {

/// The functions that return a status. A description draws an operator of the first group.
/// The folds, `verify` and the decisions are called for the drawn operator.
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
  pool,
  extreme,
  pad,
  resize,
  activation,
  softmax,
  norm,
  prepare,
  agree,
  find_witness,
  prove_epilogue,
  recurrent,
  svdf,
  quantize_blocks,
  quantize_mx,
  quantize_ggml,
  quantize_row,
  reorder_nibbles,
  lpbq,
  lpbq_expand,
  exact_dot,
  engine_dot,
  pack_rows,
  exact_linear,
};
/// The entry of binary also draws mean, average_pool and activation .. norm. The entry of images draws pool .. resize. any_layer
/// also draws prepare, and recurrent also draws svdf. The entry of blocks draws quantize_blocks .. engine_dot, and that of linear
/// blocks draws pack_rows and exact_linear.
inline constexpr int drawn = 15;
inline constexpr int ops = static_cast<int>(op::exact_linear) + 1;
inline constexpr int statuses = static_cast<int>(dyadic::status::reads_outside) + 1;  // the last status

struct tally {
  std::uint64_t tried = 0;
  std::uint64_t clean_runs = 0;
  std::uint64_t compared = 0;  ///< clean runs that were compared with the oracle
  std::uint64_t seen[ops][statuses] = {};

  void note(op o, dyadic::status s) { ++seen[static_cast<int>(o)][static_cast<int>(s)]; }
  dyadic::status add(op o, dyadic::status s) {
    note(o, s);
    return s;
  }
};

/// Checks the layer that the bytes describe, and runs it if it is accepted. Ends the program if a promise does not hold.
void fuzz_one(const std::uint8_t* data, std::size_t size, tally& t);

}  // namespace fuzz
