// Rescales the accumulator of a layer by two rules. TFLite rounds twice, TOSA once.
#include <dyadic.h>

constexpr auto m = dyadic::tosa::scale32::derive(0.0235 * 0.0040 / 0.0510).value;  // input * weight / output scale

void setup() {
  Serial.begin(115200);
  Serial.println(static_cast<int>(dyadic::tosa::scale32::apply(2441, m)));            // 4
  Serial.println(static_cast<int>(dyadic::tflite::double_rounding::apply(2441, m)));  // 5
}

void loop() {}
