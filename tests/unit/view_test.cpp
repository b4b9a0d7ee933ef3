#include <dyadic/detail/batch_view.hpp>
#include <dyadic/int48.hpp>
#include <dyadic/view.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "../support/cases.hpp"
#include "../support/catch.hpp"

#if __cplusplus >= 202002L
#include <span>
#endif

namespace q = dyadic;
using namespace support;

namespace {

// ---- conversions ----------------------------------------------------------------------------------------------------

struct base {
  int x = 0;
};
struct derived : base {
  int y = 0;
};

template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

// A const view looks at any elements, a mutable view only at mutable elements.
static_assert(converts<int (&)[3], q::view<int>> && converts<int (&)[3], q::view<const int>> &&
              converts<const int (&)[3], q::view<const int>>);
static_assert(converts<std::array<int, 3>&, q::view<int>> && converts<std::array<int, 3>&, q::view<const int>>);
static_assert(converts<const std::array<int, 3>&, q::view<const int>> && converts<std::vector<int>&, q::view<int>>);
static_assert(converts<std::vector<int>&, q::view<const int>> && converts<const std::vector<int>&, q::view<const int>>);
static_assert(converts<q::view<int>, q::view<const int>> && converts<q::view<int>&, q::view<const int>> &&
              converts<const q::view<int>&, q::view<const int>>);
static_assert(converts<q::matrix_view<int>, q::matrix_view<const int>>);
static_assert(!converts<const int (&)[3], q::view<int>> && !converts<const std::array<int, 3>&, q::view<int>>);
static_assert(!converts<const std::vector<int>&, q::view<int>> && !converts<std::array<const int, 3>&, q::view<int>>);
static_assert(!converts<q::view<const int>, q::view<int>> && !converts<q::matrix_view<const int>, q::matrix_view<int>>);
// A view does not convert from another element type or from a type that is not a range. It does not convert to a view of a base
// class, because the array has another stride.
static_assert(!converts<std::vector<short>&, q::view<int>> && !converts<q::view<int>, q::view<unsigned>> &&
              !converts<q::view<int>, q::view<long>>);
static_assert(!converts<std::vector<derived>&, q::view<base>> && !converts<q::view<derived>, q::view<const base>>);
static_assert(!converts<derived (&)[3], q::view<base>> && !converts<q::matrix_view<derived>, q::matrix_view<base>>);
static_assert(!converts<int, q::view<int>> && !converts<int*, q::view<int>>);
// A view converts from no temporary, except from one that only points elsewhere.
static_assert(!converts<std::vector<int>, q::view<int>> && !converts<std::vector<int>, q::view<const int>>);
static_assert(!converts<const std::vector<int>, q::view<const int>> && !converts<std::array<int, 3>, q::view<const int>>);
static_assert(!converts<int (&&)[3], q::view<const int>> && !converts<std::string, q::view<const char>>);
static_assert(!std::is_constructible_v<q::matrix_view<const int>, std::vector<int>, int, int>);
static_assert(std::is_constructible_v<q::matrix_view<const int>, std::vector<int>&, int, int> &&
              std::is_constructible_v<q::matrix_view<const int>, q::view<int>, int, int> &&
              std::is_constructible_v<q::matrix_view<const int>, std::nullptr_t, int, int>);
static_assert(converts<std::string&, q::view<char>> && converts<const std::string&, q::view<const char>>);
#if __cplusplus >= 202002L
static_assert(converts<std::span<int>, q::view<int>> && converts<std::span<int, 3>, q::view<const int>>);
static_assert(converts<std::span<const int>, q::view<const int>> && !converts<std::span<const int>, q::view<int>>);
static_assert(converts<q::view<int>&, std::span<int>>);
#endif

static_assert(std::is_trivially_copyable_v<q::view<int>> && std::is_trivially_copyable_v<q::matrix_view<const std::int8_t>>);
static_assert(std::is_trivially_destructible_v<q::view<int>> && sizeof(q::view<int>) == 2 * sizeof(void*));
static_assert(std::is_nothrow_default_constructible_v<q::view<int>> && std::is_nothrow_copy_constructible_v<q::matrix_view<int>>);

template <class T, class Range>
constexpr bool views(Range&& range, const std::remove_const_t<T>* data, q::index_t size) {
  const q::view<T> v = range;
  return v.data() == data && v.size() == size && v.empty() == (size == 0) && v.begin() == data && v.end() == data + size;
}
/// The element type of a deduced view.
template <class Range>
using deduced = std::remove_pointer_t<decltype(q::view{std::declval<Range>()}.data())>;
static_assert(std::is_same_v<deduced<int (&)[3]>, int> && std::is_same_v<deduced<const int (&)[3]>, const int>);
static_assert(std::is_same_v<deduced<std::vector<int>&>, int> && std::is_same_v<deduced<const std::vector<int>&>, const int>);
static_assert(std::is_same_v<deduced<std::array<int, 2>&>, int> && std::is_same_v<deduced<q::view<int>>, int>);

constexpr bool elements_hold() {
  int array[] = {1, 2, 3};
  const std::array<int, 2> pair = {4, 5};
  if (!views<int>(array, array, 3) || !views<const int>(array, array, 3) || !views<const int>(pair, pair.data(), 2)) return false;
  const q::view<int> all = array;
  const q::view<const int> look = all;
  all[1] = 7;
  int sum = 0;
  for (const int x : look) sum += x;
  if (sum != 11 || look[1] != 7 || q::view<int>{}.data() != nullptr || !q::view<int>{}.empty()) return false;

  int grid[] = {1, 2, 3, 0, 4, 5, 6, 0};
  const q::matrix_view<int> m{grid, 2, 3, 4};
  const q::matrix_view<const int> c = m;
  m.row(1)[2] = 9;
  const q::matrix_view<int> dense{grid, 2, 4};
  return c.row(0)[2] == 3 && c.row(1)[0] == 4 && c.row(1)[2] == 9 && c.rows() == 2 && c.cols() == 3 && c.stride() == 4 &&
         dense.stride() == 4 && dense.row(1) == grid + 4 && q::matrix_view<int>{}.data() == nullptr;
}
static_assert(elements_hold());

// ---- check ----------------------------------------------------------------------------------------------------------

constexpr q::index_t largest = std::numeric_limits<q::index_t>::max(), smallest = std::numeric_limits<q::index_t>::min();
constexpr q::index_t half = q::index_t{1} << (std::numeric_limits<q::index_t>::digits / 2 + 1);  // its square overflows
std::int32_t somewhere = 0;

struct view_case {
  std::int32_t* data;
  q::index_t size;
  q::status expected;
};
constexpr view_case view_cases[] = {
    {&somewhere, 1, q::status::ok},
    {&somewhere, 0, q::status::ok},
    {nullptr, 0, q::status::ok},
    {nullptr, 1, q::status::null_data},
    {&somewhere, -1, q::status::negative_size},
    {nullptr, smallest, q::status::negative_size},
    {&somewhere, largest / 4, q::status::ok},
    {&somewhere, largest / 4 + 1, q::status::size_overflow},
    {nullptr, largest, q::status::size_overflow},
};
constexpr auto view_holds = [](const view_case& c) {
  return q::check(q::view<std::int32_t>{c.data, c.size}) == c.expected &&
         q::check(q::view<const std::int32_t>{c.data, c.size}) == c.expected;
};
static_assert(first_wrong(view_cases, view_holds) == -1);
static_assert(q::check(q::view<const char>{"", largest}) == q::status::ok);

struct matrix_case {
  std::int32_t* data;
  q::index_t rows, cols, stride;
  q::status expected;
};
constexpr matrix_case matrix_cases[] = {
    {&somewhere, 2, 3, 3, q::status::ok},
    {&somewhere, 2, 3, 4, q::status::ok},
    {&somewhere, 2, 3, 2, q::status::stride_too_small},
    {&somewhere, 2, 3, 0, q::status::stride_too_small},
    {&somewhere, 1, 3, 0, q::status::ok},  // with a single row the stride is not used
    {nullptr, 1, 1, 1, q::status::null_data},
    {nullptr, 0, 3, 3, q::status::ok},
    {nullptr, 3, 0, 0, q::status::ok},
    {nullptr, 0, 0, 0, q::status::ok},
    {nullptr, 0, largest, largest, q::status::ok},
    {nullptr, largest, 0, largest, q::status::ok},
    {&somewhere, -1, 3, 3, q::status::negative_size},
    {&somewhere, 2, -3, 3, q::status::negative_size},
    {&somewhere, 2, 3, -3, q::status::negative_size},
    {&somewhere, smallest, smallest, smallest, q::status::negative_size},
    {&somewhere, 1, largest / 4, 0, q::status::ok},
    {&somewhere, 1, largest / 4 + 1, 0, q::status::size_overflow},
    {&somewhere, 2, 1, largest / 4 - 1, q::status::ok},
    {&somewhere, 2, 1, largest / 4, q::status::size_overflow},
    {&somewhere, largest / 4, 1, 1, q::status::ok},
    {&somewhere, largest / 4 + 1, 1, 1, q::status::size_overflow},
    {&somewhere, half, half, half, q::status::size_overflow},
    {&somewhere, largest, largest, largest, q::status::size_overflow},
    {nullptr, largest, 1, largest, q::status::size_overflow},
};
constexpr auto matrix_holds = [](const matrix_case& c) {
  return q::check(q::matrix_view<std::int32_t>{c.data, c.rows, c.cols, c.stride}) == c.expected;
};
static_assert(first_wrong(matrix_cases, matrix_holds) == -1);

constexpr bool pairs_hold() {
  const q::view<std::int32_t> one{&somewhere, 1}, none{nullptr, 1}, negative{&somewhere, -1};
  const q::view<const std::int16_t> nothing{};
  return q::check_same_size(one, one) == q::status::ok && q::check_same_size(one, nothing) == q::status::shape_mismatch &&
         q::check_same_size(none, negative) == q::status::null_data &&
         q::check_same_size(one, negative) == q::status::negative_size && q::check_same_size(nothing, nothing) == q::status::ok;
}
static_assert(pairs_hold());

// ---- overlap --------------------------------------------------------------------------------------------------------

std::int16_t memory[8] = {};

struct overlap_case {
  q::index_t a, a_size, b, b_size;
  bool expected;
};
constexpr overlap_case overlap_cases[] = {
    {0, 4, 0, 4, true},   // equal
    {0, 4, 4, 4, false},  // adjacent
    {0, 4, 5, 3, false},  // apart
    {0, 4, 3, 4, true},   // one common element
    {0, 8, 3, 2, true},   // contained
    {0, 8, 0, 2, true},   // a prefix
    {0, 8, 6, 2, true},   // a suffix
    {0, 8, 3, 0, false},  // empty, inside
    {0, 0, 0, 0, false}, {2, 1, 2, 1, true},
};
bool overlaps(const overlap_case& c) {
  const q::view<std::int16_t> a{memory + c.a, c.a_size};
  const q::view<const std::int16_t> b{memory + c.b, c.b_size};
  return q::overlap(a, b) == c.expected && q::overlap(b, a) == c.expected;
}

/// Checks that during constant evaluation, arrays that cannot be ordered count as apart.
constexpr bool overlap_holds_in_evaluator() {
  const int a[4] = {}, b[4] = {};
  const q::view<const int> all = a, tail{a + 1, 3}, other = b, empty{a, 0}, null{};
  const bool apart = !q::overlap(all, other) && !q::overlap(other, tail) && !q::overlap(all, empty) && !q::overlap(null, null) &&
                     !q::overlap(null, all);
  return apart && q::overlap(all, all) && q::overlap(all, q::view<const int>{a, 1}) && q::overlap(all, tail);
}
static_assert(overlap_holds_in_evaluator());

constexpr bool extents_hold() {
  const int grid[12] = {};
  const q::matrix_view<const int> m{grid, 3, 2, 5}, row{grid, 1, 4, 9}, no_rows{grid, 0, 4, 4}, no_cols{grid, 3, 0, 4};
  const auto at = [](const auto& view) { return q::detail::memory_of(view); };
  return at(m).data() == grid && at(m).size() == 12 && at(row).size() == 4 && at(no_rows).empty() && at(no_cols).empty();
}
static_assert(extents_hold());

/// Checks rows of one element, rows of none, and images with gaps.
constexpr bool rows_and_pixels_hold() {
  const int elements[100] = {};
  const q::matrix_view<const int> column{elements, 3, 1, 4}, nothing{elements, 3, 0, 4};
  const q::nhwc_view<const int> images{elements, 2, 2, 3, 2, 3, 11, 27}, none{elements, 2, 2, 3, 0, 3, 11, 27};
  return column.row(2) == elements + 8 && nothing.row(2) == elements && images.n() == 2 && images.h() == 2 && images.w() == 3 &&
         images.c() == 2 && images.pixel_stride() == 3 && images.row_stride() == 11 && images.image_stride() == 27 &&
         images.pixel(1, 1, 2) == elements + 44 && none.pixel(1, 1, 2) == elements;
}
static_assert(rows_and_pixels_hold());

/// Checks parts of one array and empty parts inside it. The evaluator knows their order.
constexpr bool parts_overlap_in_evaluator() {
  const int a[4] = {};
  const short of_another_type[4] = {};
  const q::view<const int> all = a, head{a, 2}, tail{a + 2, 2}, empty{a + 1, 0};
  return !q::overlap(all, q::view<const short>(of_another_type)) && !q::overlap(head, tail) && !q::overlap(tail, head) &&
         q::overlap(all, tail) && q::overlap(tail, all) && !q::overlap(all, empty) && !q::overlap(empty, all);
}
static_assert(parts_overlap_in_evaluator());

}  // namespace

