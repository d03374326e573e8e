/* Decisions of contrastive suites as JSON. */
#include "tui/describe.h"
#include "tui/json.h"

/* `file`, `files`: the suite's first file, and all. */
static void put_files(struct json_writer *json, const struct suite *suite)
{
    put_member_string(json, "file", suite->sets[0].paths[0]);
    put_key(json, "files");
    put_array(json);
    for (int s = 0; s < suite->set_count; s++)
        for (int i = 0; i < suite->sets[s].path_count; i++)
            put_string(json, suite->sets[s].paths[i]);
    put_array_end(json);
}

static void put_accuracy(struct json_writer *json, int correct, int decisions)
{
    put_member_int(json, "correct", correct);
    put_member_number(json, "accuracy", decisions ? (double)correct / decisions : 0);
}

static void put_groups(struct json_writer *json, const struct contrast_groups *groups)
{
    put_key(json, "groups");
    put_array(json);
    for (int i = 0; i < groups->count; i++) {
        const struct contrast_group *group = &groups->groups[i];
        put_object(json);
        put_member_string(json, "by", contrast_by_names[group->by]);
        put_member_string(json, "name", group->name);
        put_member_int(json, "decisions", group->decisions);
        put_member_int(json, "correct", group->correct);
        put_object_end(json);
    }
    put_array_end(json);
}

static void put_maybe_text(struct json_writer *json, const char *key, const char *text)
{
    put_key(json, key);
    if (text)
        put_string(json, text);
    else
        put_null(json);
}

static void put_maybe_count(struct json_writer *json, const char *key, int value)
{
    put_key(json, key);
    if (value != SUITE_ABSENT)
        put_int(json, value);
    else
        put_null(json);
}

/* What the suite says of a decision. */
static void put_decision(struct json_writer *json, const struct suite *suite,
                         const struct decision *decision)
{
    const struct suite_item *item = &suite->items[decision->item];
    put_member_string(json, "file", suite->sets[item->set].paths[0]);
    put_member_int(json, "number", item->number);
    put_maybe_text(json, "type", decision_type(suite, decision));
    put_maybe_text(json, "sense", item->sense);
    put_maybe_count(json, "distance", decision_distance(suite, decision));
    put_maybe_count(json, "frequency", decision_frequency(suite, decision));
    put_member_string(json, "source", item->source);
}

static void put_scores(struct json_writer *json, const struct suite *suite,
                       const struct contrast_scores *scores, int item, int candidate,
                       enum contrast_normalize normalize)
{
    const struct candidate_score *score = &scores->candidates[suite->items[item].first + candidate];
    put_member_number(json, "logprob", score->logprob);
    put_member_int(json, "tokens", score->tokens);
    put_member_number(json, "score", contrast_value(score, normalize));
}

/* The numbers of a decision's candidates: of the reference, then of those with errors. */
static int candidate_of(const struct decision *decision, int i)
{
    return i == 0 ? 0 : decision->first + i;
}

static void put_listed(struct json_writer *json, const struct contrast_result *contrast, int number)
{
    const struct contrasted *run = contrast->run;
    const struct decision *decision = &run->suite.decisions[number];
    put_object(json);
    put_decision(json, &run->suite, decision);
    put_member_bool(json, "correct",
                    decision_correct(&run->suite, &run->scores, decision, contrast->normalize));
    put_key(json, "candidates");
    put_array(json);
    for (int i = 0; i <= decision->count; i++) {
        int candidate = candidate_of(decision, i);
        put_object(json);
        put_member_string(json, "text",
                          suite_candidate(&run->suite.items[decision->item], candidate));
        put_scores(json, &run->suite, &run->scores, decision->item, candidate, contrast->normalize);
        put_object_end(json);
    }
    put_array_end(json);
    put_object_end(json);
}

void json_contrast(struct json_writer *json, const struct session *session,
                   const struct result *result)
{
    const struct contrast_result *contrast = &result->contrast;
    (void)session;
    put_files(json, &contrast->run->suite);
    put_member_string(json, "normalize", contrast_normalize_names[contrast->normalize]);
    put_member_int(json, "items", contrast->run->scores.items);
    put_member_bool(json, "partial", contrast_partial(contrast));
    put_member_int(json, "decisions", contrast->decisions);
    put_accuracy(json, contrast->correct, contrast->decisions);
    put_groups(json, &contrast->groups);
    if (contrast->request.listed == LISTED_NONE)
        return;
    put_key(json, "listed");
    put_array(json);
    for (int i = 0; i < contrast->list_count; i++)
        put_listed(json, contrast, contrast->list[i]);
    put_array_end(json);
}

