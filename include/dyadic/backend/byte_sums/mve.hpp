// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums of bytes by Helium. Floor 3.

#include <dyadic/backend/byte_sums/dsp_blocks.hpp>

namespace dyadic::detail {

/// Adds the weights of a chunk to the sums, and widens their range in the record. Returns `length`, because all weights are
/// added. Unsigned weights are read as signed bytes, less 128.
template <class W, class Sums>
DYADIC_API inline index_t add_bytes(const W* w, index_t length, Sums& sums, fold_record& record) noexcept {
  constexpr std::int32_t offset = std::is_signed_v<W> ? 0 : 128;
  std::int32_t total = 0;
  std::int32_t magnitude = 0;
  std::int32_t least = record.w_min - offset;
  std::int32_t most = record.w_max - offset;
  const W* at = w;
  __asm__(
      "vdup.8 q1, %[zero]\n\tvdup.8 q2, %[offset]\n\twlstp.8 lr, %[n], 2f\n1:\n\tvldrb.u8 q0, [%[w]], #16\n\tveor q0, q0, q2\n\t"
      "vaddva.s8 %[total], q0\n\tvabav.s8 %[magnitude], q0, q1\n\tvminv.s8 %[least], q0\n\tvmaxv.s8 %[most], q0\n\tletp lr, "
      "1b\n2:"
      : [w] "+r"(at), [total] "+Te"(total), [magnitude] "+r"(magnitude), [least] "+r"(least), [most] "+r"(most)
      : [n] "r"(length), [zero] "r"(record.zero.w - offset), [offset] "r"(offset)
      : "lr", "q0", "q1", "q2", "memory");
  sums.total += total - static_cast<std::int32_t>(length) * (record.zero.w - offset);
  sums.magnitude += magnitude;
  record.w_min = least + offset;
  record.w_max = most + offset;
  return length;
}

}  // namespace dyadic::detail