TEST_CASE("a view is made of arrays and ranges and shares their elements") {
  CHECK(elements_hold());
  std::vector<int> vector = {1, 2, 3};
  const std::vector<int> fixed = {4, 5};
  CHECK(views<int>(vector, vector.data(), 3));
  CHECK(views<const int>(vector, vector.data(), 3));
  CHECK(views<const int>(fixed, fixed.data(), 2));
  CHECK(views<const int>(q::view<int>(vector), vector.data(), 3));
#if __cplusplus >= 202002L
  CHECK(views<int>(std::span<int>(vector), vector.data(), 3));
  CHECK(views<const int>(std::span<const int>(fixed), fixed.data(), 2));
#endif
}

TEST_CASE("a view of a two-dimensional array has all of its rows") {
  int rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
  CHECK(q::matrix_view(rows[0], 2, 3).data() == rows[0]);
  CHECK(check(q::matrix_view<const int>(rows[0], 2, 3)) == q::status::ok);
}

TEST_CASE("a matrix is made of an array or a range that holds its elements") {
  std::vector<int> six = {1, 2, 3, 4, 5, 6};
  static constexpr int array[6] = {1, 2, 3, 4, 5, 6};
  static_assert(q::matrix_view(array, 2, 3).row(1)[2] == 6 && check(q::matrix_view(array, 2, 3)) == q::status::ok);
  static_assert(check(q::matrix_view(array, 2, 4)) == q::status::null_data);
  static_assert(std::is_same_v<decltype(q::matrix_view(six, 2, 3)), q::matrix_view<int>>);
  CHECK(q::matrix_view(six, 2, 3).data() == six.data());
  CHECK(check(q::matrix_view(six, 2, 2, 4)) == q::status::ok);
  CHECK(check(q::matrix_view(six, 2, 2, 5)) == q::status::null_data);
  CHECK(check(q::matrix_view(six, 3, 2, 1)) == q::status::stride_too_small);
  CHECK(check(q::matrix_view(six, -1, 2)) == q::status::negative_size);
  CHECK(check(q::matrix_view(six.data(), 2, 4)) == q::status::ok);  // a pointer has no size
}

