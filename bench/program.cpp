#include "every_backend.hpp"
#include "table.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace bench {
namespace {

constexpr const char* usage =
    "options: [--csv=FILE] [--json=FILE] [--rows=FILE] [--smoke] [--benchmark_...]\n"
    "  --csv=FILE     keeps a line for each row: bench/README.md describes the columns\n"
    "  --json=FILE    keeps every figure, as Google Benchmark writes it\n"
    "  --rows=FILE    measures nothing: prints the table of these figures, which medians.py has gathered\n"
    "  --smoke        each benchmark once: shows only that all of it runs\n"
    "  --benchmark_*  options of Google Benchmark\n";

struct command {
  request asked{};
  std::string csv, rows;          ///< a file, or empty
  std::vector<std::string> rest;  ///< for Google Benchmark
};

/// Returns the fields between commas.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> fields(1);
  for (const char c : text)
    if (c == ',')
      fields.emplace_back();
    else
      fields.back() += c;
  return fields;
}

/// Parses the command line. Exits with status 2 and one sentence if an argument is unknown or has a wrong value.
command parse(int argc, char** argv, const std::vector<option>& options) {
  command c;
  const auto refuse = [&](const std::string& what) {
    std::cerr << argv[0] << ": " << what << '\n';
    std::exit(2);
  };
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t sign = std::min(argument.find('='), argument.size());
    const std::string name = argument.substr(0, sign);
    const std::string value = argument.substr(std::min(sign + 1, argument.size()));
    const auto file = [&] {
      if (value.empty()) refuse(name + " needs a file name");
      return value;
    };
    const auto own = std::find_if(options.begin(), options.end(), [&](const option& o) { return name == "--" + o.name; });
    if (argument == "--help") {
      std::cout << usage;
      for (const option& o : options) std::cout << "  --" << o.name << "=VALUE,..  " << o.form << '\n';
      std::exit(0);
    } else if (argument == "--smoke") {
      c.asked.smoke = true;
    } else if (name == "--json") {
      c.rest.push_back("--benchmark_out=" + file());
      c.rest.push_back("--benchmark_out_format=json");
    } else if (name == "--csv") {
      c.csv = file();
    } else if (name == "--rows") {
      c.rows = file();
    } else if (argument.rfind("--benchmark_", 0) == 0) {
      c.rest.push_back(argument);
    } else if (own != options.end()) {
      for (const std::string& one : split(value)) {
        if (!own->is_valid(one)) refuse(name + " " + value + ": '" + one + "' is not " + own->form);
        std::vector<std::string>& given = c.asked.values[own->name];
        if (std::count(given.begin(), given.end(), one) == 0) given.push_back(one);
      }
    } else {
      refuse("unknown option '" + argument + "'");
    }
  }
  return c;
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

/// Reads speeds from a file. A line has a row's name, its items per second, their limit and the cheap instructions per cycle,
/// separated by tabs.
void read_rows(table& t, const std::string& path) {
  std::ifstream file(path);
  std::string name;
  for (double items = 0, limit = 0, state = 0; std::getline(file, name, '\t') && file >> items >> limit >> state;
       std::getline(file, name)) {
    row& r = t.row_of(name);
    r.items_per_second = items;
    r.limit_per_second = limit;
    r.instructions_per_cycle = state;
  }
}

/// Writes the rows to a file, unless the path is empty. Returns false and says so if the file cannot be written.
bool keep_csv(const table& t, const std::string& path) {
  if (path.empty()) return true;
  std::ofstream file(path);
  write_csv(file, t);
  if (file.flush()) return true;
  std::cerr << "cannot write " << path << '\n';
  return false;
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
      r.instructions_per_cycle = counter("instructions_per_cycle");
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

bool request::wants(const std::string& option, const std::string& value) const {
  const std::vector<std::string>& given = (*this)[option];
  return given.empty() || std::count(given.begin(), given.end(), value) > 0;
}

option one_of(const std::string& name, const std::vector<std::string>& values) {
  std::string form = "one of";
  for (const std::string& value : values) form += " " + value;
  return {name, form, [values](const std::string& value) { return std::count(values.begin(), values.end(), value) > 0; }};
}

option backend_option() {
  std::vector<std::string> here;
  for_every_backend([&](auto backend, bool runs_here) {
    if (runs_here) here.emplace_back(decltype(backend)::name);
  });
  return one_of("backend", here);
}

int print_table(int argc, char** argv, const std::function<table(const request&)>& make, const std::vector<option>& options) {
  command c = parse(argc, argv, options);
  std::vector<char*> arguments{argv[0]};
  for (std::string& argument : c.rest) arguments.push_back(argument.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  benchmark::AddCustomContext("processor", processor());
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("flags", flags());
  std::string best, backends, absent, left_out;
  const dyadic::status found = dyadic::with_best_backend([&](auto backend) { best = decltype(backend)::name; });
  if (found != dyadic::status::ok) fail(to_string(found));
  for_every_backend_of_processor([&](auto backend, bool runs_here) {
    const std::string name = decltype(backend)::name;
    (!runs_here ? absent : is_left_out(name) ? left_out : backends) += " " + name;
  });
  benchmark::AddCustomContext("backends", backends.substr(1));
  benchmark::AddCustomContext("left_out", left_out.empty() ? "" : left_out.substr(1));
  std::cout << processor() << "; " << compiler() << ", " << flags() << "; one thread\nbest backend: " << best
            << "; all:" << backends;
  if (!left_out.empty()) std::cout << "; which DYADIC_BACKEND leaves out:" << left_out;
  if (!absent.empty()) std::cout << "; which this processor lacks:" << absent;
  std::cout << std::endl;
  if (c.asked.smoke) std::cout << "Smoke run: the speeds mean nothing." << std::endl;

  std::cerr << "preparing and checking" << std::flush;
  table t = make(c.asked);
  if (!c.rows.empty()) {
    std::cerr << '\n';
    read_rows(t, c.rows);
    std::cout << t;
    return keep_csv(t, c.csv) ? 0 : 1;
  }
  std::cerr << "; measuring " << std::flush;
  reporter display(t);
  const std::size_t timed = benchmark::RunSpecifiedBenchmarks(&display);
  benchmark::Shutdown();
  return keep_csv(t, c.csv) && timed > 0 ? 0 : 1;
}

int print_table(int argc, char** argv, table (*make)(bool smoke)) {
  return print_table(argc, argv, [make](const request& asked) { return make(asked.smoke); }, {});
}

}  // namespace bench
