/* Tokens by which a model is told of languages, and the languages that it then knows. Inside
 * model/formats.
 *
 * Toolkits put such tokens into vocabularies without a list of them, so they are found by how they
 * are spelt:
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

/* True if a piece is such a token: its language is then `name` ("de", "deu_Latn", "de_DE",
 * "deu"). */
bool language_of_token(const char *piece, char name[LANGUAGE_NAME_BYTES]);

/* `languages` of a configuration, {NAME: ID}: adds the language of a piece. A piece that is no such
 * token, or whose language is there already, is passed over. False: out of memory. */
bool languages_add(json_t *languages, const char *piece, int64_t id, struct status *status);

/* The name under which the table has a language, given as a name or as a token; NULL where it does
 * not have it, or where the text is NULL. */
const char *languages_known(const json_t *languages, const char *text);
/* The name of the language with this token; NULL: none. */
const char *languages_of_id(const json_t *languages, int64_t id);
/* Languages to begin with where no file names any. To translate from: English, or else the first
 * one. To translate into: the first one that is not `source`. NULL: the table is empty. */
const char *languages_any_source(const json_t *languages);
const char *languages_any_target(const json_t *languages, const char *source);

#endif