/* Flips ------------------------------------------------------------------------------------------ */

static const char *const sides[] = {"before", "after"};

static void put_side(struct json_writer *json, const struct session *session,
                     const struct flips_result *flips, int side)
{
    const struct contrasted *run = flips->runs[side];
    struct saved_state state = {.loaded = run->loaded, .dials = run->dials};
    struct session other = session_under(session, &state, NULL);
    put_key(json, sides[side]);
    put_object(json);
    put_member_string(json, "model", run->loaded->path);
    put_key(json, "disabled");
    put_heads_off(json, &other);
    put_key(json, "changed");
    put_heads_changed(json, &other);
    put_accuracy(json, flips->correct[side], flips->decisions);
    put_object_end(json);
}

static void put_flip(struct json_writer *json, const struct flips_result *flips, int number)
{
    const struct suite *suite = flips->suite;
    const struct decision *decision = &suite->decisions[number];
    put_object(json);
    put_decision(json, suite, decision);
    put_member_bool(json, "won",
                    decision_correct(suite, flips->scores[1], decision, flips->normalize));
    put_key(json, "candidates");
    put_array(json);
    for (int i = 0; i <= decision->count; i++) {
        int candidate = candidate_of(decision, i);
        put_object(json);
        put_member_string(json, "text", suite_candidate(&suite->items[decision->item], candidate));
        for (int side = 0; side < 2; side++) {
            put_key(json, sides[side]);
            put_object(json);
            put_scores(json, suite, flips->scores[side], decision->item, candidate,
                       flips->normalize);
            put_object_end(json);
        }
        put_object_end(json);
    }
    put_array_end(json);
    put_object_end(json);
}

static void put_flips(struct json_writer *json, const struct flips_result *flips)
{
    put_key(json, "flips");
    put_array(json);
    for (int i = 0; i < flips->lost + flips->won; i++)
        put_flip(json, flips, flips->list[i]);
    put_array_end(json);
}

void json_flips(struct json_writer *json, const struct session *session,
                const struct result *result)
{
    const struct flips_result *flips = &result->flips;
    put_files(json, flips->suite);
    put_member_string(json, "normalize", contrast_normalize_names[flips->normalize]);
    put_member_int(json, "decisions", flips->decisions);
    put_member_bool(json, "partial", flips->decisions < flips->suite->decision_count);
    for (int side = 0; side < 2; side++)
        put_side(json, session, flips, side);
    put_member_int(json, "lost", flips->lost);
    put_member_int(json, "won", flips->won);
    put_member_number(json, "p", flips->p);
    put_flips(json, flips);
}

/* Ablations -------------------------------------------------------------------------------------- */

static void put_decider(struct json_writer *json, const struct contrast_ablate_result *ablate,
                        int number)
{
    const struct decider *row = &ablate->rows[number];
    put_object(json);
    json_ablation(json, &ablate->ablations.items[number]);
    put_accuracy(json, row->correct, ablate->decisions);
    put_member_int(json, "lost", row->lost);
    put_member_int(json, "won", row->won);
    put_member_number(json, "p", row->p);
    put_key(json, "p_adjusted");
    if (ablate->done == ablate->ablations.count)
        put_number(json, row->p_adjusted);
    else
        put_null(json);
    put_object_end(json);
}

void json_contrast_ablate(struct json_writer *json, const struct session *session,
                          const struct result *result)
{
    const struct contrast_ablate_result *ablate = &result->contrast_ablate;
    (void)session;
    put_files(json, &ablate->run->suite);
    put_member_string(json, "normalize", contrast_normalize_names[ablate->normalize]);
    put_member_bool(json, "partial", ablate->done < ablate->ablations.count);
    put_member_int(json, "decisions", ablate->decisions);
    put_accuracy(json, ablate->correct, ablate->decisions);
    put_key(json, "ablations");
    put_array(json);
    for (int i = 0; i < ablate->done; i++)
        put_decider(json, ablate, i);
    put_array_end(json);
    if (!ablate->shown.suite)
        return;
    put_member_int(json, "show", ablate->ablate.shown);
    put_flips(json, &ablate->shown);
}
