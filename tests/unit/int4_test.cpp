#include <dyadic/int4.hpp>

#include <vector>

#include "../support/catch.hpp"

namespace {

namespace q = dyadic;
using q::index_t;
using int4_view = q::matrix_view<const q::int4>;

// The sixteen values in order, the low nibble first. -8 is stored as 8, and -1 as 15.
constexpr std::uint8_t all_values[] = {0x98, 0xBA, 0xDC, 0xFE, 0x10, 0x32, 0x54, 0x76};

// Three rows of three: 1 2 3, -1 -2 -3, 7 -8 0. The second row starts in the middle of a byte. The last nibble is not a weight.
constexpr std::uint8_t odd_rows[] = {0x21, 0xF3, 0xDE, 0x87, 0xA0};
constexpr int odd_values[3][3] = {{1, 2, 3}, {-1, -2, -3}, {7, -8, 0}};

constexpr bool reads_all_values() {
  const int4_view m(all_values, 1, 16);
  for (int i = 0; i < 16; ++i)
    if (m.row(0)[i] != i - 8) return false;
  return true;
}

constexpr bool reads_odd_rows() {
  const int4_view m(odd_rows, 3, 3);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (m.row(r)[c] != odd_values[r][c]) return false;
  return true;
}

constexpr index_t extent_of(index_t rows, index_t cols, index_t stride) {
  return q::detail::memory_of(int4_view(all_values, rows, cols, stride)).size();
}

}  // namespace

TEST_CASE("4-bit weights are -8 to 7, sign extended, the low nibble first") {
  static_assert(reads_all_values());
  CHECK(reads_all_values());
  static_assert(std::is_same_v<decltype(int4_view{}.row(0)[0]), std::int8_t>);
  static_assert(q::operand<q::int4>::min == -8 && q::operand<q::int4>::max == 7);
  static_assert(q::operand<const q::int4>::min == -8 && std::is_same_v<q::operand<const q::int4>::value_type, std::int8_t>);
}

TEST_CASE("rows of an odd number of 4-bit weights lie across byte borders") {
  static_assert(reads_odd_rows());
  CHECK(reads_odd_rows());
}

TEST_CASE("a stride in nibbles skips weights between the rows") {
  const int4_view m(all_values, 3, 2, 5);
  CHECK(m.row(0)[1] == -7);
  CHECK(m.row(1)[0] == -3);
  CHECK(m.row(1)[1] == -2);
  CHECK(m.row(2)[0] == 2);
}

TEST_CASE("a pointer to a nibble moves like one to a number") {
  static_assert((int4_view(all_values, 1, 16).row(0) + 3)[0] == -5);
  static_assert((int4_view(all_values, 1, 16).row(0) + 3 + 2)[1] == -2);
  const q::int4_pointer p(odd_rows, 1);
  CHECK(p[0] == 2);
  CHECK((p + 2)[0] == -1);
}

TEST_CASE("the extent of 4-bit weights is counted in bytes, the last one whole") {
  static_assert(extent_of(1, 1, 1) == 1);
  static_assert(extent_of(1, 2, 2) == 1);
  static_assert(extent_of(1, 3, 3) == 2);
  static_assert(extent_of(3, 3, 3) == 5);
  static_assert(extent_of(3, 2, 5) == 6);
  static_assert(extent_of(2, 1, 2) == 2);
  static_assert(extent_of(0, 3, 3) == 0);
  static_assert(extent_of(3, 0, 0) == 0);
  CHECK(q::detail::memory_of(int4_view(odd_rows, 3, 3)).data() == odd_rows);
}

TEST_CASE("a pointer to rows without 4-bit weights does not move, whatever the stride") {
  constexpr int4_view none(nullptr, 3, 0, std::numeric_limits<index_t>::max());
  static_assert(check(none) == q::status::ok && (none.row(2), true));
}

