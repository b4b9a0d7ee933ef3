// Macros of Windows' headers that are ordinary words. Each public header must compile after these macros. Standard headers are
// included before them, because some standard headers do not compile after them.
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
