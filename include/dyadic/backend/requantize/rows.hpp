// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The loop over the rows of an operator without weights. Vectors compute a row in whole steps. Compiled once for all regions and
/// rules. Private. Floor 4.

#include <dyadic/config.hpp>

namespace dyadic::detail {
inline namespace DYADIC_ISA {

/// The most bytes of a step: at most four vectors of numbers of at most 32 bits.
constexpr index_t most_step_bytes = 8 * DYADIC_MOST_COLUMNS;

/// The steps of a rule of one or two operands. Only `run` knows their types; the loop over rows does not.
struct row_steps {
  /// Computes the outputs of `steps` contiguous steps. The steps of an operand are a_move or b_move bytes apart.
  using run_type = void(const row_steps& self, const std::byte* a, index_t a_move, const std::byte* b, index_t b_move,
                        std::byte* y, index_t steps) noexcept;
  run_type* run;
  index_t size;   ///< elements of a step
  index_t bytes;  ///< bytes of an element, of operands and of outputs
};

/// The rows of an operand, which are broadcast to the rows of the outputs.
struct row_operand {
  const std::byte* data;
  index_t row_stride;  ///< bytes from one row to the next; 0 if there is one row
  bool is_one;         ///< whether one element is broadcast to each row
};

/// Computes rows of n outputs from one or two operands: whole steps, then a last step, which overlaps the step before it. The
/// last step reads a copy of an operand that the outputs overwrite. A row that is shorter than a step is copied, as are its
/// outputs.
inline DYADIC_NOINLINE void run_rows(const row_steps& s, const row_operand* operands, int count, std::byte* y, index_t y_stride,
                                     index_t rows, index_t n) noexcept {
  const auto copy = [](const std::byte* from, std::byte* to, index_t size) {
    DYADIC_MEMCPY(to, from, static_cast<std::size_t>(size));
  };
  n *= s.bytes;
  bool are_dense = y_stride == n;
  for (int i = 0; i < count; ++i) are_dense = are_dense && !operands[i].is_one && operands[i].row_stride == n;
  if (are_dense) n *= rows, rows = 1;
  const index_t step = s.size * s.bytes;
  const index_t steps = quotient(n, step);
  const bool has_rest = n != steps * step;
  alignas(64) std::byte copies[3][most_step_bytes];  // one step of each operand and one step of outputs
  if (steps == 0) DYADIC_MEMSET(copies, 0, sizeof(copies));
  for (index_t r = 0; r < rows; ++r) {
    std::byte* const to = y + r * y_stride;
    const std::byte* x[2];
    const std::byte* last[2];
    index_t move[2];
    for (int i = 0; i < count; ++i) {
      const row_operand& all = operands[i];
      x[i] = all.data + r * all.row_stride;
      last[i] = copies[i];
      move[i] = all.is_one ? 0 : step;
      if (all.is_one) {
        copy(x[i], copies[i], s.bytes);
        for (index_t done = s.bytes, more = 0; done < step; done += more) {
          more = done < step - done ? done : step - done;
          copy(copies[i], copies[i] + done, more);
        }
        x[i] = copies[i];
      } else if (steps == 0) {
        copy(x[i], copies[i], n);
      } else if (x[i] == to) {
        copy(x[i] + n - step, copies[i], step);
      } else {
        last[i] = x[i] + n - step;
      }
    }
    const int second = count - 1;
    if (steps > 0) s.run(s, x[0], move[0], x[second], move[second], to, steps);
    if (has_rest) s.run(s, last[0], 0, last[second], 0, steps > 0 ? to + n - step : copies[2], 1);
    if (steps == 0) copy(copies[2], to, n);
  }
}

}  // namespace DYADIC_ISA
}  // namespace dyadic::detail
