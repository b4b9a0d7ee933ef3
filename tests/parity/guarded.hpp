#pragma once
/// \file
/// Memory between two pages without access: a program that reads or writes past either end is killed.

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#if defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#undef far
#undef near
#elif __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#else
#include "guarded_cortex_m.hpp"
#endif

namespace parity {

#if defined(_WIN32) || __has_include(<sys/mman.h>)
/// True if a buffer holds at most a megabyte.
constexpr bool has_little_memory = false;

/// `reserve` returns pages without access, or null. `open` allows access to reserved pages.
/// @{
#if defined(_WIN32)
inline std::size_t page_size() {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  return system.dwPageSize;
}
inline void* reserve(std::size_t size) { return VirtualAlloc(nullptr, size, MEM_RESERVE, PAGE_NOACCESS); }
inline bool open(void* pages, std::size_t size) { return VirtualAlloc(pages, size, MEM_COMMIT, PAGE_READWRITE) != nullptr; }
inline void release(void* pages, std::size_t) { VirtualFree(pages, 0, MEM_RELEASE); }
#else
inline std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
inline void* reserve(std::size_t size) {
  void* const pages = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}
inline bool open(void* pages, std::size_t size) { return mprotect(pages, size, PROT_READ | PROT_WRITE) == 0; }
inline void release(void* pages, std::size_t size) { munmap(pages, size); }
#endif
/// @}

/// Memory for `most` elements, which end at the page after them or begin at the page before them.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t most) : page_{page_size()} {
    size_ = (most * sizeof(T) + page_ - 1) / page_ * page_ + page_;
    base_ = static_cast<unsigned char*>(reserve(size_ + 2 * page_));
    if (base_ == nullptr || !open(base_ + page_, size_)) std::abort();
  }
  guarded(const guarded&) = delete;
  guarded& operator=(const guarded&) = delete;
  ~guarded() { release(base_, size_ + 2 * page_); }

  T* first() { return pointer(base_ + page_); }
  T* last(std::size_t n) { return pointer(base_ + page_ + size_ - n * sizeof(T)); }
  /// Returns n elements, at the end of the memory or at its beginning.
  T* at(bool end, std::size_t n) {
    if (n * sizeof(T) > size_) {
      std::fprintf(stderr, "a test needs more memory than it asked for: %lu elements\n", static_cast<unsigned long>(n));
      std::abort();
    }
    return end ? last(n) : first();
  }

 private:
  static T* pointer(void* p) { return static_cast<T*>(p); }

  std::size_t page_;
  std::size_t size_;
  unsigned char* base_;
};
#endif

}  // namespace parity
