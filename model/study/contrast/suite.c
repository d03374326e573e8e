#include "model/study/contrast/suite.h"

#include <stdlib.h>
#include <string.h>

#include "model/study/contrast/suite_add.h"
#include "model/text/quote.h"

static char *copy(const char *text, struct status *status)
{
    char *made = strdup(text);
    if (!made)
        status_no_memory(status);
    return made;
}

static void item_free(struct suite_item *item)
{
    for (int i = 0; i < item->error_count; i++) {
        free(item->errors[i].text);
        free(item->errors[i].type);
    }
    free(item->errors);
    free(item->source);
    free(item->reference);
    free(item->sense);
    free(item->pronouns);
}

void suite_free(struct suite *suite)
{
    for (int i = 0; i < suite->count; i++)
        item_free(&suite->items[i]);
    for (int i = 0; i < suite->set_count; i++) {
        for (int k = 0; k < suite->sets[i].path_count; k++)
            free(suite->sets[i].paths[k]);
        free(suite->sets[i].paths);
    }
    free(suite->items);
    free(suite->sets);
    free(suite->decisions);
    *suite = (struct suite){0};
}

/* Adding --------------------------------------------------------------------------------------- */

struct suite_set *suite_add_set(struct suite *suite, const char *const *paths, int count,
                                struct status *status)
{
    if (!memory_grow((void **)&suite->sets, &suite->set_capacity, (size_t)suite->set_count + 1,
                     sizeof *suite->sets, status))
        return NULL;
    struct suite_set *set = &suite->sets[suite->set_count++];
    *set = (struct suite_set){.paths = memory_new((size_t)count, sizeof *set->paths, status)};
    for (; set->paths && set->path_count < count; set->path_count++)
        if (!(set->paths[set->path_count] = copy(paths[set->path_count], status)))
            return NULL;
    return set->paths ? set : NULL;
}

static bool is_blank(const char *text)
{
    return !text[strspn(text, " \t\n\r\v\f")];
}

/* An empty sentence has no translation, and nobody means to ask for one. */
static char *copy_sentence(const char *text, struct status *status)
{
    if (is_blank(text)) {
        status_fail(status, STATUS_INVALID, "blank, expected a sentence");
        return NULL;
    }
    return copy(text, status);
}

struct suite_item *suite_add_item(struct suite *suite, int number, struct status *status)
{
    if (!memory_grow((void **)&suite->items, &suite->capacity, (size_t)suite->count + 1,
                     sizeof *suite->items, status))
        return NULL;
    struct suite_item *item = &suite->items[suite->count++];
    *item = (struct suite_item){.set = suite->set_count - 1,
                                .number = number,
                                .distance = SUITE_ABSENT,
                                .frequency = SUITE_ABSENT};
    return item;
}

bool suite_set_pair(struct suite_item *item, const char *source, const char *reference,
                    struct status *status)
{
    if (!(item->source = copy_sentence(source, status)))
        return status_prefix(status, "source");
    if (!(item->reference = copy_sentence(reference, status)))
        return status_prefix(status, "reference");
    return true;
}

struct suite_error *suite_add_error(struct suite_item *item, const char *text, const char *type,
                                    struct status *status)
{
    if (!memory_grow((void **)&item->errors, &item->error_capacity, (size_t)item->error_count + 1,
                     sizeof *item->errors, status))
        return NULL;
    struct suite_error *error = &item->errors[item->error_count++];
    *error = (struct suite_error){.distance = SUITE_ABSENT, .frequency = SUITE_ABSENT};
    error->text = copy_sentence(text, status);
    if (error->text && type)
        error->type = copy(type, status);
    return error->text && (!type || error->type) ? error : NULL;
}

static bool add_line(struct suite *suite, const struct suite_texts *texts, int line,
                     struct status *status)
{
    int file = 0;
    struct suite_item *item = suite_add_item(suite, line + 1, status);
    if (!item)
        return false;
    item->whole = true;
    if ((item->source = copy_sentence(texts->text[0][line], status)))
        file++;
    if (file && (item->reference = copy_sentence(texts->text[1][line], status)))
        file++;
    while (file >= 2 && file < texts->files &&
           suite_add_error(item, texts->text[file][line], texts->type, status))
        file++;
    return file == texts->files || suite_fail_at(suite, suite->count - 1, file - 1, status);
}

