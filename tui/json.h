/* Parts of the JSON presentation that fill a file of their own. */
#ifndef ATTNSCOPE_JSON_H
#define ATTNSCOPE_JSON_H

#include "tui/json_writer.h"
#include "tui/result.h"

/* The members of `:info`: the whole configuration, with the value that an absent field means, and what
 * is known of file and device. */
void json_info(struct json_writer *json, const struct session *session,
               const struct info_result *info);

/* A member that is an array of strings. */
void json_texts(struct json_writer *json, const char *key, const struct pieces *texts);

/* `source` and `hypotheses` of the sentence at hand. */
void json_sentence(struct json_writer *json, const struct session *session);
/* Tokens of a hypothesis, and `head` with a number, "mean" or "max". */
void json_tokens(struct json_writer *json, const struct session *session,
                 const struct hypothesis *hypothesis);
void json_head_number(struct json_writer *json, int head);

/* `before` and `after` {text, score}: what a change did to the sentence at hand; nothing where there was
 * none. */
void json_change(struct json_writer *json, const struct subject *before,
                 const struct subject *after);

/* `number`, `sentences`, `reference` (null: none) and the members of a sentence; of a blank line `source`
 * is null and there are no hypotheses. */
void json_testset(struct json_writer *json, const struct session *session,
                  const struct result *result);

/* `hypothesis` (the number of the one chosen, from 1) and the members of a sentence. */
void json_hypothesis(struct json_writer *json, const struct session *session,
                     const struct result *result);

/* `state` (its name), `model` (path), `disabled`, `changed`, `search`; before and after, where the state
 * was gone to. */
void json_state(struct json_writer *json, const struct session *session,
                const struct result *result);
/* `states` [the same, and `current`]. */
void json_states(struct json_writer *json, const struct session *session,
                 const struct result *result);

/* `module`, `layer`, `head`; `a` and `b` {`state`, `model`, `text`, `tokens`, `score`, `rows`, `columns`,
 * `weights`}; `difference` (null: none) {`forced`: over a's translation in b, `rows`, `columns`, `weights`:
 * b - a}; `note`: a line on it, or null. */
void json_beside(struct json_writer *json, const struct session *session,
                 const struct result *result);

/* The members of each view. */
void json_attention(struct json_writer *json, const struct session *session,
                    const struct result *result);
/* Those of `:attn`, rows being the translation, and `links` [{`row`, `column`, `weight`}]: where each row's greatest
 * weight is, counted from 1; a row of zeros has none. */
void json_alignment(struct json_writer *json, const struct session *session,
                    const struct result *result);
void json_importance(struct json_writer *json, const struct session *session,
                     const struct result *result);
void json_gates(struct json_writer *json, const struct session *session,
                const struct result *result);
/* Of both sides every group says its `side`, too. */
void json_gate_groups(struct json_writer *json, const struct session *session,
                      const struct result *result);
void json_heads(struct json_writer *json, const struct session *session,
                const struct result *result);
void json_token(struct json_writer *json, const struct session *session,
                const struct result *result);

/* `name`, `score`, `signature`, `verbose_score`, `chrf` {`name`, `score`, `signature`}, `scored`, `files`,
 * `sentences`, `partial`, `groups` [{`name`, `sentences`, `score`, `verbose_score`, `chrf`}]; of a group
 * that was asked for `listed` [{`number`, `group`, `length`, `score`, `chrf`, `text`, `reference`}]. */
void json_bleu(struct json_writer *json, const struct session *session,
               const struct result *result);
/* `a` and `b` {`state`, `score`, `verbose_score`, `chrf`}; `tests` [{`name`, `signature`, `a` and `b` {`score`,
 * `mean`, `interval`}, `difference`: b - a, `interval`, `p_bootstrap`, `p_randomisation`, `differing`:
 * sentences that score otherwise}], null where they were not done; `files`, `sentences`, `partial`, `groups` and `listed` as above, scores in `a` and `b`;
 * `differing`: sentences that are translated otherwise. */
void json_compare(struct json_writer *json, const struct session *session,
                  const struct result *result);

/* `base`, `ablations` [{`module`, `layer` (null: every layer), `head` (null: every head), each a number or a list of
 * them, `score`, `delta`: score - base, `differing`: sentences that are translated otherwise, `p`,
 * `p_adjusted`: null where it was not tested}]; `by` (null: by selectors), `signature`, `files`, `sentences`,
 * `partial`; `show` and `listed` as above, where sentences were asked for. */
void json_ablate(struct json_writer *json, const struct session *session,
                 const struct result *result);
/* `base`, `heads` (on at first), `steps` [{`module`, `layer`, `head`, `left`, `score`, `delta`}], `until`,
 * `signature`, `files`, `sentences`, `partial`. */
void json_prune(struct json_writer *json, const struct session *session,
                const struct result *result);
/* `listed` of a study. */
void json_listed(struct json_writer *json, const struct study_result *study);
/* `file`, `files`, `normalize`, `items` (those scored), `partial`, `decisions`, `correct`, `accuracy`, `groups`
 * [{`by`, `name`, `decisions`, `correct`}]; of a group that was asked for `listed` [{`file`, `number`, `type`,
 * `sense`, `distance`, `frequency` (null: the suite does not say), `source`, `correct`, `candidates` [{`text`,
 * `logprob`, `tokens`, `score`}]: the reference, then those with errors}]. */
void json_contrast(struct json_writer *json, const struct session *session,
                   const struct result *result);
/* `file`, `files`, `normalize`, `decisions`, `partial`, `before` and `after` {`model`, `disabled`, `changed`,
 * `correct`, `accuracy`}, `lost`, `won`, `p`, `flips` [as `listed`, `won` in place of `correct`, and of the
 * candidates `before` and `after` {`logprob`, `tokens`, `score`}]. */
void json_flips(struct json_writer *json, const struct session *session,
                const struct result *result);

/* `module`, `layer`, `head` of an ablation, as in `:ablate`. */
void json_ablation(struct json_writer *json, const struct ablation *ablation);
/* `file`, `files`, `normalize`, `partial`, `decisions`, `correct`, `accuracy`, `ablations` [{`module`, `layer`, `head`,
 * `correct`, `accuracy`, `lost`, `won`, `p`, `p_adjusted` (null: not all ablations are there)}]; `show` and `flips` as
 * above, where an ablation's were asked for. */
/* `name` ("BLEU", "accuracy"), `signature` and `by` ("source", "reference"; of suites `normalize`), `files`,
 * `partial`, `states` [{`state`, `score` or `accuracy`}], `sentences` or `decisions`; `groups` [{`by`, `name`,
 * `sentences` or `decisions`, `scores` or `accuracies` (one a state; null: none)}]. */
void json_across(struct json_writer *json, const struct session *session,
                 const struct result *result);
void json_contrast_ablate(struct json_writer *json, const struct session *session,
                          const struct result *result);

/* The members of a command's object, within one that is open. */
void json_result(struct json_writer *json, const struct session *session, const char *command,
                 const struct result *result);

#endif