TEST_CASE("check returns the first error of a view") {
  CHECK(first_wrong(at_run_time(view_cases), view_holds) == -1);
  CHECK(first_wrong(at_run_time(matrix_cases), matrix_holds) == -1);
  CHECK(pairs_hold());
}

TEST_CASE("images whose strides overflow are too large, not negative") {
  static_assert(q::check(q::nhwc_view<const std::int8_t>(nullptr, 1, 1, half, half)) == q::status::size_overflow);
  static_assert(q::check(q::nhwc_view<const std::int8_t>(nullptr, 0, 1, largest / 2 + 1, 2)) == q::status::ok);
}

TEST_CASE("elements that do not begin at a multiple of their alignment are refused, if there are any") {
  alignas(8) unsigned char bytes[64] = {};
  const auto at = [&](int offset, auto element) {
    const void* const p = bytes + offset;
    return static_cast<const decltype(element)*>(p);
  };
  for (int offset = 0; offset < 8; ++offset) {
    INFO(offset);
    const auto status_of = [&](bool is_aligned) { return is_aligned ? q::status::ok : q::status::misaligned_data; };
    CHECK(check(q::view(at(offset, std::int8_t{}), 3)) == q::status::ok);
    CHECK(check(q::view(at(offset, q::packed_int48{}), 3)) == q::status::ok);
    CHECK(check(q::view(at(offset, std::int16_t{}), 3)) == status_of(offset % 2 == 0));
    CHECK(check(q::matrix_view(at(offset, std::uint16_t{}), 3, 2)) == status_of(offset % 2 == 0));
    CHECK(check(q::matrix_view(at(offset, std::int32_t{}), 3, 2)) == status_of(offset % 4 == 0));
    CHECK(check(q::nhwc_view(at(offset, std::int64_t{}), 1, 2, 1, 2)) == status_of(offset % int{alignof(std::int64_t)} == 0));
    CHECK(check(q::batch_view(at(offset, std::int16_t{}), 1, 2, 2)) == status_of(offset % 2 == 0));
    CHECK(check(q::transposed(q::batch_view(at(offset, std::int32_t{}), 1, 2, 2))) == status_of(offset % 4 == 0));
    CHECK(check(q::matrix_view(at(offset, std::int32_t{}), 3, 0)) == q::status::ok);
  }
  CHECK(check(q::view(at(1, std::int16_t{}), -1)) == q::status::negative_size);
  CHECK(check(q::matrix_view(at(1, std::int16_t{}), 2, 2, 1)) == q::status::stride_too_small);
}

