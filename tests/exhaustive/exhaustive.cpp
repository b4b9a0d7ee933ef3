// Sweeps rules against the oracle: all 2^32 accumulators of int32 rules that no proof covers, and windows of the other rules.
//
//   exhaustive [--list] [--share I/N] [part of a name]

#include "../support/sweeps.hpp"
#include "entries.hpp"

namespace {

using sweep::outcome;
using sweep::window;

constexpr std::uint64_t chunk = std::uint64_t{1} << 20;

/// Compares the windows of one setting, cut into chunks that threads take in turn.
outcome run(const sweep::entry& rule, const sweep::setting& s, const std::vector<window>& windows) {
  struct piece {
    std::int64_t first;
    std::uint64_t count;
  };
  std::vector<piece> pieces;
  for (const window& w : windows)
    for (std::uint64_t done = 0; done < w.size(); done += chunk)
      pieces.push_back({static_cast<std::int64_t>(static_cast<std::uint64_t>(w.first) + done), std::min(chunk, w.size() - done)});

  return support::on_all_threads<outcome>([&](const auto& next) {
    outcome mine;
    for (auto i = static_cast<std::size_t>(next()); i < pieces.size(); i = static_cast<std::size_t>(next()))
      mine.add(rule.compare(s, pieces[i].first, pieces[i].count));
    return mine;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<sweep::entry> rules = sweep::entries();
  support::sweeps sweeps;
  for (const sweep::entry& rule : rules) {
    for (std::size_t i = 0; i < rule.edges.size(); ++i)
      sweeps.add(rule.name + "  " + rule.describe(rule.edges[i]), [&rule, i] {
        const sweep::setting& s = rule.edges[i];
        sweep::generator random;
        const std::uint64_t width = rule.narrow() ? 1 << 14 : 1 << 16;
        const bool whole = i < rule.exhaustive;
        const outcome o =
            run(rule, s, whole ? std::vector<window>{{rule.least, rule.greatest}} : sweep::windows(rule, s, width, 100, random));
        return support::sweeps::outcome{o.different == 0, std::to_string(o.compared) + " accumulators " + describe(o)};
      });
  }
  return sweeps.main(argc, argv, "seed " + std::to_string(support::seed));
}
