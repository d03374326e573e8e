#include "base/thread.h"

#include <signal.h>
#include <stddef.h>

/* A new thread inherits the mask of the thread that creates it. */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t all, before;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
