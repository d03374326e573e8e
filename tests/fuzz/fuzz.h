/* Fuzz targets: one short file for each reader, called by libFuzzer.
 *
 * make fuzz                   every target under libFuzzer, FUZZ_SECONDS or FUZZ_RUNS each
 *     make fuzz FUZZ='own suite'  some of them
 *
 * fuzz_READER.c defines LLVMFuzzerTestOneInput, and keeps nothing from one input to the next. A
 * reader must either open an input or refuse it with a one-line message, which fuzz_refused checks.
 * Seeds are in tests/fuzz/seeds/READER/: inputs that failed once, and kinds of file that the
 * repository has nowhere else. tests/fuzz/make_seeds makes more of them from golden data and from
 * the small models in tests/fuzz/models, which scripts/golden/make_fuzz_models.py wrote. With the
 * sanitizers on, the tests run every target on its seeds (replay_seeds.c).
 *
 * Targets are built for 10 million executions: files are in memory (memory_files.h), and so are the
 * program's blocks (arena.c). fuzz_commands and fuzz_replay are slow extras that run what they read
 * in a session with a model. The parsing of commands and of notes is fuzzed in fuzz_words and
 * fuzz_notes.
 */
#ifndef ATTNSCOPE_FUZZ_H
#define ATTNSCOPE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program unless `holds`. */
void fuzz_check(bool holds, const char *what);
/* Checks a reader's error message: it must be one line and say something. */
void fuzz_refused(const struct status *status);

/* Reads every byte, so that a sanitizer detects a missing one. */
void fuzz_read(const void *data, size_t bytes);

/* Returns a copy of the input with a NUL at the end; the caller frees it. NULL if the input holds a
 * NUL byte. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Makes NAME a file in memory (memory_files.h) with the bytes of the input, which it borrows, and
 * returns its path. The file is there until the next call. */
const char *fuzz_write(const char *name, const uint8_t *data, size_t size);

/* An input of the form "NAME\n" and the file's bytes. fuzz_file returns false if the input is not
 * of this form. */
struct fuzz_file {
    char name[256];
    const uint8_t *data;
    size_t size;
};
bool fuzz_file(const uint8_t *data, size_t size, struct fuzz_file *file);

/* Runs an input that is one file of a model of tests/fuzz/models: "MODEL/FILE\n" and the bytes. The
 * model's other files stay as they are; its name must begin with `family`. Opens the model. Returns
 * 0. */
int fuzz_model(const char *family, const uint8_t *data, size_t size);

#endif
