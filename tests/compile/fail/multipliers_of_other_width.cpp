// expect: [Cc]onver
#include "given.hpp"

q::status caller() {
  const std::vector<q::multiplier32> all(2);
#ifdef MUST_NOT_COMPILE
  return check(q::per_channel_output<std::int8_t, q::tosa::scale16>{all}, 2);
#else
  return check(q::per_channel_output<std::int8_t, q::tosa::scale32>{all}, 2);
#endif
}