TEST_CASE("each error of a matrix of 4-bit weights has its status") {
  using s = q::status;
  const index_t huge = std::numeric_limits<index_t>::max();
  CHECK(check(int4_view(odd_rows, 3, 3)) == s::ok);
  CHECK(check(int4_view()) == s::ok);
  CHECK(check(int4_view(nullptr, 0, 3)) == s::ok);
  CHECK(check(int4_view(nullptr, 3, 3)) == s::null_data);
  CHECK(check(int4_view(odd_rows, -1, 3)) == s::negative_size);
  CHECK(check(int4_view(odd_rows, 3, -3)) == s::negative_size);
  CHECK(check(int4_view(odd_rows, 3, 3, -3)) == s::negative_size);
  CHECK(check(int4_view(odd_rows, 3, 3, 2)) == s::stride_too_small);
  CHECK(check(int4_view(odd_rows, huge, 3)) == s::size_overflow);
  CHECK(check(int4_view(odd_rows, 3, 3, huge)) == s::size_overflow);
}

TEST_CASE("a matrix of 4-bit weights is made of bytes that hold them") {
  static constexpr std::uint8_t bytes[5] = {0x21, 0x43, 0x65, 0x87, 0xA9};
  static_assert(q::int4_matrix(bytes, 3, 3).row(2)[2] == -7 && check(q::int4_matrix(bytes, 2, 5)) == q::status::ok);
  static_assert(check(q::int4_matrix(bytes, 1, 11)) == q::status::null_data);
  static_assert(check(q::int4_matrix(bytes, 3, 2, 4)) == q::status::ok);
  static_assert(check(q::int4_matrix(bytes, 3, 3, 4)) == q::status::null_data);
  static_assert(check(q::matrix_view(bytes, 3, 3)) == q::status::null_data);  // not int4: weights of 8 bits
  const std::vector<std::uint8_t> all(5);
  CHECK(check(q::int4_matrix(all, 2, 5)) == q::status::ok);
  CHECK(check(q::int4_matrix(all, 2, 6)) == q::status::null_data);
  CHECK(q::int4_matrix(all.data(), 2, 6).data() == all.data());
}

TEST_CASE("an operand tells which integers are its values") {
  static_assert(q::is_operand<q::int4>(-8) && q::is_operand<q::int4>(7) && !q::is_operand<q::int4>(-9) &&
                !q::is_operand<q::int4>(8));
  static_assert(q::is_operand<std::int8_t>(-128) && q::is_operand<std::int8_t>(127) && !q::is_operand<std::int8_t>(128));
  static_assert(q::is_operand<std::uint8_t>(255) && !q::is_operand<std::uint8_t>(-1) && !q::is_operand<std::uint8_t>(256));
  static_assert(q::is_operand<const std::int16_t>(-32768) && !q::is_operand<std::int16_t>(32768));
  static_assert(q::is_operand<std::uint16_t>(65535) && !q::is_operand<std::uint16_t>(65536));
  CHECK_FALSE(q::is_operand<q::int4>(std::int64_t{1} << 32));
}

TEST_CASE("4-bit weights are unpacked from any nibble on, less their zero point, without writes past the end") {
  std::vector<std::uint8_t> bytes(140);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 73 + 5);
  for (const index_t from : {0, 1, 2, 5})
    for (const index_t count : {0, 1, 2, 3, 62, 63, 64, 65, 66, 127, 128, 129, 257})
      for (const std::int32_t zero : {-8, 0, 7}) {
        const auto size = static_cast<std::size_t>(count);
        const std::vector<std::uint8_t> exact(bytes.begin(), bytes.begin() + (from + count + 1) / 2);
        const q::int4_pointer w = int4_view(exact.data(), 1, from + count).row(0) + from;
        std::vector<std::int8_t> to(size + 1, 99);
        w.unpack(count, zero, to.data());
        bool right = to[size] == 99;
        for (std::size_t k = 0; k < size; ++k) right = right && to[k] == w[static_cast<index_t>(k)] - zero;
        CHECK(right);
      }
}
