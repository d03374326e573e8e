/* The emulator inside the plug-in that ATTNSCOPE_TEST_PLUGIN names, for tests that change the
 * emulated GPU's properties or count the calls to it. */
#ifndef ATTNSCOPE_TESTS_EMULATED_GPU_H
#define ATTNSCOPE_TESTS_EMULATED_GPU_H

#include "tests/cuda_emulator/emulator.h"

/* Functions of emulator.h, under their names there. */
extern struct emulator {
    void (*set_memory)(size_t bytes);
    void (*set_devices)(int count);
    void (*set_busy)(int busy);
    void (*set_driver)(int version);
    void (*set_major)(int major);
    void (*set_eager)(int eager);
    void (*on_launch)(cudaemu_listener *listener, void *context);
    void (*refuse_graphs)(enum cudaemu_graphs which);
    void (*refuse_epilogues)(int refuse);
    size_t (*lose_after)(size_t count);
    void (*on_fault)(cudaemu_handler *handler, void *context);
    void (*get_counts)(struct cudaemu_counts *counts);
    void (*reset_counts)(void);
    size_t (*ready_graphs)(void);
} emulator;

/* Group set-ups. emulator_find fails without an emulator. emulator_seek also accepts the plug-in
 * for real GPUs, with all functions above NULL. */
int emulator_find(void **state);
int emulator_seek(void **state);

/* Returns the counts since the last reset. */
struct cudaemu_counts counted(void);

#endif
