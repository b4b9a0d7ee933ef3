#pragma once
/// \file
/// A table of pairs of rules for the scale of a block. It shows for how many largest magnitudes two rules differ.

#include <dyadic/blocks/compare_scales.hpp>
#include <dyadic/blocks/ggml.hpp>
#include <dyadic/blocks/quantize_blocks.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>

#include "percent.hpp"

namespace bench {

/// The rules of MX in the order of the table. `number` is the position of a rule.
template <class Format>
using scale_rules =
    std::tuple<dyadic::ocp::floor<Format>, dyadic::microxcaling::floor_log2<Format>, dyadic::torchao::even<Format>,
               dyadic::tosa::block_scale<Format>, dyadic::torchao::rceil<Format>, dyadic::torchao::ceil<Format>>;
inline constexpr const char* scale_rule_names[] = {"ocp::floor",        "microxcaling::floor_log2", "torchao::even",
                                                   "tosa::block_scale", "torchao::rceil",           "torchao::ceil"};
/// MXINT8 has the rules 0, 1 and 3.
template <class Format, std::size_t Number>
inline constexpr bool has_scale_rule = !std::is_same_v<Format, dyadic::mxint8> || Number < 2 || Number == 3;

/// ggml's rule for the scale of NVFP4.
struct ggml_nvfp4_scale {
  static constexpr dyadic::e4m3 scale(dyadic::binary32 a) noexcept {
    return {static_cast<std::uint8_t>(dyadic::ggml::reference<dyadic::ggml::nvfp4>::scale_code(a))};
  }
};

template <class A, class B>
dyadic::difference difference_of_scales(const A& a, const B& b, dyadic::interval magnitudes = dyadic::finite_magnitudes) {
  const auto found = dyadic::compare_scale_rules(a, b, magnitudes);
  if (found.status == dyadic::status::ok) return found.value;
  std::fprintf(stderr, "dyadic_schemes: scales: %s\n", dyadic::to_string(found.status));
  std::exit(1);
}

/// Returns the percentage of all magnitudes for which two rules differ, or "=".
inline std::string differing_percent(const dyadic::difference& d) {
  return d.differing == 0 ? "=" : in_percent(static_cast<double>(d.differing) / static_cast<double>(d.compared));
}

/// Returns a magnitude and the two scales as text: the first difference from 4 to below 16, otherwise the first of all.
template <class A, class B>
std::string example_of_scales(const A& a, const B& b) {
  const std::int64_t four = dyadic::binary32{4.0f}.bits, sixteen = dyadic::binary32{16.0f}.bits;
  const dyadic::difference near = difference_of_scales(a, b, {four, sixteen - 1});
  const dyadic::difference d = near.differing > 0 ? near : difference_of_scales(a, b);
  if (d.differing == 0) return "";
  char text[64];
  const double acc = dyadic::binary32::from_bits(static_cast<std::uint32_t>(d.first.acc)).to_float();
  std::snprintf(text, sizeof text, near.differing > 0 ? "%.9g: 2^%d, 2^%d" : "%a: 2^%d, 2^%d", acc,
                static_cast<int>(d.first.a) - 127, static_cast<int>(d.first.b) - 127);
  return text;
}

template <std::size_t I, std::size_t J, class Format>
void print_scale_cell(Format) {
  std::string cell = "-";
  if constexpr (has_scale_rule<Format, I> && has_scale_rule<Format, J>)
    cell = differing_percent(difference_of_scales(std::get<I>(scale_rules<Format>{}), std::get<J>(scale_rules<Format>{})));
  std::printf("%9s", cell.c_str());
}

template <std::size_t I, std::size_t J>
void print_scale_rows() {
  if constexpr (I < J) {
    std::printf("  %-46s", (std::string(scale_rule_names[I]) + ", " + scale_rule_names[J]).c_str());
    print_scale_cell<I, J>(dyadic::e4m3{}), print_scale_cell<I, J>(dyadic::e5m2{}), print_scale_cell<I, J>(dyadic::e2m3{});
    print_scale_cell<I, J>(dyadic::e3m2{}), print_scale_cell<I, J>(dyadic::e2m1{}), print_scale_cell<I, J>(dyadic::mxint8{});
    using rules = scale_rules<dyadic::e2m1>;
    std::printf("  %s\n", example_of_scales(std::get<I>(rules{}), std::get<J>(rules{})).c_str());
  }
  if constexpr (I + 1 < J)
    print_scale_rows<I + 1, J>();
  else if constexpr (J + 1 < std::tuple_size_v<scale_rules<dyadic::e2m1>>)
    print_scale_rows<0, J + 1>();
}

/// Prints the table.
inline void print_scale_rules() {
  std::printf(
      "Scales of blocks: = if two rules give the same scale for each largest magnitude, else percent of all 2139095040 finite "
      "ones.\n"
      "- if the publisher has no rule for the format. At the right, a largest magnitude of E2M1 and both scales.\n\n%48s",
      "");
  for (const char* format : {"E4M3", "E5M2", "E2M3", "E3M2", "E2M1", "MXINT8"}) std::printf("%9s", format);
  std::printf("\n");
  print_scale_rows<0, 1>();
  const dyadic::torchao::nvfp4 torchao;
  const dyadic::difference d = difference_of_scales(torchao, ggml_nvfp4_scale{});
  std::printf("\n  NVFP4, torchao::nvfp4 and ggml: %s percent of the largest magnitudes\n\n", differing_percent(d).c_str());
}

}  // namespace bench
