/* The class of a model's transformers tokeniser, in folders with its files. Private to
 * model/formats. */
#ifndef ATTNSCOPE_TOKENIZER_CLASS_H
#define ATTNSCOPE_TOKENIZER_CLASS_H

#include <jansson.h>
#include <stdbool.h>

/* True if "tokenizer_class" of an object names this class or its fast form: "NllbTokenizer",
 * "NllbTokenizerFast". NULL: names none. */
bool tokenizer_class_is(const json_t *config, const char *name);

/* True if the source's language token follows the sentence instead of preceding it: by the
 * tokeniser's class, else by the template of tokenizer.json, else `otherwise`. `names` has the
 * class, `config` is tokenizer_config.json, `whole` is tokenizer.json; each may be NULL. */
bool tokenizer_language_behind(const json_t *names, const json_t *config, const json_t *whole,
                               const json_t *languages, bool otherwise);

/* True if the tokeniser keeps a final blank of a text. Those of mBART-50, NLLB and Pegasus do;
 * those of T5 and mBART-25 cut at blanks first, and those of Marian and M2M100 are SentencePiece's
 * own. */
bool tokenizer_keeps_last_blank(const json_t *config);

#endif
