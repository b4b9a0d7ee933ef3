// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// 4-bit weights: two in a byte, the low nibble first. Rows may begin within a byte. Floor 1.

#include <dyadic/view.hpp>

namespace dyadic {

/// The element type of a matrix of 4-bit weights, -8 .. 7. There is no int4 value: weights are read as std::int8_t.
struct int4;

/// The two weights of a byte.
struct nibbles {
  std::int8_t low;   ///< the first weight
  std::int8_t high;  ///< the second weight
};

/// Points to a nibble and reads like a pointer to int8.
class int4_pointer {
 public:
  DYADIC_API constexpr int4_pointer(const std::uint8_t* bytes, index_t at) noexcept : bytes_{bytes}, at_{at} {}  ///< nibble `at`

  /// Returns nibble i from here, -8 .. 7.
  DYADIC_API constexpr std::int8_t operator[](index_t i) const noexcept {
    const index_t nibble = at_ + i;
    const int value = bytes_[nibble >> 1] >> (nibble & 1) * 4 & 15;
    return static_cast<std::int8_t>((value ^ 8) - 8);
  }
  DYADIC_API constexpr int4_pointer operator+(index_t n) const noexcept { return {bytes_, at_ + n}; }  ///< n nibbles further

  DYADIC_API constexpr bool begins_byte() const noexcept { return at_ % 2 == 0; }  ///< true if this is a low nibble
  /// Returns the address of the byte that holds this nibble.
  DYADIC_API constexpr const std::uint8_t* byte_address() const noexcept { return bytes_ + (at_ >> 1); }
  /// Returns the nibbles of the byte that is i bytes from here. Requires: begins_byte().
  DYADIC_API constexpr nibbles byte(index_t i) const noexcept {
    const int bits = bytes_[(at_ >> 1) + i];
    return {static_cast<std::int8_t>(((bits & 15) ^ 8) - 8), static_cast<std::int8_t>(((bits >> 4) ^ 8) - 8)};
  }
  /// Unpacks the nibbles of `count` bytes from here on, two for each byte. Requires: begins_byte().
  DYADIC_API constexpr void unpack(index_t count, std::int8_t* to) const noexcept {
    for (index_t i = 0; i < count; ++i) {
      to[2 * i] = byte(i).low;
      to[2 * i + 1] = byte(i).high;
    }
  }
  /// Unpacks `count` nibbles from here on, less `zero`, which is a value of int4. Compilers vectorize blocks of a fixed length in
  /// a local array.
  DYADIC_API constexpr void unpack(index_t count, std::int32_t zero, std::int8_t* to) const noexcept {
    index_t k = begins_byte() || count == 0 ? 0 : 1;
    if (k == 1) to[0] = static_cast<std::int8_t>((*this)[0] - zero);
    const std::uint8_t* bytes = bytes_ + ((at_ + k) >> 1);
    const std::int32_t sign = 8 + zero;
    const auto low = [sign](int bits) { return static_cast<std::int8_t>(((bits & 15) ^ 8) - sign); };
    const auto high = [sign](int bits) { return static_cast<std::int8_t>(((bits >> 4) ^ 8) - sign); };
    std::int8_t block[64] = {};
    for (; count - k >= 64; k += 64, bytes += 32) {
      for (index_t i = 0; i < 32; ++i) {
        block[2 * i] = low(bytes[i]);
        block[2 * i + 1] = high(bytes[i]);
      }
      for (index_t i = 0; i < 64; ++i) to[k + i] = block[i];
    }
    for (; count - k >= 2; k += 2, ++bytes) {
      to[k] = low(*bytes);
      to[k + 1] = high(*bytes);
    }
    if (k < count) to[k] = low(*bytes);
  }

