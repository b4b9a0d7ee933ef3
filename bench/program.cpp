#include "every_backend.hpp"
#include "table.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace bench {
namespace {

constexpr const char* usage =
    "options: [--json=FILE] [--rows=FILE] [--smoke] [--benchmark_...]\n"
    "  --json=FILE    keeps every figure, as Google Benchmark writes it\n"
    "  --rows=FILE    measures nothing: prints the table of these figures, which medians.py has gathered\n"
    "  --smoke        each benchmark once: shows only that all of it runs\n"
    "  --benchmark_*  options of Google Benchmark\n";

struct options {
  bool smoke = false;
  std::string rows;               ///< a file, or empty
  std::vector<std::string> rest;  ///< for Google Benchmark
};

/// Parses the options. Exits with status 2 if an option is unknown.
options parse(int argc, char** argv) {
  options o;
  const auto refuse = [&](const std::string& what) {
    std::cerr << argv[0] << ": " << what << '\n' << usage;
    std::exit(2);
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
    } else if (starts_with("--json=")) {
      if (value.empty()) refuse("--json needs a file name");
      o.rest.push_back("--benchmark_out=" + value);
      o.rest.push_back("--benchmark_out_format=json");
    } else if (starts_with("--rows=")) {
      o.rows = value;
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

/// Returns the compiler flags, as far as predefined macros show them.
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

/// Reads speeds from a file. A line has a row's name, its items per second and their limit, separated by tabs.
void read_rows(table& t, const std::string& path) {
  std::ifstream file(path);
  std::string name;
  for (double items = 0, limit = 0; std::getline(file, name, '\t') && file >> items >> limit; std::getline(file, name)) {
    row& r = t.row_of(name);
    r.items_per_second = items;
    r.limit_per_second = limit;
  }
}

/// Prints a dot on stderr for each timed row, and the table at the end.
class reporter : public benchmark::BenchmarkReporter {
 public:
  explicit reporter(table& t) : table_(t) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const auto counter = [&](const char* name) {
        const auto found = run.counters.find(name);
        return found == run.counters.end() ? 0.0 : found->second.value;
      };
      row& r = table_.row_of(run.run_name.function_name);
      r.items_per_second = counter("items_per_second");
      r.limit_per_second = counter("limit_per_second");
    }
    std::cerr << '.' << std::flush;
  }

  void Finalize() override {
    std::cerr << '\n';
    std::cout << table_;
  }

 private:
  table& table_;
};

}  // namespace

int print_table(int argc, char** argv, table (*make)(bool smoke)) {
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
  std::string absent;
  for_every_backend(
      [&](auto backend, bool runs_here) { (runs_here ? backends : absent) += std::string(" ") + decltype(backend)::name; });
  benchmark::AddCustomContext("backends", backends.substr(1));
  std::cout << processor() << "; " << compiler() << ", " << flags() << "; one thread\nbackends:" << backends;
  if (!absent.empty()) std::cout << "; which this processor lacks:" << absent;
  std::cout << std::endl;
  if (o.smoke) std::cout << "Smoke run: the speeds mean nothing." << std::endl;

  std::cerr << "preparing and checking" << std::flush;
  table t = make(o.smoke);
  if (!o.rows.empty()) {
    std::cerr << '\n';
    read_rows(t, o.rows);
    std::cout << t;
    return 0;
  }
  std::string wrong;
  for (const row& r : t.rows)
    if (r.is_wrong) wrong += (wrong.empty() ? "" : "; ") + r.benchmark;
  if (!wrong.empty()) benchmark::AddCustomContext("wrong", wrong);
  std::cerr << "; measuring " << std::flush;
  reporter display(t);
  const std::size_t timed = benchmark::RunSpecifiedBenchmarks(&display);
  benchmark::Shutdown();
  return timed > 0 ? 0 : 1;
}

}  // namespace bench
