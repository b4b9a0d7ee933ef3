#pragma once
/// \file
/// The engines beside which layers of int8 are measured.

#include "peers.hpp"
#include "problem.hpp"

namespace bench {

/// `make` is nullptr where the program was built without it.
struct engine {
  const char* name;
  peer_run (*make)(const peer_layer&);
};
const std::vector<engine>& engines();

/// The same layer, all of whose multipliers are equal.
peer_layer layer_of(problem_a8w8& p);

/// The largest difference of outputs.
int worst_distance(const std::vector<std::int8_t>& y, const std::vector<std::int8_t>& expected);
/// How far an engine's outputs are from what the definition says, in words.
std::string distance(const std::vector<std::int8_t>& y, const std::vector<std::int8_t>& expected);

}  // namespace bench
