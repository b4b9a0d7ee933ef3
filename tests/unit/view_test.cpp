#include <dyadic/view.hpp>

#include "../support/catch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

using namespace dyadic;

namespace {

/// The index of the first case that does not hold, or -1.
template <class Case, std::size_t N, class Holds>
constexpr int first_wrong(const Case (&cases)[N], Holds holds) {
  for (std::size_t i = 0; i < N; ++i)
    if (!holds(cases[i])) return static_cast<int>(i);
  return -1;
}
/// The same object, but the compiler no longer knows it.
template <class T>
const T& at_run_time(const T& x) {
  const T* volatile p = &x;
  return *p;
}

// ---- conversions ----------------------------------------------------------------------------------------------------

struct base {
  int x = 0;
};
struct derived : base {
  int y = 0;
};

template <class From, class To>
constexpr bool converts = std::is_convertible_v<From, To>;

// A view of const looks at anything; a mutable one at mutable elements only.
static_assert(converts<int (&)[3], view<int>> && converts<int (&)[3], view<const int>> &&
              converts<const int (&)[3], view<const int>>);
static_assert(converts<std::array<int, 3>&, view<int>> && converts<std::array<int, 3>&, view<const int>>);
static_assert(converts<const std::array<int, 3>&, view<const int>> && converts<std::vector<int>&, view<int>>);
static_assert(converts<std::vector<int>&, view<const int>> && converts<const std::vector<int>&, view<const int>>);
static_assert(converts<view<int>, view<const int>> && converts<view<int>&, view<const int>> &&
              converts<const view<int>&, view<const int>>);
static_assert(converts<matrix_view<int>, matrix_view<const int>>);
static_assert(!converts<const int (&)[3], view<int>> && !converts<const std::array<int, 3>&, view<int>>);
static_assert(!converts<const std::vector<int>&, view<int>> && !converts<std::array<const int, 3>&, view<int>>);
static_assert(!converts<view<const int>, view<int>> && !converts<matrix_view<const int>, matrix_view<int>>);
// Neither another element type nor a base class, whose array has another stride; nor what is no range.
static_assert(!converts<std::vector<short>&, view<int>> && !converts<view<int>, view<unsigned>> &&
              !converts<view<int>, view<long>>);
static_assert(!converts<std::vector<derived>&, view<base>> && !converts<view<derived>, view<const base>>);
static_assert(!converts<derived (&)[3], view<base>> && !converts<matrix_view<derived>, matrix_view<base>>);
static_assert(!converts<int, view<int>> && !converts<int*, view<int>>);
static_assert(converts<std::string&, view<char>> && converts<const std::string&, view<const char>>);
#if __cplusplus >= 202002L
static_assert(converts<std::span<int>, view<int>> && converts<std::span<int, 3>, view<const int>>);
static_assert(converts<std::span<const int>, view<const int>> && !converts<std::span<const int>, view<int>>);
static_assert(converts<view<int>&, std::span<int>>);
#endif

static_assert(std::is_trivially_copyable_v<view<int>> && std::is_trivially_copyable_v<matrix_view<const std::int8_t>>);
static_assert(std::is_trivially_destructible_v<view<int>> && sizeof(view<int>) == 2 * sizeof(void*));
static_assert(std::is_nothrow_default_constructible_v<view<int>> && std::is_nothrow_copy_constructible_v<matrix_view<int>>);

template <class T, class Range>
constexpr bool views(Range&& range, const std::remove_const_t<T>* data, index_t size) {
  const view<T> v = range;
  return v.data() == data && v.size() == size && v.empty() == (size == 0) && v.begin() == data && v.end() == data + size;
}
/// The element type of a deduced view.
template <class Range>
using deduced = std::remove_pointer_t<decltype(view{std::declval<Range>()}.data())>;
static_assert(std::is_same_v<deduced<int (&)[3]>, int> && std::is_same_v<deduced<const int (&)[3]>, const int>);
static_assert(std::is_same_v<deduced<std::vector<int>&>, int> && std::is_same_v<deduced<const std::vector<int>&>, const int>);
static_assert(std::is_same_v<deduced<std::array<int, 2>&>, int> && std::is_same_v<deduced<view<int>>, int>);

constexpr bool elements_hold() {
  int array[] = {1, 2, 3};
  const std::array<int, 2> pair = {4, 5};
  if (!views<int>(array, array, 3) || !views<const int>(array, array, 3) || !views<const int>(pair, pair.data(), 2)) return false;
  const view<int> all = array;
  const view<const int> look = all;
  all[1] = 7;
  int sum = 0;
  for (const int x : look) sum += x;
  if (sum != 11 || look[1] != 7 || view<int>{}.data() != nullptr || !view<int>{}.empty()) return false;

  int grid[] = {1, 2, 3, 0, 4, 5, 6, 0};
  const matrix_view<int> m{grid, 2, 3, 4};
  const matrix_view<const int> c = m;
  m.row(1)[2] = 9;
  const matrix_view<int> dense{grid, 2, 4};
  return c.row(0)[2] == 3 && c.row(1)[0] == 4 && c.row(1)[2] == 9 && c.rows() == 2 && c.cols() == 3 && c.stride() == 4 &&
         dense.stride() == 4 && dense.row(1) == grid + 4 && matrix_view<int>{}.data() == nullptr;
}
static_assert(elements_hold());

// ---- check ----------------------------------------------------------------------------------------------------------

constexpr index_t largest = std::numeric_limits<index_t>::max(), smallest = std::numeric_limits<index_t>::min();
constexpr index_t half = index_t{1} << (std::numeric_limits<index_t>::digits / 2 + 1);  // its square overflows
std::int32_t somewhere = 0;

struct view_case {
  std::int32_t* data;
  index_t size;
  status expected;
};
constexpr view_case view_cases[] = {
    {&somewhere, 1, status::ok},
    {&somewhere, 0, status::ok},
    {nullptr, 0, status::ok},
    {nullptr, 1, status::null_data},
    {&somewhere, -1, status::negative_size},
    {nullptr, smallest, status::negative_size},
    {&somewhere, largest / 4, status::ok},
    {&somewhere, largest / 4 + 1, status::size_overflow},
    {nullptr, largest, status::size_overflow},
};
constexpr auto view_holds = [](const view_case& c) {
  return check(view<std::int32_t>{c.data, c.size}) == c.expected && check(view<const std::int32_t>{c.data, c.size}) == c.expected;
};
static_assert(first_wrong(view_cases, view_holds) == -1);
static_assert(check(view<const char>{"", largest}) == status::ok);

struct matrix_case {
  std::int32_t* data;
  index_t rows, cols, stride;
  status expected;
};
constexpr matrix_case matrix_cases[] = {
    {&somewhere, 2, 3, 3, status::ok},
    {&somewhere, 2, 3, 4, status::ok},
    {&somewhere, 2, 3, 2, status::stride_too_small},
    {&somewhere, 2, 3, 0, status::stride_too_small},
    {&somewhere, 1, 3, 0, status::ok},  // one row is never left
    {nullptr, 1, 1, 1, status::null_data},
    {nullptr, 0, 3, 3, status::ok},
    {nullptr, 3, 0, 0, status::ok},
    {nullptr, 0, 0, 0, status::ok},
    {nullptr, 0, largest, largest, status::ok},
    {nullptr, largest, 0, largest, status::ok},
    {&somewhere, -1, 3, 3, status::negative_size},
    {&somewhere, 2, -3, 3, status::negative_size},
    {&somewhere, 2, 3, -3, status::negative_size},
    {&somewhere, smallest, smallest, smallest, status::negative_size},
    {&somewhere, 1, largest / 4, 0, status::ok},
    {&somewhere, 1, largest / 4 + 1, 0, status::size_overflow},
    {&somewhere, 2, 1, largest / 4 - 1, status::ok},
    {&somewhere, 2, 1, largest / 4, status::size_overflow},
    {&somewhere, largest / 4, 1, 1, status::ok},
    {&somewhere, largest / 4 + 1, 1, 1, status::size_overflow},
    {&somewhere, half, half, half, status::size_overflow},
    {&somewhere, largest, largest, largest, status::size_overflow},
    {nullptr, largest, 1, largest, status::size_overflow},
};
constexpr auto matrix_holds = [](const matrix_case& c) {
  return check(matrix_view<std::int32_t>{c.data, c.rows, c.cols, c.stride}) == c.expected;
};
static_assert(first_wrong(matrix_cases, matrix_holds) == -1);

constexpr bool pairs_hold() {
  const view<std::int32_t> one{&somewhere, 1}, none{nullptr, 1}, negative{&somewhere, -1};
  const view<const std::int16_t> nothing{};
  return check_same_size(one, one) == status::ok && check_same_size(one, nothing) == status::shape_mismatch &&
         check_same_size(none, negative) == status::null_data && check_same_size(one, negative) == status::negative_size &&
         check_same_size(nothing, nothing) == status::ok;
}
static_assert(pairs_hold());

// ---- overlap --------------------------------------------------------------------------------------------------------

std::int16_t memory[8] = {};

struct overlap_case {
  index_t a, a_size, b, b_size;
  bool expected;
};
constexpr overlap_case overlap_cases[] = {
    {0, 4, 0, 4, true},   // equal
    {0, 4, 4, 4, false},  // adjacent
    {0, 4, 5, 3, false},  // apart
    {0, 4, 3, 4, true},   // by one element
    {0, 8, 3, 2, true},   // contained
    {0, 8, 0, 2, true},   // a prefix
    {0, 8, 6, 2, true},   // a suffix
    {0, 8, 3, 0, false},  // empty, inside
    {0, 0, 0, 0, false}, {2, 1, 2, 1, true},
};
bool overlaps(const overlap_case& c) {
  const view<std::int16_t> a{memory + c.a, c.a_size};
  const view<const std::int16_t> b{memory + c.b, c.b_size};
  return overlap(a, b) == c.expected && overlap(b, a) == c.expected;
}

/// While a constant is evaluated only equal first addresses count.
constexpr bool overlap_holds_in_evaluator() {
  const int a[4] = {}, b[4] = {};
  const view<const int> all = a, tail{a + 1, 3}, other = b, empty{a, 0}, null{};
  const bool apart =
      !overlap(all, other) && !overlap(other, tail) && !overlap(all, empty) && !overlap(null, null) && !overlap(null, all);
  return apart && overlap(all, all) && overlap(all, view<const int>{a, 1}) && !overlap(all, tail);
}
static_assert(overlap_holds_in_evaluator());

constexpr bool extents_hold() {
  const int grid[12] = {};
  const matrix_view<const int> m{grid, 3, 2, 5}, row{grid, 1, 4, 9}, no_rows{grid, 0, 4, 4}, no_cols{grid, 3, 0, 4};
  return detail::extent(m).size() == 12 && detail::extent(m).data() == grid && detail::extent(row).size() == 4 &&
         detail::extent(no_rows).empty() && detail::extent(no_cols).empty();
}
static_assert(extents_hold());

}  // namespace

