// A layer that the compiler prepares, as the pages teach it: `constexpr auto layer = q::linear_layer{...}`. GCC puts `constexpr
// q::linear_layer layer{...}`, a type whose arguments it deduces, among the variables that start-up code copies to memory.

#include <dyadic/dyadic.hpp>
#include <dyadic/native.hpp>

namespace {

namespace q = dyadic;

constexpr std::int8_t w[] = {1, 2, 3, -1, -2, -3};
constexpr auto weights = q::matrix_view(w, 2, 3);

struct storage {
  std::int32_t constants[2] = {};
  q::fold_record record;
  std::int8_t packed[q::packed_size<q::native, std::int16_t, std::int8_t>(2, 3)] = {};
  bool sound = false;
};
constexpr storage prepared = [] {
  storage s{};
  const auto folded = q::fold<std::int16_t>(weights, q::no_bias{}, {8, 0}, s.constants);
  s.record = folded.value.record;
  s.sound = folded.status == q::status::ok && q::pack<q::native, std::int16_t>(weights, s.packed).status == q::status::ok;
  return s;
}();
static_assert(prepared.sound);

constexpr auto layer =
    q::linear_layer{q::packed_matrix<q::native, std::int16_t, std::int8_t>{prepared.packed, 2, 3},
                    q::folded_bias<std::int32_t>{prepared.constants, prepared.record}, q::raw_output<std::int32_t>{}};

}  // namespace

void run_constant_layer(const std::int16_t* x, std::int32_t* y);
void run_constant_layer(const std::int16_t* x, std::int32_t* y) { run(layer, q::matrix_view(x, 1, 3), q::matrix_view(y, 1, 2)); }
