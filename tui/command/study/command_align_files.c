/* `:align SRC TGT [GOLD]`: word alignments of a file and its translation, by one head, by a method of attribution,
 * or by the best of many. */
#include <stdlib.h>
#include <string.h>

#include "model/study/alignment/align_files.h"
#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/command/study/report_align.h"
#include "tui/command/study/report_study.h"
#include "tui/terminal/progress.h"
#include "tui/text/arguments.h"

#define ALIGN_FILES_SYNTAX "SRC TGT [GOLD [from 0|1]] [by layer,head] [SELECTOR] [shifted]"
static const char by_head[] = "layer,head", shifted[] = "shifted", from[] = "from";

/* Words ------------------------------------------------------------------------------------------ */

/* What stands beside the selector. */
struct align_words_given {
    const char *files[3];
    int file_count;
    bool ranked, shifted;
    int from; // of GOLD; GOLD_FROM_USUAL: not given
};

static bool take_word(struct align_words_given *out, const char *word, struct status *status)
{
    if (strcmp(word, shifted) == 0)
        out->shifted = true;
    else if (out->file_count < 3)
        out->files[out->file_count++] = word;
    else
        return status_fail(status, STATUS_INVALID, "\"%s\": expected " ALIGN_FILES_SYNTAX,
                           QUOTED(word));
    return true;
}

static bool parse_words(const struct selection *selection, struct align_words_given *out,
                        struct status *status)
{
    *out = (struct align_words_given){.from = GOLD_FROM_USUAL};
    for (int i = 0; i < selection->count; i++) {
        const char *word = selection->rest[i];
        if (out->file_count == 3 && strcmp(word, from) == 0) {
            const char *number = i + 1 < selection->count ? selection->rest[++i] : "";
            if (!parse_int(from, number, 0, 1, &out->from, status))
                return false;
            continue;
        }
        bool by = strcmp(word, "by") == 0;
        if (by && (i + 1 == selection->count || strcmp(selection->rest[i + 1], by_head) != 0))
            return status_fail(status, STATUS_INVALID, "by: expected layer,head after it");
        out->ranked |= by;
        i += by;
        if (!by && !take_word(out, word, status))
            return false;
    }
    if (out->file_count < 2)
        return status_fail(status, STATUS_INVALID, "expected TGT: " ALIGN_FILES_SYNTAX);
    return out->file_count == 3 || !out->ranked ||
           status_fail(status, STATUS_INVALID,
                       "by layer,head: expected GOLD, alignments to measure the heads against");
}

/* Heads ------------------------------------------------------------------------------------------ */

struct heads {
    struct align_head *heads;
    int count;
    size_t capacity;
};

static bool add_head(struct heads *heads, int layer, int head, bool is_shifted,
                     struct status *status)
{
    if (!memory_grow((void **)&heads->heads, &heads->capacity, (size_t)heads->count + 1,
                     sizeof *heads->heads, status))
        return false;
    heads->heads[heads->count++] =
        (struct align_head){.layer = layer, .head = head, .shifted = is_shifted};
    return true;
}

/* With and without the shift, unless it is asked for. */
static bool add_both(struct heads *heads, int layer, int head, bool only_shifted,
                     struct status *status)
{
    return (only_shifted || add_head(heads, layer, head, false, status)) &&
           add_head(heads, layer, head, true, status);
}

/* What the heads of a layer are together. */
static int together(const struct config *config, enum method method, int layer)
{
    if (method != METHOD_WEIGHTS)
        return HEADS_TOGETHER;
    return config->attention[MODULE_CROSS][layer].dhicm ? HEADS_WEIGHTED : HEADS_MEAN;
}

