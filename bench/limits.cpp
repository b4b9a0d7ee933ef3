// dyadic_limits: the highest speed of multiply-adds and of loads for each instruction set of this machine.

#include "every_backend.hpp"
#include "table.hpp"

#include <cstring>

namespace bench {
namespace {

/// Sizes that fit the first, second and third cache of most processors, and a size that fits no cache.
struct reach {
  const char* name;
  std::size_t bytes;
};
constexpr reach reaches[] = {{"16 KB", 16 << 10}, {"256 KB", 256 << 10}, {"4 MB", 4 << 20}, {"256 MB", 256 << 20}};

bool runs_here(const char* backend) {
  bool here = false;
  for_every_backend([&](auto b, bool runs) { here = here || (runs && std::strcmp(decltype(b)::name, backend) == 0); });
  return here;
}

table limits_of_machine(bool smoke) {
  table t{"Limits: multiply-adds whose operands stay in registers, and loads",
          {"backend", "operands", "instructions", "G/s", "per cycle"},
          3,
          "G/s: 10^9 multiply-adds or bytes per second. per cycle: of a chain of additions that wait for each other.\n"
          "int8: exact sums of bytes need VNNI; other kernels widen them to int16 first. int32: 64-bit products, of which each\n"
          "rescaled element needs one. Loads: again and again from so many bytes.",
          [](const table&, const row& r) {
            return std::vector{fixed(r.items_per_second / 1e9, 1), fixed(r.items_per_second / r.limit_per_second, 1)};
          }};
  t.remarks = state_of_machine;
  const auto in = std::make_shared<contest>(smoke);
  const limit* const cycles = find_limit("", 0);
  for (const limit& l : limits)
    if (runs_here(l.backend))
      add(t, std::string("limits<") + l.backend + ">/multiply-adds/int" + std::to_string(l.bits) + "/registers",
          {l.backend, "int" + std::to_string(l.bits), l.instructions}, in, l.loop,
          {static_cast<double>(l.per_iteration), cycles});
  for (const reach& r : reaches) {
    const auto data = std::make_shared<const std::vector<char>>(smoke ? 16 << 10 : r.bytes, char{1});
    for (const load_limit& l : load_limits)
      if (runs_here(l.backend))
        add(t, std::string("limits<") + l.backend + ">/loads/bytes/" + r.name, {l.backend, r.name, l.instructions}, in,
            [data, loop = l.loop](long runs) {
              for (long i = 0; i < runs; ++i) loop(data->data(), data->data() + data->size());
            },
            {static_cast<double>(r.bytes), cycles});
  }
  return t;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { return bench::print_table(argc, argv, bench::limits_of_machine); }