bool suite_add_texts(struct suite *suite, const struct suite_texts *texts, struct status *status)
{
    struct suite_set *set = suite_add_set(suite, texts->paths, texts->files, status);
    if (!set)
        return false;
    set->lines = true;
    for (int line = 0; line < texts->count; line++)
        if (!add_line(suite, texts, line, status))
            return false;
    return true;
}

/* Decisions ------------------------------------------------------------------------------------ */

static void add_decisions(struct suite *suite, int item)
{
    int errors = suite->items[item].error_count;
    bool whole = suite->items[item].whole;
    int step = whole ? errors : 1;
    for (int first = 0; first < errors; first += step)
        suite->decisions[suite->decision_count++] = (struct decision){item, first, step};
}

bool suite_finish(struct suite *suite, struct status *status)
{
    size_t errors = 0;
    for (int i = 0; i < suite->count; i++) {
        suite->items[i].first = suite->candidates;
        suite->candidates += 1 + suite->items[i].error_count;
        errors += (size_t)suite->items[i].error_count;
    }
    suite->decisions = memory_new(errors, sizeof *suite->decisions, status);
    if (!suite->decisions)
        return false;
    for (int i = 0; i < suite->count; i++)
        add_decisions(suite, i);
    if (suite->decision_count)
        return true;
    const char *path = suite->set_count ? suite->sets[0].paths[0] : "";
    return status_fail(status, STATUS_INVALID, "%s: nothing to decide, expected errors",
                       QUOTED_PATH(path));
}

const char *suite_candidate(const struct suite_item *item, int candidate)
{
    return candidate == 0 ? item->reference : item->errors[candidate - 1].text;
}

static const struct suite_error *error_of(const struct suite *suite,
                                          const struct decision *decision)
{
    return &suite->items[decision->item].errors[decision->first];
}

const char *decision_type(const struct suite *suite, const struct decision *decision)
{
    return error_of(suite, decision)->type;
}

int decision_distance(const struct suite *suite, const struct decision *decision)
{
    const struct suite_item *item = &suite->items[decision->item];
    return item->distance == SUITE_ABSENT ? error_of(suite, decision)->distance : item->distance;
}

int decision_frequency(const struct suite *suite, const struct decision *decision)
{
    const struct suite_item *item = &suite->items[decision->item];
    return item->whole ? item->frequency : error_of(suite, decision)->frequency;
}

/* ---------------------------------------------------------------------------------------------- */

static bool texts_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool errors_equal(const struct suite_error *a, const struct suite_error *b)
{
    return strcmp(a->text, b->text) == 0 && texts_equal(a->type, b->type) &&
           a->distance == b->distance && a->frequency == b->frequency;
}

static bool items_equal(const struct suite_item *a, const struct suite_item *b)
{
    if (strcmp(a->source, b->source) != 0 || strcmp(a->reference, b->reference) != 0 ||
        a->error_count != b->error_count || a->whole != b->whole ||
        !texts_equal(a->sense, b->sense) || !texts_equal(a->pronouns, b->pronouns) ||
        !texts_equal(a->intrasegmental, b->intrasegmental) ||
        !texts_equal(a->standard, b->standard) || a->distance != b->distance ||
        a->frequency != b->frequency)
        return false;
    for (int i = 0; i < a->error_count; i++)
        if (!errors_equal(&a->errors[i], &b->errors[i]))
            return false;
    return true;
}

bool suite_equal(const struct suite *a, const struct suite *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (!items_equal(&a->items[i], &b->items[i]))
            return false;
    return true;
}

bool suite_fail_at(const struct suite *suite, int item, int candidate, struct status *status)
{
    static const char *const names[] = {"source", "reference"};
    int number = suite->items[item].number;
    const struct suite_set *set = &suite->sets[suite->items[item].set];
    if (set->lines)
        return status_prefix(status, "%s:%d", QUOTED_PATH(set->paths[candidate + 1]), number);
    if (candidate > 0)
        status_prefix(status, "error %d", candidate);
    else
        status_prefix(status, "%s", names[candidate + 1]);
    return status_prefix(status, "%s: item %d", QUOTED_PATH(set->paths[0]), number);
}
