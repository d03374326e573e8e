/* `:ablate`: every ablation's translations are those of a program of its own that switches the
 * heads off and translates one sentence after the other; scores and tests are those of its
 * texts. */
#include <math.h>
#include <unistd.h>

#include "model/score/holm.h"
#include "session/selector.h"
#include "terminal/text/arguments.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/tui/command/ablate_support.h"

/* One sentence after the other ----------------------------------------------------------------- */

/* What a program of its own prints, with heads off by `:disable`. */
static void check_process(const char *model, const char *off, char *const *texts)
{
    char disable[240], apart[ABLATE_SENTENCES][APART_BYTES];
    snprintf(disable, sizeof disable, ":disable %s", off);
    scored_apart(model, (const char *const[]){disable}, 1, ablate_sources, ABLATE_SENTENCES, apart);
    for (int i = 0; i < ABLATE_SENTENCES; i++)
        if (strcmp(texts[i], apart[i]) != 0)
            fail_msg("%s: %s: \"%s\" is \"%s\"", model, off, texts[i], apart[i]);
}

static void check_model_processes(const char *name)
{
    struct scored scored;
    int differing = 0;
    ablate_open(&scored, name);
    struct report result = ablate_line(&scored, ABLATE_EVERYWHERE);
    const struct ablate_result *ablate = held_ablate(&result);
    for (int i = 0; i < ablate->ablations.count; i++) {
        const struct ablation *one = &ablate->ablations.items[i];
        check_process(name, ablate_row_text(one), ablate_texts(&scored, one));
        differing += ablate->scores[i].differing;
    }
    assert_true(differing > 0);
    report_free(&result);
    scored_close(&scored);
}

static void every_head_alone_is_as_in_a_process_of_its_own(void **state)
{
    check_model_processes("vanilla_post");
    check_model_processes("dhicm_last_layers");
    check_model_processes("context_deep_head_gates");
}

/* Bits ----------------------------------------------------------------------------------------- */

static void check_job(const struct session *session, const struct search_job *job, const char *what)
{
    struct search_job alone = {.source = job->source, .head_settings = job->head_settings};
    struct search_options search = session->state.search;
    struct status status;
    search.batch = 1;
    if (!search_run(session->state.model, &alone, 1, &search, NULL, &status))
        fail_msg("%s", status.message);
    assert_int_equal(alone.result.count, job->result.count);
    for (int i = 0; i < alone.result.count; i++) {
        const struct hypothesis *a = &alone.result.hypotheses[i], *b = &job->result.hypotheses[i];
        assert_int_equal(a->count, b->count);
        if (memcmp(a->ids, b->ids, (size_t)a->count * sizeof *a->ids) != 0 ||
            memcmp(a->logprobs, b->logprobs, (size_t)a->count * sizeof *a->logprobs) != 0 ||
            memcmp(&a->score, &b->score, sizeof a->score) != 0)
            fail_msg("%s: hypothesis %d has other bits", what, i + 1);
    }
    translation_free(&alone.result);
}

/* All ablations of all sentences in batches of seven, and each alone. */
static void check_bits(const char *name)
{
    enum { MOST = 200 };
    struct bench bench = bench_open(name);
    const struct session *session = bench.session;
    struct search_options search = session->state.search;
    struct sentence encoded[ABLATE_SENTENCES] = {0};
    struct search_job jobs[MOST];
    struct selectors selectors;
    struct ablation_list list;
    struct head_settings *head_settings[MOST];
    struct strings words = {0};
    struct status status;
    int count = 0;
    assert_true(
        arguments_split("enc or dec or cross or layer 1 or dec head 1 or cross", &words, &status));
    assert_true(selectors_parse(&words, &selectors, &status));
    assert_true(ablation_list_select(&selectors, ABLATE_LAYER_HEAD, session_config(session), &list,
                                     &status));
    for (int i = 0; i < list.count; i++)
        head_settings[i] =
            ablation_head_settings(session->state.head_settings, &list.items[i], &status);
    for (int s = 0; s < ABLATE_SENTENCES; s++)
        if (*ablate_sources[s])
            assert_true(source_encode(session->loaded->checkpoint, &session->state.search.languages,
                                      ablate_sources[s], &encoded[s], &status));
    for (int s = 0; s < ABLATE_SENTENCES; s++)
        for (int i = 0; *ablate_sources[s] && i < list.count && count < MOST; i++)
            jobs[count++] =
                (struct search_job){.source = &encoded[s], .head_settings = head_settings[i]};
    search.batch = 7;
    if (!search_run(session->state.model, jobs, count, &search, NULL, &status))
        fail_msg("%s", status.message);
    for (int i = 0; i < count; i++) {
        check_job(session, &jobs[i], name);
        translation_free(&jobs[i].result);
    }
    for (int i = 0; i < list.count; i++)
        head_settings_free(head_settings[i]);
    for (int s = 0; s < ABLATE_SENTENCES; s++)
        sentence_free(&encoded[s]);
    ablation_list_free(&list);
    selectors_free(&selectors);
    bench_close(&bench);
}

