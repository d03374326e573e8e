/* Tables of contrastive suites: their decisions, those that changed, and the heads behind them.
 * Numbers are the results' own, and Enter on a row leads to the sentences behind it. */
#include <unistd.h>

#include "report/report_memory.h"
#include "tests/support/report_support.h"
#include "tests/support/scored_support.h"
#include "tests/support/test.h"
#include "tests/tui/screen/sheet_support.h"
#include "tui/command/study/report_contrast.h"

static bool has_column(const struct sheet *sheet, const char *title)
{
    for (int c = 0; c < sheet->column_count; c++)
        if (strcmp(sheet->columns[c].title, title) == 0)
            return true;
    return false;
}

/* What `:score` says of a pair. */
static double score_of(struct bench *bench, const char *source, const char *target)
{
    char line[400];
    snprintf(line, sizeof line, ":score %s ||| %s", source, target);
    struct report result = bench_run(bench, line);
    double logprob = report_real(&result, "logprob");
    report_free(&result);
    return logprob;
}

/* What a report is made of. */
static const struct contrast_result *contrast_of(const struct report *result)
{
    return report_held(result, contrast_release);
}

static void check_decisions(struct bench *bench, const char *command)
{
    struct report result;
    struct sheet sheet = sheet_of_line(bench, command, &result);
    assert_int_equal(sheet.row_count, contrast_of(&result)->list_count);
    assert_true(has_column(&sheet, "type") && has_column(&sheet, "distance"));
    assert_false(has_column(&sheet, "sense") || has_column(&sheet, "frequency"));
    for (int i = 0; i < sheet.row_count; i++) {
        const char *source = sheet_cell_at(&sheet, i, "source", 0)->text;
        double margin = sheet_cell_at(&sheet, i, "margin", 0)->number;
        if (strchr(source, '\n')) {
            assert_null(sheet.commands[i]);
            continue;
        }
        double reference = score_of(bench, source, sheet_cell_at(&sheet, i, "reference", 0)->text);
        double other = score_of(bench, source, sheet_cell_at(&sheet, i, "contrastive", 0)->text);
        assert_true(sheet_cell_at(&sheet, i, "of reference", 0)->number == reference);
        assert_true(sheet_cell_at(&sheet, i, "of contrastive", 0)->number == other);
        assert_true(margin == reference - other);
        sheet_check_text(&sheet, i, "", margin > 0 ? "right" : "wrong");
        struct report forced = sheet_enter(bench, &sheet, i);
        assert_string_equal(bench->session->current->text, source);
        assert_string_equal(pair_target(bench->session->current),
                            sheet_cell_at(&sheet, i, "reference", 0)->text);
        report_free(&forced);
    }
    sheet_free(&sheet);
    report_free(&result);
}

static void decisions_lead_to_their_sentences(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result;
    char path[64], line[100];
    bench_connect(&bench);
    snprintf(line, sizeof line, ":contrast %s", write_lines(SHEET_SUITE, path));
    struct sheet sheet = sheet_of_line(&bench, line, &result);
    const struct contrast_result *contrast = contrast_of(&result);
    assert_int_equal(contrast->decisions, 4);
    assert_int_equal(sheet.row_count, contrast->groups.count + 1);
    for (int i = 0; i < contrast->groups.count; i++) {
        const struct contrast_group *group = &contrast->groups.groups[i];
        sheet_check_number(&sheet, i, "group", 0, i + 1, 0);
        sheet_check_text(&sheet, i, "name", group->name);
        sheet_check_number(&sheet, i, "decisions", 0, group->decisions, 0);
        sheet_check_number(&sheet, i, "correct", 0, group->correct, 0);
        sheet_check_number(&sheet, i, "accuracy %", 0,
                           100 * ((double)group->correct / group->decisions), 1);
    }
    sheet_check_text(&sheet, 0, "by", "type");
    sheet_check_text(&sheet, 0, "name", "order");
    sheet_check_text(&sheet, 1, "name", "word");
    sheet_check_number(&sheet, 1, "decisions", 0, 3, 0);
    sheet_check_text(&sheet, sheet.row_count - 1, "name", "all");
    sheet_check_number(&sheet, sheet.row_count - 1, "decisions", 0, 4, 0);
    assert_true(sheet_has_note(&sheet, "of 4 correct"));
    check_decisions(&bench, sheet.commands[1]);
    check_decisions(&bench, sheet.commands[sheet.row_count - 1]);
    sheet_free(&sheet);
    report_free(&result);
    unlink(path);
    bench_close(&bench);
}

