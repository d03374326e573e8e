/* Languages chosen at run time: a multilingual model has a token for each.
 *
 * `languages` of a configuration names them: {"en": 128022, "de": {"source": 5, "target": 9}}.
 * At the place of the token, source.prefix, source.suffix and target.start have "source_language"
 * or "target_language" instead of an id; the members source_language and target_language are the
 * initial choice of a session.
 */
#ifndef ATTNSCOPE_CONFIG_LANGUAGES_H
#define ATTNSCOPE_CONFIG_LANGUAGES_H

#include <jansson.h>

#include "model/checkpoint/config.h"

/* Marks for a token in lists of ids: TOKEN_SOURCE_LANGUAGE (-1 - 0) and TOKEN_TARGET_LANGUAGE. */
extern const char *const language_marks[2];

/* The languages of a translation: indices into config->choices; 0 for a side with one language. */
struct language_pair {
    int of[2]; // SIDE_SOURCE, SIDE_TARGET
};

/* The languages named by the configuration. */
struct language_pair language_pair_default(const struct config *config);
bool language_pair_equal(const struct language_pair *a, const struct language_pair *b);
/* The name of the pair's language on a side. */
const char *language_pair_name(const struct config *config, const struct language_pair *languages,
                               int side);

/* Element `i` of a list as an id of the vocabulary of `side`. */
int config_token(const struct config *config, const struct id_list *list, int i,
                 const struct language_pair *languages, int side);
/* True if sources begin with the token of their target language. */
bool config_begins_with_target(const struct config *config);
/* The language whose token this is in the source's vocabulary; -1: none. */
int config_named_language(const struct config *config, int id);
/* True if a list contains an id; a language mark in it matches the token of any language. */
bool config_lists(const struct config *config, const struct id_list *list, int side, int id);

/* Used by config.c. languages_read fills config->languages and config->choices; `value` NULL: no
 * languages. The lists of ids must have been read. languages_check_ids is config_check_ids for
 * language tokens in use. */
struct place;
bool languages_read(const json_t *value, const struct place *place, struct config *config,
                    struct status *status);
bool languages_check_ids(const struct config *config, const int sizes[2], struct status *status);
void languages_free(struct config *config);

#endif