static void what_shares_batches_has_the_bits_of_one_alone(void **state)
{
    static const char *const models[] = {"vanilla_post",
                                         "dhicm_last_layers",
                                         "dhicm_cross_fixed",
                                         "dhicm_decoder",
                                         "context_both_stacks",
                                         "context_all_kinds_keys",
                                         "context_deep_head_gates",
                                         "words_everywhere_bpe",
                                         "asymmetric"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        check_bits(models[i]);
}

/* Scores --------------------------------------------------------------------------------------- */

/* `:bleu` and `:compare` have theirs against the sacrebleu package (test_bleu,
 * test_significance). */
static void scores_are_those_of_the_heads_off_by_hand(void **state)
{
    struct scored scored;
    ablate_open(&scored, "dhicm_last_layers");
    bench_run_quietly(&scored.bench, ":set bleu.smooth add-k"); // so that short texts differ
    bench_run_quietly(&scored.bench, ":set bleu.tokenize char");
    struct report result = ablate_line(&scored, " by head enc or cross layer 2");
    const struct ablate_result *ablate = held_ablate(&result);
    double p[8], least = 1;
    assert_int_equal(ablate->ablations.count, 8);
    bench_run_quietly(&scored.bench, ":state base");
    for (int i = 0; i < 8; i++) {
        const struct ablation_score *score = &ablate->scores[i];
        char line[240];
        snprintf(line, sizeof line, ":disable %s", ablate_row_text(&ablate->ablations.items[i]));
        bench_run_quietly(&scored.bench, line);
        cache_forget(&scored.bench.session->cache, CACHED_TRANSLATIONS); // nothing of the sweep
        struct report other =
            bench_run(&scored.bench, scored_line(&scored, ":compare base current", ""));
        const struct study_result *study = held_study(&other);
        assert_true(ablate->base == study->all.score[0].bleu.score);
        assert_true(score->score == study->all.score[1].bleu.score);
        assert_true(score->delta == score->score - ablate->base);
        assert_int_equal(score->differing, study->differing);
        p[i] = study->tests[STUDY_BLEU].p;
        assert_true(score->p == p[i]);
        least = fmin(least, p[i]);
        report_free(&other);
        bench_run_quietly(&scored.bench, ":model base");
    }
    assert_true(least < 0.5);
    double adjusted[8];
    struct status status;
    assert_true(holm_adjust(p, 8, adjusted, &status));
    for (int i = 0; i < 8; i++)
        assert_true(ablate->scores[i].p_adjusted == adjusted[i]);
    report_free(&result);
    scored_close(&scored);
}

static void a_head_that_is_off_already_changes_nothing(void **state)
{
    struct scored scored;
    ablate_open(&scored, "vanilla_post");
    bench_run_quietly(&scored.bench, ":disable enc head 2");
    struct report result = ablate_line(&scored, "");
    const struct ablate_result *ablate = held_ablate(&result);
    const struct ablation_score *scores = ablate->scores;
    assert_true(scores[1].delta == 0 && scores[1].differing == 0 && scores[1].p == 1);
    assert_true(scores[0].differing > 0);
    struct report compared = bench_run(&scored.bench, scored_line(&scored, ":bleu", ""));
    assert_true(held_study(&compared)->all.score[0].bleu.score == ablate->base);
    report_free(&compared);
    report_free(&result);
    scored_close(&scored);
}

/* Which ones ----------------------------------------------------------------------------------- */

static void selectors_say_what_is_off(void **state)
{
    static const struct {
        const char *rest, *off; // off: one after the other, each with a "; "
    } cases[] = {
        {"", "encoder head 1; encoder head 2; encoder head 3; "},
        {" by layer", "encoder layer 1; encoder layer 2; encoder layer 3; "},
        {" by head head 2-3 layer 1,3", "encoder layer 1,3 head 2; encoder layer 1,3 head 3; "},
        {" by layer head 1,3", "encoder layer 1 head 1,3; encoder layer 2 head 1,3; "
                               "encoder layer 3 head 1,3; "},
        {" by layer,head dec or layer 2 head 1",
         "decoder layer 1 head 1; decoder layer 1 head 2; encoder layer 2 head 1; "},
        {" cross", "cross; "},
        {" layer 1-2 or dec head 2 or layer all head 3",
         "encoder layer 1-2; decoder head 2; encoder head 3; "},
        {" by layer dec", "decoder layer 1; "}, // there is one alone
    };
    struct scored scored;
    ablate_open(&scored, "asymmetric"); // encoder 3 layers of 3 heads, decoder 1 of 2
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char off[400] = "";
        struct report result = ablate_line(&scored, cases[i].rest);
        for (int k = 0; k < held_ablate(&result)->ablations.count; k++)
            strcat(strcat(off, ablate_row_text(&held_ablate(&result)->ablations.items[k])), "; ");
        if (strcmp(off, cases[i].off) != 0)
            fail_msg("%s: %s", cases[i].rest, off);
        report_free(&result);
    }
    scored_close(&scored);
}

