// The code from reset to the C library's start-up code, and the fault handler. At its end a program reports how much stack was used.

#include <cstdint>

extern "C" {
extern std::uint32_t __stack;
[[noreturn]] void _start();
[[noreturn]] void reset();
[[noreturn]] void fault();
void _stack_init();
}

namespace {

volatile std::uint32_t& control_register(std::uintptr_t address) { return *reinterpret_cast<volatile std::uint32_t*>(address); }

enum semihosting : std::uint32_t { write_text = 0x04, exit_with = 0x20 };
void semihosting_call(semihosting operation, const void* argument) {
  register std::uint32_t first __asm__("r0") = operation;
  register const void* second __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(first) : "r"(second) : "memory");
}

using handler = void (*)();
struct table {
  void* stack;
  handler handlers[15];
};

}  // namespace

void reset() {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  control_register(0xE000ED88) |= 0xFu << 20;  // the coprocessors 10 and 11: floating point and vectors
#endif
#ifdef __ARM_FEATURE_MVE
  control_register(0xE000ED14) |= 1u << 19;  // low-overhead loops
#endif
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  _start();
}

/// Sets the stack pointer and fills the last 64 KiB of the stack with a pattern. It is called before the stack is used. It also sets the
/// limit of the heap, because the limit that the emulator reports belongs to another memory on some machines.
__attribute__((naked)) void _stack_init() {
  __asm__(
      "ldr r0, =__stack\n\t"
      "mov sp, r0\n\t"
      "ldr r1, =__heap_limit\n\t"
      "str r0, [r1]\n\t"
      "sub r1, r0, #65536\n\t"
      "ldr r2, =0x5EA5E11D\n\t"
      "1:\n\t"
      "str r2, [r1], #4\n\t"
      "cmp r1, r0\n\t"
      "bne 1b\n\t"
      "bx lr");
}

/// Reports how much of the stack's pattern was overwritten.
__attribute__((destructor)) static void measure_stack() {
  const std::uint32_t* last = &__stack - 65536 / 4;
  while (last != &__stack && *last == 0x5EA5E11D) ++last;
  char text[] = "stack:       bytes\n";
  char* digit = text + 12;
  auto left = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&__stack) - reinterpret_cast<std::uintptr_t>(last));
  do *--digit = static_cast<char>('0' + left % 10);
  while ((left /= 10) != 0);
  semihosting_call(write_text, text);
}

/// Ends the emulator with 139, as a shell names a segmentation fault.
void fault() {
  const std::uint32_t exit_code[2] = {0x20026, 139};
  semihosting_call(write_text, "a fault of the processor\n");
  semihosting_call(exit_with, exit_code);
  for (;;) continue;
}

extern "C" const table vectors;
__attribute__((section(".vectors"), used)) const table vectors = {
    &__stack, {reset, fault, fault, fault, fault, fault, fault, nullptr, nullptr, nullptr, fault, fault, nullptr, fault, fault}};
