// dyadic_shapes: lists sizes of layers, mostly odd ones, that take too long: longer than on a narrower backend, or longer than a
// larger size. The list is empty if every backend hands each size to a narrower backend where the narrower backend is faster.

#include "problem.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

namespace bench {
namespace {

constexpr double slower = 1.05;          ///< Lists a size above this ratio to the time of a narrower backend.
constexpr double cliff = 1.25;           ///< Lists a size above this ratio to the time of a larger size.
constexpr std::size_t most_listed = 24;  ///< The number of sizes that are printed for each backend and each comparison.

bool is_smoke = false;

using clock = std::chrono::steady_clock;
double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// Returns the least seconds of a run of each contender. Contenders take turns. Samples are short, because a single undisturbed
/// sample is enough.
std::vector<double> fastest(const std::vector<contest::contender>& contenders) {
  constexpr double sample = 5e-6, all_samples = 150e-6;
  const auto time = [](const contest::contender& work, long runs) {
    forget_upper_halves();
    const auto start = clock::now();
    work(runs);
    return seconds_since(start) / static_cast<double>(runs);
  };
  std::vector<long> runs;
  std::vector<double> least;
  for (const contest::contender& work : contenders) {
    long n = 1;
    double one = time(work, n);  // The first run loads code and data into the caches.
    while (!is_smoke && (one = time(work, n)) * static_cast<double>(n) < sample / 4) n *= 2;
    runs.push_back(std::max(1L, std::lround(sample / one)));
    least.push_back(one);
  }
  for (int round = 0; round < (is_smoke ? 0 : 12); ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i)
      if (round < 3 || round * least[i] * static_cast<double>(runs[i]) < all_samples)
        least[i] = std::min(least[i], time(contenders[i], runs[i]));
  return least;
}

/// Removes a size from a shape and returns it. Shapes that are equal without that size are on one line.
using size_of_line = index_t (*)(shape&);
struct axis {
  const char* name;
  size_of_line take;
};
index_t take(index_t& size) { return std::exchange(size, 0); }
constexpr axis rows{"M", [](shape& s) { return take(s.height); }};
constexpr axis inputs{"K", [](shape& s) { return take(s.inputs); }};
constexpr axis outputs{"N", [](shape& s) { return take(s.outputs); }};
constexpr axis channels{"C", [](shape& s) {
                          s.outputs /= s.inputs;
                          return take(s.inputs);
                        }};
constexpr axis groups{"groups", [](shape& s) {
                        s.inputs /= s.groups;
                        s.outputs /= s.groups;
                        return take(s.groups);
                      }};
constexpr axis columns{"taps", [](shape& s) { return take(s.kernel.x); }};

struct sweep {
  const char* name;
  std::vector<axis> axes;
  std::vector<shape> shapes{};
};

std::vector<index_t> some_of(std::vector<index_t> sizes) {
  if (is_smoke) sizes = {sizes.front(), sizes[sizes.size() / 2]};
  return sizes;
}
std::vector<index_t> up_to(index_t last) {
  std::vector<index_t> sizes;
  for (index_t i = 1; i <= last; ++i) sizes.push_back(i);
  return some_of(sizes);
}

std::vector<sweep> sweeps() {
  sweep linear{"linear, M x N x K", {rows, outputs, inputs}};
  const auto odd =
      some_of({1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 40, 47, 48, 49, 63, 64, 65, 80, 96, 97, 127, 128});
  auto depths = odd;
  for (index_t depth : some_of({129, 192, 255, 256})) depths.push_back(depth);
  for (index_t m : some_of({1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 17, 32}))
    for (index_t n : odd)
      for (index_t k : depths) linear.shapes.push_back({operation::linear, m, 1, k, n});

  sweep convolutions{"convolutions", {outputs, inputs}};
  const auto few = some_of({1, 3, 7, 8, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65});
  for (index_t kernel : {1, 3})
    for (index_t stride : {1, 2})
      for (index_t n : few)
        for (index_t k : few) convolutions.shapes.push_back({operation::conv2d, 7, 7, k, n, kernel, stride});

  sweep stems{"stems", {outputs, inputs}};
  for (const taps& kernel : {taps{2}, taps{3}, taps{5}, taps{7}, taps{10, 4}})
    for (index_t stride : {1, 2})
      for (index_t n : some_of({1, 4, 8, 16, 24, 32, 33, 64}))
        for (index_t k : up_to(16)) stems.shapes.push_back({operation::conv2d, 12, 12, k, n, kernel, stride});

  sweep grouped{"groups", {channels, groups}};
  for (index_t kernel : {1, 3})
    for (index_t stride : {1, 2})
      for (index_t more : {1, 2})
        for (index_t group : some_of({1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33}))
          for (index_t g : {2, 3, 4, 8, 16, 32})
            if (g * group <= 256)
              grouped.shapes.push_back({operation::conv2d, 8, 8, g * group, g * group * more, kernel, stride, g});

  sweep windows{"columns of windows", {columns}};
  for (operation op : {operation::conv2d, operation::depthwise})
    for (index_t stride : {1, 2, 3})
      for (index_t rows_of_taps : {1, 3})
        for (index_t c : some_of({4, 8, 24, 64}))
          for (index_t k : some_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13}))
            windows.shapes.push_back({op, 6, 24, c, c, {rows_of_taps, k}, stride});