/* Shown ---------------------------------------------------------------------------------------- */

static char *presented(struct scored *scored, const struct sink_kind *kind, struct report *result)
{
    rewind(scored->bench.sink.stream);
    kind->result(&scored->bench.sink, "ablate", result);
    fputc('\0', scored->bench.sink.stream);
    fflush(scored->bench.sink.stream);
    return scored->bench.output;
}

static void json_has_what_programs_expect(void **state)
{
    struct scored scored;
    ablate_open(&scored, "asymmetric");
    struct report result =
        ablate_line(&scored, " head 2 or enc layer 3 head 1 or dec or head 1,3 show 1");
    json_t *object = json_loads(presented(&scored, &json_sink, &result), 0, NULL), *row;
    const json_t *rows = json_object_get(object, "ablations");
    assert_int_equal(json_array_size(rows), 4);
    row = json_array_get(rows, 0);
    assert_string_equal(text_of(row, "module"), "encoder");
    assert_true(json_is_null(json_object_get(row, "layer")));
    assert_int_equal(number_of(row, "head"), 2);
    row = json_array_get(rows, 1);
    assert_int_equal(number_of(row, "layer"), 3);
    assert_int_equal(number_of(row, "head"), 1);
    row = json_array_get(rows, 2);
    assert_string_equal(text_of(row, "module"), "decoder");
    assert_true(json_is_null(json_object_get(row, "head")));
    row = json_object_get(json_array_get(rows, 3), "head");
    assert_int_equal(json_integer_value(json_array_get(row, 1)), 3);
    for (int i = 0; i < 4; i++) {
        row = json_array_get(rows, i);
        double base = json_number_value(json_object_get(object, "base"));
        double score = json_number_value(json_object_get(row, "score"));
        double delta = json_number_value(json_object_get(row, "delta"));
        assert_true(fabs(score - base - delta) <= 1e-6);
        assert_true(json_is_real(json_object_get(row, "p")) ||
                    json_is_integer(json_object_get(row, "p")));
    }
    assert_true(json_is_false(json_object_get(object, "partial")));
    assert_int_equal(json_array_size(json_object_get(object, "listed")),
                     held_ablate(&result)->scores[0].differing);
    json_decref(object);
    report_free(&result);
    scored_close(&scored);
}

