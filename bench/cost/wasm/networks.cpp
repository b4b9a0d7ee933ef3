// The layers of whole networks on WebAssembly: milliseconds of portable code, milliseconds of vectors, and their ratio. wasm.sh
// builds and runs this program.

#include "../../networks.hpp"
#include "../../backends.hpp"

#include <chrono>
#include <cstdio>
#include <map>

namespace bench {

void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

namespace {

/// Returns the least time of a run, in seconds. Runs for a tenth of a second, three times at least.
double seconds_of(const implementation& i) {
  using clock = std::chrono::steady_clock;
  double least = 1e9;
  double all = 0;
  for (int runs = 0; runs < 3 || (all < 0.1 && runs < 1000); ++runs) {
    const auto begin = clock::now();
    i.contender(1);
    const double seconds = std::chrono::duration<double>(clock::now() - begin).count();
    least = std::min(least, seconds);
    all += seconds;
  }
  return least;
}

/// The seconds of a layer on each backend.
using times = std::map<std::string, double>;

template <class Problem>
times times_of(const shape& s) {
  times found;
  const auto p = std::make_shared<Problem>(s);
  for (const implementation& i : all_backends<variant::packed>(p)) found[i.backend] = seconds_of(i);
  return found;
}

void print(const std::string& what, const std::string& format, times& t) {
  const double vectors = t[dyadic::backend::DYADIC_BEST::name];
  std::printf("%-32s %-5s %10.3f %10.3f %6.2f\n", what.c_str(), format.c_str(), 1e3 * t["scalar"], 1e3 * vectors,
              t["scalar"] / vectors);
}

template <class Problem>
void measure(const std::string& format, bool each_layer, double most_multiply_adds) {
  std::map<std::string, times> layers;
  for (const network& n : networks()) {
    if (n.multiply_adds() > most_multiply_adds) continue;
    times whole;
    for (const network_layer& l : n.layers) {
      const std::string name = name_of(l.of);
      const bool is_new = layers.count(name) == 0;
      times& t = layers[name];
      if (is_new) t = times_of<Problem>(l.of);
      for (const auto& [backend, seconds] : t) whole[backend] += seconds;
      if (is_new && each_layer) print("  " + name, format, t);
    }
    print(n.name, format, whole);
  }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bool each_layer = argc > 1 && std::string(argv[1]) == "--layers";
  const double most = argc > 1 && std::string(argv[1]) == "--smoke" ? 4e6 : 4e8;
  std::printf("%-32s %-5s %10s %10s %6s\n", "network", "", "scalar ms", "vectors ms", "times");
  bench::measure<bench::problem_a8w8>("a8w8", each_layer, most);
  bench::measure<bench::problem_a16w8>("a16w8", each_layer, most);
}
