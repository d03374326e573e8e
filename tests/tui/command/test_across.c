/* `:bleu … in STATE…` and `:contrast … in STATE…`: in every state what the command finds there
 * alone; and groups by the length of the source. */
#include <math.h>
#include <unistd.h>

#include "report/report_memory.h"
#include "tests/report/output/export_support.h"
#include "tests/support/held_support.h"
#include "tests/support/test.h"
#include "tui/command/study/report_contrast.h"
#include "tui/command/study/report_study.h"

#define SOURCES "the dog\na small old cat sees the river .\n\nhe sees a dog\nthe cat sees\n"
#define REFERENCES "der Hund\neine Katze\n\ner sieht einen Hund .\ndie alte kleine Katze sieht\n"
/* Those of 3 and 4 source tokens. */
#define MIDDLE_REFERENCES "er sieht einen Hund .\ndie alte kleine Katze sieht\n"

/* A reference, and contrastive translations with their distance. */
#define ITEM(source, reference, wrong, type, distance)                                             \
    "{\"source\": \"" source "\", \"reference\": \"" reference                                     \
    "\", \"errors\": [{\"contrastive\": \"" wrong "\", \"type\": \"" type                          \
    "\", \"distance\": " #distance "}]}"
#define SUITE                                                                                      \
    "[" ITEM("the dog", "der Hund", "der Hunde", "number", 2) "," ITEM(                            \
        "a cat", "eine Katze", "ein Katze", "gender",                                              \
        1) "," ITEM("he sees a dog", "er sieht einen Hund", "er sehen einen Hund", "number",       \
                    1) "," ITEM("the old cat", "die alte Katze", "das alte Katze", "gender",       \
                                2) "," ITEM("the river", "der Fluss", "die Fluss", "gender",       \
                                            2) "]"

/* A session with two states besides the model's, and files. */
struct scene {
    struct bench bench;
    char source[64], reference[64], suite[64], line[400];
};

static const char *const states[] = {"vanilla_post.bin", "one", "two"};
enum { STATES = 3 };

static void scene_open(struct scene *scene)
{
    scene->bench = bench_open("vanilla_post");
    bench_connect(&scene->bench);
    write_lines(SOURCES, scene->source);
    write_lines(REFERENCES, scene->reference);
    write_lines(SUITE, scene->suite);
    bench_run_quietly(&scene->bench, ":disable enc layer 1");
    bench_run_quietly(&scene->bench, ":state one");
    bench_run_quietly(&scene->bench, ":set beam 1");
    bench_run_quietly(&scene->bench, ":disable dec");
    bench_run_quietly(&scene->bench, ":state two");
}

static void scene_close(struct scene *scene)
{
    unlink(scene->source);
    unlink(scene->reference);
    unlink(scene->suite);
    bench_close(&scene->bench);
}

static const char *bleu_line(struct scene *scene, const char *rest)
{
    snprintf(scene->line, sizeof scene->line, ":bleu %s %s%s", scene->source, scene->reference,
             rest);
    return scene->line;
}

static const char *contrast_line(struct scene *scene, const char *rest)
{
    snprintf(scene->line, sizeof scene->line, ":contrast %s%s", scene->suite, rest);
    return scene->line;
}

static void go_to(struct scene *scene, const char *state)
{
    char line[100];
    snprintf(line, sizeof line, ":model %s", state);
    bench_run_quietly(&scene->bench, line);
}

/* Groups by source ----------------------------------------------------------------------------- */