static void sentences_behind_a_row_are_both_translations(void **state)
{
    struct scored scored;
    ablate_open(&scored, "vanilla_post");
    struct report result = ablate_line(&scored, " by layer show 2");
    const struct ablate_result *ablate = held_ablate(&result);
    const struct study_result *shown = &ablate->shown;
    const struct ablation *off = &ablate->ablations.items[1];
    assert_string_equal(ablate_row_text(off), "encoder layer 2");
    assert_true(shown->list_count > 0);
    assert_int_equal(shown->list_count, ablate->scores[1].differing);
    for (int i = 0; i < shown->list_count; i++) {
        const struct study_sentence *sentence = &shown->list[i];
        assert_string_not_equal(sentence->text[0], sentence->text[1]);
        assert_string_equal(sentence->text[1], ablate_texts(&scored, off)[sentence->number - 1]);
    }
    const char *text = presented(&scored, &plain_sink, &result);
    if (!strstr(text, " row 2: a without, b with the ablation; ") || strstr(text, "partial"))
        fail_msg("%s", text);
    report_free(&result);
    scored_close(&scored);
}

static char *exported(struct scored *scored, const char *extension, const char *view)
{
    char path[64], line[500];
    snprintf(path, sizeof path, "/tmp/attnscope-ablate-%d.%s", (int)getpid(), extension);
    snprintf(line, sizeof line, ":export %s %s", path, view);
    bench_run_quietly(&scored->bench, line);
    char *text = cli_read(path, NULL);
    unlink(path);
    return text;
}

static void exports_are_tables_and_json(void **state)
{
    struct scored scored;
    ablate_open(&scored, "asymmetric");
    char *text =
        exported(&scored, "csv", scored_line(&scored, "ablate", " head 2 or dec layer 1 head 1-2"));
    assert_non_null(strstr(text, "ablation,module,layer,head,score,delta,differing,p,p_adjusted\n"
                                 "0,,,,"));
    assert_non_null(strstr(text, "\n1,encoder,,2,"));
    assert_non_null(strstr(text, "\n2,decoder,1,1-2,"));
    free(text);
    text = exported(&scored, "csv", scored_line(&scored, "ablate", " layer 1,3 head 2"));
    assert_non_null(strstr(text, "\n1,encoder,\"1,3\",2,"));
    free(text);
    text = exported(&scored, "tsv", scored_line(&scored, "ablate", " by layer show 3"));
    assert_int_equal(strncmp(text, "number\tgroup\tlength\tbleu_a\tbleu_b\t", 34), 0);
    free(text);
    text = exported(&scored, "json", scored_line(&scored, "ablate", " by head cross show 1"));
    json_t *object = json_loads(text, 0, NULL);
    char wanted[440];
    snprintf(wanted, sizeof wanted, ":%s", scored.line);
    assert_string_equal(text_of(json_object_get(object, "provenance"), "command"), wanted);
    json_decref(object);
    free(text);
    snprintf(wanted, sizeof wanted, ":export /tmp/x.png %s", scored.line);
    bench_refuse(&scored.bench, wanted, "this view cannot be written as .png");
    snprintf(wanted, sizeof wanted, ":export /tmp/x.npy %s", scored.line);
    bench_refuse(&scored.bench, wanted, "cannot be written as .npy");
    scored_close(&scored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_head_alone_is_as_in_a_process_of_its_own),
        cmocka_unit_test(what_shares_batches_has_the_bits_of_one_alone),
        cmocka_unit_test(scores_are_those_of_the_heads_off_by_hand),
        cmocka_unit_test(a_head_that_is_off_already_changes_nothing),
        cmocka_unit_test(selectors_say_what_is_off),
        cmocka_unit_test(json_has_what_programs_expect),
        cmocka_unit_test(sentences_behind_a_row_are_both_translations),
        cmocka_unit_test(exports_are_tables_and_json),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
