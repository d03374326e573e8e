/* The parts of a pipeline. Private to model/text/pipeline*.c. */
#ifndef ATTNSCOPE_PIPELINE_PARTS_H
#define ATTNSCOPE_PIPELINE_PARTS_H

#include <jansson.h>

#include "model/text/bpe.h"
#include "model/text/buffer.h"
#include "model/text/marks.h"
#include "model/text/pipeline.h"
#include "model/text/sentencepiece_shim.h"

enum prefix { PREFIX_ALWAYS, PREFIX_FIRST, PREFIX_NEVER };

struct pipeline {
    struct normalizer *normalizer;
    bool split_words; // at white space, before anything else
    bool of_bytes;    // characters represent bytes; otherwise blanks become marks
    bool ended;       // "</w>" ends the last piece of a word
    bool marked;      // Metaspace writes the marks; otherwise the normalizer wrote them
    bool characters;  // no merges, and no marks of words
    bool split;       // merges do not cross words
    enum prefix prefix;
    bool keep_first;                      // the mark of the first piece also becomes a blank
    struct sentencepiece_model *unigram;  // or
    struct bpe *bpe;                      // with
    struct vocabulary *vocabulary;        // all pieces; NULL: every piece is known
    bool fuse, byte_fallback, no_unknown; // how to treat characters that are not pieces
    struct added_token *added;            // (added_count)
    int added_count;
    struct text_buffer work, part; // of the line being cut
    struct strings cut;
};

/* The normalizer of a Hugging Face tokenizer.json: steps that change a text before it is cut.
 *
 *     normalizer_open; normalizer_apply any number of times; normalizer_close
 */

struct normalizer;

/* `json`: the member `normalizer`, or NULL; need not outlive the call. NULL: a step is unsupported
 * or broken; messages name it. */
struct normalizer *normalizer_open(const json_t *json, struct status *status);
void normalizer_close(struct normalizer *normalizer); // NULL: nothing

/* True if its last step replaces all blanks by other characters. */
bool normalizer_replaces_blanks(const struct normalizer *normalizer);

/* Applies the steps to the text (valid UTF-8); `work` is scratch space. */
bool normalizer_apply(const struct normalizer *normalizer, struct text_buffer *text,
                      struct text_buffer *work, struct status *status);

#endif
