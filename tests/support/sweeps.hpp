#pragma once
/// \file
/// What programs of long sweeps share: their arguments, all threads of the machine, a line for each sweep that is done.
///   program [--list] [part of a name]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace support {

/// Calls work() on every thread of this machine at once.
template <class Work>
void on_all_threads(const Work& work) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

/// Sweeps by name, those that the arguments ask for.
class sweeps {
 public:
  /// What one found; `equal` or not, and a text.
  struct outcome {
    bool equal;
    std::string text;
  };

  template <class Run>
  void add(std::string name, Run run) {
    all_.push_back({std::move(name), std::move(run)});
  }

  /// Runs or lists them; what main() returns. `about` stands in the first line.
  int main(int argc, char** argv, const std::string& about) {
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
    all_.erase(std::remove_if(all_.begin(), all_.end(), [&](const sweep& s) { return s.name.find(wanted) == std::string::npos; }),
               all_.end());
    if (list) {
      for (const sweep& s : all_) std::printf("%s\n", s.name.c_str());
      return 0;
    }
    std::printf("%zu sweeps, %u threads, %s\n", all_.size(), std::thread::hardware_concurrency(), about.c_str());
    std::size_t passed = 0;
    std::size_t failed = 0;
    for (const sweep& s : all_) {
      const auto start = std::chrono::steady_clock::now();
      const outcome o = s.run();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      ++(o.equal ? passed : failed);
      std::printf("%3zu/%zu  %s  %.1f s  %s\n", passed + failed, all_.size(), s.name.c_str(), seconds, o.text.c_str());
      std::fflush(stdout);
    }
    std::printf("%zu passed, %zu failed\n", passed, failed);
    return failed == 0 && !all_.empty() ? 0 : 1;
  }

 private:
  struct sweep {
    std::string name;
    std::function<outcome()> run;
  };
  std::vector<sweep> all_;
};

}  // namespace support