#define ITEM(reference, contrastive)                                                               \
    "{\"source\": \"he sees a dog\", \"reference\": \"" reference                                  \
    "\", \"errors\": [{\"contrastive\": \"" contrastive "\"}]}"
#define PAIRS                                                                                      \
    "[" ITEM("der Hund", "die Katze") "," ITEM("er sieht", "sie ist") "," ITEM(                    \
        "einen Hund", "eine Katze") "," ITEM("alt und klein",                                      \
                                             "der Hund sieht") "," ITEM("Fluss", "den") "]"

/* The margin after, by `:score`; a decision is won where it is above 0. */
static void check_flips(struct bench *bench, const struct sheet *sheet, int count)
{
    assert_true(count > 0);
    assert_int_equal(sheet->row_count, count);
    for (int i = 0; i < count; i++) {
        const char *source = sheet_cell_at(sheet, i, "source", 0)->text;
        double before = sheet_cell_at(sheet, i, "margin before", 0)->number;
        double after = sheet_cell_at(sheet, i, "margin after", 0)->number;
        double reference = score_of(bench, source, sheet_cell_at(sheet, i, "reference", 0)->text);
        double other = score_of(bench, source, sheet_cell_at(sheet, i, "contrastive", 0)->text);
        assert_true(after == reference - other);
        assert_true((before > 0) != (after > 0));
        sheet_check_text(sheet, i, "", after > 0 ? "won" : "lost");
    }
}

static void changed_decisions_are_a_table(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result;
    char path[64], line[100];
    bench_connect(&bench);
    snprintf(line, sizeof line, ":contrast %s", write_lines(PAIRS, path));
    bench_run_quietly(&bench, line);
    bench_run_quietly(&bench, ":disable cross layer all");
    bench_run_quietly(&bench, line);
    struct sheet sheet = sheet_of_line(&bench, ":flips", &result);
    const struct flips_result *changed = report_held(&result, flips_release);
    check_flips(&bench, &sheet, changed->lost + changed->won);
    assert_false(has_column(&sheet, "type"));
    assert_true(sheet_has_note(&sheet, "(McNemar)"));
    sheet_free(&sheet);
    report_free(&result);
    unlink(path);
    bench_close(&bench);
}

static void heads_lead_to_the_decisions_they_are_behind(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    struct report result, listed;
    char path[64], line[200];
    bench_connect(&bench);
    snprintf(line, sizeof line, ":contrast %s ablate by head cross or enc layer 1 head 2",
             write_lines(PAIRS, path));
    struct sheet sheet = sheet_of_line(&bench, line, &result);
    const struct contrast_ablate_result *ablate = report_held(&result, contrast_ablate_release);
    int most = 0;
    assert_int_equal(sheet.row_count, ablate->ablations.count);
    for (int i = 0; i < sheet.row_count; i++) {
        const struct decider *row = &ablate->rows[i];
        sheet_check_number(&sheet, i, "row", 0, i + 1, 0);
        sheet_check_number(&sheet, i, "correct", 0, row->correct, 0);
        sheet_check_number(&sheet, i, "accuracy %", 0, 100 * (row->correct / 5.0), 1);
        sheet_check_number(&sheet, i, "lost", 0, row->lost, 0);
        sheet_check_number(&sheet, i, "won", 0, row->won, 0);
        sheet_check_p(&sheet, i, "p", row->p);
        sheet_check_p(&sheet, i, "p adjusted", row->p_adjusted);
        most = row->lost + row->won > ablate->rows[most].lost + ablate->rows[most].won ? i : most;
    }
    struct sheet flips = sheet_of_line(&bench, sheet.commands[most], &listed);
    const struct contrast_ablate_result *shown = report_held(&listed, contrast_ablate_release);
    assert_int_equal(shown->ablate.shown, most + 1);
    char *off = ablation_text(&ablate->ablations.items[most]);
    snprintf(line, sizeof line, ":disable %s", off);
    free(off);
    bench_run_quietly(&bench, line);
    check_flips(&bench, &flips, ablate->rows[most].lost + ablate->rows[most].won);
    snprintf(line, sizeof line, "row %d: ", most + 1);
    assert_true(sheet_has_note(&flips, line));
    sheet_free(&flips);
    report_free(&listed);
    sheet_free(&sheet);
    report_free(&result);
    unlink(path);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions_lead_to_their_sentences),
        cmocka_unit_test(changed_decisions_are_a_table),
        cmocka_unit_test(heads_lead_to_the_decisions_they_are_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
