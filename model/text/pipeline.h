/* Text to pieces in steps, as the tokenizers package of Hugging Face has them: a normalizer, a cut
 * into words, and a model of subwords. Three kinds of tokenizer.json are supported: those exported
 * from SentencePiece models (Unigram, or BPE after Metaspace), those of GPT-2's kind (BPE of
 * bytes), and BPE of words between white space whose last pieces end in "</w>". A file with any
 * other part is refused, and the
 * part named.
 *
 * The added tokens of the file are listed here; who cuts them out of a text (tokenizer.c) does so
 * before the text is normalized, or between the two steps, as each token says. From one thread at a
 * time.
 */
#ifndef ATTNSCOPE_PIPELINE_H
#define ATTNSCOPE_PIPELINE_H

#include "model/text/buffer.h"
#include "model/text/text.h"

struct pipeline;

/* `data`: a tokenizer.json, which need not live after the call. NULL on failure; messages name the
 * member. */
struct pipeline *pipeline_open_json(const char *data, size_t bytes, struct status *status);
/* GPT-2's, with its merges (merges.txt: "#version: 0.2", then one a line); messages begin with the
 * line. */
struct pipeline *pipeline_open_bytes(const char *merges, size_t bytes, struct status *status);
void pipeline_close(struct pipeline *pipeline); // NULL: nothing

/* Returns how pieces mark words: their characters stand for bytes (byte_level.h), "</w>" ends a
 * word, or a blank is written as "▁". */
enum piece_marks pipeline_marks(const struct pipeline *pipeline);

/* The tokens that the file adds to those of its model; *count gets their number. Owned by the
 * pipeline. */
const struct added_token *pipeline_added(const struct pipeline *pipeline, int *count);

/* Replaces `text` (valid UTF-8) by its normalized form. */
bool pipeline_normalize(struct pipeline *pipeline, struct text_buffer *text, struct status *status);
/* Appends the pieces of normalized text, `bytes` long; unknown characters stay as they are spelt.
 * `first`: nothing stands before it. */
bool pipeline_cut(struct pipeline *pipeline, const char *text, size_t bytes, bool first,
                  struct strings *pieces, struct status *status);
/* The text of `count` pieces that "</w>" does not end, which the caller frees; NULL on failure. */
char *pipeline_join(const struct pipeline *pipeline, const char *const *pieces, int count,
                    struct status *status);
/* The same without a pipeline; `of_bytes`: their characters stand for bytes. */
char *pipeline_join_marks(bool of_bytes, const char *const *pieces, int count,
                          struct status *status);

#endif
