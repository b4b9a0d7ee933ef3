// dyadic_rescale: the speed of each scheme from accumulators to output integers.

#include "rescale.hpp"

#include <map>

#include "support/schemes.hpp"

namespace bench {
namespace {

using namespace dyadic;

template <class Scheme>
std::string name_of() {
  std::string name;
  support::each_scheme([&](auto named) {
    if (std::is_same_v<Scheme, typename decltype(named)::scheme>) name = named.name;
  });
  return name;
}

/// Adds a row for each layout and formula, and for each layout and scheme without a formula. The notes list the schemes that
/// share a formula.
template <template <class...> class Selection, class Accumulator, class Y>
void add_schemes(table& t, const conversion<Accumulator, Y>& c, std::initializer_list<layout> layouts) {
  std::map<std::string, std::string> alike;
  support::each_scheme<Selection>([&](auto named) {
    using scheme = typename decltype(named)::scheme;
    using first = typename support::detail::first_alike<scheme>::type;
    if constexpr (std::is_void_v<first> || std::is_same_v<first, scheme>)
      for (const layout& l : layouts) add_per_tensor<scheme>(t, c, named.name, {c.from, c.to, named.name, l.name}, l);
    else
      alike[name_of<first>()] += std::string(" ") + named.name;
  });
  for (const auto& [first, others] : alike) t.notes += "\n  " + first + ":" + others;
}

/// Selects the schemes of int32 accumulators, and the schemes of exact::, which take int32 too.
template <class Scheme>
struct takes_int32
    : std::disjunction<support::with_int32_accumulator<Scheme>, std::is_same<typename Scheme::multiplier_type, multiplier32>> {};

/// Adds rows of a scheme with a multiplier for each channel.
template <class Scheme, class Accumulator, class Y>
void add_layouts(table& t, const conversion<Accumulator, Y>& c, const std::string& scheme) {
  for (const layout& l : {layout{"4K, 256 channels", 1 << 12, 256}, layout{"1M, 256 channels", 1 << 20, 256}})
    add_per_channel<Scheme>(t, c, scheme, {c.from, c.to, scheme, l.name}, l);
}

/// Returns the row of exact::half_up in scalar code for the same conversion and number of elements.
const row& exact_row(const table& t, const row& r) {
  for (const row& other : t.rows)
    if (other.cells[0] == r.cells[0] && other.cells[2] == "exact::half_up" && other.cells[3] == r.cells[3].substr(0, 2) &&
        other.cells[4] == "scalar")
      return other;
  fail("no exact::half_up for " + r.benchmark);
}

table rescale(bool smoke) {
  table t{"Rescale: accumulators to outputs",
          {"from", "to", "scheme", "elements", "backend", "million/s", "x scalar", "relative", "% of limit"},
          5,
          "million/s: elements, zero point and clamp included, with random signs. 4K: 4,096 elements, which fit the caches, and "
          "whose\n"
          "signs a branch predictor can learn. 1M: a million; those of int64 wait for memory. One multiplier for all, or one for "
          "each\n"
          "channel.\n"
          "relative: speed over that of exact::half_up in scalar code, which rounds the real product once.\n"
          "% of limit: of the backend's 64-bit products and additions that stay in registers, one for each element.\n"
          "One scheme stands for those of the same formula:",
          [](const table& all, const row& r) {
            const double exact = exact_row(all, r).items_per_second;
            return std::vector{rounded(r.items_per_second / 1e6), times_scalar(all, r, 4),
                               exact > 0 ? fixed(r.items_per_second / exact, 2) : "-", percent_of_limit(r)};
          }};

  const conversion<std::int32_t, std::int8_t> i8{"int32", "int8", 0.000371, smoke};
  add_schemes<takes_int32>(t, i8, {few, million});
  add_layouts<tflite::double_rounding>(t, i8, "tflite::double_rounding");
  add_layouts<tosa::scale32>(t, i8, "tosa::scale32");

  const conversion<std::int64_t, std::int16_t> i16{"int64", "int16", 0.000000371, smoke};
  add_schemes<support::with_wide_accumulator>(t, i16, {few, million});
  add_layouts<tosa::scale16>(t, i16, "tosa::scale16");
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::rescale); }
