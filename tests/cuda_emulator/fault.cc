#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "emulator.h"

namespace cudaemu
{

static cudaemu_handler *handler;
static void *handler_context;
static bool happened;

__attribute__((format(printf, 1, 0))) static void tell(const char *format, va_list arguments)
{
    char message[1200];
    vsnprintf(message, sizeof message, format, arguments);
    happened = true;
    if (handler)
        handler(handler_context, message);
    else
        fprintf(stderr, "CUDA emulator: %s\n", message);
}

void fault(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
    if (!handler)
        abort();
}

void tell_fault(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(format, arguments);
    va_end(arguments);
}

bool fault_taken(void)
{
    bool taken = happened;
    happened = false;
    return taken;
}

bool faulted(void)
{
    return happened;
}

} // namespace cudaemu

void cudaemu_on_fault(cudaemu_handler *handler, void *context)
{
    cudaemu::handler = handler;
    cudaemu::handler_context = context;
}
