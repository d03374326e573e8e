/* Checkpoints for tests, written without the code under test: a tiny valid one with many kinds of
 * heads, edits of it, and a table of malformed ones.
 *
 * The base: d_model 8, d_ff 12, pre-norm; encoder 2 layers of 3 heads of 4 (fixed per word, learned
 * local, learned forward; context deep_global and deep), decoder 2 layers of 2 heads of 4 (dhicm in
 * self-attention of layer 1, cross-attention learned and `last`); 6 source and 5 target pieces,
 * BPE.
 */
#ifndef ATTNSCOPE_CHECKPOINT_SUPPORT_H
#define ATTNSCOPE_CHECKPOINT_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

struct config;

enum edit_kind {
    EDIT_NONE,
    CONFIG_SET,    // where: path of keys and indices, "attention/0/heads"; what: JSON
    CONFIG_DELETE, // where
    CONFIG_TEXT,   // what: the configuration's text
    CONFIG_SWAP,   // where: a piece of the configuration's text; what: its replacement
    METADATA_SET,  // where: a key of __metadata__; what: JSON
    METADATA_DELETE,
    TENSOR_DELETE, // where: its name
    TENSOR_RENAME, // what: the new name
    TENSOR_SHAPE,  // what: a JSON list; the data gets that size, all 0. A new name is added
    TENSOR_DTYPE,  // what: likewise
    TENSOR_TEXT,   // what: bytes of a U8 tensor
    HEADER_SET,    // where: path in the header, as it is written; what: JSON
    HEADER_DELETE,
    HEADER_SWAP,   // where: a piece of the header's text; what: its replacement
    HEADER_LENGTH, // what: the 8 bytes as a decimal number
    FILE_CUT,      // what: the number of bytes to cut off
    FILE_APPEND,   // what: text to append
    FILE_TEXT      // what: the whole file
};

struct edit {
    enum edit_kind kind;
    const char *where, *what;
};

enum { CASE_EDITS = 12 };

/* A file made from the base by edits, and a part of the error message (NULL: it loads). */
struct checkpoint_case {
    struct edit edits[CASE_EDITS];
    const char *expected;
};

/* Returns the bytes of the edited base; the caller frees them. Aborts if an edit does not apply. */
unsigned char *checkpoint_case_bytes(const struct edit *edits, size_t *bytes);
void checkpoint_write_bytes(const void *content, size_t bytes, const char *path);
void checkpoint_case_write(const struct edit *edits, const char *path);
/* Returns only the edited configuration; the caller frees it. */
char *checkpoint_case_config(const struct edit *edits);
/* Parses it, and fails the test unless it is valid; the caller frees the result. */
struct config *checkpoint_case_parse(const struct edit *edits);
/* Prints the first edits of a case as a line, for a failing test. */
void checkpoint_case_print(const struct edit *edits);

int checkpoint_malformed_count(void);
const struct checkpoint_case *checkpoint_malformed(int index);

/* Returns a path for files of this process, in its own folder, which is removed at exit. */
const char *checkpoint_case_path(void);

#endif
