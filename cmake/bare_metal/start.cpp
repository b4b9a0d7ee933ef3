// From reset to the C library's start-up code; and what a fault does.

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
  control_register(0xE000ED14) |= 1u << 19;  // loops whose end is remembered
#endif
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  _start();
}

/// Called before anything is on the stack. The emulator names the largest memory that it knows, which is not ours on each
/// machine.
__attribute__((naked)) void _stack_init() {
  __asm__(
      "ldr r0, =__stack\n\t"
      "mov sp, r0\n\t"
      "ldr r1, =__heap_limit\n\t"
      "str r0, [r1]\n\t"
      "bx lr");
}

/// Ends the emulator with 139, as a shell names a segmentation fault.
void fault() {
  const char* const message = "a fault of the processor\n";
  const std::uint32_t exit_code[2] = {0x20026, 139};
  register std::uint32_t operation __asm__("r0") = 0x04;
  register const void* argument __asm__("r1") = message;
  __asm__ volatile("bkpt 0xAB" : "+r"(operation) : "r"(argument) : "memory");
  operation = 0x20;
  argument = exit_code;
  __asm__ volatile("bkpt 0xAB" : "+r"(operation) : "r"(argument) : "memory");
  for (;;) continue;
}

extern "C" const table vectors;
__attribute__((section(".vectors"), used)) const table vectors = {
    &__stack, {reset, fault, fault, fault, fault, fault, fault, nullptr, nullptr, nullptr, fault, fault, nullptr, fault, fault}};
