#pragma once
/// \file
/// The main program of long sweeps. It reads the arguments, uses all threads of the machine and prints a line for each sweep:
///   program [--list] [--share I/N] [part of a name]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<sys/mman.h>)
#include <atomic>
#include <mutex>
#include <thread>
#endif

namespace support {

#if __has_include(<sys/mman.h>)
inline unsigned thread_count() { return std::max(1u, std::thread::hardware_concurrency()); }

/// Adds up the results of work(next) on every thread of this machine. next() returns 0, 1 and so on, each number once.
template <class Result, class Work>
Result on_all_threads(const Work& work) {
  Result all;
  std::mutex lock;
  std::atomic<std::int64_t> number{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < thread_count(); ++i)
    threads.emplace_back([&] {
      const Result mine = work([&] { return number++; });
      const std::lock_guard<std::mutex> guard(lock);
      all.add(mine);
    });
  for (std::thread& thread : threads) thread.join();
  return all;
}
#else
/// A bare machine has one thread.
inline unsigned thread_count() { return 1; }

template <class Result, class Work>
Result on_all_threads(const Work& work) {
  std::int64_t number = 0;
  return work([&] { return number++; });
}
#endif

/// A list of named sweeps. The arguments select some of them.
class sweeps {
 public:
  /// The result of a sweep: whether the two sides were equal, and a text.
  struct outcome {
    bool equal;
    std::string text;
  };

  template <class Run>
  void add(std::string name, Run run) {
    all_.push_back({std::move(name), std::move(run)});
  }

  /// Runs or lists the selected sweeps. Returns what main() returns. Prints `about` in the first line.
  int main(int argc, char** argv, const std::string& about) {
    const char* wanted = "";
    bool list = false;
    unsigned share = 1;
    unsigned shares = 1;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--list") == 0)
        list = true;
      else if (std::strcmp(argv[i], "--share") == 0 && i + 1 < argc && std::sscanf(argv[i + 1], "%u/%u", &share, &shares) == 2 &&
               1 <= share && share <= shares)
        ++i;
      else if (argv[i][0] != '-' && *wanted == '\0')
        wanted = argv[i];
      else {
        std::fprintf(stderr, "usage: %s [--list] [--share I/N] [part of a name]\n", argv[0]);
        return 2;
      }
    }
    std::vector<sweep> asked_for;
    unsigned number = 0;
    for (const sweep& s : all_)
      if (s.name.find(wanted) != std::string::npos && number++ % shares == share - 1) asked_for.push_back(s);
    all_ = asked_for;
    if (list) {
      for (const sweep& s : all_) std::printf("%s\n", s.name.c_str());
      return 0;
    }
    const auto count = static_cast<unsigned>(all_.size());  // because a bare machine's printf does not know %zu
    std::printf("%u sweeps, %u threads, %s\n", count, thread_count(), about.c_str());
    std::fflush(stdout);
    unsigned passed = 0;
    unsigned failed = 0;
    for (const sweep& s : all_) {
      const auto start = std::chrono::steady_clock::now();
      const outcome o = s.run();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      ++(o.equal ? passed : failed);
      std::printf("%3u/%u  %s  %.1f s  %s\n", passed + failed, count, s.name.c_str(), seconds, o.text.c_str());
      std::fflush(stdout);
    }
    std::printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 && count > 0 ? 0 : 1;
  }

 private:
  struct sweep {
    std::string name;
    std::function<outcome()> run;
  };
  std::vector<sweep> all_;
};

}  // namespace support
