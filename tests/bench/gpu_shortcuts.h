/* The plug-in's shortcuts (gpu/cuda/shortcuts.cuh), and what each of them gains. */
#ifndef ATTNSCOPE_GPU_SHORTCUTS_H
#define ATTNSCOPE_GPU_SHORTCUTS_H

#include "gpu/shortcut.h"
#include "tests/bench/gpu_bench.h"

struct gpu_shortcuts {
    const struct backend *backend;
    const struct shortcut_entry *table;
    void *plugin; // for dlsym
};

/* Opens the plug-in at `path`, which stays open; ends the program if it has no shortcuts. */
struct gpu_shortcuts gpu_shortcuts_find(const char *path);

/* Opens a device and the model on it into *bench, with the shortcuts of `list` (NULL: the usual
 * ones). The caller closes them with gpu_shortcuts_close. */
void gpu_shortcuts_open(struct gpu_bench *bench, int ordinal, const struct checkpoint *checkpoint,
                        const char *list);
void gpu_shortcuts_close(struct gpu_bench *bench);

/* Writes the value of ATTNSCOPE_CUDA that turns the shortcut the other way than usual. */
enum { GPU_SHORTCUT_ROOM = 80 };
void gpu_shortcut_turned(const struct shortcut_entry *shortcut, char text[GPU_SHORTCUT_ROOM]);

/* Prints, in the precision of `bench`, the time of a step of one sentence and the tokens a second
 * of all sentences: with the usual shortcuts, with none, and with each one turned the other way.
 * Also prints in how many sentences the best hypothesis differs from the usual one. `bench` has
 * neither device nor model. */
void gpu_shortcuts_run(const struct gpu_shortcuts *shortcuts, const struct gpu_bench *bench,
                       int ordinal, const struct checkpoint *checkpoint);

#endif
