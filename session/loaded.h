/* A checkpoint and its weights on a device.
 *
 * Order of calls: loaded_open reads and checks the file; the session calls model_open, which puts
 * it on a device; loaded_close.
 */
#ifndef ATTNSCOPE_LOADED_H
#define ATTNSCOPE_LOADED_H

#include "model/checkpoint/digests.h"
#include "model/net/model.h"

struct loaded {
    char *path; // as the user named it
    char *name; // the path's base name; for a snapshot in the hub's cache, the model's name
    struct checkpoint *checkpoint;
    struct head_settings *head_settings; // as in the file
    struct model *model;                 // NULL: not yet on a device
    struct digests digests;              // of the files; loaded_digests fills it in
};

/* NULL on failure; messages begin with the path. */
struct loaded *loaded_open(const char *path, const struct tokenizer_files *tokenizers,
                           struct status *status);
/* Writes a notice if the model lacks a tokeniser for a side, whose text is then read as pieces.
 * False: it has both. */
bool loaded_pieces_notice(const struct loaded *loaded, char *text, size_t size);
/* What users must know of a model: notice `number`, counted from 0. False: there are no more. */
enum { NOTICE_BYTES = 1200 };
bool loaded_notice(const struct loaded *loaded, int number, char text[NOTICE_BYTES]);
/* Lists the toolkit's options that our search lacks: "repetition_penalty 1.2 (Hugging Face)".
 * False: none. */
enum { LEFT_OUT = 1000 }; // bytes for such a text
bool loaded_left_out(const struct loaded *loaded, char *text, size_t size);
void loaded_close(struct loaded *loaded); // NULL: nothing

/* loaded->name. Borrowed. */
const char *loaded_name(const struct loaded *loaded);

/* SHA-256 of the checkpoint's files, computed on the first call. NULL: failure. */
const struct digests *loaded_digests(struct loaded *loaded, struct status *status);

#endif
