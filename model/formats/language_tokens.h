/* Language tokens, which tell a model the language, and the languages that follow from them.
 * Private to model/formats.
 *
 * Toolkits put such tokens into vocabularies without listing them, so they are found by spelling:
 *
 *     __de__      M2M100, fairseq's multilingual models
 *     deu_Latn    NLLB
 *     de_DE       mBART; [de_DE] in fairseq's own
 *     >>deu<<     Marian (OPUS-MT)
 *     <2de>       T5's kind (MADLAD-400)
 */
#ifndef ATTNSCOPE_LANGUAGE_TOKENS_H
#define ATTNSCOPE_LANGUAGE_TOKENS_H

#include <jansson.h>

#include "base/status.h"

enum { LANGUAGE_NAME_BYTES = 32 };

/* True if a piece is such a token; writes its language to `name` ("de", "deu_Latn", "de_DE",
 * "deu"). */
bool language_of_token(const char *piece, char name[LANGUAGE_NAME_BYTES]);

/* Adds the language of a piece to `languages` of a configuration, {NAME: ID}. Skips other pieces
 * and languages already present. False: out of memory. */
bool languages_add(json_t *languages, const char *piece, int64_t id, struct status *status);

/* The table's name of a language given as a name or a token; NULL: not in the table, or `text` is
 * NULL. */
const char *languages_known(const json_t *languages, const char *text);
/* The name of the language with this token; NULL: none. */
const char *languages_of_id(const json_t *languages, int64_t id);
/* Default languages if no file names any. Source: English, or else the first one. Target: the first
 * one that is not `source`. NULL: the table is empty. */
const char *languages_any_source(const json_t *languages);
const char *languages_any_target(const json_t *languages, const char *source);

#endif
