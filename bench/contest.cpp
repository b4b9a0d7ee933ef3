#include "contest.hpp"

#include "limits.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace bench {
namespace {

/// Returns the processor time of this process in seconds. Time of other processes is not included.
double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double time_of(const contest::contender& work, long runs) {
  forget_upper_halves();
  const double start = processor_seconds();
  work(runs);
  return processor_seconds() - start;
}

/// Takes each sample between two runs of a probe. A run of the probe takes at least 20 microseconds.
class gate {
 public:
  gate() {
    while (time_of(probe, probe_runs_) < 20e-6) probe_runs_ *= 2;
    for (int i = 0; i < 100; ++i) time_of_probe();
  }

  /// Returns the seconds of one run, from a try in which both probes were within 3 % of the best probe. After 10 tries, returns
  /// the seconds of the least disturbed try.
  double sample(const contest::contender& work, long runs) {
    double seconds = 0;
    double slowest_probe = 1e9;
    for (int tries = 0; tries < 10; ++tries) {
      const double before = time_of_probe();
      const double time = time_of(work, runs);
      const double slower = std::max(before, time_of_probe());
      if (slower < slowest_probe) {
        slowest_probe = slower;
        seconds = time / static_cast<double>(runs);
      }
      if (slower < 1.03 * best_) break;
    }
    return seconds;
  }

 private:
  double time_of_probe() {
    const double time = time_of(probe, probe_runs_);
    best_ = std::min(best_, time);
    return time;
  }

  long probe_runs_ = 64;
  double best_ = 1e9;
};

/// Returns the number of runs that take about a millisecond.
long runs_of_a_sample(const contest::contender& work) {
  long runs = 1;
  double time = time_of(work, runs);  // The first run loads code and data into the caches.
  while ((time = time_of(work, runs)) < 1e-4) runs *= 2;
  return std::max(1L, std::lround(1e-3 / time * static_cast<double>(runs)));
}

}  // namespace

contest::contest(bool smoke) : smoke_(smoke) {
  for (const limit* const loop : {find_limit("", 0), find_limit("", 1)})
    if (loop != nullptr) add(*loop);
}

std::size_t contest::add(contender work) {
  contenders_.push_back(std::move(work));
  return contenders_.size() - 1;
}

std::size_t contest::add(const limit& l) {
  for (const auto& [known, which] : limits_)
    if (known == &l) return which;
  limits_.emplace_back(&l, add(contender(l.loop)));
  return limits_.back().second;
}

double contest::seconds(std::size_t which) {
  if (seconds_.empty()) measure();
  return seconds_[which];
}

double contest::instructions_per_cycle() {
  const limit *const cycles = find_limit("", 0), *const cheap = find_limit("", 1);
  if (cheap == nullptr) return 0;
  return cheap->per_iteration / seconds(add(*cheap)) * seconds(add(*cycles)) / cycles->per_iteration;
}

void contest::measure() {
  static gate gate;
  std::vector<long> runs(contenders_.size(), 1);
  if (!smoke_) std::transform(contenders_.begin(), contenders_.end(), runs.begin(), runs_of_a_sample);
  std::vector<std::vector<double>> samples(contenders_.size());
  const double start = processor_seconds();
  // 21 rounds, or fewer if they take more than 1.5 seconds, but at least 5.
  const int rounds = smoke_ ? 1 : 21;
  for (int round = 0; round < rounds && (round < 5 || processor_seconds() - start < 1.5); ++round)
    for (std::size_t i = 0; i < contenders_.size(); ++i) samples[i].push_back(gate.sample(contenders_[i], runs[i]));
  for (auto& s : samples) {
    std::sort(s.begin(), s.end());
    seconds_.push_back(s[s.size() / 2]);
  }
}

}  // namespace bench
