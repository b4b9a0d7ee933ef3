#pragma once
// Answers rows of norms, divisions and other operators on elements.

#include <dyadic/elementwise/add_n.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/comparison.hpp>
#include <dyadic/elementwise/divide.hpp>
#include <dyadic/elementwise/log_softmax.hpp>
#include <dyadic/elementwise/norm.hpp>
#include <dyadic/elementwise/prelu.hpp>
#include <dyadic/elementwise/reduce.hpp>
#include <dyadic/elementwise/row_layer.hpp>
#include <dyadic/elementwise/squared_difference.hpp>
#include <dyadic/elementwise/unary.hpp>

#include "../driver.hpp"

namespace golden {
namespace norm {

namespace q = dyadic;
using names = std::vector<std::string>;

inline values pair_text(q::multiplier32 m) { return {text(m.mantissa), text(31 - m.right_shift)}; }
inline q::binary32 scale_of(const row& r, const std::string& name) {
  return q::binary32::from_bits(r.integer<std::uint32_t>(name + "_scale_bits"));
}
inline std::int32_t zero_of(const row& r, const std::string& name) { return r.integer<std::int32_t>(name + "_zero_point"); }
template <class X>
q::output_range range_of(const row& r) {
  return q::range_of<X>(zero_of(r, "output"));
}
inline values joined(values a, const values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// Returns name0, name1 and so on.
inline names cells(const std::string& name, int count) {
  names all;
  for (int i = 0; i < count; ++i) all.push_back(name + std::to_string(i));
  return all;
}
template <class T>
std::vector<T> read_cells(const row& r, const std::string& name) {
  std::vector<T> all;
  for (const std::string& cell : cells(name, r.integer<int>("count"))) all.push_back(r.integer<T>(cell));
  return all;
}
/// Returns the cells of a row. Cells past its elements are empty.
template <class T>
values filled(const std::vector<T>& y, std::size_t count) {
  values all;
  for (const T v : y) all.push_back(text(v));
  all.resize(count);
  return all;
}
/// Adds the file of a rule, and the file of the single-rounding build.
template <template <class> class Make>
void add_both(std::vector<answer>& all, const std::string& name) {
  all.push_back(Make<q::tflite::double_rounding>::of(name + ".csv"));
  all.push_back(Make<q::tflite::single_rounding>::of(name + "_single.csv"));
}

/// Runs a rule of rows through check and run. A row's parameters may let other rows overflow.
template <class Rule>
values run_row(const Rule& rule, const row& r, std::size_t count) {
  using X = typename Rule::value_type;
  const std::vector<X> x = read_cells<X>(r, "x");
  std::vector<X> y(x.size());
  const auto cols = static_cast<q::index_t>(x.size());
  const q::row_layer<Rule> layer{rule};
  const q::matrix_view from(x, 1, cols);
  const q::matrix_view to(y, 1, cols);
  if (const q::status s = check(layer, from, to); !q::may_run(s)) return values(count, q::to_string(s));
  run(layer, from, to);
  return filled(y, count);
}

inline answer layer_norm_answer(const std::string& file, const std::string& outputs) {
  names inputs{"count", "variance_limit", "scale_multiplier", "scale_shift"};
  for (const char* const name : {"x", "w", "b"}) inputs = joined(inputs, cells(name, 16));
  return {file, inputs, cells(outputs, 16), [](const row& r) {
            const auto weights = read_cells<std::int16_t>(r, "w");
            const auto bias = read_cells<std::int32_t>(r, "b");
            const q::litert::layer_norm<> rule{
                weights, bias, r.integer<std::int32_t>("variance_limit"),
                q::tflite::from_pair(r.integer<std::int32_t>("scale_multiplier"), r.integer<std::int32_t>("scale_shift") + 12)};
            return run_row(rule, r, 16);
          }};
}

template <class Scheme>
struct l2_norm {
  static answer of(const std::string& file) {
    return {file, joined({"count", "zero_point"}, cells("x", 8)), cells("expected", 8),
            [](const row& r) { return run_row(q::tflite::l2_norm<Scheme>{r.integer<std::int32_t>("zero_point")}, r, 8); }};
  }
};

template <class Scheme>
struct log_softmax {
  static answer of(const std::string& file) {
    const names derived{"expected_multiplier", "expected_left_shift", "expected_reverse_multiplier",
                        "expected_reverse_right_shift", "expected_diff_min"};
    return {file, joined({"count", "input_scale_bits"}, cells("x", 8)), joined(derived, cells("expected", 8)),
            [](const row& r) -> values {
              const auto rule = q::tflite::log_softmax<Scheme>::derive(scale_of(r, "input"));
              if (rule.status != q::status::ok) return values(13, q::to_string(rule.status));
              values all = pair_text(rule.value.exponential.multiplier);
              all.push_back(text(rule.value.inverse.mantissa));
              all.push_back(text(rule.value.inverse.right_shift - 31));
              all.push_back(text(rule.value.exponential.least_difference));
              return joined(all, run_row(rule.value, r, 8));
            }};
  }
};

template <class Scheme>
struct cumsum {
  static answer of(const std::string& file) {
    const names inputs{
        "count", "exclusive", "reverse", "input_scale_bits", "input_zero_point", "output_scale_bits", "output_zero_point"};
    return {file, joined(inputs, cells("x", 6)), cells("expected", 6), [](const row& r) -> values {
              const auto rule = q::tflite::cumsum<Scheme>::derive(
                  scale_of(r, "input"), zero_of(r, "input"), scale_of(r, "output"), range_of<std::int8_t>(r),
                  r.integer<int>("exclusive") != 0, r.integer<int>("reverse") != 0);
              if (!q::may_run(rule.status)) return values(6, q::to_string(rule.status));
              return run_row(rule.value, r, 6);
            }};
  }
};

template <class Scheme>
struct add_n {
  static answer of(const std::string& file) {
    const names inputs{"count", "input_scale_bits", "input_zero_point", "output_scale_bits", "output_zero_point"};
    return {file, joined(inputs, cells("x", 6)), {"expected"}, [](const row& r) -> values {
              const std::vector<std::int8_t> x = read_cells<std::int8_t>(r, "x");
              const auto count = static_cast<std::int32_t>(x.size());
              const auto rule = q::tflite::add_n<Scheme>::derive(scale_of(r, "input"), zero_of(r, "input"), count,
                                                                 scale_of(r, "output"), range_of<std::int8_t>(r));
              std::int8_t y[1] = {};
              const q::sum_layer<q::tflite::add_n<Scheme>> layer{{rule.value}};
              const q::matrix_view from(x, count, 1);
              const q::matrix_view to(y, 1, 1);
              const q::status s = rule.status != q::status::ok ? rule.status : check(layer, from, to);
              if (!q::may_run(s)) return {q::to_string(s)};
              run(layer, from, to);
              return {text(y[0])};
            }};
  }
};

/// Returns the multipliers of a derived rule that its file expects, and the element of a row. With the row's parameters other
/// elements may overflow.
template <class Rule, class Multipliers>
values binary_row(const q::result<Rule>& rule, const row& r, const std::string& b, const Multipliers& multipliers_of) {
  values all = multipliers_of(rule.value);
  if (!q::may_run(rule.status)) return values(all.size() + 1, q::to_string(rule.status));
  using first = q::detail::argument_of<Rule>;
  using second = typename q::detail::second_type_of<Rule>::type;
  const first x_a[] = {r.integer<first>(b == "alpha" ? "input" : "a")};
  const second x_b[] = {r.integer<second>(b)};
  typename Rule::value_type y[1] = {};
  q::run(q::binary_layer<Rule>{rule.value}, q::matrix_view(x_a, 1, 1), q::matrix_view(x_b, 1, 1), q::matrix_view(y, 1, 1));
  all.push_back(text(y[0]));
  return all;
}
template <class Rule>
q::result<Rule> derived(const row& r, const std::string& a, const std::string& b) {
  return Rule::derive(scale_of(r, a), zero_of(r, a), scale_of(r, b), zero_of(r, b), scale_of(r, "output"),
                      range_of<typename Rule::value_type>(r));
}
inline const names of_a_and_b{
    "a", "b", "a_scale_bits", "a_zero_point", "b_scale_bits", "b_zero_point", "output_scale_bits", "output_zero_point"};

template <class Scheme>
struct divide_int8 {
  static answer of(const std::string& file) {
    return {file, of_a_and_b, {"expected_multiplier", "expected_shift", "expected"}, [](const row& r) {
              return binary_row(derived<q::tflite::divide<std::int8_t, Scheme>>(r, "a", "b"), r, "b",
                                [](const auto& rule) { return pair_text(rule.multiplier); });
            }};
  }
};

template <class Scheme>
struct divide_int16 {
  static answer of(const std::string& file) {
    return {file,
            {"a", "b", "a_offset", "b_offset", "multiplier", "shift", "output_offset", "min", "max"},
            {"expected"},
            [](const row& r) -> values {
              const auto number = [&](const char* name) { return r.integer<std::int32_t>(name); };
              const q::tflite::divide<std::int16_t, Scheme> rule{-number("a_offset"),
                                                                 -number("b_offset"),
                                                                 q::tflite::from_pair(number("multiplier"), number("shift")),
                                                                 {number("output_offset"), number("min"), number("max")}};
              return binary_row(q::result<q::tflite::divide<std::int16_t, Scheme>>{rule, check(rule)}, r, "b",
                                [](const auto&) { return values{}; });
            }};
  }
};

template <class X>
answer executorch_divide(const std::string& file) {
  return {
      file,
      {"a", "b", "a_zero_point", "b_zero_point", "output_zero_point", "effective_scale_bits"},
      {"expected"},
      [](const row& r) -> values {
        const q::executorch::cortex_m::divide<X> rule{zero_of(r, "a"), zero_of(r, "b"), scale_of(r, "effective"), range_of<X>(r)};
        return binary_row(q::result<q::executorch::cortex_m::divide<X>>{rule, check(rule)}, r, "b",
                          [](const auto&) { return values{}; });
      }};
}

template <class X>
struct of_type {
  template <class Scheme>
  struct squared_difference {
    static answer of(const std::string& file) {
      return {file, of_a_and_b, {"expected"}, [](const row& r) {
                return binary_row(derived<q::tflite::squared_difference<X, Scheme>>(r, "a", "b"), r, "b",
                                  [](const auto&) { return values{}; });
              }};
    }
  };
  template <class Scheme>
  struct prelu {
    static answer of(const std::string& file) {
      const names inputs{"input",
                         "alpha",
                         "input_scale_bits",
                         "input_zero_point",
                         "alpha_scale_bits",
                         "alpha_zero_point",
                         "output_scale_bits",
                         "output_zero_point"};
      const names outputs{"expected_multiplier1", "expected_shift1", "expected_multiplier2", "expected_shift2", "expected"};
      return {file, inputs, outputs, [](const row& r) {
                return binary_row(derived<q::tflite::prelu<X, Scheme>>(r, "input", "alpha"), r, "alpha",
                                  [](const auto& rule) { return joined(pair_text(rule.identity), pair_text(rule.slope)); });
              }};
    }
  };
  /// The engine has no multiplier if the scales are equal.
  template <class Scheme>
  struct abs {
    static answer of(const std::string& file) {
      const names inputs{"input", "input_scale_bits", "input_zero_point", "output_scale_bits", "output_zero_point"};
      return {file, inputs, {"expected_multiplier", "expected_shift", "expected"}, [](const row& r) -> values {
                const auto rule = q::tflite::abs<X, Scheme>::derive(scale_of(r, "input"), zero_of(r, "input"),
                                                                    scale_of(r, "output"), zero_of(r, "output"));
                if (!q::may_run(rule.status)) return values(3, q::to_string(rule.status));
                const bool is_unscaled = r.text("input_scale_bits") == r.text("output_scale_bits");
                return joined(is_unscaled ? values{"0", "0"} : pair_text(rule.value.multiplier),
                              {text(rule.value(r.integer<X>("input")))});
              }};
    }
  };
};

template <class Scheme>
struct rsqrt {
  static answer of(const std::string& file) {
    const names inputs{"input", "input_scale_bits", "input_zero_point", "output_scale_bits", "output_zero_point"};
    return {file, inputs, {"expected_multiplier", "expected_shift", "expected"}, [](const row& r) -> values {
              const auto rule = q::tflite::rsqrt<Scheme>::derive(scale_of(r, "input"), zero_of(r, "input"), scale_of(r, "output"),
                                                                 zero_of(r, "output"));
              if (!q::may_run(rule.status)) return values(3, q::to_string(rule.status));
              return joined(pair_text(rule.value.multiplier), {text(rule.value(r.integer<std::int8_t>("input")))});
            }};
  }
};

template <q::operator_id Comparison, class Scheme>
std::string compared(const row& r) {
  const auto rule = q::tflite::compare<std::int8_t, Comparison, Scheme>::derive(scale_of(r, "a"), zero_of(r, "a"),
                                                                                scale_of(r, "b"), zero_of(r, "b"));
  if (!q::may_run(rule.status)) return q::to_string(rule.status);
  return text(rule.value(r.integer<std::int8_t>("a"), r.integer<std::int8_t>("b")));
}
template <class Scheme>
struct compare {
  static answer of(const std::string& file) {
    return {file,
            {"a", "b", "a_scale_bits", "a_zero_point", "b_scale_bits", "b_zero_point"},
            {"expected_equal", "expected_not_equal", "expected_greater", "expected_greater_equal", "expected_less",
             "expected_less_equal"},
            [](const row& r) -> values {
              return {compared<q::operator_id::equal, Scheme>(r),   compared<q::operator_id::not_equal, Scheme>(r),
                      compared<q::operator_id::greater, Scheme>(r), compared<q::operator_id::greater_equal, Scheme>(r),
                      compared<q::operator_id::less, Scheme>(r),    compared<q::operator_id::less_equal, Scheme>(r)};
            }};
  }
};

}  // namespace norm

inline std::vector<answer> norm_answers() {
  using std::int16_t;
  using std::int8_t;
  std::vector<answer> all{norm::executorch_divide<int16_t>("executorch_div_s16.csv"),
                          norm::executorch_divide<int8_t>("executorch_div_s8.csv"),
                          norm::layer_norm_answer("litert_layer_norm_s16.csv", "expected"),
                          norm::layer_norm_answer("litert_layer_norm_s16_wraps.csv", "observed")};
  norm::add_both<norm::of_type<int16_t>::abs>(all, "tflite_abs_s16");
  norm::add_both<norm::of_type<int8_t>::abs>(all, "tflite_abs_s8");
  norm::add_both<norm::add_n>(all, "tflite_add_n_s8");
  norm::add_both<norm::compare>(all, "tflite_compare_s8");
  norm::add_both<norm::cumsum>(all, "tflite_cumsum_s8");
  norm::add_both<norm::divide_int16>(all, "tflite_div_s16");
  norm::add_both<norm::divide_int8>(all, "tflite_div_s8");
  norm::add_both<norm::l2_norm>(all, "tflite_l2_norm_s8");
  norm::add_both<norm::log_softmax>(all, "tflite_log_softmax_s8");
  norm::add_both<norm::of_type<int16_t>::prelu>(all, "tflite_prelu_s16");
  norm::add_both<norm::of_type<int8_t>::prelu>(all, "tflite_prelu_s8");
  norm::add_both<norm::rsqrt>(all, "tflite_rsqrt_s8");
  norm::add_both<norm::of_type<int16_t>::squared_difference>(all, "tflite_squared_difference_s16");
  norm::add_both<norm::of_type<int8_t>::squared_difference>(all, "tflite_squared_difference_s8");
  return all;
}

}  // namespace golden