  sweep depthwise{"depthwise", {channels}};
  for (index_t image : {3, 12})
    for (index_t kernel : {3, 5})
      for (index_t stride : {1, 2})
        for (index_t c : up_to(130)) depthwise.shapes.push_back({operation::depthwise, image, image, c, c, kernel, stride});
  for (index_t c : up_to(66)) depthwise.shapes.push_back({operation::depthwise, 12, 12, c, 2 * c, 3});

  return {std::move(linear),  std::move(convolutions), std::move(stems),
          std::move(grouped), std::move(windows),      std::move(depthwise)};
}

/// A size at which a backend takes too long compared with another backend or another size.
struct offender {
  std::size_t size, backend;
  std::size_t other_size, other_backend;
  double ratio;
  double seconds;        ///< the additional time
  std::string larger{};  ///< the name of the other size; empty if the size is the same
};

/// Measures a sweep in one format on every backend that runs here, the widest first and scalar code last.
template <class Problem>
class measured {
 public:
  measured(const char* format, const sweep& s) : name_(std::string(format) + " " + s.name), sweep_(s), seconds_(s.shapes.size()) {
    measure(std::vector<bool>(seconds_.size(), true));
    for (std::size_t i = 0; i < seconds_.size(); ++i) compare_backends(i);
    for (const axis& along : s.axes) compare_sizes(along);
    for (int again = 0; again < 3; ++again) confirm();
    std::sort(found_.begin(), found_.end(), [](const offender& a, const offender& b) { return a.ratio > b.ratio; });
  }

  /// Prints the worst sizes. Writes all listed sizes to `file`, unless `file` is nullptr.
  void print(std::FILE* file) const {
    std::printf("\n%s: %zu sizes%s\n", name_.c_str(), seconds_.size(), found_.empty() ? ", none listed" : "");
    for (std::size_t b = 0; b < backends_.size(); ++b) {
      for (std::size_t other = b + 1; other < backends_.size(); ++other)
        print("slower than " + backends_[other], file, b,
              [&](const offender& o) { return o.backend == b && o.other_backend == other; });
      print("slower than a larger size", file, b, [&](const offender& o) { return o.backend == b && o.other_backend == b; });
    }
  }

  /// Returns a line that counts, for each backend, the sizes slower than on a narrower backend and those slower than a larger
  /// size.
  std::string summary() const {
    std::vector<int> behind(backends_.size()), cliffs(backends_.size());
    for (const offender& o : found_) ++(o.backend == o.other_backend ? cliffs : behind)[o.backend];
    char text[200];
    std::snprintf(text, sizeof text, "%-34s %6zu", name_.c_str(), seconds_.size());
    std::string line = text;
    for (std::size_t b = 0; b + 1 < backends_.size(); ++b) {
      std::snprintf(text, sizeof text, "  %10s %5d %5d", backends_[b].c_str(), behind[b], cliffs[b]);
      line += text;
    }
    return line;
  }

