// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Names the schemes whose outputs equal those of a function, for example of a device or an engine without documents. Opt-in.
/// Roof.
///
///   const auto device = [](std::int64_t acc, double scale) { return what_the_device_gives(acc, scale); };
///   const auto found = q::identify(device, q::scales_to_try, q::interval{-10000, 10000}, q::range_of<std::int8_t>());
///   q::to_string(found).c_str();                          // "2 of 32 schemes equal it at all 240012 points: tosa::scale32, .."
///   q::to_string(q::next_question(found.value)).c_str();  // an input that tells these two apart, to give to the device next
///
/// A multiplier is a real scale, or a mantissa and a right shift. Each scheme derives its own multiplier from a real scale. A
/// point is an accumulator and a multiplier.

#include <dyadic/detail/trial.hpp>
#include <dyadic/explain.hpp>

namespace dyadic {

/// The comparison of one scheme with the function.
struct candidate {
  const char* name = "";        ///< the name in `all_schemes`
  std::uint64_t compared = 0;   ///< points at which the publisher defines the output
  std::uint64_t differing = 0;  ///< points at which the function gives another output
  sample first{};               ///< the first difference: accumulator, output of the function, of the scheme
  any_multiplier multiplier{};  ///< the multiplier of `first`, as it was given
  /// The status of the first multiplier that the scheme refuses, or `ok`. `accumulator_overflow` if the scheme takes no
  /// accumulator.
  dyadic::status status{};

