/* Figures of scores: what is drawn are the numbers of the result, in its groups. (How bars and
 * lines are drawn: test_render_plots.) */
#include <math.h>
#include <unistd.h>

#include "report/output/figures.h"
#include "report/report_memory.h"
#include "tests/report/output/export_support.h"
#include "tests/support/held_support.h"
#include "tests/support/test.h"
#include "tui/command/study/report_contrast.h"
#include "tui/command/study/report_study.h"

#define SOURCES "the dog\na small old cat sees the river .\n\nhe sees a dog\nthe cat sees\n"
#define REFERENCES "der Hund\neine Katze\n\ner sieht einen Hund .\ndie alte kleine Katze sieht\n"
#define ITEM(wrong, type, more)                                                                    \
    "{\"source\": \"the dog\", \"reference\": \"der Hund\", \"errors\": [{\"contrastive\": "       \
    "\"" wrong "\", \"type\": \"" type "\"" more "}]}"

/* A session, a test set in files, and a view with its figure. */
struct scene {
    struct bench bench;
    char source[64], reference[64], suite[64];
    struct report view;
    struct drawing drawing;
};

static void scene_open(struct scene *scene)
{
    *scene = (struct scene){0};
    scene->bench = bench_open("vanilla_post");
    bench_connect(&scene->bench);
    write_lines(SOURCES, scene->source);
    write_lines(REFERENCES, scene->reference);
    write_lines("[" ITEM("die Hund", "gender", ", \"distance\": 3") "," //
                ITEM("der Hunde", "number", ", \"distance\": 1") ","    //
                ITEM("der Katze", "word", ", \"distance\": 1") "]",
                scene->suite);
}

static void scene_close(struct scene *scene)
{
    drawing_free(&scene->drawing);
    report_free(&scene->view);
    unlink(scene->source);
    unlink(scene->reference);
    unlink(scene->suite);
    bench_close(&scene->bench);
}

/* Runs a line and draws what it finds. */
static const struct figure_plot *draw(struct scene *scene, const char *line, enum panel_kind kind)
{
    struct status status;
    drawing_free(&scene->drawing);
    report_free(&scene->view);
    scene->view = bench_run(&scene->bench, line);
    assert_true(report_drawable(&scene->view));
    if (!drawing_of_report(&scene->drawing, &scene->view, &scene->bench.session->settings.figure,
                           &status))
        fail_msg("%s: %s", line, status.message);
    assert_int_equal(scene->drawing.figure.rows * scene->drawing.figure.columns, 1);
    assert_int_equal(scene->drawing.panels[0].kind, kind);
    return &scene->drawing.panels[0].plot;
}

/* "COMMAND SOURCE REFERENCE REST" */
static const struct figure_plot *draw_files(struct scene *scene, const char *command,
                                            const char *rest, enum panel_kind kind)
{
    char line[400];
    snprintf(line, sizeof line, "%s %s %s%s", command, scene->source, scene->reference, rest);
    return draw(scene, line, kind);
}

static const struct figure_plot *draw_suite(struct scene *scene, const char *rest,
                                            enum panel_kind kind)
{
    char line[400];
    snprintf(line, sizeof line, ":contrast %s%s", scene->suite, rest);
    return draw(scene, line, kind);
}

static void check_value(const struct figure_plot *plot, int series, int point, double wanted)
{
    float is = plot->series[series].values[point];
    if (!(fabs(is - wanted) <= 1e-5 * fmax(1, fabs(wanted))))
        fail_msg("series %d, point %d: %.9g, expected %.9g", series, point, is, wanted);
}

/* BLEU ----------------------------------------------------------------------------------------- */

