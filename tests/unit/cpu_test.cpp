#include <dyadic/cpu.hpp>

#include <dyadic/dyadic.hpp>
#include <dyadic/native.hpp>
#include <dyadic/rescale.hpp>
#if defined(__x86_64__) || defined(__i386__)
#include <dyadic/backend/avxvnni.hpp>
#endif

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../support/catch.hpp"
#include "../support/environment.hpp"

namespace q = dyadic;
using std::string;

namespace {

using best = q::backend::DYADIC_BEST;

/// A backend that no machine runs.
struct absent {
  using fallback = best;
  static constexpr const char* name = "absent";
};

/// A user's backend, which runs wherever its fallback runs. Each number makes a new type, for which the environment is not yet
/// read.
template <int Number>
struct own {
  using fallback = absent;
  static constexpr const char* name = "own";
};

}  // namespace

template <>
struct dyadic::runs_here<absent> {
  static bool value() noexcept { return false; }
};
template <int Number>
struct dyadic::runs_here<own<Number>> : dyadic::runs_here<best> {};
template <int Number>
struct dyadic::kernel<own<Number>, dyadic::op::rescale> {
  template <class Layer, class X, class Y>
  static void run(const Layer&, const X&, const Y& y, row_range) noexcept {
    y.row(0)[0] = 77;
  }
};

namespace {

template <class Best = best>
std::vector<std::pair<string, bool>> walk() {
  std::vector<std::pair<string, bool>> all;
  q::for_each_backend<Best>([&](auto backend, bool runs_here) { all.emplace_back(decltype(backend)::name, runs_here); });
  return all;
}

/// Returns the status of `with_best_backend` and the backends that it calls.
template <class... Backends>
std::pair<q::status, string> called() {
  string names;
  const q::status s = q::with_best_backend<Backends...>([&](auto backend) { names += string(decltype(backend)::name) + ' '; });
  return {s, names};
}

void force(const char* name) { support::set_environment("DYADIC_BACKEND", name); }

constexpr std::int8_t halved(std::int32_t value) {
  const std::int32_t x[1] = {value};
  std::int8_t y[1] = {};
  const q::rescale_layer layer{0, q::per_tensor_output<std::int8_t, q::tosa::scale32>{{1 << 30, 31}}};
  const q::status s = q::with_best_backend([&](auto backend) {
    q::run<decltype(backend)>(layer, q::matrix_view<const std::int32_t>{x, 1, 1}, q::matrix_view<std::int8_t>{y, 1, 1});
  });
  return s == q::status::ok ? y[0] : std::int8_t{-1};
}
static_assert(halved(20) == 10, "the constant evaluator runs scalar code");

/// Returns the first backend that runs.
string expected() {
  for (const auto& [name, runs] : walk())
    if (runs) return name;
  return "";
}

}  // namespace

TEST_CASE("the backends are ordered from the best to scalar, which runs everywhere", "[cpu]") {
  const auto all = walk();
#if defined(__x86_64__) || defined(__i386__)
  REQUIRE(all.size() == 4);
  CHECK(all[0].first == "avx512vnni");
  CHECK(all[1].first == "avx2");
  CHECK(all[2].first == "sse41");
#elif defined(__ARM_NEON)
  REQUIRE(all.size() >= 2);
  CHECK(all[all.size() - 2] == std::pair{string("neon"), true});
#if defined(__aarch64__) && defined(__linux__)
  REQUIRE(all.size() == 4);
  CHECK(all[0].first == "neon_i8mm");
  CHECK(all[1].first == "neon_dotprod");
#endif
#endif
  CHECK(all.back() == std::pair{string("scalar"), true});
  // A machine that runs a backend also runs its fallback.
  for (std::size_t i = 1; i < all.size(); ++i) CHECK((!all[i - 1].second || all[i].second));
}

