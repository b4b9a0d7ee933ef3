// dyadic_bench: tables of what the library does with real data and how fast. See `usage`.

#include "table.hpp"

#include <dyadic/cpu.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace {

struct group {
  const char* name;
  bench::table (*make)(bool smoke);
};
constexpr group groups[] = {{"digits", bench::digits}, {"rescale", bench::rescale}, {"linear", bench::linear}};

constexpr const char* usage =
    "usage: dyadic_bench [--group=NAME] [--json=FILE] [--smoke] [--benchmark_...]\n"
    "  --group=NAME   one of: digits rescale linear; all of them without this option\n"
    "  --json=FILE    keeps every figure, as Google Benchmark writes it\n"
    "  --smoke        each benchmark once: shows only that all of it runs\n"
    "  --benchmark_*  options of Google Benchmark; of several repetitions the table shows the median\n";

struct options {
  std::string group;
  bool smoke = false;
  std::vector<std::string> rest;  ///< for Google Benchmark
};

/// Exits with status 2 if an option or a group is unknown.
options parse(int argc, char** argv) {
  options o;
  const auto refuse = [](const std::string& what) {
    std::cerr << "dyadic_bench: " << what << '\n' << usage;
    std::exit(2);
  };
  const auto known = [](const std::string& name) {
    return std::any_of(std::begin(groups), std::end(groups), [&](const group& g) { return g.name == name; });
  };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto starts_with = [&](const char* prefix) { return argument.rfind(prefix, 0) == 0; };
    const std::string value = argument.substr(std::min(argument.find('='), argument.size() - 1) + 1);
    if (argument == "--help") {
      std::cout << usage;
      std::exit(0);
    } else if (argument == "--smoke") {
      o.smoke = true;
    } else if (starts_with("--group=")) {
      if (!known(value)) refuse("no group '" + value + "'");
      o.group = value;
    } else if (starts_with("--json=")) {
      if (value.empty()) refuse("--json needs a file name");
      o.rest.push_back("--benchmark_out=" + value);
      o.rest.push_back("--benchmark_out_format=json");
    } else if (starts_with("--benchmark_")) {
      o.rest.push_back(argument);
    } else {
      refuse("unknown option '" + argument + "'");
    }
  }
  return o;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

/// What the compiler was asked for, as far as a program can tell.
std::string flags() {
  std::string text = "C++" + std::to_string(__cplusplus / 100 % 100);
#ifdef __OPTIMIZE__
  text += ", optimised";
#else
  text += ", NOT OPTIMISED";
#endif
#if defined(__AVX512VNNI__)
  text += ", AVX-512 VNNI";
#elif defined(__AVX512F__)
  text += ", AVX-512";
#elif defined(__AVX2__)
  text += ", AVX2";
#elif defined(__SSE4_1__)
  text += ", SSE4.1";
#elif defined(__SSE2__)
  text += ", SSE2";
#elif defined(__ARM_NEON)
  text += ", NEON";
#endif
  return text;
}

/// Prints a dot on stderr for each timed row, and each table once it is complete.
class reporter : public benchmark::BenchmarkReporter {
 public:
  explicit reporter(std::vector<bench::table> tables) : tables_(std::move(tables)) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const auto items = run.counters.find("items_per_second");
      // With repetitions there are aggregates as well, among which only the median counts.
      const bool aggregate = run.run_type == Run::RT_Aggregate;
      if (items == run.counters.end() || (aggregate && run.aggregate_name != "median")) continue;
      row_of(run.run_name.function_name).items_per_second = items->second.value;
    }
    std::cerr << '.' << std::flush;
  }

  void Finalize() override {
    if (current_ == tables_.size()) return;
    std::cerr << '\n';
    std::cout << tables_[current_];
    current_ = tables_.size();
  }

 private:
  /// Prints the table before it, when a new one begins.
  bench::row& row_of(const std::string& name) {
    for (std::size_t t = 0; t < tables_.size(); ++t)
      for (bench::row& r : tables_[t].rows)
        if (r.benchmark == name) {
          if (t != current_) Finalize();
          current_ = t;
          return r;
        }
    bench::fail("no row for the benchmark " + name);
  }

  std::vector<bench::table> tables_;
  std::size_t current_ = tables_.size();  ///< none
};

}  // namespace

int main(int argc, char** argv) {
  options o = parse(argc, argv);
  std::vector<char*> arguments{argv[0]};
  for (std::string& argument : o.rest) arguments.push_back(argument.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  benchmark::AddCustomContext("processor", processor());
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("flags", flags());
  std::string backends;
  dyadic::for_each_backend([&](auto backend, bool runs_here) {
    if (runs_here) backends += std::string(" ") + decltype(backend)::name;
  });
  benchmark::AddCustomContext("backends", backends.substr(1));
  std::cout << processor() << "; " << compiler() << ", " << flags() << "; one thread; backends" << backends << std::endl;
  if (o.smoke) std::cout << "Smoke run: the speeds mean nothing." << std::endl;

  std::cerr << "preparing and checking" << std::flush;
  std::vector<bench::table> tables;
  for (const group& g : groups)
    if (o.group.empty() || o.group == g.name) tables.push_back(g.make(o.smoke));
  std::cerr << "; measuring " << std::flush;
  reporter display(std::move(tables));
  const std::size_t timed = benchmark::RunSpecifiedBenchmarks(&display);
  benchmark::Shutdown();
  return timed > 0 ? 0 : 1;
}
