// dyadic_rescale: from accumulator to output integer, scheme by scheme.

#include "rescale.hpp"

#include "support/schemes.hpp"

namespace bench {
namespace {

using namespace dyadic;

/// What decides how fast a scheme is: its formula, or itself.
template <class Scheme, bool = has_formula<Scheme>>
struct text_of {
  using type = Scheme;
};
template <class Scheme>
struct text_of<Scheme, true> {
  using type = typename Scheme::formula_type;
};

using list = decltype(support::all_schemes);
template <std::size_t I>
using scheme_at = typename std::tuple_element_t<I, list>::scheme;
using schemes = std::make_index_sequence<std::tuple_size_v<list>>;

/// The first scheme of the list with the text of scheme I.
template <std::size_t I, std::size_t... J>
constexpr std::size_t first_like(std::index_sequence<J...>) {
  std::size_t first = I;
  ((std::is_same_v<typename text_of<scheme_at<J>>::type, typename text_of<scheme_at<I>>::type>&& J < first ? first = J : J), ...);
  return first;
}

/// A row for each text, and in the notes the schemes that share it.
template <template <class> class Selection, class Accumulator, class Y, std::size_t... I>
void add_schemes(table& t, const conversion<Accumulator, Y>& c, std::index_sequence<I...>) {
  std::vector<std::string> same(sizeof...(I));
  const auto add_scheme = [&](auto index) {
    constexpr std::size_t i = decltype(index)::value, first = first_like<i>(schemes{});
    const std::string name = std::get<i>(support::all_schemes).name;
    if constexpr (!Selection<scheme_at<i>>::value)
      return;
    else if constexpr (first == i)
      add_per_tensor<scheme_at<i>>(t, c, name, {c.from, c.to, name, million.name});
    else
      same[first] += (same[first].empty() ? "" : ", ") + name;
  };
  (add_scheme(std::integral_constant<std::size_t, I>{}), ...);
  for (std::size_t i = 0; i < same.size(); ++i)
    if (!same[i].empty())
      t.notes += "\n  " + std::string(std::apply([i](auto... s) { return std::array{s.name...}[i]; }, support::all_schemes)) +
                 ": " + same[i];
}

/// int32 accumulators; exact:: takes them, too.
template <class Scheme>
struct takes_int32 : std::bool_constant<sizeof(typename Scheme::accumulator) == 4 ||
                                        std::is_same_v<typename Scheme::multiplier_type, multiplier32>> {};

/// One scheme on few elements, and with a multiplier for each channel.
template <class Scheme, class Accumulator, class Y>
void add_layouts(table& t, const conversion<Accumulator, Y>& c, const std::string& scheme) {
  const layout few{"4K", 1 << 12, 1};
  add_per_tensor<Scheme>(t, c, scheme, {c.from, c.to, scheme, few.name}, few);
  for (const layout& l : {layout{"4K, 256 channels", 1 << 12, 256}, layout{"1M, 256 channels", 1 << 20, 256}})
    add_per_channel<Scheme>(t, c, scheme, {c.from, c.to, scheme, l.name}, l);
}

/// The row of exact::half_up for the same conversion.
const row& exact_row(const table& t, const row& r) {
  for (const row& other : t.rows)
    if (other.cells[0] == r.cells[0] && other.cells[2] == "exact::half_up") return other;
  fail("no exact::half_up for " + r.benchmark);
}

table rescale(bool smoke) {
  table t{
      "Rescale: accumulators to outputs",
      {"from", "to", "scheme", "elements", "backend", "million/s", "x scalar", "relative", "% of limit"},
      5,
      "million/s: elements, zero point and clamp included, with random signs, of which 4K are few enough for a branch predictor\n"
      "to learn them. One multiplier for all, or one for each channel.\n"
      "relative: speed over that of exact::half_up in scalar code, which rounds the real product once.\n"
      "% of limit: of the backend's 64-bit products and additions that stay in registers, one for each element.\n"
      "One scheme stands for those of the same formula:",
      [](const table& all, const row& r) {
        const double exact = exact_row(all, r).items_per_second;
        return std::vector{rounded(r.items_per_second / 1e6), times_scalar(all, r, 4),
                           exact > 0 ? fixed(r.items_per_second / exact, 2) : "-", percent_of_limit(r)};
      }};

  const conversion<std::int32_t, std::int8_t> i8{"int32", "int8", 0.000371, smoke};
  add_schemes<takes_int32>(t, i8, schemes{});
  add_layouts<tflite::double_rounding>(t, i8, "tflite::double_rounding");
  add_layouts<tosa::scale32>(t, i8, "tosa::scale32");

  const conversion<std::int64_t, std::int16_t> i16{"int64", "int16", 0.000000371, smoke};
  add_schemes<support::with_wide_accumulator>(t, i16, schemes{});
  add_layouts<tosa::scale16>(t, i16, "tosa::scale16");
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::rescale); }