 private:
  const std::uint8_t* bytes_;
  index_t at_;
};

/// `rows` rows of `cols` 4-bit weights. Each row begins `stride` nibbles after the previous row. If `stride` is odd, every second
/// row begins within a byte. Sizes count weights, but an array or container counts bytes. If it holds too few bytes, `check`
/// returns `null_data`.
template <>
class matrix_view<const int4> {
 public:
  DYADIC_API constexpr matrix_view() noexcept = default;  ///< no rows
  /// Rows without gaps, from the first nibble of a byte on.
  template <class P, detail::if_pointer<P, const std::uint8_t> = 0>
  DYADIC_API constexpr matrix_view(const P& bytes, index_t rows, index_t cols) noexcept : matrix_view{bytes, rows, cols, cols} {}
  template <class P, detail::if_pointer<P, const std::uint8_t> = 0>
  DYADIC_API constexpr matrix_view(const P& bytes, index_t rows, index_t cols, index_t stride) noexcept
      : bytes_{bytes, rows, cols, stride} {}  ///< stride counts nibbles
  DYADIC_API constexpr matrix_view(view<const std::uint8_t> bytes, index_t rows, index_t cols) noexcept
      : matrix_view{bytes, rows, cols, cols} {}  ///< rows without gaps, in an array or a container
  /// Rows with gaps, in an array or a container. The stride counts nibbles.
  DYADIC_API constexpr matrix_view(view<const std::uint8_t> bytes, index_t rows, index_t cols, index_t stride) noexcept
      : bytes_{detail::data_of_matrix(bytes.data(), bytes.size(), rows, cols, stride, 2), rows, cols, stride} {}

  DYADIC_API constexpr const std::uint8_t* data() const noexcept { return bytes_.data(); }  ///< address of the first row
  DYADIC_API constexpr index_t rows() const noexcept { return bytes_.rows(); }              ///< may be 0
  DYADIC_API constexpr index_t cols() const noexcept { return bytes_.cols(); }              ///< weights in a row, may be 0
  DYADIC_API constexpr index_t stride() const noexcept { return bytes_.stride(); }          ///< nibbles from row to row
  /// The first weight of row r. Requires: 0 <= r < rows().
  DYADIC_API constexpr int4_pointer row(index_t r) const noexcept {
    DYADIC_ASSERT(r >= 0 && r < rows());
    return {bytes_.data(), cols() == 0 ? 0 : r * stride()};
  }
  /// Returns the extent in bytes, half of the extent in nibbles, or the negative of a status.
  DYADIC_API constexpr index_t measure() const noexcept {
    const index_t nibbles = bytes_.measure();
    return nibbles < 0 ? nibbles : nibbles / 2 + nibbles % 2;
  }

 private:
  matrix_view<const std::uint8_t> bytes_;  // rows, columns and stride of nibbles; its extent counts nibbles, too
};

/// Makes a matrix of 4-bit weights from a pointer, an array or a container of std::uint8_t. A plain matrix_view of the bytes has
/// weights of 8 bits. The stride is optional and counts nibbles.
template <class Bytes, class... Stride>
DYADIC_API constexpr matrix_view<const int4> int4_matrix(Bytes&& bytes, index_t rows, index_t cols, Stride... stride) noexcept {
  return {static_cast<Bytes&&>(bytes), rows, cols, stride...};
}

/// The values of an operand type.
template <class T>
struct operand {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 2, "operands have 4, 8 or 16 bits");
  using value_type = T;                                ///< the type of a value when it is read
  static constexpr std::int32_t min = limits<T>::min;  ///< the least value
  static constexpr std::int32_t max = limits<T>::max;  ///< the greatest value
};
/// Nibbles in two's complement, read as int8.
template <>
struct operand<int4> {
  using value_type = std::int8_t;          ///< the type of a value when it is read
  static constexpr std::int32_t min = -8;  ///< the least value
  static constexpr std::int32_t max = 7;   ///< the greatest value
};
/// The values of a const type are those of the type without const.
template <class T>
struct operand<const T> : operand<T> {};

namespace detail {

template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);
template <class T>
inline constexpr bool is_activation = is_one_of<T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;

/// True if layers and products take activations X and weights W, because the product of two stored values fits int32.
template <class X, class W>
inline constexpr bool is_supported = is_activation<X> &&
                                     (is_activation<W> || std::is_same_v<W, int4>)&&!(std::is_same_v<X, std::uint16_t> &&
                                                                                      std::is_same_v<W, std::uint16_t>);

/// Returns true, or ends the compilation with a message.
template <class X, class W>
DYADIC_API constexpr bool takes_operands() noexcept {
  static_assert(is_supported<X, W>,
                "activations are int8, uint8, int16 or uint16, weights these or int4, and only one of the two is uint16");
  return is_supported<X, W>;
}

}  // namespace detail

/// Returns true if x is a value of the operand type T.
template <class T>
DYADIC_API constexpr bool is_operand(std::int64_t x) noexcept {
  return x >= operand<T>::min && x <= operand<T>::max;
}

}  // namespace dyadic
