// All 2^32 accumulators of every rule that has an int32 accumulator, and windows of the others, against the oracle.
//   exhaustive [--list] [--share I/N] [part of a name]

#include "../support/sweeps.hpp"
#include "entries.hpp"

namespace {

using sweep::outcome;
using sweep::window;

constexpr std::uint64_t chunk = std::uint64_t{1} << 20;

/// The windows of one setting, cut into chunks that threads take in turn.
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
  std::vector<sweep::entry> rules = sweep::entries();
  support::sweeps sweeps;
  for (sweep::entry& rule : rules) {
    if (rule.narrow()) rule.edges.resize(rule.exhaustive);
    for (const sweep::setting& s : rule.edges)
      sweeps.add(rule.name + "  " + rule.describe(s), [&rule, &s] {
        sweep::generator random;
        const outcome o =
            run(rule, s,
                rule.narrow() ? std::vector<window>{{rule.least, rule.greatest}} : sweep::windows(rule, s, 1 << 16, 100, random));
        return support::sweeps::outcome{o.different == 0, std::to_string(o.compared) + " accumulators " + describe(o)};
      });
  }
  return sweeps.main(argc, argv, "seed " + std::to_string(support::seed));
}
