#pragma once
/// \file
/// Memory between two pages that no one may touch: what reads or writes past either end is killed.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#else
extern "C" char __code, __guarded, __stack;  // of the linker script
#endif

namespace parity {

#if __has_include(<sys/mman.h>)
/// Room for `most` elements, which end where the page after them begins, or begin where the page before them ends.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t most) : page_{static_cast<std::size_t>(sysconf(_SC_PAGESIZE))} {
    size_ = (most * sizeof(T) + page_ - 1) / page_ * page_ + page_;
    void* const all = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) std::abort();
    base_ = static_cast<unsigned char*>(all);
    if (mprotect(base_ + page_, size_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() { munmap(base_, size_ + 2 * page_); }

  T* first() { return pointer(base_ + page_); }
  T* last(std::size_t n) { return pointer(base_ + page_ + size_ - n * sizeof(T)); }
  /// n elements, at one end or the other.
  T* at(bool end, std::size_t n) { return end ? last(n) : first(); }

 private:
  static T* pointer(void* p) { return static_cast<T*>(p); }

  std::size_t page_;
  std::size_t size_;
  unsigned char* base_;
};
#else
/// The same on a bare Armv8-M, by the memory protection unit: it allows code, data, and a region for each of these.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t most) : size_{(most * sizeof(T) + 31) / 32 * 32 + 32}, number_{free_number()} {
    if (size_ > room) std::abort();
    used() |= 1u << number_;
    allow(number_, begin(), size_);
    register_at(0xE000EDC0) = 0xFF;  // memory, not a device
    allow(0, 0, 1024);
    allow(1, address(&__code), address(&__stack) - address(&__code));
    register_at(0xE000ED94) = 1;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
  }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() {
    used() &= ~(1u << number_);
    register_at(0xE000ED98) = number_;
    register_at(0xE000EDA0) = 0;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
  }

  T* first() { return reinterpret_cast<T*>(begin()); }
  T* last(std::size_t n) { return reinterpret_cast<T*>(begin() + size_ - n * sizeof(T)); }
  T* at(bool end, std::size_t n) { return end ? last(n) : first(); }

 private:
  static constexpr std::size_t room = 1u << 20;
  static volatile std::uint32_t& register_at(std::uintptr_t a) { return *reinterpret_cast<volatile std::uint32_t*>(a); }
  static std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
  static std::uint32_t& used();
  static unsigned free_number() {
    for (unsigned n = 2; n < 8; ++n)
      if ((used() >> n & 1) == 0) return n;
    std::abort();
  }
  static void allow(unsigned number, std::uintptr_t first, std::size_t size) {
    register_at(0xE000ED98) = number;
    register_at(0xE000ED9C) = first;
    register_at(0xE000EDA0) = (first + size - 32) | 1;
  }
  /// Nothing is allowed between one of them and the next.
  std::uintptr_t begin() const { return address(&__guarded) + 2 * room * (number_ - 1); }

  std::size_t size_;
  unsigned number_;
};

/// A bit for each region in use.
inline std::uint32_t regions_in_use = 0;
template <class T>
std::uint32_t& guarded<T>::used() {
  return regions_in_use;
}
#endif

}  // namespace parity
