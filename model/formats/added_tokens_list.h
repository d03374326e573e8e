/* The added tokens listed in the files of a Hugging Face tokeniser: tokenizer.json,
 * tokenizer_config.json, special_tokens_map.json and added_tokens.json. Private to model/formats;
 * for all families whose folders have these files.
 */
#ifndef ATTNSCOPE_ADDED_TOKENS_LIST_H
#define ATTNSCOPE_ADDED_TOKENS_LIST_H

#include "model/formats/contents.h"

/* `tokenizer.added` of a configuration under construction: an array (config_parts.h). */
struct added_list {
    json_t *tokens;
    /* True if the vocabulary has a piece; other tokens are skipped. */
    bool (*known)(const void *vocabulary, const char *piece);
    const void *vocabulary;
    bool mask_strips; // a mask that is only named takes the blank before it (all classes except
                      // Pegasus)
};

/* Adds a token unless the list has it: files with the most details on tokens come first. */
bool added_list_text(struct added_list *list, const char *text, bool strip_left,
                     struct status *status);
/* Adds the tokens of a folder's files, if any. `config`: tokenizer_config.json, or NULL. */
bool added_list_folder(struct added_list *list, struct contents *contents, const char *folder,
                       json_t *config, struct status *status);

#endif
