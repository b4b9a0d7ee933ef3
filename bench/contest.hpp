#pragma once
/// \file
/// Contenders that are sampled in turn in one process, so that what slows the machine down for a moment favours none of them.

#include <cstddef>
#include <functional>
#include <vector>

namespace bench {

struct limit;

class contest {
 public:
  /// Does its work so many times.
  using contender = std::function<void(long runs)>;

  /// `smoke`: one sample of one run is enough.
  explicit contest(bool smoke) : smoke_(smoke) {}

  /// Returns the number of the contender.
  std::size_t add(contender work);
  /// A loop of limits.hpp, once however often it is added.
  std::size_t add(const limit& l);

  /// The median seconds of one run. The first call takes the samples of all contenders, and no contender may be added after it.
  double seconds(std::size_t which);

 private:
  void measure();

  bool smoke_;
  std::vector<contender> contenders_;
  std::vector<std::pair<const limit*, std::size_t>> limits_;
  std::vector<double> seconds_;
};

}  // namespace bench