static void bars_are_the_groups_and_a_line_is_all(void **state)
{
    struct scene scene;
    scene_open(&scene);
    const struct figure_plot *plot = draw_files(&scene, ":bleu", " by source 3,5,7", PANEL_BARS);
    static const char *const labels[] = {"up to 2", "3-4", "5-6", "7 or more"};
    const struct study_result *study = held_study(&scene.view);
    assert_int_equal(plot->series_count, 1);
    assert_int_equal(plot->points, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(plot->labels[i], labels[i]);
        if (i == 2)
            assert_true(isnan(plot->series[0].values[i])); // no sentence has 5 or 6 tokens
        else
            check_value(plot, 0, i, study->rows[i].score[0].bleu.score);
    }
    assert_true(plot->has_mean && plot->mean == study->all.score[0].bleu.score);
    assert_string_equal(plot->mean_name, "all sentences");
    assert_string_equal(scene.drawing.figure.title, "BLEU by source length");
    assert_string_equal(plot->x_title, "source length (tokens)");
    scene_close(&scene);
}

static void a_comparison_shows_the_gain(void **state)
{
    struct scene scene;
    scene_open(&scene);
    bench_run_quietly(&scene.bench, ":disable enc layer 1");
    const struct figure_plot *plot =
        draw_files(&scene, ":compare vanilla_post current", " by 3", PANEL_BARS);
    const struct study_result *study = held_study(&scene.view);
    for (int i = 0; i < 2; i++)
        check_value(plot, 0, i,
                    study->rows[i].score[1].bleu.score - study->rows[i].score[0].bleu.score);
    assert_true(plot->mean == study->all.score[1].bleu.score - study->all.score[0].bleu.score);
    assert_string_equal(scene.drawing.figure.title, "Change in BLEU by reference length");
    assert_string_equal(plot->series[0].name, "current − vanilla_post.bin");
    assert_string_equal(plot->y_title, "change in BLEU");
    assert_string_equal(plot->x_title, "reference length (tokens)");
    scene_close(&scene);
}

static void states_are_lines(void **state)
{
    struct scene scene;
    scene_open(&scene);
    bench_run_quietly(&scene.bench, ":disable enc layer 1");
    bench_run_quietly(&scene.bench, ":state one");
    const struct figure_plot *plot =
        draw_files(&scene, ":bleu", " by source 3,5 in one vanilla_post", PANEL_LINES);
    assert_int_equal(plot->series_count, 2);
    assert_string_equal(plot->series[0].name, "one");
    assert_string_equal(plot->series[1].name, "vanilla_post.bin");
    assert_string_equal(scene.drawing.figure.title, "BLEU by source length");
    assert_int_not_equal(plot->series[0].pattern, plot->series[1].pattern);
    assert_true(plot->without_zero);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++)
            check_value(plot, s, i, several_row(held_several(&scene.view), i).values[s]);
    scene_close(&scene);
}

static void check_text(const char *is, const char *wanted)
{
    assert_string_equal(is, wanted);
}

/* If no groups were requested: a line for each state, with parameters if models differ. */
static void states_are_a_table(void **state)
{
    struct scene scene;
    char score[40];
    scene_open(&scene);
    bench_run_quietly(&scene.bench, ":load tests/golden/vanilla_pre.bin");
    draw_files(&scene, ":bleu", " in vanilla_post current", PANEL_TABLE);
    const struct figure_table *table = &scene.drawing.panels[0].table;
    const struct several_states *several = held_several(&scene.view);
    assert_int_equal(table->rows, 2);
    assert_int_equal(table->columns, 4);
    check_text(table->headings[0], "state");
    check_text(table->headings[1], "parameters");
    check_text(table->headings[2], "BLEU");
    check_text(table->cells[0], "vanilla_post.bin");
    assert_false(table->numbers[0]);
    assert_true(table->numbers[2]);
    for (int s = 0; s < 2; s++) {
        snprintf(score, sizeof score, "%.2f", several->studies[s].all.score[0].bleu.score);
        check_text(table->cells[s * 4 + 2], score);
    }
    assert_string_equal(scene.drawing.figure.title, "BLEU");
    draw_files(&scene, ":ablate", " by head", PANEL_BARS);
    bench_run_quietly(&scene.bench, ":set figure.kind table");
    draw_files(&scene, ":ablate", " by head", PANEL_TABLE);
    assert_int_equal(scene.drawing.panels[0].table.rows, 1 + 3);
    check_text(scene.drawing.panels[0].table.cells[1], "none");
    scene_close(&scene);
}

/* Heads ---------------------------------------------------------------------------------------- */