#if defined(__x86_64__) || defined(__i386__)
TEST_CASE("this machine runs the backends that the compiler's library names", "[cpu]") {
  __builtin_cpu_init();
  CHECK(q::runs_here<q::backend::sse41>::value() == static_cast<bool>(__builtin_cpu_supports("sse4.1")));
  CHECK(q::runs_here<q::backend::avx2>::value() == static_cast<bool>(__builtin_cpu_supports("avx2")));
  CHECK(q::runs_here<q::backend::avx512vnni>::value() ==
        (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq")));
#if defined(__GNUC__) && !defined(__clang__)
  CHECK(q::runs_here<q::backend::avxvnni>::value() == (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("avxvnni")));
#endif
}

namespace {

using x86_words = q::detail::x86_words;

struct needed_bit {
  unsigned x86_words::*word;
  unsigned number;

  constexpr unsigned value() const { return 1u << number; }
};
constexpr needed_bit sse41_bits[] = {{&x86_words::first_c, 0}, {&x86_words::first_c, 9}, {&x86_words::first_c, 19}};
constexpr needed_bit avx2_bits[] = {{&x86_words::first_c, 12}, {&x86_words::first_c, 20}, {&x86_words::first_c, 23},
                                    {&x86_words::first_c, 27}, {&x86_words::first_c, 28}, {&x86_words::seventh_b, 5},
                                    {&x86_words::kept, 1},     {&x86_words::kept, 2}};
constexpr needed_bit avx512vnni_bits[] = {{&x86_words::first_c, 29},   {&x86_words::seventh_b, 16}, {&x86_words::seventh_b, 17},
                                          {&x86_words::seventh_b, 30}, {&x86_words::seventh_b, 31}, {&x86_words::seventh_c, 11},
                                          {&x86_words::kept, 5},       {&x86_words::kept, 6},       {&x86_words::kept, 7}};

/// Adds the bits of a level to those of the levels below. Returns whether a machine with all bits runs the level, and a machine
/// that lacks any bit does not.
template <std::size_t N>
bool decide(x86_words& words, const needed_bit (&bits)[N], bool q::detail::x86_backends::*level) {
  bool is_right = !(q::detail::x86_backends_by(words).*level);
  for (const needed_bit& one : bits) words.*one.word |= one.value();
  is_right = is_right && q::detail::x86_backends_by(words).*level;
  for (unsigned x86_words::*const word : {&x86_words::first_c, &x86_words::seventh_b, &x86_words::seventh_c, &x86_words::kept})
    for (unsigned bit = 1; bit != 0; bit <<= 1) {
      x86_words others = words;
      others.*word ^= bit;
      is_right = is_right && q::detail::x86_backends_by(others).*level == ((words.*word & bit) == 0);
    }
  return is_right;
}

}  // namespace

TEST_CASE("each level of x86 depends on its bits and on those of the levels below", "[cpu]") {
  x86_words words{};
  CHECK((words.first_c | words.seventh_b | words.seventh_c | words.kept) == 0);
  CHECK(decide(words, sse41_bits, &q::detail::x86_backends::sse41));
  CHECK(decide(words, avx2_bits, &q::detail::x86_backends::avx2));
  CHECK(decide(words, avx512vnni_bits, &q::detail::x86_backends::avx512vnni));
  const q::detail::x86_backends avx2 = {true, true, false};
  const q::detail::x86_backends sse41 = {true, false, true};
  CHECK((q::detail::has_avxvnni(avx2, 1u << 4) && !q::detail::has_avxvnni(avx2, ~(1u << 4))));
  CHECK(!q::detail::has_avxvnni(sse41, 1u << 4));
}

TEST_CASE("a backend that a program names is chosen before the backends after it in the list", "[cpu]") {
  using namespace q::backend;
  force(nullptr);
  const bool is_here = q::runs_here<avxvnni>::value();
  CHECK(called<avxvnni, avx2, sse41, scalar>().second == (is_here ? "avxvnni " : called<avx2, sse41, scalar>().second));
  CHECK(walk<avxvnni>()[1].first == "avx2");  // avxvnni falls back to avx2
  const auto forced = q::detail::choose_backend<avx512vnni, avxvnni, avx2, sse41, scalar>("avxvnni");
  CHECK(forced.name == string("avxvnni"));
  CHECK(forced.status == (is_here ? q::status::ok : q::status::backend_unavailable));
  CHECK(q::detail::choose_backend<>("avxvnni").status == q::status::unknown_backend);
}
#endif

TEST_CASE("the first backend that runs is chosen if there is no name or an empty name", "[cpu]") {
  force(nullptr);
  CHECK(called<own<0>>() == std::pair{q::status::ok, string(q::runs_here<best>::value() ? "own" : expected()) + ' '});
  force("");
  CHECK(string(q::best_backend<own<1>>().value) == (q::runs_here<best>::value() ? "own" : expected()));
  // A backend that this machine does not run is skipped.
  CHECK(called<absent>() == std::pair{q::status::ok, expected() + ' '});
}

TEST_CASE("a name forces its backend, also scalar", "[cpu]") {
  force("scalar");
  CHECK(called<own<2>>() == std::pair{q::status::ok, string("scalar ")});
  CHECK(q::best_backend<own<2>>().status == q::status::ok);
  for (const auto& [name, runs] : walk()) {
    const auto chosen = q::detail::choose_backend<best>(name.c_str());
    CHECK(chosen.name == name);
    CHECK(chosen.status == (runs ? q::status::ok : q::status::backend_unavailable));
  }
}

TEST_CASE("a backend that this machine does not run is named and nothing is called", "[cpu]") {
  force("absent");
  CHECK(called<own<3>>() == std::pair{q::status::backend_unavailable, string()});
  CHECK(string(q::best_backend<own<3>>().value) == "absent");
  CHECK(q::best_backend<own<3>>().status == q::status::backend_unavailable);
}

TEST_CASE("an unknown name has a status, and nothing is called", "[cpu]") {
  force("avx9");
  CHECK(called<own<4>>() == std::pair{q::status::unknown_backend, string()});
  CHECK(string(q::best_backend<own<4>>().value) == "avx9");
  const string endless(1000, 'x');
  force(endless.c_str());
  CHECK(string(q::best_backend<own<5>>().value) == string(63, 'x'));
  for (const char* name : {"SCALAR", "scala", "scalars", " scalar", "scalar "})
    CHECK(q::detail::choose_backend<best>(name).status == q::status::unknown_backend);
}

TEST_CASE("the environment is read once", "[cpu]") {
  force("scalar");
  CHECK(called<own<6>>().second == "scalar ");
  force("avx9");
  CHECK(called<own<6>>() == std::pair{q::status::ok, string("scalar ")});
}

TEST_CASE("a user's backend, one tag and one kernel, is chosen like any other", "[cpu]") {
  force(q::runs_here<best>::value() ? nullptr : "own");
  const std::int32_t x[1] = {20};
  std::int8_t y[1] = {};
  const q::rescale_layer layer{0, q::per_tensor_output<std::int8_t, q::tosa::scale32>{{1 << 30, 31}}};
  const q::status s = q::with_best_backend<own<7>>([&](auto backend) {
    q::run<decltype(backend)>(layer, q::matrix_view<const std::int32_t>{x, 1, 1}, q::matrix_view<std::int8_t>{y, 1, 1});
  });
  if (!q::runs_here<best>::value()) {
    CHECK(s == q::status::backend_unavailable);
    return;
  }
  CHECK(s == q::status::ok);
  CHECK(y[0] == 77);
}

TEST_CASE("only backends in the list are called", "[cpu]") {
  using q::backend::scalar;
  std::vector<string> listed;
  q::for_each_backend<own<9>, scalar>([&](auto backend, bool) { listed.emplace_back(decltype(backend)::name); });
  CHECK(listed == std::vector<string>{"own", "scalar"});
  force(nullptr);
  CHECK(called<absent, scalar>() == std::pair{q::status::ok, string("scalar ")});
  CHECK(called<scalar, own<10>>() == std::pair{q::status::ok, string("scalar ")});
  // If this machine runs none of the backends, the first backend is named.
  CHECK(called<absent, absent>() == std::pair{q::status::backend_unavailable, string()});
  CHECK(string(q::best_backend<absent, absent>().value) == "absent");
  force("scalar");
  CHECK(called<own<11>, scalar>() == std::pair{q::status::ok, string("scalar ")});
  CHECK(called<own<11>, absent>() == std::pair{q::status::unknown_backend, string()});
}

TEST_CASE("an engine keeps a pointer to the function of the best backend", "[cpu]") {
  using layer = q::rescale_layer<q::per_tensor_output<std::int8_t, q::tosa::scale32>>;
  using input = q::matrix_view<const std::int32_t>;
  using output = q::matrix_view<std::int8_t>;
  force(nullptr);
  void (*run)(const layer&, const input&, const output&) = nullptr;
  REQUIRE(q::with_best_backend<own<8>>([&](auto backend) { run = &q::run<decltype(backend)>; }) == q::status::ok);
  const std::int32_t x[1] = {20};
  std::int8_t y[1] = {};
  run({0, {{1 << 30, 31}}}, input{x, 1, 1}, output{y, 1, 1});
  CHECK(y[0] == (q::runs_here<best>::value() ? 77 : 10));
}

TEST_CASE("native is one of the backends, and this machine runs what it was built for", "[cpu]") {
  CHECK(q::runs_here<q::native>::value());
  bool listed = false;
  q::for_each_backend([&](auto backend, bool) { listed = listed || std::is_same_v<decltype(backend), q::native>; });
#if defined(__x86_64__) || defined(__i386__)
  listed = listed || std::is_same_v<q::backend::avxvnni, q::native>;  // listed only for a user who names it
#endif
  CHECK(listed);
}
