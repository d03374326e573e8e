/* The emulated GPU of the plug-in that ATTNSCOPE_TEST_PLUGIN names, in tests that count what it is asked for. */
#ifndef ATTNSCOPE_TESTS_EMULATED_GPU_H
#define ATTNSCOPE_TESTS_EMULATED_GPU_H

#include "tests/cuda_emulator/emulator.h"

/* Its functions, as tests/cuda_emulator/emulator.h says. */
struct emulated_gpu {
    void (*set_memory)(size_t bytes);
    void (*get_counts)(struct cudaemu_counts *counts);
    void (*reset_counts)(void);
    size_t (*ready_graphs)(void);
};
extern struct emulated_gpu emulated_gpu;

/* A set-up for a group of tests: fails where there is no such plug-in. */
int find_emulated_gpu(void **state);

/* What was counted since the last reset. */
struct cudaemu_counts counted(void);

#endif
