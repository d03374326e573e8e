/* Ablated heads in the reports of `:ablate`, `:prune` and `:contrast … ablate`: columns and cells
 * of tables, words of titles and commands, bars of figures.
 *
 *     static const struct column columns[] = {{.title = "row", …}, ABLATION_COLUMNS, …};
 *     table_row; table_put(the number); table_put_ablation; table_put the rest
 */
#ifndef ATTNSCOPE_REPORT_ABLATION_H
#define ATTNSCOPE_REPORT_ABLATION_H

#include "report/report.h"
#include "session/selector.h"
#include "tui/argument/argument.h"

/* JSON has numbers, lists of numbers, or null for all; tables have ranges; people read the selector
 * or, on the screen, three columns to sort by. */
// clang-format off
#define ABLATION_COLUMNS                                                                           \
    {.all = "module", .in = FOR_PROGRAMS | IN_SCREEN, .names_head = true},                         \
    {.key = "layer", .title = "layer", .type = COLUMN_INT, .in = IN_JSON | IN_SCREEN,              \
     .names_head = true},                                                                          \
    {.name = "layer", .in = IN_TABLE | IN_ARRAYS},                                                 \
    {.key = "head", .title = "head", .type = COLUMN_INT, .in = IN_JSON | IN_SCREEN,                \
     .names_head = true},                                                                          \
    {.name = "head", .in = IN_TABLE | IN_ARRAYS},                                                  \
    {.title = "off", .in = IN_TEXT}
// clang-format on
enum { ABLATION_COLUMN_COUNT = 6 };

/* The cells of ABLATION_COLUMNS; the ablation is copied. `session`: its state gives the heads'
 * names. files: SRC REF…, over which Enter shows a single head; NULL: over what is open. */
void table_put_ablation(struct table *table, const struct session *session,
                        const struct ablation *ablation, const struct strings *files);

/* " by head encoder layer 1-2 or cross": the request without files, for titles and commands.
 * `words`: selectors as typed. "" for the default. */
const char *ablation_words(struct report *report, enum ablate_by by, const struct strings *words);

/* Adds a bar chart with one bar for each of the first `count` ablations. The caller fills in
 * plot->values (NULL if out of memory) and plot->y_title. */
struct plot *report_ablation_plot(struct report *report, const struct session *session,
                                  const struct ablation_list *list, int count, enum ablate_by by);
/* Returns the title of such a figure: "BLEU without each head". */
const char *report_ablation_title(struct report *report, const char *measure,
                                  const struct ablation_list *list, enum ablate_by by);

/* Marks the bars whose p (number: of (count); NaN: not tested) is below SIGNIFICANT; `test` names
 * the test. */
void report_ablation_marks(struct report *report, struct plot *plot, const char *test,
                           double (*p)(const void *result, int number), const void *result);

/* The request ---------------------------------------------------------------------------------- */

/* Choices after `by`; not all commands have the last ones. */
extern const char *const ablate_choices[]; // head, layer, "layer,head", gradient; NULL at the end
enum { ABLATE_CHOICE_GRADIENT = 3 };

struct ablate_words {
    struct strings files; // SRC, REF…
    enum ablate_by by;
    const struct selectors *selectors; // borrowed from the arguments
    int shown;                         // the ablation whose sentences are listed, from 1; 0: none
};

/* Their indices among the arguments of a command. */
struct ablate_places {
    int first_file, last_file, by, selectors, show;
};

/* Fills in the words; `by` keeps its value if not given. On failure nothing needs to be freed. */
bool ablate_words_read(const struct argument_values *given, const struct ablate_places *places,
                       struct ablate_words *out, struct status *status);
void ablate_words_free(struct ablate_words *words); // leaves it empty

/* Makes the list of ablations. Fails if the model lacks such a layer or head, or there are fewer
 * than `shown`. On failure nothing needs to be freed. */
bool ablate_words_select(const struct ablate_words *words, const struct config *config,
                         struct ablation_list *out, struct status *status);

#endif
