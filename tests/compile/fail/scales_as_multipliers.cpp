// expect: [Cc]onver
#include "given.hpp"

q::status caller() {
  const std::vector<double> scales(2);
  const std::vector<q::multiplier32> all(scales.size());
#ifdef MUST_NOT_COMPILE
  return check(q::per_channel_output<std::int8_t, scheme>{scales}, 2);
#else
  return check(q::per_channel_output<std::int8_t, scheme>{all}, 2);
#endif
}