static void ablations_are_bars(void **state)
{
    static const struct {
        const char *rest, *label, *title;
        int points, at; // the label's place
    } cases[] = {
        {" by head", "3", "disabled head (all layers)", 4, 2},
        {" by layer", "2", "disabled layer", 2, 1},
        {" by layer,head", "2.1", "disabled head (layer.head)", 8, 4},
        {" by head enc or cross", "cross 1", "disabled head (all layers)", 8, 4},
        {" enc head 2 or enc layer 1", "encoder layer 1", "disabled heads", 2, 1},
    };
    struct scene scene;
    scene_open(&scene);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct figure_plot *plot = draw_files(&scene, ":ablate", cases[c].rest, PANEL_BARS);
        assert_int_equal(plot->points, cases[c].points);
        assert_string_equal(plot->labels[cases[c].at], cases[c].label);
        assert_string_equal(plot->x_title, cases[c].title);
        assert_string_equal(plot->y_title, "change in BLEU");
        for (int i = 0; i < plot->points; i++)
            check_value(plot, 0, i, held_ablate(&scene.view)->scores[i].delta);
    }
    scene_close(&scene);
}

static void a_pruning_is_a_curve(void **state)
{
    struct scene scene;
    scene_open(&scene);
    const struct figure_plot *plot = draw_files(&scene, ":prune", " until 100", PANEL_LINES);
    const struct prune_result *prune = held_prune(&scene.view);
    assert_int_equal(plot->points, 1 + 8); // all of 2 layers with 4 heads, then one fewer at a time
    check_value(plot, 0, 0, prune->base);
    assert_string_equal(plot->labels[0], "8");
    assert_string_equal(plot->labels[8], "0");
    for (int i = 0; i < 8; i++)
        check_value(plot, 0, 1 + i, prune->steps[i].score);
    assert_false(plot->has_mean); // BLEU is never below 0
    assert_true(plot->without_zero);
    assert_string_equal(scene.drawing.figure.title, "Greedy head pruning (ΔBLEU ≤ 100)");
    plot = draw_files(&scene, ":prune", " until 0 cross layer 2", PANEL_LINES);
    assert_int_equal(plot->has_mean, held_prune(&scene.view)->base > 0);
    assert_string_equal(scene.drawing.figure.title,
                        "Greedy head pruning (ΔBLEU ≤ 0), cross layer 2");
    scene_close(&scene);
}

/* Decisions ------------------------------------------------------------------------------------ */

/* Returns the result behind the view's report. */
static const struct contrast_result *contrast_of(const struct scene *scene)
{
    return report_held(&scene->view, contrast_release);
}

static const struct several_states *across_of(const struct scene *scene)
{
    return report_held(&scene->view, several_states_release);
}

static void accuracies_go_over_distances(void **state)
{
    struct scene scene;
    scene_open(&scene);
    const struct figure_plot *plot = draw_suite(&scene, "", PANEL_LINES);
    const struct contrast_groups *groups = &contrast_of(&scene)->groups; // 3 types, 2 distances
    assert_int_equal(plot->points, 2);
    assert_string_equal(plot->labels[0], "1");
    assert_string_equal(plot->labels[1], "3");
    check_value(plot, 0, 0, groups->groups[3].correct / 2.0);
    check_value(plot, 0, 1, groups->groups[4].correct);
    assert_true(fabs(plot->mean - contrast_of(&scene)->correct / 3.0) < 1e-12);
    assert_true(plot->least == 0 && plot->most == 1);
    plot = draw_suite(&scene, " by type", PANEL_BARS);
    assert_int_equal(plot->points, 3);
    assert_string_equal(plot->labels[2], "word");
    for (int i = 0; i < 3; i++)
        check_value(plot, 0, i, contrast_of(&scene)->groups.groups[i].correct);
    bench_run_quietly(&scene.bench, ":disable enc");
    plot = draw_suite(&scene, " in vanilla_post current", PANEL_LINES);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 2; i++)
            check_value(plot, s, i, several_row(across_of(&scene), 3 + i).values[s]);
    scene_close(&scene);
}

