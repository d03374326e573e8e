/* Reports errors that no error code reports (emulator.h says what a fault does). */
#ifndef CUDA_EMULATOR_FAULT_H
#define CUDA_EMULATOR_FAULT_H

namespace cudaemu
{

/* Calls the handler, or prints to standard error and aborts. Runs on the host's stack; returns if
 * the handler does. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, but without a handler it leaves ending the process to the caller. */
void tell_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For kernels: prefixes the message with the place of the thread and ends the launch. Never
 * returns. */
[[noreturn]] void kernel_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True once after a fault. */
bool fault_taken(void);
bool faulted(void);

} // namespace cudaemu

#endif
