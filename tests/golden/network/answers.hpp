#pragma once
// Answers for all files of this folder.

#include "convert_answers.hpp"
#include "norm_answers.hpp"
#include "recurrent_answers.hpp"

namespace golden {

inline std::vector<answer> answers() {
  std::vector<answer> all;
  for (const auto& part : {convert_answers, norm_answers, recurrent_answers})
    for (answer& a : part()) all.push_back(std::move(a));
  return all;
}

}  // namespace golden