/* Text files say nothing of groups. */
static void without_groups_there_is_one_bar(void **state)
{
    struct scene scene;
    char line[300], source[64], right[64], wrong[64];
    scene_open(&scene);
    snprintf(line, sizeof line, ":contrast %s %s %s", write_lines("the dog\na cat\n", source),
             write_lines("der Hund\neine Katze\n", right),
             write_lines("die Hund\nein Katze\n", wrong));
    const struct figure_plot *plot = draw(&scene, line, PANEL_BARS);
    assert_int_equal(plot->points, 1);
    assert_string_equal(plot->labels[0], "all");
    check_value(plot, 0, 0, contrast_of(&scene)->correct / 2.0);
    strcat(line, " in vanilla_post current");
    plot = draw(&scene, line, PANEL_BARS);
    check_value(plot, 1, 0, several_row(across_of(&scene), 0).values[1]);
    unlink(source);
    unlink(right);
    unlink(wrong);
    scene_close(&scene);
}

static void what_heads_decide_are_bars(void **state)
{
    struct scene scene;
    scene_open(&scene);
    const struct figure_plot *plot = draw_suite(&scene, " ablate by layer", PANEL_BARS);
    const struct contrast_ablate_result *ablate = report_held(&scene.view, contrast_ablate_release);
    assert_int_equal(plot->points, 2);
    for (int i = 0; i < 2; i++)
        check_value(plot, 0, i, (ablate->rows[i].correct - ablate->correct) / 3.0);
    scene_close(&scene);
}

/* Files ---------------------------------------------------------------------------------------- */

static void exports_are_figures(void **state)
{
    struct scene scene;
    char view[400];
    size_t bytes;
    scene_open(&scene);
    snprintf(view, sizeof view, "bleu %s %s by source 3 in vanilla_post current", scene.source,
             scene.reference);
    export_view(&scene.bench, "scores.png", view);
    char *text = export_read("scores.png", &bytes);
    assert_memory_equal(text, "\x89PNG", 4);
    free(text);
    export_view(&scene.bench, "scores.svg", view);
    text = export_read("scores.svg", &bytes);
    assert_non_null(strstr(text, ">vanilla_post.bin<"));
    assert_non_null(strstr(text, ">source length (tokens)<"));
    assert_non_null(strstr(text, "stroke-dasharray=")); // of the second state
    free(text);
    snprintf(view, sizeof view, "bleu %s %s by source 3", scene.source, scene.reference);
    export_view(&scene.bench, "scores.svg", view);
    text = export_read("scores.svg", &bytes);
    assert_non_null(strstr(text, ">all sentences<"));
    free(text);
    scene_close(&scene);
}

static void lists_are_no_figures(void **state)
{
    struct scene scene;
    char line[400];
    scene_open(&scene);
    snprintf(line, sizeof line, ":export /tmp/x.png contrast %s group all", scene.suite);
    bench_refuse(&scene.bench, line, "this view cannot be written as .png");
    snprintf(line, sizeof line, ":export /tmp/x.svg contrast %s ablate by head show 1",
             scene.suite);
    bench_refuse(&scene.bench, line, "this view cannot be written as .svg");
    snprintf(line, sizeof line, ":contrast %s", scene.suite);
    bench_run_quietly(&scene.bench, line);
    bench_run_quietly(&scene.bench, ":disable enc");
    bench_run_quietly(&scene.bench, line);
    bench_refuse(&scene.bench, ":export /tmp/x.pdf flips", "this view cannot be written as .pdf");
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_the_groups_and_a_line_is_all),
        cmocka_unit_test(a_comparison_shows_the_gain),
        cmocka_unit_test(states_are_lines),
        cmocka_unit_test(states_are_a_table),
        cmocka_unit_test(ablations_are_bars),
        cmocka_unit_test(a_pruning_is_a_curve),
        cmocka_unit_test(accuracies_go_over_distances),
        cmocka_unit_test(without_groups_there_is_one_bar),
        cmocka_unit_test(what_heads_decide_are_bars),
        cmocka_unit_test(exports_are_figures),
        cmocka_unit_test(lists_are_no_figures),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
