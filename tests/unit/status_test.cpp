#include <dyadic/status.hpp>

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../support/catch.hpp"

namespace q = dyadic;

namespace {

/// The number of enumerators. The enumerators are numbered without gaps, and `reads_outside` is the last enumerator.
constexpr int count = static_cast<int>(q::status::reads_outside) + 1;
constexpr std::string_view text(int i) { return q::to_string(static_cast<q::status>(i)); }

/// Checks that each enumerator has its own text, and no other number has a text.
constexpr bool texts_hold() {
  for (int i = 0; i < 256; ++i) {
    if (text(i).empty() || (text(i) == "unknown status") != (i >= count)) return false;
    for (int j = 0; j < i && i < count; ++j)
      if (text(i) == text(j)) return false;
  }
  return true;
}
static_assert(texts_hold());
static_assert(text(0) == "ok" && q::status::ok == q::status{} &&
              std::string_view(q::to_string(q::status::overlap)) == "output overlaps an input");
/// Checks that only two statuses let a layer run.
constexpr bool running_holds() {
  for (int i = 0; i < 256; ++i) {
    const auto s = static_cast<q::status>(i);
    if (q::may_run(s) != (s == q::status::ok || s == q::status::accumulator_overflow)) return false;
  }
  return true;
}
static_assert(running_holds() && noexcept(q::may_run(q::status::ok)));
static_assert(sizeof(q::status) == 1 && noexcept(q::to_string(q::status::ok)));

constexpr q::result<int> half_of(int x) noexcept { return {x / 2, x % 2 == 0 ? q::status::ok : q::status::value_out_of_range}; }

constexpr bool bindings_hold() {
  const auto [value, problem] = half_of(6);
  const auto [odd_value, odd_problem] = half_of(7);
  return value == 3 && problem == q::status::ok && odd_value == 3 && odd_problem == q::status::value_out_of_range;
}
static_assert(bindings_hold());
static_assert(std::is_aggregate_v<q::result<int>> && std::is_trivially_copyable_v<q::result<std::int64_t>>);

}  // namespace

TEST_CASE("every status has its own text, and an unknown status has a text, too") { CHECK(texts_hold()); }

TEST_CASE("ok and accumulator_overflow let a layer run") { CHECK(running_holds()); }

TEST_CASE("a result is decomposed into value and status by structured bindings") { CHECK(bindings_hold()); }
