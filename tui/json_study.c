/* Scores of translations as JSON. */
#include <stdlib.h>

#include "tui/display.h"
#include "tui/json.h"

static const char *const sides[] = {"a", "b"};

/* A stream into a text that becomes a member. */
struct text_member {
    char *text;
    size_t size;
    FILE *out; // NULL: out of memory, the text is empty
};

static void text_begin(struct text_member *member)
{
    *member = (struct text_member){0};
    member->out = display_have(open_memstream(&member->text, &member->size));
}

static void text_end(struct text_member *member, struct json_writer *json, const char *key)
{
    if (member->out)
        fclose(member->out);
    put_member_string(json, key, member->text ? member->text : "");
    free(member->text);
}

static void put_signature(struct json_writer *json, const struct study_result *study, int metric)
{
    struct text_member member;
    text_begin(&member);
    if (member.out)
        study_write_signature(member.out, study, metric, study->tests[metric].done);
    text_end(&member, json, "signature");
}

static void put_verbose(struct json_writer *json, const struct bleu_score *score)
{
    struct text_member member;
    text_begin(&member);
    if (member.out)
        bleu_write_verbose(member.out, score);
    text_end(&member, json, "verbose_score");
}

/* A number, or null. */
static void put_maybe(struct json_writer *json, const char *key, bool there, double value)
{
    put_key(json, key);
    if (there)
        put_number(json, value);
    else
        put_null(json);
}

/* `score`, `verbose_score` and `chrf` of one group or all; without sentences they are null. */
static void put_scores(struct json_writer *json, const struct corpus_score *score, bool any)
{
    put_maybe(json, "score", any, score->bleu.score);
    if (any)
        put_verbose(json, &score->bleu);
    put_maybe(json, "chrf", any, score->chrf);
}

/* Of one system as members, of two in `a` and `b`. */
static void put_systems(struct json_writer *json, const struct study_result *study,
                        const struct study_row *row)
{
    if (study->request.systems == 1) {
        put_scores(json, &row->score[0], row->sentences > 0);
        return;
    }
    for (int s = 0; s < STUDY_SYSTEMS; s++) {
        put_key(json, sides[s]);
        put_object(json);
        put_scores(json, &row->score[s], row->sentences > 0);
        put_object_end(json);
    }
}

static void put_groups(struct json_writer *json, const struct study_result *study)
{
    put_key(json, "groups");
    put_array(json);
    for (int i = 0; i < study->row_count; i++) {
        put_object(json);
        put_member_string(json, "name", study->rows[i].name);
        put_member_int(json, "sentences", study->rows[i].sentences);
        put_systems(json, study, &study->rows[i]);
        put_object_end(json);
    }
    put_array_end(json);
}

static void put_output(struct json_writer *json, const struct study_sentence *sentence, int system)
{
    put_member_number(json, "score", sentence->score[system].bleu.score);
    put_member_number(json, "chrf", sentence->score[system].chrf);
    put_member_string(json, "text", sentence->text[system]);
}

static void put_sentence(struct json_writer *json, const struct study_result *study,
                         const struct study_sentence *sentence)
{
    put_object(json);
    put_member_int(json, "number", sentence->number);
    put_member_int(json, "group", sentence->group);
    put_member_int(json, "length", sentence->length);
    if (study->request.systems == 1)
        put_output(json, sentence, 0);
    for (int s = 0; study->request.systems > 1 && s < STUDY_SYSTEMS; s++) {
        put_key(json, sides[s]);
        put_object(json);
        put_output(json, sentence, s);
        put_object_end(json);
    }
    put_member_string(json, "reference", sentence->reference);
    put_object_end(json);
}

void json_listed(struct json_writer *json, const struct study_result *study)
{
    put_key(json, "listed");
    put_array(json);
    for (int i = 0; i < study->list_count; i++)
        put_sentence(json, study, &study->list[i]);
    put_array_end(json);
}

/* What both commands have. */
static void put_corpus(struct json_writer *json, const struct study_result *study)
{
    json_texts(json, "files", &study->request.files);
    put_member_int(json, "sentences", study->sentences);
    put_member_bool(json, "partial", study_partial(study));
    put_member_string(json, "by", study->request.of_source ? "source" : "reference");
    put_groups(json, study);
}

void json_bleu(struct json_writer *json, const struct session *session, const struct result *result)
{
    const struct study_result *study = &result->study;
    (void)session;
    put_member_string(json, "name", study_metric_names[STUDY_BLEU]);
    put_member_number(json, "score", study->all.score[0].bleu.score);
    put_signature(json, study, STUDY_BLEU);
    put_verbose(json, &study->all.score[0].bleu);
    put_key(json, "chrf");
    put_object(json);
    put_member_string(json, "name", study_metric_names[STUDY_CHRF]);
    put_member_number(json, "score", study->all.score[0].chrf);
    put_signature(json, study, STUDY_CHRF);
    put_object_end(json);
    put_member_bool(json, "scored", study->request.scored);
    put_corpus(json, study);
    if (study->request.listed != LISTED_NONE)
        json_listed(json, study);
}

static void put_interval(struct json_writer *json, const char *key, const struct interval *interval,
                         bool there)
{
    put_key(json, key);
    if (!there) {
        put_null(json);
        return;
    }
    put_array(json);
    put_number(json, interval->low);
    put_number(json, interval->high);
    put_array_end(json);
}

static void put_test(struct json_writer *json, const struct study_result *study, int metric)
{
    const struct study_test *test = &study->tests[metric];
    const struct corpus_score *scores = study->all.score;
    put_object(json);
    put_member_string(json, "name", study_metric_names[metric]);
    put_signature(json, study, metric);
    for (int s = 0; s < STUDY_SYSTEMS; s++) {
        put_key(json, sides[s]);
        put_object(json);
        put_member_number(json, "score", study_score(&scores[s], metric));
        put_maybe(json, "mean", test->done, test->bootstrap.mean[s]);
        put_interval(json, "interval", &test->bootstrap.interval[s], test->done);
        put_object_end(json);
    }
    put_member_number(json, "difference",
                      study_score(&scores[1], metric) - study_score(&scores[0], metric));
    put_interval(json, "interval", &test->bootstrap.difference, test->done);
    put_maybe(json, "p_bootstrap", test->done, test->bootstrap.p);
    put_maybe(json, "p_randomisation", test->done, test->p);
    put_maybe(json, "differing", test->done, test->differing);
    put_object_end(json);
}

void json_compare(struct json_writer *json, const struct session *session,
                  const struct result *result)
{
    const struct study_result *study = &result->study;
    (void)session;
    for (int s = 0; s < STUDY_SYSTEMS; s++) {
        put_key(json, sides[s]);
        put_object(json);
        put_member_string(json, "state", study->request.names[s]);
        put_scores(json, &study->all.score[s], true);
        put_object_end(json);
    }
    put_key(json, "tests");
    put_array(json);
    for (int m = 0; m < STUDY_METRICS; m++)
        put_test(json, study, m);
    put_array_end(json);
    put_corpus(json, study);
    put_member_int(json, "differing", study->differing);
    json_listed(json, study);
}
