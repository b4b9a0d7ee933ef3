#pragma once
/// \file
/// Guarded memory on a bare Cortex-M, by its memory protection unit. Included by guarded.hpp.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" char __code, __guarded, __stack;  // defined in the linker script

namespace parity {

/// True if a buffer holds at most a megabyte.
constexpr bool has_little_memory = true;

/// The memory protection unit.
struct protection {
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  static volatile std::uint32_t& at(std::uintptr_t a) { return *reinterpret_cast<volatile std::uint32_t*>(a); }
  static void set(unsigned number, std::uintptr_t base, std::uint32_t attributes) {
    at(0xE000ED98) = number;
    at(0xE000ED9C) = base;
    at(0xE000EDA0) = attributes;
  }
  static void enable(std::uint32_t control) {
    at(0xE000ED94) = control;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
  }

  static std::uintptr_t begin(unsigned buffer) { return address(&__guarded) + (2 * buffer + 1) * (1u << 20); }

#if __ARM_ARCH >= 8
  /// Allows code, data, and one region for each buffer; all other accesses fault.
  static void guard(unsigned buffer, int log2_size) {
    at(0xE000EDC0) = 0xFF;  // memory, not a device
    allow(0, 0, 1024);
    allow(1, address(&__code), address(&__stack) - address(&__code));
    allow(2 + buffer, begin(buffer), std::size_t{1} << log2_size);
    enable(1);
  }
  static void allow(unsigned number, std::uintptr_t first, std::size_t size) { set(number, first, (first + size - 32) | 1); }
#else
  /// Denies two regions that hold all buffers, and allows each buffer in them and everything else. Sizes are powers of 2.
  static void guard(unsigned buffer, int log2_size) {
    constexpr std::uint32_t full_access = 3u << 24 | 1u << 19;
    set(0, address(&__guarded), size_of(22));
    set(1, address(&__guarded) + (1u << 22), size_of(23));
    set(2 + buffer, begin(buffer), full_access | size_of(log2_size));
    enable(5);
  }
  static std::uint32_t size_of(int log2_size) { return static_cast<std::uint32_t>((log2_size - 1) << 1 | 1); }
#endif
  static void release(unsigned buffer) {
    at(0xE000ED98) = 2 + buffer;
    at(0xE000EDA0) = 0;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
  }
};

/// A bit for each buffer in use.
inline std::uint32_t buffers_in_use = 0;

template <class T>
class guarded {
 public:
  explicit guarded(std::size_t most) : number_{free_number()} {
    while (size() <= most * sizeof(T)) ++log2_size_;
    if (log2_size_ > 20) std::abort();
    buffers_in_use |= 1u << number_;
    protection::guard(number_, log2_size_);
  }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() {
    buffers_in_use &= ~(1u << number_);
    protection::release(number_);
  }

  T* first() { return reinterpret_cast<T*>(protection::begin(number_)); }
  T* last(std::size_t n) { return reinterpret_cast<T*>(protection::begin(number_) + size() - n * sizeof(T)); }
  T* at(bool end, std::size_t n) {
    if (n * sizeof(T) > size()) {
      std::fprintf(stderr, "a test needs more memory than it asked for: %lu elements\n", static_cast<unsigned long>(n));
      std::abort();
    }
    return end ? last(n) : first();
  }

 private:
  std::size_t size() const { return std::size_t{1} << log2_size_; }
  static unsigned free_number() {
    for (unsigned n = 0; n < 6; ++n)
      if ((buffers_in_use >> n & 1) == 0) return n;
    std::abort();
  }

  unsigned number_;
  int log2_size_ = 5;
};

}  // namespace parity