static void a_group_scores_as_a_file_of_its_sentences(void **state)
{
    struct scene scene;
    char texts[64], references[64], line[200], middle[1000];
    scene_open(&scene);
    go_to(&scene, states[0]);
    struct report all = bench_run(&scene.bench, bleu_line(&scene, " by source 3,5 group 2"));
    const struct study_result *study = held_study(&all);
    assert_int_equal(study->row_count, 3);
    assert_int_equal(study->rows[0].sentences, 2); // 2 and 0 tokens
    assert_int_equal(study->rows[1].sentences, 2); // 4 and 3
    assert_int_equal(study->rows[2].sentences, 1); // 8
    assert_int_equal(study->list_count, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(study->list[i].length, study->list[i].number == 4 ? 4 : 3);
    int first = study->list[0].number == 4 ? 0 : 1;
    snprintf(middle, sizeof middle, "%s\n%s\n", study->list[first].text[0],
             study->list[1 - first].text[0]);
    snprintf(line, sizeof line, ":bleu --scored %s %s", write_lines(middle, texts),
             write_lines(MIDDLE_REFERENCES, references));
    struct report alone = bench_run(&scene.bench, line);
    assert_true(held_study(&alone)->all.score[0].chrf == study->rows[1].score[0].chrf);
    assert_true(held_study(&alone)->all.score[0].bleu.score == study->rows[1].score[0].bleu.score);
    unlink(texts);
    unlink(references);
    report_free(&alone);
    report_free(&all);
    // By the first reference the same lengths have others in their groups.
    all = bench_run(&scene.bench, bleu_line(&scene, " by 3,5"));
    assert_int_equal(held_study(&all)->rows[0].sentences, 3); // 2, 2 and 0 tokens
    assert_int_equal(held_study(&all)->rows[1].sentences, 0);
    assert_int_equal(held_study(&all)->rows[2].sentences, 2); // 5 and 5
    report_free(&all);
    scene_close(&scene);
}

static void sources_have_quantiles_too(void **state)
{
    struct scene scene;
    scene_open(&scene);
    bench_run_quietly(&scene.bench, ":set bleu.groups 2");
    struct report result = bench_run(&scene.bench, bleu_line(&scene, " by source"));
    // 0 2 3 4 8: the least length at or above the middle one is 3.
    assert_int_equal(held_study(&result)->row_count, 2);
    assert_string_equal(held_study(&result)->rows[0].name, "<3");
    assert_int_equal(held_study(&result)->rows[0].sentences, 2);
    report_free(&result);
    scene_close(&scene);
}

/* A tokenizer that splits at blanks makes one token of each of these. */
static void sources_without_blanks_have_characters(void **state)
{
    struct bench bench = bench_open_model("samples/ja-en.bin");
    char source[64], reference[64], line[300];
    write_lines("大きな犬が庭を走っています\n猫が好きです\n私は毎日電車で学校へ行きます\n", source);
    write_lines("a big dog runs\nI like cats\nI go to school by train\n", reference);
    snprintf(line, sizeof line, ":bleu %s %s by source 10,14", source, reference);
    struct report result = bench_run(&bench, line);
    for (int i = 0; i < 3; i++)
        assert_int_equal(held_study(&result)->rows[i].sentences, 1); // 6, 13 and 14 characters
    assert_non_null(strstr(result.title, "in characters"));
    report_free(&result);
    unlink(source);
    unlink(reference);
    bench_close(&bench);
}

/* Several states ------------------------------------------------------------------------------- */

static void every_state_scores_as_it_does_alone(void **state)
{
    struct scene scene;
    scene_open(&scene);
    struct report result =
        bench_run(&scene.bench, bleu_line(&scene, " by source 3,5 in vanilla_post one two"));
    const struct several_states *across = held_several(&result);
    assert_int_equal(across->done, STATES);
    assert_int_equal(several_states_groups(across), 3);
    for (int s = 0; s < STATES; s++) {
        assert_string_equal(across->names.text[s], states[s]);
        go_to(&scene, states[s]);
        struct report alone = bench_run(&scene.bench, bleu_line(&scene, " by source 3,5"));
        for (int i = 0; i < 3; i++) {
            struct several_row row = several_row(across, i);
            assert_string_equal(row.name, held_study(&alone)->rows[i].name);
            assert_int_equal(row.size, held_study(&alone)->rows[i].sentences);
            assert_true(row.values[s] == held_study(&alone)->rows[i].score[0].bleu.score);
        }
        assert_true(several_row(across, 3).values[s] ==
                    held_study(&alone)->all.score[0].bleu.score);
        report_free(&alone);
    }
    report_free(&result);
    scene_close(&scene);
}

/* As of files that were written while the states before were scored. */
static void states_of_other_groups_are_refused(void **state)
{
    struct scene scene;
    struct status status;
    scene_open(&scene);
    struct report result =
        bench_run(&scene.bench, bleu_line(&scene, " by 3,5 in vanilla_post one"));
    struct study_result *second = &held_several(&result)->studies[1];
    assert_true(several_states_agree(held_several(&result), 1, &status));
    second->rows[0].sentences++;
    assert_false(several_states_agree(held_several(&result), 1, &status));
    second->rows[0].sentences--;
    second->row_count--;
    assert_false(several_states_agree(held_several(&result), 1, &status));
    assert_non_null(strstr(status.message, "changed between the first state and state 2"));
    report_free(&result);
    scene_close(&scene);
}

static void a_group_without_sentences_has_no_score(void **state)
{
    struct scene scene;
    scene_open(&scene);
    struct report result = bench_run(&scene.bench, bleu_line(&scene, " by source 5,7 in one two"));
    struct several_row row = several_row(held_several(&result), 1);
    assert_int_equal(row.size, 0);
    assert_true(isnan(row.values[0]) && isnan(row.values[1]));
    report_free(&result);
    scene_close(&scene);
}

static const struct contrast_result *contrast_of(const struct report *result)
{
    const struct contrast_result *contrast = report_held(result, contrast_release);
    assert_non_null(contrast);
    return contrast;
}

static void every_state_decides_as_it_does_alone(void **state)
{
    struct scene scene;
    scene_open(&scene);
    struct report result =
        bench_run(&scene.bench, contrast_line(&scene, " in vanilla_post one two"));
    const struct several_states *across = held_several(&result);
    for (int s = 0; s < STATES; s++) {
        go_to(&scene, states[s]);
        struct report alone = bench_run(&scene.bench, contrast_line(&scene, ""));
        const struct contrast_groups *groups = &contrast_of(&alone)->groups;
        assert_int_equal(several_states_groups(across), groups->count);
        assert_int_equal(groups->count, 4); // two types, two distances
        for (int i = 0; i < groups->count; i++) {
            const struct contrast_group *group = &groups->groups[i];
            struct several_row row = several_row(across, i);
            assert_string_equal(row.name, group->name);
            assert_string_equal(row.by, contrast_by_names[group->by]);
            assert_int_equal(row.size, group->decisions);
            assert_true(row.values[s] * group->decisions == group->correct);
        }
        assert_true(fabs(several_row(across, 4).values[s] * 5 - contrast_of(&alone)->correct) <
                    1e-9);
        report_free(&alone);
    }
    report_free(&result);
    scene_close(&scene);
}

static void one_kind_of_groups_stands_alone(void **state)
{
    struct scene scene;
    scene_open(&scene);
    struct report result = bench_run(&scene.bench, contrast_line(&scene, " by distance group 2"));
    const struct contrast_result *contrast = contrast_of(&result);
    assert_int_equal(contrast->groups.count, 2);
    assert_string_equal(contrast->groups.groups[0].name, "1");
    assert_int_equal(contrast->groups.groups[0].decisions, 2);
    assert_string_equal(contrast->groups.groups[1].name, "2");
    assert_int_equal(contrast->list_count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(contrast->list[i] == 0 || contrast->list[i] >= 3);
    report_free(&result);
    bench_refuse(&scene.bench, contrast_line(&scene, " by sense"),
                 "by sense: the suite does not say");
    scene_close(&scene);
}

static void nothing_is_translated_twice(void **state)
{
    struct scene scene;
    scene_open(&scene);
    bench_run_quietly(&scene.bench, bleu_line(&scene, " in vanilla_post one two before current"));
    const struct result_cache *cache = &scene.bench.session->cache;
    assert_int_equal(cache_count(cache, CACHED_TRANSLATIONS), 4); // `two` is the current state
    for (int i = 0; i < 4; i++)
        for (int line = 0; line < 5; line++)
            strcpy(cache_translations_at(cache, i)->texts[line], "");
    struct report again =
        bench_run(&scene.bench, bleu_line(&scene, " by source 3 in vanilla_post one two"));
    for (int s = 0; s < STATES; s++)
        assert_true(held_several(&again)->studies[s].all.score[0].chrf == 0);
    report_free(&again);
    scene_close(&scene);
}

/* What it is shown as -------------------------------------------------------------------------- */

static void each_state_has_a_column_of_its_own(void **state)
{
    struct scene scene;
    scene_open(&scene);
    bench_run_quietly(&scene.bench, ":state sentences");
    bench_refuse(&scene.bench, bleu_line(&scene, " in one sentences"), "another column");
    bench_refuse(&scene.bench, bleu_line(&scene, " in one two one"), "state one: given twice");
    scene_close(&scene);
}

static void it_is_a_table_of_groups_by_states(void **state)
{
    struct scene scene;
    size_t bytes;
    scene_open(&scene);
    struct report result = bench_run(&scene.bench, bleu_line(&scene, " by source 3 in one two"));
    export_view(&scene.bench, "across.tsv", scene.line + 1);
    char wanted[1000], *text = export_read("across.tsv", &bytes), *end = wanted;
    end += sprintf(end, "group\tby\tname\tsentences\tone\ttwo\n");
    for (int i = 0; i < 3; i++) {
        struct several_row row = several_row(held_several(&result), i);
        end += sprintf(end, i < 2 ? "%d\tlength" : "\t", i + 1);
        end += sprintf(end, "\t%s\t%d\t%.9g\t%.9g\n", row.name, row.size, row.values[0],
                       row.values[1]);
    }
    assert_string_equal(text, wanted);
    free(text);
    json_t *object = export_json(&scene.bench, scene.line + 1), *of_one, *groups;
    assert_string_equal(text_of(object, "command"), "bleu");
    assert_string_equal(text_of(object, "by"), "source");
    assert_string_equal(export_command(object), scene.line);
    of_one = json_array_get(json_object_get(object, "states"), 0);
    assert_string_equal(text_of(of_one, "state"), "one");
    assert_true(fabs(json_number_value(json_object_get(of_one, "score")) -
                     several_row(held_several(&result), 2).values[0]) < 1e-6);
    groups = json_object_get(object, "groups");
    assert_int_equal(json_array_size(groups), 2);
    assert_int_equal(json_array_size(json_object_get(json_array_get(groups, 0), "scores")), 2);
    json_t *provenance = json_object_get(object, "provenance");
    assert_string_equal(text_of(json_object_get(provenance, "a"), "state"), "one");
    assert_string_equal(text_of(json_object_get(provenance, "b"), "state"), "two");
    json_decref(object);
    report_free(&result);
    scene_close(&scene);
}

static void it_prints_a_column_for_each_state(void **state)
{
    struct scene scene;
    char wanted[100];
    scene_open(&scene);
    struct report result =
        bench_run(&scene.bench, contrast_line(&scene, " by type in vanilla_post one"));
    scene.bench.sink.kind->result(&scene.bench.sink, "contrast", &result);
    fflush(scene.bench.sink.stream);
    struct several_row row = several_row(held_several(&result), 1);
    snprintf(wanted, sizeof wanted, "     2 type %s %9d %4.1f %4.1f\n", row.name, row.size,
             100 * row.values[0], 100 * row.values[1]);
    if (!strstr(scene.bench.output, wanted))
        fail_msg("%s, expected %s", scene.bench.output, wanted);
    snprintf(wanted, sizeof wanted, "\n a vanilla_post.bin %10.1f\n b one              %10.1f\n",
             100 * several_row(held_several(&result), 2).values[0],
             100 * several_row(held_several(&result), 2).values[1]);
    if (!strstr(scene.bench.output, wanted))
        fail_msg("%s, expected %s", scene.bench.output, wanted);
    report_free(&result);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_scores_as_a_file_of_its_sentences),
        cmocka_unit_test(sources_have_quantiles_too),
        cmocka_unit_test(sources_without_blanks_have_characters),
        cmocka_unit_test(every_state_scores_as_it_does_alone),
        cmocka_unit_test(states_of_other_groups_are_refused),
        cmocka_unit_test(a_group_without_sentences_has_no_score),
        cmocka_unit_test(every_state_decides_as_it_does_alone),
        cmocka_unit_test(one_kind_of_groups_stands_alone),
        cmocka_unit_test(nothing_is_translated_twice),
        cmocka_unit_test(each_state_has_a_column_of_its_own),
        cmocka_unit_test(it_is_a_table_of_groups_by_states),
        cmocka_unit_test(it_prints_a_column_for_each_state),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
