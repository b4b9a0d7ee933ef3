// Without DYADIC_UNALIGNED_VECTOR_MOVES, a program by GCC chooses no vectors that GCC spills to an unaligned stack.

#include <dyadic/cpu.hpp>

#include <string>
#include <vector>

#include "../support/catch.hpp"
#include "../support/environment.hpp"

#ifdef DYADIC_UNALIGNED_VECTOR_MOVES
#error "this program is compiled without the macro"
#endif

namespace q = dyadic;
using names = std::vector<std::string>;

namespace {

/// The names of the backends from which a program chooses, the best first.
template <class... Backends>
names listed() {
  names all;
  q::for_each_backend<Backends...>([&](auto backend, bool) { all.emplace_back(decltype(backend)::name); });
  return all;
}

}  // namespace

TEST_CASE("without a promise of unaligned moves GCC chooses sse41 at most, and Clang chooses any backend") {
#if defined(__clang__)
  const names expected{"avx512vnni", "avx2", "sse41", "scalar"};
  const q::status of_avx2 = q::runs_here<q::backend::avx2>::value() ? q::status::ok : q::status::backend_unavailable;
#else
  const names expected{"sse41", "scalar"};
  const q::status of_avx2 = q::status::unknown_backend;
#endif
  CHECK(listed<>() == expected);
  CHECK(q::detail::choose_backend<>("avx2").status == of_avx2);
  // Each processor that runs these tests has SSE4.1.
  support::set_environment("DYADIC_BACKEND", nullptr);
  const std::string best = q::best_backend().value;
  CHECK(q::best_backend().status == q::status::ok);
  CHECK((best == "sse41" || (best != "scalar" && expected.size() == 4)));
  std::string called;
  CHECK(q::with_best_backend([&](auto backend) { called = decltype(backend)::name; }) == q::status::ok);
  CHECK(called == best);
}

TEST_CASE("a program that names avx2 gets avx2") { CHECK(listed<q::backend::avx2>() == names{"avx2", "sse41", "scalar"}); }