/* The heads that are selected, of methods that have a matrix for each, and what they are together. */
static bool add_layer(struct heads *heads, const struct config *config,
                      const struct selector *selector, int layer, bool only_shifted,
                      struct status *status)
{
    const struct merged_heads *merged = merged_by(selector->head);
    bool dhicm = config->attention[MODULE_CROSS][layer].dhicm;
    if (merged && merged->head == HEADS_WEIGHTED && !dhicm)
        return true;
    if (merged)
        return add_both(heads, layer, merged->head, only_shifted, status);
    int count = method_table[selector->method].of_heads ? module_heads(config, MODULE_CROSS) : 0;
    for (int h = 0; h < count; h++)
        if (selector_has_head(selector, h) && !add_both(heads, layer, h, only_shifted, status))
            return false;
    return selector->head == PART_LIST ||
           add_both(heads, layer, together(config, selector->method, layer), only_shifted, status);
}

static bool add_selected(struct heads *heads, const struct config *config,
                         const struct selector *selector, bool only_shifted, struct status *status)
{
    if (!selector_check(selector, config, status) || !selector_check_heads(selector, status) ||
        !method_check(selector->method, config, MODULE_CROSS, status))
        return false;
    for (int i = 0; i < module_layers(config, MODULE_CROSS); i++)
        if (selector_has_layer(selector, i) &&
            !add_layer(heads, config, selector, i, only_shifted, status))
            return false;
    return heads->count > 0 ||
           status_fail(status, STATUS_INVALID,
                       "head importance: no such layer of cross-attention combines its heads by "
                       "dhicm");
}

/* Whether the selector leaves nothing to choose. */
static bool is_one(const struct selector *selector)
{
    bool one = merged_by(selector->head) || !method_table[selector->method].of_heads;
    return number_list_single(&selector->layers) && (one || number_list_single(&selector->heads));
}

/* Where alignments are there to measure against, all heads that the selector allows are tried. */
static bool choose_heads(const struct session *session, struct selector *selector,
                         const struct align_words_given *given, struct heads *heads,
                         struct status *status)
{
    struct view view;
    if (selector->module_given && selector->module != MODULE_CROSS)
        return status_fail(status, STATUS_INVALID,
                           "source and translation meet in cross-attention: expected cross");
    selector->module = MODULE_CROSS;
    selector->module_given = true;
    if (given->ranked || (given->file_count == 3 && !is_one(selector)))
        return add_selected(heads, session_config(session), selector, given->shifted, status);
    return align_choose(session, selector, &view, status) &&
           add_head(heads, view.layer, view.head, given->shifted, status);
}

/* Running ---------------------------------------------------------------------------------------- */

static void align_release(void *align)
{
    align_free(align);
}

static bool take_request(const struct session *session, struct selection *selection,
                         struct align_words_given *given, struct align_result *out,
                         struct status *status)
{
    struct heads heads = {.count = 0};
    bool ok = parse_words(selection, given, status) &&
              choose_heads(session, &selection->selector, given, &heads, status);
    out->method = selection->selector.method;
    out->gold_from = given->from;
    out->heads = heads.heads;
    out->head_count = heads.count;
    for (int i = 0; ok && i < given->file_count; i++)
        ok = pieces_add(&out->files, given->files[i], strlen(given->files[i]), status);
    return ok;
}

static bool align_files(struct session *session, const struct request *request,
                        struct selection *selection, struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct align_result *align = report_hold(report, sizeof *align, align_release);
    struct align_words_given given;
    bool ok = align && take_request(session, selection, &given, align, status) &&
              align_run(&context, align, status);
    bool found = align && align->sentences > 0;
    if (found)
        report_align(report, session, &request->words, align, given.ranked);
    return study_finish(ok, found, report, status);
}

/* Whether two words are there that `:align` of a sentence does not know. */
static bool means_files(const struct selection *selection)
{
    int files = 0;
    for (int i = 0; i < selection->count; i++)
        files += strcmp(selection->rest[i], shifted) != 0;
    return files > 1 && strcmp(selection->rest[0], "word") != 0;
}

/* Without files it is the alignment of the current sentence. */
COMMAND(align_of_files)
{
    struct selection selection;
    if (!selection_parse(request, HEADS_OR_MERGED, &selection, status))
        return false;
    bool of_files = means_files(&selection);
    bool ok = of_files && align_files(session, request, &selection, report, status);
    selection_free(&selection);
    return of_files ? ok : command_align(session, request, report, status);
}
