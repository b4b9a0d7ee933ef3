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
/// A smoke run has one more, `spoiled`, whose outputs are wrong.
std::vector<engine> engines(bool smoke);

/// The same layer, all of whose multipliers are equal.
peer_layer layer_of(problem_a8w8& p);

/// A peer that does nothing and whose outputs are wrong. A smoke run shows with it that the row of a wrong peer says so.
peer_run spoiled(std::size_t outputs);

/// Runs a peer once and adds its row. The last cell of the row says how many outputs differ from `expected`, and by how much. A
/// peer that is off by more than `tolerance` is wrong, so its row is not timed.
void add_peer(table& to, const std::string& name, std::vector<std::string> cells, const std::shared_ptr<contest>& in,
              const peer_run& run, const std::vector<std::int8_t>& expected, int tolerance, const amount& each);

}  // namespace bench
