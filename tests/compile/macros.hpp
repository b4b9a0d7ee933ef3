// Macros that are ordinary words or single capitals, of the headers of Windows, Arduino, microcontrollers and <complex.h>. Each
// public header must compile after these macros. Standard headers are included before them, because some standard headers do not
// compile after them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <type_traits>
#if !defined(__arm__) || defined(__linux__)
#include <thread>
#include <vector>
#endif

#define near
#define far
#define NEAR
#define FAR
#define pascal
#define cdecl
#define huge
#define small char
#define hyper long long
#define interface struct
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define ERROR 0
#define NO_ERROR 0
#define DELETE 0x00010000
#define TRUE 1
#define FALSE 0
#define STRICT 1
#define ABSOLUTE 1
#define RELATIVE 2
#define TRANSPARENT 1
#define OPAQUE 2
#define IGNORE 0

#define PI 3.1415926535897932384626433832795
#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2
#define B0 0
#define B1 1
#define HIGH 1
#define LOW 0
#define INPUT 0
#define OUTPUT 1
#define F(text) (text)
#define bit(b) (1UL << (b))
#define sq(x) ((x) * (x))
#define abs(x) ((x) > 0 ? (x) : -(x))
#define round(x) ((x) >= 0 ? (long)((x) + 0.5) : (long)((x)-0.5))

#define R 4
#define V 0x0100
#define C 0x0001
#define N 0x0004
#define I _Complex_I
