/* Fuzz targets: one short file over one reader, as libFuzzer calls it.
 *
 *     make fuzz                   every target under libFuzzer, FUZZ_SECONDS or FUZZ_RUNS each
 *     make fuzz FUZZ='own suite'  some of them
 *
 * fuzz_READER.c has LLVMFuzzerTestOneInput, and keeps nothing from one input to the next. A reader
 * opens any input or refuses it in one line, which fuzz_refused checks. Seeds are in
 * tests/fuzz/seeds/READER/ (inputs that failed once, and kinds of file that the repository has
 * nowhere else), and tests/fuzz/make_seeds makes others from golden data and from the small models
 * of tests/fuzz/models, which scripts/golden/make_fuzz_models.py made. Under the sanitizers, the
 * tests run every target over its seeds (replay_seeds.c).
 *
 * A target is for 10 million executions: files are in memory (memory_files.h), and so are the
 * program's blocks (arena.c). fuzz_commands and fuzz_replay are slow extras, which run what they
 * read in a session of their own, on a model. What lines of commands and notes are read with is in
 * fuzz_words and fuzz_notes.
 */
#ifndef ATTNSCOPE_FUZZ_H
#define ATTNSCOPE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program where something that must hold does not. */
void fuzz_check(bool holds, const char *what);
/* Checks the message of a reader that failed: one line that says something. */
void fuzz_refused(const struct status *status);

/* Reads every byte, so that a sanitizer sees one that is not there. */
void fuzz_read(const void *data, size_t bytes);

/* A copy of the input that ends in NUL, to be freed by the caller; NULL: it holds a NUL byte. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Makes NAME a file in memory (memory_files.h) with the bytes of the input, which it borrows, and
 * returns its path. The file is there until the next call. */
const char *fuzz_write(const char *name, const uint8_t *data, size_t size);

/* An input that begins with the name of a file: "NAME\n" and the file's bytes. False: the input is
 * none. */
struct fuzz_file {
    char name[256];
    const uint8_t *data;
    size_t size;
};
bool fuzz_file(const uint8_t *data, size_t size, struct fuzz_file *file);

/* An input that is one file of a model of tests/fuzz/models: "MODEL/FILE\n" and the bytes. The
 * model's other files are as they are; the name of the model begins with `family`. Opens the model.
 * Returns 0. */
int fuzz_model(const char *family, const uint8_t *data, size_t size);

#endif
