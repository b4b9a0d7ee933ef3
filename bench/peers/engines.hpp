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
/// Returns the engines. A smoke run has one more, `spoiled`, whose outputs are wrong. If DYADIC_BACKEND names a backend, engines
/// that can be limited use the instructions of this backend at most.
std::vector<engine> engines(bool smoke);

/// Returns an engine's implementation of a problem, which it keeps alive. `contender` is empty if the program was built without
/// the engine, or if the engine does not support the layer. An engine that is inexact for one of a few layers is inexact for all.
/// Its outputs of a single layer may happen to be close.
peer_run run_of(const engine& e, const std::shared_ptr<problem_a8w8>& p);

/// Returns lines for the notes of a table: the engines that the program lacks. If DYADIC_BACKEND names a backend, also returns
/// which engines are limited, and keeps the names of the other engines for --json.
std::string notes_of_engines();

/// Returns the layer of a problem for other engines. Requires: all multipliers of the problem are equal.
peer_layer layer_of(problem_a8w8& p);

/// Returns a peer whose outputs are wrong. A smoke run tests with it that a table names inexact peers.
peer_run spoiled(std::size_t outputs);

/// Runs a peer once and adds its row. Appends two cells: the peer's name, and how many outputs differ from `expected`, and by how
/// much. A peer that is off by more than `tolerance`, or inexact for other layers, is inexact: its name in the row is "PEER,
/// inexact". `name_of_row` returns the benchmark's name for a contender's name.
void add_peer(table& to, const std::string& peer, const std::function<std::string(const std::string&)>& name_of_row,
              std::vector<std::string> cells, const std::shared_ptr<contest>& in, const peer_run& run,
              const std::vector<std::int8_t>& expected, int tolerance, const amount& each);

}  // namespace bench