TEST_CASE("a sum of sizes is exact, or -1") {
  using q::detail::add_size;
  constexpr q::index_t most = q::limits<q::index_t>::max;
  static_assert(add_size(3, 4, 5) == 23 && add_size(3, 4) == 7 && add_size(0, 0, most) == 0 && add_size(most, 0, 9) == most);
  static_assert(add_size(most - 6, 3, 2) == most && add_size(most - 5, 3, 2) == -1 && add_size(0, most / 2 + 1, 2) == -1);
  static_assert(add_size(-1, 1, 1) == -1 && add_size(5, -1, 1) == -1 && add_size(5, 1, -1) == -1 && add_size(5, -2, -2) == -1);
  static_assert(add_size(0, most, most) == -1 && add_size(most, most, 1) == -1 && add_size(add_size(most, 1), 0, 0) == -1);
}

TEST_CASE("overlap means shared memory, not touching ends") {
  CHECK(first_wrong(at_run_time(overlap_cases), overlaps) == -1);
  CHECK(extents_hold());
  // Views of different types overlap by their bytes.
  std::int16_t words[4] = {};
  const q::view<const unsigned char> bytes{reinterpret_cast<const unsigned char*>(words) + 3, 1};
  CHECK(q::overlap(q::view<std::int16_t>{words, 2}, bytes));
  CHECK_FALSE(q::overlap(q::view<std::int16_t>{words, 1}, bytes));
}

namespace {
std::int16_t shared[4] = {};
// These are not constexpr. They are initialised before main, perhaps by the constant evaluator.
const bool overlap_at_start = q::overlap(q::view<std::int16_t>(shared, 3), q::view<std::int16_t>(shared + 1, 2));
const bool apart_at_start = q::overlap(q::view<std::int16_t>(shared, 2), q::view<std::int16_t>(shared + 2, 2));
}  // namespace

TEST_CASE("a partial overlap of global arrays is found before main and in main") {
  CHECK(overlap_at_start);
  CHECK(!apart_at_start);
  CHECK(q::overlap(q::view<std::int16_t>(shared, 3), q::view<std::int16_t>(shared + 1, 2)));
}
