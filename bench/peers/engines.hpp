#pragma once
/// \file
/// The engines that are measured beside this library on layers of int8.

#include "peers.hpp"
#include "problem.hpp"

namespace bench {

/// `make` is nullptr if the program was built without the engine.
struct engine {
  const char* name;
  peer_run (*make)(const peer_layer&);
};
/// Returns the engines. A smoke run has one more, `spoiled`, whose outputs are wrong.
std::vector<engine> engines(bool smoke);

/// Returns the layer of a problem for other engines. Requires: all multipliers of the problem are equal.
peer_layer layer_of(problem_a8w8& p);

/// Returns a peer that computes nothing and whose outputs are wrong. A smoke run tests with it that a table reports wrong peers.
peer_run spoiled(std::size_t outputs);

/// Runs a peer once and adds its row. The last cell of the row says how many outputs differ from `expected`, and by how much. A
/// peer that is off by more than `tolerance` is wrong, so its row is not timed.
void add_peer(table& to, const std::string& name, std::vector<std::string> cells, const std::shared_ptr<contest>& in,
              const peer_run& run, const std::vector<std::int8_t>& expected, int tolerance, const amount& each);

}  // namespace bench