  /// Returns true if points were compared, and the scheme equals the function at all of them.
  DYADIC_API constexpr bool remains() const noexcept { return compared != 0 && differing == 0; }
};

/// The comparison of all schemes with the function.
struct identification {
  candidate schemes[scheme_count];  ///< the schemes in the order of `all_schemes`
  output_range range;               ///< zero point and clamp of the outputs
  std::uint64_t points;             ///< compared outputs of the function
  bool is_sampled;                  ///< true if some accumulators were not tried
};

/// A point at which two remaining schemes give different outputs.
struct question {
  const char* a = "";           ///< name of the first scheme
  const char* b = "";           ///< name of the second scheme
  any_multiplier multiplier{};  ///< the multiplier as it was given
  index_t index = 0;            ///< index of the multiplier
  sample at{};                  ///< the accumulator, the outputs of a and b
};

/// Scales that tell apart all schemes whose rounding differs. Powers of two and 3/4 give ties. The scale 0x1.00000002p-1 is a tie
/// of a mantissa of 31 bits, and 0x1.0002p-1 of a mantissa of 15 bits. The scale 3e-6 needs large accumulators. The multipliers
/// are these scales rounded to 31 bits, for a device that takes a mantissa and a right shift.
/// @{
inline constexpr double scales_to_try[] = {0.5,         0.25,          0x1p-8, 0.75, 0.0235, 0.3, 3e-6, 0x1.00000002p-1,
                                           0x1.0002p-1, 0x1.fffffep-1, 1.5,    3.7};
inline constexpr multiplier32 multipliers_to_try[] = {
    {1 << 30, 31},    {1 << 30, 32},       {1 << 30, 38},           {3 << 29, 31},         {1614907703, 36}, {1288490189, 32},
    {1688849860, 49}, {(1 << 30) + 1, 31}, {(1 << 30) + 32768, 31}, {int32_max - 127, 31}, {3 << 29, 30},    {1986422374, 29}};
/// @}

namespace detail {

/// Compares one output of the function with all schemes.
DYADIC_API constexpr void add_point(identification& all, const rules_at& at, const any_multiplier& m, std::int64_t acc,
                                    std::int64_t y) noexcept {
  ++all.points;
  for (index_t i = 0; i < scheme_count; ++i) {
    const rule_at& rule = at.rules[i];
    if (acc < rule.on.low || acc > rule.on.high) continue;
    candidate& c = all.schemes[i];
    ++c.compared;
    const std::int64_t expected = rule(acc);
    if (expected == y) continue;
    if (c.differing++ == 0) {
      c.first = {acc, y, expected};
      c.multiplier = m;
    }
  }
}
DYADIC_API constexpr void add_statuses(identification& all, const rules_at& at) noexcept {
  for (index_t i = 0; i < scheme_count; ++i)
    if (all.schemes[i].status == status::ok) all.schemes[i].status = at.statuses[i];
}

/// Sets the status of schemes that took the multipliers and no accumulator.
DYADIC_API constexpr result<identification> finished(identification all) noexcept {
  for (candidate& c : all.schemes)
    if (c.compared == 0 && c.status == status::ok) c.status = status::accumulator_overflow;
  return {all, status::ok};
}

DYADIC_API constexpr identification nothing_found(output_range range) noexcept {
  identification all{};
  all.range = range;
  for (index_t i = 0; i < scheme_count; ++i) all.schemes[i].name = all_schemes.names[i];
  return all;
}

}  // namespace detail

/// Finds a multiplier and an accumulator for which two remaining schemes give different outputs: the next input for the device.
/// Total. Returns the error that `check` finds in the multipliers, or `null_data` if there are none. Returns `empty_range` if
/// there are no accumulators within +-2^62, or if the clamp of `found` is empty. Returns `no_witness` if it finds no input. If
/// the clamp is to 8 bits, all remaining schemes then give the same for all these multipliers and accumulators. Otherwise only
/// accumulators near 0 and near powers of two were compared.
template <class Multipliers>
DYADIC_API constexpr result<question> next_question(const identification& found, const Multipliers& multipliers,
                                                    interval accs) noexcept {
  const auto all = view(multipliers);
  if (const status s = check(all); s != status::ok) return {{}, s};
  if (all.empty()) return {{}, status::null_data};
  const interval tried = detail::tried_of(accs);
  if (tried.low > tried.high || found.range.min > found.range.max) return {{}, status::empty_range};
  for (index_t k = 0; k < all.size(); ++k) {
    const any_multiplier m = detail::any_multiplier_of(all[k]);
    const detail::rules_at at(m, tried, found.range);
    for (index_t j = 1; j < scheme_count; ++j)
      for (index_t i = 0; i < j; ++i) {
        if (!found.schemes[i].remains() || !found.schemes[j].remains()) continue;
        const result<sample> differ = detail::find_difference(at.rules[i], at.rules[j]);
        if (differ.status == status::ok) return {{found.schemes[i].name, found.schemes[j].name, m, k, differ.value}, status::ok};
      }
  }
  return {{}, status::no_witness};
}
/// Finds a question for `scales_to_try` and all int32 accumulators.
DYADIC_API constexpr result<question> next_question(const identification& found) noexcept {
  return next_question(found, scales_to_try, all_int32());
}

/// Compares a function with all schemes. The function is called as f(acc, m) with an std::int64_t and an element of
/// `multipliers`. It returns an integer: the output with its zero point, clamped to `range`. If the function throws, the program
/// ends. A range of at most 2^20 accumulators is tried as a whole, the least |acc| first. A larger range is tried in this order:
/// - accumulators near 0, near powers of two and at both ends;
/// - both sides of the boundaries between two outputs of each scheme: all boundaries of a clamp to 8 bits, else the boundaries of
///   outputs up to 128 from the zero point, and of powers of two;
/// - 16,384 accumulators that are evenly spread;
/// - each `next_question`, until no remaining schemes can be told apart.
///
/// Total. Compares nothing if it returns an error. Returns the error that `check` finds in the multipliers, or `null_data` if
/// there are none. Returns `empty_range` if there are no accumulators within +-2^62, or if the clamp is empty.
template <class Function, class Multipliers>
DYADIC_API constexpr result<identification> identify(const Function& f, const Multipliers& multipliers, interval accs,
                                                     output_range range = {}) noexcept {
  identification all = detail::nothing_found(range);
  const auto given = view(multipliers);
  if (const status s = check(given); s != status::ok) return {all, s};
  if (given.empty()) return {all, status::null_data};
  const interval tried = detail::tried_of(accs);
  if (tried.low > tried.high || range.min > range.max) return {all, status::empty_range};
  all.is_sampled = tried.size() > detail::most_tried;
  const auto output = [&](std::int64_t acc, index_t i) { return std::int64_t{f(acc, given[i])}; };
  for (index_t i = 0; i < given.size(); ++i) {
    const any_multiplier m = detail::any_multiplier_of(given[i]);
    const detail::rules_at at(m, tried, range);
    detail::add_statuses(all, at);
    detail::for_each_tried(at, tried, range, [&](std::int64_t acc) { detail::add_point(all, at, m, acc, output(acc, i)); });
  }
  while (all.is_sampled) {  // each question excludes one of two schemes
    const result<question> next = next_question(all, given, tried);
    if (next.status != status::ok) break;
    const question& q = next.value;
    const detail::rules_at at(q.multiplier, tried, range);
    detail::add_point(all, at, q.multiplier, q.at.acc, output(q.at.acc, q.index));
  }
  return detail::finished(all);
}

/// Compares recorded outputs with all schemes: outputs[i] is the function's output for accs[i] and multipliers[i]. An array of
/// one multiplier stands for all rows. Total. Compares nothing if it returns an error. Returns the error that `check` finds in an
/// array, or `null_data` if an array is empty. Returns `shape_mismatch` if the arrays have different sizes, and `empty_range` if
/// the clamp is empty.
template <class Accumulators, class Multipliers, class Outputs>
DYADIC_API constexpr result<identification> identify(const Accumulators& accs, const Multipliers& multipliers,
                                                     const Outputs& outputs, output_range range = {}) noexcept {
  identification all = detail::nothing_found(range);
  const auto acc_of = view(accs);
  const auto multiplier_of = view(multipliers);
  const auto output_of = view(outputs);
  if (const status s = check_same_size(acc_of, output_of); s != status::ok) return {all, s};
  if (const status s = check(multiplier_of); s != status::ok) return {all, s};
  if (output_of.empty() || multiplier_of.empty()) return {all, status::null_data};
  if (multiplier_of.size() != 1 && multiplier_of.size() != output_of.size()) return {all, status::shape_mismatch};
  if (range.min > range.max) return {all, status::empty_range};
  const interval tried = detail::tried_of({limits<std::int64_t>::min, limits<std::int64_t>::max});
  for (index_t begin = 0, end = 0; begin < output_of.size(); begin = end) {
    const any_multiplier m = detail::any_multiplier_of(multiplier_of[multiplier_of.size() == 1 ? 0 : begin]);
    const detail::rules_at at(m, tried, range);
    detail::add_statuses(all, at);
    for (end = begin; end < output_of.size(); ++end) {
      if (multiplier_of.size() != 1 && !detail::is_same(detail::any_multiplier_of(multiplier_of[end]), m)) break;
      detail::add_point(all, at, m, std::int64_t{acc_of[end]}, std::int64_t{output_of[end]});
    }
  }
  return detail::finished(all);
}

namespace detail {

/// Appends a scale exactly. Appends a decimal such as "0.0235", of at most 15 digits and 18 places, if it is this scale as a
/// binary64. Otherwise appends an odd integer times a power of two.
template <index_t Size>
DYADIC_API constexpr void add_scale(text<Size>& t, binary64 x) noexcept {
  std::uint64_t power = 1;
  for (int places = 0; places <= 18; ++places, power *= 10) {
    const binary64 one = from_integer<binary64>(static_cast<std::int64_t>(power));
    const std::int64_t digits = to_integer<half_even>(multiply(magnitude(x), one));
    if (digits >= 1'000'000'000'000'000) break;
    if (divide(from_integer<binary64>(digits), one).bits != magnitude(x).bits) continue;
    t.add(is_negative(x) ? "-" : "").add(static_cast<std::uint64_t>(digits) / power).add(places > 0 ? "." : "");
    while ((power /= 10) > 0) t.add(static_cast<std::uint64_t>(digits) / power % 10);
    return;
  }
  add_real(t, x);
}

/// Appends an accumulator and a multiplier: "accumulator 6, scale 0.25" or "accumulator 6, multiplier 1073741824 * 2^-32".
template <index_t Size>
DYADIC_API constexpr void add_input(text<Size>& t, std::int64_t acc, const any_multiplier& m) noexcept {
  t.add("accumulator ").add(acc);
  if (is_scale(m)) return add_scale(t.add(", scale "), m.scale);
  t.add(", multiplier ").add(m.mantissa).add(" * 2^").add(-std::int64_t{m.right_shift});
}

/// Returns true if a differs on a smaller share of its points than b.
DYADIC_API constexpr bool is_nearer(const candidate& a, const candidate& b) noexcept {
  const unsigned_wide of_a = multiply(a.differing, b.compared);
  const unsigned_wide of_b = multiply(b.differing, a.compared);
  return of_a.high != of_b.high ? of_a.high < of_b.high : of_a.low < of_b.low;
}

}  // namespace detail

/// Prints one scheme for humans: "tosa::scale32 differs at 2 of 100 points, the first at accumulator 2, scale 0.25: 0, not 1".
/// The first of the two outputs is the function's.
DYADIC_API constexpr text<320> to_string(const candidate& c) noexcept {
  text<320> t;
  t.add(c.name);
  if (c.compared == 0) return t.add(" is not defined at any point: ").add(to_string(c.status));
  if (c.differing == 0) return t.add(" is equal at ").add(c.compared).add(" points");
  t.add(" differs at ").add(c.differing).add(" of ").add(c.compared).add(" points, the first at ");
  detail::add_input(t, c.first.acc, c.multiplier);
  return t.add(": ").add(c.first.a).add(", not ").add(c.first.b);
}

/// Prints an identification for humans. The first line has the schemes that remain, the second the scheme that differs at the
/// smallest share of its points. If no scheme remains, a line
/// says that the range may be missing. A line follows for each scheme that was not tried.
DYADIC_API constexpr text<4096> to_string(const identification& all) noexcept {
  text<4096> t;
  const candidate* nearest = nullptr;
  index_t remaining = 0;
  for (const candidate& c : all.schemes) {
    remaining += c.remains() ? 1 : 0;
    if (c.differing != 0 && (nearest == nullptr || detail::is_nearer(c, *nearest))) nearest = &c;
  }
  t.add(std::int64_t{remaining}).add(" of ").add(std::int64_t{scheme_count}).add(" schemes equal it at all ").add(all.points);
  t.add(all.is_sampled ? " points of a sample" : " points");
  const char* before = ": ";
  for (const candidate& c : all.schemes) {
    if (!c.remains()) continue;
    t.add(before).add(c.name);
    before = ", ";
    if (c.compared != all.points) t.add(" (defined at ").add(c.compared).add(")");
  }
  if (nearest != nullptr) t.add("\nnearest: ").add(to_string(*nearest).c_str());
  if (remaining == 0) t.add("\nif the device clamps its outputs or adds a zero point, give the range");
  for (const candidate& c : all.schemes)
    if (c.compared == 0) t.add("\nnot tried: ").add(c.name).add(", ").add(to_string(c.status));
  return t;
}

/// Prints a question for humans: "accumulator 2, scale 0.25: tosa::scale32 gives 1, exact::half_even gives 0".
DYADIC_API constexpr text<256> to_string(const question& q) noexcept {
  text<256> t;
  detail::add_input(t, q.at.acc, q.multiplier);
  return t.add(": ").add(q.a).add(" gives ").add(q.at.a).add(", ").add(q.b).add(" gives ").add(q.at.b);
}

/// Prints the value if the status is ok, else "not decided: " and the status. For `no_witness`, says that no input was found that
/// tells the remaining schemes apart.
/// @{
DYADIC_API constexpr text<4096> to_string(const result<identification>& all) noexcept { return detail::sentence_of(all); }
DYADIC_API constexpr text<256> to_string(const result<question>& q) noexcept {
  if (q.status == status::no_witness) return text<256>{}.add("no input was found that tells the remaining schemes apart");
  return detail::sentence_of(q);
}
/// @}

}  // namespace dyadic
