#pragma once
// Sigmoid, tanh, tables and softmax: how the library answers a row.

#include "../driver.hpp"

namespace golden {

inline std::vector<answer> activation_answers() { return {}; }

}  // namespace golden
