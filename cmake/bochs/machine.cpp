// Runs one static Linux program with a kernel's rights, and answers its few system calls: standard output, memory and a clock.
// Other calls return the error that there is no such call.

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

namespace {

using byte = unsigned char;
using word = uint64_t;

// The addresses of memory areas. The emulator loads the texts and the file there.
constexpr word texts = 0xC000;      // arguments, each ended by 0, then an empty text; the environment in the same form
constexpr word tables = 0x10'0000;  // page tables of the memory that the program maps
constexpr word file = 0xA00'0000;   // the file of the program; the loaded program and its heap are below
constexpr word stack = 0xFFF'F000;  // grows down
constexpr word maps = 0x1000'0000;  // memory that the program maps, in pages
constexpr word maps_end = 0x2000'0000;
constexpr word page = 4096;
constexpr word count_of_pages = (maps_end - maps) / page;

enum access : word { none = 0x200, all = 0x203 };  // access bits of a page table entry; the entry of an unmapped page is 0

word heap_begin, heap, next_page;

template <class T>
T* at(word address) {
  return reinterpret_cast<T*>(address);
}
constexpr word round_up(word size) { return (size + page - 1) / page * page; }

void out(uint16_t port, byte value) { __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port)); }

void copy(word to, word from, word size) { __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size)::"memory"); }
void clear(word to, word size) { __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory"); }

/// The standard output is a printer.
void print(const byte* text, word size) {
  for (; size != 0; --size) {
    out(0x378, *text++);
    out(0x37A, 0x0D);
    out(0x37A, 0x0C);
  }
}

/// Writes to the emulator's own output.
void note(const char* text) {
  while (*text != 0) out(0xE9, static_cast<byte>(*text++));
}
void note(word number) {
  for (int shift = 60; shift >= 0; shift -= 4) out(0xE9, static_cast<byte>("0123456789abcdef"[number >> shift & 15]));
}

[[noreturn]] void stop(word status) {
  note("\nstatus ");
  note(status);
  note("\n");
  for (;;) __asm__ volatile("xchgw %bx, %bx");  // where the emulator's debugger takes over
}

word& entry_of(word address) { return at<word>(tables)[(address - maps) / page]; }

void set_access(word address, word size, word access) {
  for (const word end = address + round_up(size); address < end; address += page) {
    entry_of(address) = access == 0 ? 0 : address | access;
    __asm__ volatile("invlpg (%0)" ::"r"(address) : "memory");
  }
}

/// Returns the next free memory of this size.
word map(word size, access access) {
  word gap = 0;
  for (word tried = 0; tried < 2 * count_of_pages; ++tried) {
    if (next_page == count_of_pages) next_page = gap = 0;
    gap = at<word>(tables)[next_page++] == 0 ? gap + page : 0;
    if (gap < size) continue;
    const word address = maps + next_page * page - gap;
    set_access(address, size, all);
    clear(address, round_up(size));
    set_access(address, size, access);
    return address;
  }
  return -word{ENOMEM};
}

/// An instruction counts as a nanosecond.
word time(word* to, word unit) {
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  const word now = word{high} << 32 | low;
  to[0] = now / 1'000'000'000;
  to[1] = now % 1'000'000'000 / unit;
  return 0;
}

/// Writes the addresses of the texts up to an empty text, then 0.
void push_texts(word*& to, const char*& text) {
  for (; *text != 0; ++text) {
    *to++ = reinterpret_cast<word>(text);
    while (*text != 0) ++text;
  }
  ++text;
  *to++ = 0;
}

}  // namespace

/// The program's initial stack. The address of its entry point lies below it.
extern "C" word* load() {
  // The emulator fills its own blocks of memory in a row, but these belong to the addresses that are touched next.
  for (word address = file; address < maps; address += page) (void)*at<volatile byte>(address);

  const auto& header = *at<const Elf64_Ehdr>(file);
  word headers = 0;
  for (const auto *s = at<const Elf64_Phdr>(file + header.e_phoff), *end = s + header.e_phnum; s != end; ++s) {
    if (s->p_type != PT_LOAD) continue;
    copy(s->p_vaddr, file + s->p_offset, s->p_filesz);
    clear(s->p_vaddr + s->p_filesz, s->p_memsz - s->p_filesz);
    if (s->p_offset == 0) headers = s->p_vaddr + header.e_phoff;
    heap_begin = round_up(s->p_vaddr + s->p_memsz);
  }
  heap = heap_begin;
  next_page = 0;
  clear(tables, count_of_pages * sizeof(word));
  word* const directory = at<word>(0x3000);
  for (word i = 0; i < count_of_pages / 512; ++i) directory[maps / (512 * page) + i] = (tables + i * page) | all;

  word* const first = at<word>(stack - 4 * page);
  word* to = first + 1;
  const char* text = at<const char>(texts);
  push_texts(to, text);
  first[0] = static_cast<word>(to - first) - 2;
  push_texts(to, text);
  const word auxiliary[] = {AT_PHDR, headers,  AT_PHENT,       header.e_phentsize, AT_PHNUM, header.e_phnum, AT_PAGESZ,
                            page,    AT_ENTRY, header.e_entry, AT_RANDOM,          texts,    AT_NULL,        0};
  for (const word one : auxiliary) *to++ = one;
  first[-1] = header.e_entry;
  return first;
}

extern "C" word answer(word a, word b, word c, word call) {
  switch (call) {
    case SYS_write: print(at<const byte>(b), c); return c;
    case SYS_writev: {
      word sum = 0;
      for (const word *part = at<const word>(b), *end = part + 2 * c; part != end; part += 2) {
        print(at<const byte>(part[0]), part[1]);
        sum += part[1];
      }
      return sum;
    }
    case SYS_mmap: return map(b, c == 0 ? none : all);
    case SYS_mprotect:
      if (a >= maps) set_access(a, b, c == 0 ? none : all);
      return 0;
    case SYS_munmap: set_access(a, b, 0); return 0;
    case SYS_brk:
      if (a < heap_begin || a >= file) return heap;
      if (a > heap) clear(heap, a - heap);
      return heap = a;
    case SYS_arch_prctl:
      if (a != 0x1002) return -word{EINVAL};
      __asm__ volatile("wrmsr" ::"c"(0xC000'0100), "a"(static_cast<uint32_t>(b)), "d"(static_cast<uint32_t>(b >> 32)));
      return 0;
    case SYS_clock_gettime: return time(at<word>(b), 1);
    case SYS_gettimeofday: return time(at<word>(a), 1000);
    case SYS_getpid:
    case SYS_gettid:
    case SYS_set_tid_address: return 1;
    case SYS_futex:
    case SYS_rt_sigaction:
    case SYS_rt_sigprocmask:
    case SYS_sigaltstack: return 0;
    case SYS_tgkill: stop(128 + c);
    case SYS_exit_group: stop(a & 255);
    default: return -word{ENOSYS};
  }
}

/// The number of a fault and the words that the processor stored: for some faults a code, then the address of the instruction.
extern "C" void fault(const word* frame) {
  word address;
  __asm__("movq %%cr2, %0" : "=r"(address));
  note("\nfault ");
  note(frame[0] / 8 % 32);
  for (int i = 1; i < 4; ++i) note(" "), note(frame[i]);
  note(", the last page fault at ");
  note(address);
  stop(139);
}
