#pragma once
// Average pools: how the library answers a row.

#include <dyadic/elementwise/average.hpp>

#include "../driver.hpp"

namespace golden {

namespace q = dyadic;

/// One window: the sum of its elements inside of the image, and how many they are.
template <class Rule>
answer average_answer(const std::string& file) {
  return {file, {"sum", "count", "window", "min", "max"}, {"expected"}, [](const row& r) -> values {
            const auto count = r.integer<std::int32_t>("count");
            if (!Rule::valid(count)) return {"not valid"};
            return {text(q::clamp(Rule::apply(r.integer("sum"), count), r.integer("min"), r.integer("max")))};
          }};
}

inline std::vector<answer> average_answers() {
  return {
      average_answer<q::cmsis_nn::average>("cmsis_avgpool_s16.csv"),
      average_answer<q::cmsis_nn::average>("cmsis_avgpool_s8.csv"),
      average_answer<q::tflite::average>("tflite_average_pool_s16.csv"),
      average_answer<q::tflite::average>("tflite_average_pool_s8.csv"),
  };
}

}  // namespace golden
