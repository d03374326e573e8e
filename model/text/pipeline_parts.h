/* The parts of a pipeline, for model/text/pipeline*.c only. */
#ifndef ATTNSCOPE_PIPELINE_PARTS_H
#define ATTNSCOPE_PIPELINE_PARTS_H

#include "model/text/bpe.h"
#include "model/text/buffer.h"
#include "model/text/marks.h"
#include "model/text/normalizer.h"
#include "model/text/pipeline.h"
#include "model/text/sentencepiece_shim.h"

enum prefix { PREFIX_ALWAYS, PREFIX_FIRST, PREFIX_NEVER };

struct pipeline {
    struct normalizer *normalizer;
    bool split_words; // at white space, before anything else
    bool of_bytes;    // characters stand for bytes; otherwise blanks become marks
    bool ended;       // "</w>" ends the last piece of a word
    bool marked;      // Metaspace writes the marks; otherwise the normalizer has written them
    bool split;       // merges do not go beyond a word
    enum prefix prefix;
    bool keep_first;                      // the mark of the first piece becomes a blank, too
    struct sentencepiece_model *unigram;  // or
    struct bpe *bpe;                      // with
    struct vocabulary *vocabulary;        // all pieces; NULL: none is unknown
    bool fuse, byte_fallback, no_unknown; // what becomes of characters that are no pieces
    struct added_token *added;            // (added_count)
    int added_count;
    struct text_buffer work, part; // of the line being cut
    struct strings cut;
};

#endif