 private:
  void measure(const std::vector<bool>& which) {
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      if (!which[i]) continue;
      std::vector<contest::contender> contenders;
      const bool first = backends_.empty();
      for (const implementation& of : backends_of(std::make_shared<Problem>(sweep_.shapes[i]))) {
        contenders.push_back(of.contender);
        if (first) backends_.push_back(of.backend);
      }
      seconds_[i] = fastest(contenders);
    }
  }

  void compare_backends(std::size_t size) {
    const std::vector<double>& seconds = seconds_[size];
    for (std::size_t b = 0; b + 1 < seconds.size(); ++b) {
      const auto best = std::min_element(seconds.begin() + static_cast<std::ptrdiff_t>(b) + 1, seconds.end());
      if (seconds[b] > slower * *best)
        found_.push_back(
            {size, b, size, static_cast<std::size_t>(best - seconds.begin()), seconds[b] / *best, seconds[b] - *best});
    }
  }

  /// Finds sizes that take longer than a larger size on the same line. Skips scalar code, because its speed depends on the
  /// compiler.
  void compare_sizes(const axis& along) {
    std::map<std::string, std::vector<std::pair<index_t, std::size_t>>> lines;
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      shape rest = sweep_.shapes[i];
      const index_t size = along.take(rest);
      lines[name_of(rest)].emplace_back(size, i);
    }
    for (auto& [name, line] : lines) {
      std::sort(line.begin(), line.end());
      for (std::size_t b = 0; b + 1 < backends_.size(); ++b)
        for (auto at = line.begin(); at != line.end(); ++at) {
          const auto cheapest = std::min_element(at, line.end(), [&](const auto& one, const auto& other) {
            return seconds_[one.second][b] < seconds_[other.second][b];
          });
          const double here = seconds_[at->second][b], there = seconds_[cheapest->second][b];
          if (here > cliff * there)
            found_.push_back({at->second, b, cheapest->second, b, here / there, here - there,
                              std::string(along.name) + "=" + std::to_string(cheapest->first)});
        }
    }
  }

  /// Measures the found sizes a second time, with other memory. Keeps the sizes that are also too slow the second time, each with
  /// the lesser ratio.
  void confirm() {
    std::vector<bool> which(seconds_.size());
    for (const offender& o : found_) which[o.size] = which[o.other_size] = true;
    measure(which);
    std::vector<offender> kept;
    for (offender& o : found_) {
      const double here = seconds_[o.size][o.backend], there = seconds_[o.other_size][o.other_backend];
      o.ratio = std::min(o.ratio, here / there);
      o.seconds = std::min(o.seconds, here - there);
      if (o.ratio > (o.backend == o.other_backend ? cliff : slower)) kept.push_back(o);
    }
    found_ = std::move(kept);
  }

  template <class Which>
  void print(const std::string& title, std::FILE* file, std::size_t backend, Which which) const {
    const std::string all = backends_[backend] + " " + title;
    const auto count = static_cast<std::size_t>(std::count_if(found_.begin(), found_.end(), which));
    if (count == 0) return;
    std::printf("  %s: %zu%s\n", all.c_str(), count, count > most_listed ? ", the worst of them:" : "");
    std::vector<std::string> worst;
    for (const offender& o : found_) {
      if (!which(o)) continue;
      const std::string one = name_of(sweep_.shapes[o.size]) + (o.larger.empty() ? "" : " than " + o.larger);
      const double ns = 1e9 * o.seconds;
      if (file != nullptr) std::fprintf(file, "%s\t%s\t%s\t%.2f\t%.0f\n", name_.c_str(), all.c_str(), one.c_str(), o.ratio, ns);
      if (worst.size() < most_listed) worst.push_back(one + ": " + fixed(o.ratio, 2) + ", " + fixed(ns, 0) + " ns");
    }
    std::printf("%s", wrapped(worst, "    ").c_str());
  }

  std::string name_;
  const sweep& sweep_;
  std::vector<std::string> backends_{};
  std::vector<std::vector<double>> seconds_;  ///< by size, then by backend
  std::vector<offender> found_{};
};

template <class Problem>
std::string run(const char* format, const sweep& s, std::FILE* file) {
  const auto start = clock::now();
  const measured<Problem> m(format, s);
  m.print(file);
  std::fflush(stdout);
  std::fprintf(stderr, "%s %s %.1f s\n", format, s.name, seconds_since(start));
  return m.summary();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  std::FILE* file = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--smoke") == 0)
      bench::is_smoke = true;
    else if (std::strncmp(argv[i], "--list=", 7) == 0 && (file = std::fopen(argv[i] + 7, "w")) == nullptr)
      bench::fail(std::string("cannot write ") + argv[i]);
  }
  std::printf(
      "sizes at which a backend takes more than %.2f times as long as a narrower one, or than %.2f times as long as for\n"
      "a larger size of the same layer, in each of four measurements; of each the least ratio\n"
      "and the least difference in nanoseconds\n",
      bench::slower, bench::cliff);
  std::vector<std::string> summary;
  for (const bench::sweep& s : bench::sweeps()) {
    summary.push_back(bench::run<bench::problem_a8w8>("a8w8", s, file));
    summary.push_back(bench::run<bench::problem_a16w8>("a16w8", s, file));
  }
  std::printf("\nsizes, and of each backend how many are slower than on a narrower one, and than larger ones:\n");
  for (const std::string& line : summary) std::printf("%s\n", line.c_str());
  if (file != nullptr) std::fclose(file);
}
