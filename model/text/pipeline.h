/* Text to pieces in the steps of Hugging Face's tokenizers package: a normalizer, a split into
 * words, and a subword model. Supports three kinds of tokenizer.json: those exported from
 * SentencePiece models (Unigram, or BPE after Metaspace), those of GPT-2's kind (BPE of bytes), and
 * BPE of words between white space whose last pieces end in "</w>". Refuses a file with any other
 * part, naming it.
 *
 * The pipeline only lists the file's added tokens; tokenizer.c cuts them out of a text before it is
 * normalized or between the two steps, depending on the token. One thread at a time.
 */
#ifndef ATTNSCOPE_PIPELINE_H
#define ATTNSCOPE_PIPELINE_H

#include "model/text/buffer.h"
#include "model/text/text.h"

struct pipeline;

/* `data`: a tokenizer.json, which need not outlive the call. NULL on failure; messages name the
 * member. */
struct pipeline *pipeline_open_json(const char *data, size_t bytes, struct status *status);
/* GPT-2's pipeline with its merges (merges.txt: "#version: 0.2", then one per line); messages begin
 * with the line. */
struct pipeline *pipeline_open_bytes(const char *merges, size_t bytes, struct status *status);
void pipeline_close(struct pipeline *pipeline); // NULL: nothing

/* Returns how pieces mark words: their characters represent bytes (byte_level.h), "</w>" ends a
 * word, or "▁" represents a blank. */
enum piece_marks pipeline_marks(const struct pipeline *pipeline);

/* The tokens that the file adds to its model's; *count: their number. Owned by the pipeline. */
const struct added_token *pipeline_added(const struct pipeline *pipeline, int *count);

/* Replaces `text` (valid UTF-8) by its normalized form. */
bool pipeline_normalize(struct pipeline *pipeline, struct text_buffer *text, struct status *status);
/* Appends the pieces of normalized text, `bytes` long; unknown characters keep their spelling.
 * `first`: nothing precedes it. */
bool pipeline_cut(struct pipeline *pipeline, const char *text, size_t bytes, bool first,
                  struct strings *pieces, struct status *status);
/* The text of `count` pieces whose words "</w>" does not end. The caller frees it; NULL on
 * failure. */
char *pipeline_join(const struct pipeline *pipeline, const char *const *pieces, int count,
                    struct status *status);
/* The same without a pipeline; `of_bytes`: their characters represent bytes. */
char *pipeline_join_marks(bool of_bytes, const char *const *pieces, int count,
                          struct status *status);

#endif
