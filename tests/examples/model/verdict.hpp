#pragma once
/// \file
/// Decides, operator by operator, whether engines compute what TFLite computes, for every input. Then runs the whole network by
/// the rules of each engine.

#include "program.hpp"

namespace model {

/// The answer for an operator in one engine.
enum class finding : std::uint8_t {
  equal,    ///< equal for every input: decided
  differs,  ///< some input may give another output
  sampled,  ///< not decided: only the outputs on the given inputs are compared
  no_rule,  ///< this engine has no rule for the operator here; the network runs with TFLite's
};

struct verdict {
  finding found = finding::no_rule;
  q::index_t differing = 0;  ///< channels of a layer, else inputs, pairs or sums
  q::index_t compared = 0;   ///< their number
  std::string witness;       ///< an input that shows a difference; or why nothing is decided
  std::string steps;         ///< how both rules round the accumulator of the witness
};

/// How the outputs of a tensor differ from TFLite's.
struct growth {
  q::index_t differing = 0;
  q::index_t of = 0;
  std::int64_t worst = 0;
};

/// The names of the engines. The first one is the reference.
const std::vector<std::string>& engines();

/// Compares an operator in each engine with the reference. Adds an input that shows a difference if one is found.
std::vector<verdict> decide(const step& s);

/// Runs the network by the rules of each engine, on the same inputs. Returns how the output of each operator differs.
std::vector<std::vector<growth>> compare_runs(const network& net, const std::vector<step>& steps,
                                              const std::vector<std::vector<unsigned char>>& inputs);

}  // namespace model
