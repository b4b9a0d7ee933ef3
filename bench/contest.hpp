#pragma once
/// \file
/// Samples contenders in turn in one process, so that a short slowdown of the machine favours none of the contenders.

#include <cstddef>
#include <functional>
#include <vector>

namespace bench {

struct limit;

class contest {
 public:
  /// Does its work `runs` times.
  using contender = std::function<void(long runs)>;

  /// If `smoke` is true, takes a single sample of a single run. The loops that show the state of the machine are contenders, too.
  explicit contest(bool smoke);

  /// Adds a contender and returns its number.
  std::size_t add(contender work);
  /// Adds a loop of limits.hpp and returns its number. Adding it again returns the number it has.
  std::size_t add(const limit& l);

  /// Returns the median seconds of one run. The first call samples all contenders. Requires: no contender is added after that.
  double seconds(std::size_t which);
  /// Returns the cheap instructions per cycle (limits.hpp), or 0 if the loop is not known for this processor.
  double instructions_per_cycle();

 private:
  void measure();

  bool smoke_;
  std::vector<contender> contenders_;
  std::vector<std::pair<const limit*, std::size_t>> limits_;
  std::vector<double> seconds_;
};

}  // namespace bench
