#pragma once
// Answers for all files of this folder.

#include "dot_answers.hpp"
#include "mx_answers.hpp"
#include "quantize_answers.hpp"

namespace golden {

inline std::vector<answer> answers() {
  std::vector<answer> all;
  for (const auto& part : {dot_answers, mx_answers, quantize_answers})
    for (answer& a : part()) all.push_back(std::move(a));
  return all;
}

}  // namespace golden
