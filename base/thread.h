/* Threads that leave signals to the thread that started them. */
#ifndef ATTNSCOPE_THREAD_H
#define ATTNSCOPE_THREAD_H

#include <pthread.h>

/* Starts a thread with all signals blocked except those for faults (such as SIGSEGV), whose
 * handlers must run on the faulting thread. Returns 0, or an error number as pthread_create does.
 * The caller joins the thread. */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
