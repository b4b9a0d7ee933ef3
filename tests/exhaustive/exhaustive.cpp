// All 2^32 accumulators of every rule that has an int32 accumulator, and windows of the others, against the oracle.
//   exhaustive [--list] [part of a name]

#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "entries.hpp"

namespace {

using sweep::outcome;
using sweep::window;

constexpr std::uint64_t chunk = std::uint64_t{1} << 20;
using support::seed;

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

  outcome all;
  std::mutex lock;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    outcome mine;
    for (std::size_t i = next++; i < pieces.size(); i = next++) mine.add(rule.compare(s, pieces[i].first, pieces[i].count));
    const std::lock_guard<std::mutex> guard(lock);
    all.add(mine);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const char* wanted = "";
  bool list = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--list") == 0)
      list = true;
    else if (argv[i][0] != '-' && *wanted == '\0')
      wanted = argv[i];
    else {
      std::fprintf(stderr, "usage: %s [--list] [part of a name]\n", argv[0]);
      return 2;
    }
  }

  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t total = 0;
  std::vector<sweep::entry> rules = sweep::entries();
  for (sweep::entry& rule : rules) {
    if (rule.name.find(wanted) == std::string::npos) continue;
    if (rule.narrow()) rule.edges.resize(rule.exhaustive);
    total += rule.edges.size();
  }
  if (!list)
    std::printf("%zu sweeps, %u threads, seed %llu\n", total, std::thread::hardware_concurrency(),
                static_cast<unsigned long long>(seed));
  for (const sweep::entry& rule : rules) {
    if (rule.name.find(wanted) == std::string::npos) continue;
    for (const sweep::setting& s : rule.edges) {
      const std::string title = rule.name + "  " + rule.describe(s);
      if (list) {
        std::printf("%s\n", title.c_str());
        continue;
      }
      sweep::generator random;
      const std::vector<window> windows =
          rule.narrow() ? std::vector<window>{{rule.least, rule.greatest}} : sweep::windows(rule, s, 1 << 16, 100, random);
      const auto start = std::chrono::steady_clock::now();
      const outcome o = run(rule, s, windows);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      (o.different == 0 ? passed : failed)++;
      std::printf("%3zu/%zu  %s  %llu accumulators  %.1f s  %s\n", passed + failed, total, title.c_str(),
                  static_cast<unsigned long long>(o.compared), seconds, describe(o).c_str());
      std::fflush(stdout);
    }
  }
  if (list) return 0;
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && total != 0 ? 0 : 1;
}
