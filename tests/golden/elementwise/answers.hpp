#pragma once
// Answers for all files of this folder.

#include "activation_answers.hpp"
#include "average_answers.hpp"
#include "product_answers.hpp"
#include "relu_answers.hpp"
#include "softmax_answers.hpp"
#include "sum_answers.hpp"
#include "table_answers.hpp"

namespace golden {

inline std::vector<answer> answers() {
  std::vector<answer> all;
  for (const auto& part :
       {average_answers, sum_answers, product_answers, relu_answers, activation_answers, table_answers, softmax_answers})
    for (answer& a : part()) all.push_back(std::move(a));
  return all;
}

}  // namespace golden
