/* Parts of the plain presentation that fill a file of their own. */
#ifndef ATTNSCOPE_PLAIN_H
#define ATTNSCOPE_PLAIN_H

#include <stdio.h>

#include "tui/result.h"
#include "tui/sink.h"

/* `:info` as a list. */
void plain_info(FILE *stream, const struct session *session, const struct info_result *info);

/* `:set`: one setting with value, meaning and range; NULL: all. */
void plain_settings(FILE *stream, const struct session *session, const struct setting *one);

/* Text that may hold anything, and a line break. */
void plain_text(FILE *stream, const char *text);

/* What a change did to the sentence at hand: its translation before and after, where they differ. Words
 * that changed are marked (plain_marked). `before` NULL: there was no sentence. */
void plain_change(struct sink *sink, const struct subject *before, const struct subject *after);

/* A text with its changed parts in reverse video on a terminal, in [brackets] elsewhere. */
struct changed;
void plain_marked(FILE *stream, const char *text, const struct changed *changed);

/* Both texts of a change, each after its title, the words that changed marked. */
void plain_texts(FILE *stream, const char *const titles[2], const char *const texts[2]);

/* Presenters. */
void plain_testset(struct sink *sink, const struct session *session, const struct result *result);
void plain_hypothesis(struct sink *sink, const struct session *session,
                      const struct result *result);
void plain_hypotheses(struct sink *sink, const struct session *session,
                      const struct result *result);
void plain_state(struct sink *sink, const struct session *session, const struct result *result);
void plain_states(struct sink *sink, const struct session *session, const struct result *result);
void plain_beside(struct sink *sink, const struct session *session, const struct result *result);
void plain_study(struct sink *sink, const struct session *session, const struct result *result);

/* The title of a study, on one line. */
void plain_study_title(FILE *stream, const struct session *session, const struct result *view);

/* Parts of it: what all sentences together score, with signatures and tests; scores by length; of two
 * systems how many sentences differ. */
void plain_study_facts(FILE *stream, const struct study_result *study);
void plain_study_groups(FILE *stream, const struct study_result *study);
void plain_study_differing(FILE *stream, const struct study_result *study);

/* Words of the source that the model does not know, in a line; nothing where there are none. */
void plain_unknown(FILE *stream, const struct session *session);

/* Settings of the search that the model's file does not have so, in a line after `title`; nothing where there
 * are none. */
void plain_search(FILE *stream, const struct session *session, const char *title);

/* The columns that a row of an alignment names: of its greatest weights, and at least half of the greatest; how
 * many, 0 in a row of zeros. */
enum { ALIGNMENT_PLACES = 3 };
int plain_aligned(const float *weights, int count, int places[ALIGNMENT_PLACES]);

/* Where the `place_count` greatest of (count) weights are, the greatest first; equal ones in their order. */
void plain_strongest(const float *weights, int count, int *places, int place_count);

void plain_ablate(struct sink *sink, const struct session *session, const struct result *result);
void plain_prune(struct sink *sink, const struct session *session, const struct result *result);

/* Parts of these: scores with everything on, with their signature; whose sentences are listed; which step fell too
 * far. */
void plain_ablate_facts(FILE *stream, const struct ablate_result *ablate);
void plain_ablate_shown(FILE *stream, const struct ablate_result *ablate);
void plain_prune_facts(FILE *stream, const struct prune_result *prune);
void plain_prune_end(FILE *stream, const struct prune_result *prune);
void plain_prune_shown(FILE *stream, const struct prune_result *prune);

/* The sentences that a study lists. */
void plain_listed(FILE *stream, const struct study_result *study);
void plain_contrast(struct sink *sink, const struct session *session, const struct result *result);
void plain_across(struct sink *sink, const struct session *session, const struct result *result);
/* The states, with the letters of their columns, and the signature. */
void plain_across_facts(FILE *stream, const struct across_result *across);
void plain_contrast_ablate(struct sink *sink, const struct session *session,
                           const struct result *result);
void plain_flips(struct sink *sink, const struct session *session, const struct result *result);

/* Parts of these: how many decisions are correct; of two states, and which differ. */
void plain_contrast_facts(FILE *stream, const struct contrast_result *contrast);
void plain_contrast_ablate_facts(FILE *stream, const struct contrast_ablate_result *ablate);
void plain_flips_facts(FILE *stream, const struct session *session,
                       const struct flips_result *flips);

/* The heads that are off and those that are changed, a line each; nothing where there are none. */
void plain_heads(FILE *stream, const struct session *session, const char *indent);
/* Without their titles: `:heads` as a grid of small matrices, `:token` as a table of the strongest weights. */
void plain_grid(FILE *stream, const struct heads_result *heads);
void plain_token(FILE *stream, const struct session *session, const struct token_result *token);
/* Of `:align`, without its title: each token of the translation and what it looks at most. */
void plain_alignment(FILE *stream, const struct session *session,
                     const struct attention_result *attention);

/* `:help`: more about one command (of one that takes settings: all of them); NULL: all commands, in
 * groups. */
void plain_help(FILE *stream, const struct session *session, const struct command *one);

#endif
