#pragma once
/// \file
/// Memory between two pages without access: a program that reads or writes past either end is killed.

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#else
#include "guarded_cortex_m.hpp"
#endif

namespace parity {

#if __has_include(<sys/mman.h>)
/// True if a buffer holds at most a megabyte.
constexpr bool has_little_memory = false;

/// Memory for `most` elements, which end at the page after them or begin at the page before them.
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
