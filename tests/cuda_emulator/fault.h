/* Tells what no error code tells (emulator.h says what a fault does). */
#ifndef CUDA_EMULATOR_FAULT_H
#define CUDA_EMULATOR_FAULT_H

namespace cudaemu
{

/* To the handler, or to standard error and abort. On the host's stack; returns if the handler
 * does. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, but leaves the end of the process to the caller where there is no handler. */
void tell_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* In a kernel: its thread's place goes before the message, the launch ends. Never returns. */
[[noreturn]] void kernel_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True once after a fault. */
bool fault_taken(void);
bool faulted(void);

} // namespace cudaemu

#endif
