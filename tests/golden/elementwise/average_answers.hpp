#pragma once
// Answers rows of average pools and means.

#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/mean.hpp>

#include "sum_answers.hpp"

namespace golden {

/// Answers for one window: the sum and the number of its elements inside the image.
template <class Rule>
answer average_answer(const std::string& file) {
  return {file, {"sum", "count", "window", "min", "max"}, {"expected"}, [](const row& r) -> values {
            const auto count = r.integer<std::int32_t>("count");
            if (!Rule::valid(count)) return {"count is not valid"};
            return {text(q::clamp(Rule::apply(r.integer("sum"), Rule::divisor(count)), r.integer("min"), r.integer("max")))};
          }};
}

/// Answers with the multiplier that is derived from the scales only, before it is divided by the count.
template <class Rule>
answer mean_answer(const std::string& file) {
  return {file,
          {"sum", "count", "input_zero_point", "multiplier", "shift", "output_zero_point"},
          {"expected"},
          [](const row& r) -> values {
            using X = typename Rule::value_type;
            const auto count = r.integer<std::int32_t>("count");
            const q::multiplier32 m =
                q::tflite::from_pair(r.integer<std::int32_t>("multiplier"), r.integer<std::int32_t>("shift"));
            const Rule rule{r.integer<std::int32_t>("input_zero_point"), count, q::tflite::divide_by_count(m, count),
                            q::range_of<X>(r.integer<std::int32_t>("output_zero_point"))};
            const q::status s = check(rule);
            if (!q::may_run(s)) return {q::to_string(s)};
            return {text(rule(r.integer("sum")))};
          }};
}

inline std::vector<answer> average_answers() {
  namespace tflite = q::tflite;
  std::vector<answer> all{
      average_answer<q::cmsis_nn::average>("cmsis_avgpool_s16.csv"),
      average_answer<q::cmsis_nn::average>("cmsis_avgpool_s8.csv"),
      average_answer<tflite::average>("tflite_average_pool_s16.csv"),
      average_answer<tflite::average>("tflite_average_pool_s8.csv"),
  };
  const auto means = [](auto rule, const std::string& file) { return mean_answer<decltype(rule)>(file); };
  add_answers<tflite::mean, tflite::double_rounding, tflite::single_rounding>(all, "tflite_mean", means);
  return all;
}

}  // namespace golden
