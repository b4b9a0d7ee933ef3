// expect: an arena aligns multipliers to 8 bytes, and no more
#include <dyadic/any_layer.hpp>

namespace q = dyadic;

#ifdef MUST_NOT_COMPILE
struct alignas(16) number {
#else
struct alignas(8) number {
#endif
  std::int64_t value;
};
struct scheme {
  using accumulator = std::int64_t;
  using multiplier_type = number;
  static constexpr bool valid(number) noexcept { return true; }
  static constexpr std::int64_t apply(std::int64_t acc, number m) noexcept { return acc >> m.value; }
  static constexpr q::result<number> derive(q::binary64) noexcept { return {{1}, q::status::ok}; }
};

constexpr auto kinds = q::layer_kinds_of<q::backend::scalar, q::kind<q::op::linear, std::int8_t, std::int8_t, scheme>>();