TEST_CASE("a view is made of arrays and ranges and shares their elements") {
  CHECK(elements_hold());
  std::vector<int> vector = {1, 2, 3};
  const std::vector<int> fixed = {4, 5};
  CHECK(views<int>(vector, vector.data(), 3));
  CHECK(views<const int>(vector, vector.data(), 3));
  CHECK(views<const int>(fixed, fixed.data(), 2));
  CHECK(views<const int>(view<int>(vector), vector.data(), 3));
#if __cplusplus >= 202002L
  CHECK(views<int>(std::span<int>(vector), vector.data(), 3));
  CHECK(views<const int>(std::span<const int>(fixed), fixed.data(), 2));
#endif
}

TEST_CASE("check names the first thing wrong with a view") {
  CHECK(first_wrong(at_run_time(view_cases), view_holds) == -1);
  CHECK(first_wrong(at_run_time(matrix_cases), matrix_holds) == -1);
  CHECK(pairs_hold());
}

TEST_CASE("overlap is shared memory, not touching ends") {
  CHECK(first_wrong(at_run_time(overlap_cases), overlaps) == -1);
  CHECK(extents_hold());
  // Of different types it is the bytes that count.
  std::int16_t words[4] = {};
  const view<const unsigned char> bytes{reinterpret_cast<const unsigned char*>(words) + 3, 1};
  CHECK(overlap(view<std::int16_t>{words, 2}, bytes));
  CHECK_FALSE(overlap(view<std::int16_t>{words, 1}, bytes));
}
