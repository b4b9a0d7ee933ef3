// Replaces the header of an Arduino core, with some of its macros and the functions that a sketch calls.
#pragma once
#include <cstdio>

#define PI 3.1415926535897932384626433832795
#define DEC 10
#define HEX 16
#define B0 0
#define B1 1
#define F(text) (text)
#define bit(b) (1UL << (b))
#define constrain(x, low, high) ((x) < (low) ? (low) : ((x) > (high) ? (high) : (x)))
#define sq(x) ((x) * (x))

struct serial_port {
  void begin(long) {}
  void println(int value) { std::printf("%d\n", value); }
};
inline serial_port Serial;

void setup();
void loop();
