#include "tui/argument/argument.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"

/* Writes "head|layer". */
static void write_choices(const struct argument *argument, const char *before, FILE *out)
{
    for (int i = 0; i < argument_choices(argument); i++) {
        if (!*argument->choices[i])
            continue; // the default choice
        fprintf(out, "%s%s", before, argument->choices[i]);
        before = "|";
    }
}

static void write_value(const struct argument *argument, FILE *out)
{
    const char *name = argument->name;
    switch (argument->kind) {
    case ARGUMENT_FLAG:
        break;
    case ARGUMENT_SELECTOR:
        fputs(name ? name : "SELECTOR", out);
        break;
    case ARGUMENT_SELECTORS:
        fputs("SELECTOR [" SELECTORS_OR " SELECTOR]...", out);
        break;
    case ARGUMENT_CHOICE:
        if (name)
            fputs(name, out);
        else
            write_choices(argument, "", out);
        break;
    case ARGUMENT_NUMBERS: // the name lists the choices
        fputs(name, out);
        break;
    default:
        fputs(name, out);
        write_choices(argument, "|", out);
    }
    if (argument_most(argument) == ARGUMENT_MANY)
        fputs("...", out);
}

/* Writes an argument with its keyword. */
static void write_one(const struct argument *argument, FILE *out)
{
    if (argument->bar)
        fputs("||| ", out);
    if (argument->keyword)
        fputs(argument->keyword, out);
    if (argument->kind == ARGUMENT_FLAG)
        return;
    if (argument->keyword)
        fputs(argument->value_optional ? " [" : " ", out);
    write_value(argument, out);
    if (argument->keyword && argument->value_optional)
        fputs("]", out);
}

static void into_buffer(const struct argument *argument,
                        void (*write)(const struct argument *argument, FILE *out), char *text,
                        size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    if (!out)
        return;
    write(argument, out);
    if (fclose(out) != 0)
        text[size - 1] = '\0';
}

void argument_usage_one(const struct argument *argument, char *text, size_t size)
{
    *text = '\0';
    into_buffer(argument, write_one, text, size);
}

/* Writes "head, layer or gradient". */
static void write_expected(const struct argument *argument, FILE *out)
{
    const char *const *choices = argument->choices;
    if (argument->expected) {
        fputs(argument->expected, out);
        return;
    }
    if (!choices || argument->kind != ARGUMENT_CHOICE) {
        write_value(argument, out);
        return;
    }
    const int count = argument_choices(argument);
    for (int i = 0, written = 0; i < count; i++)
        if (*choices[i])
            fprintf(out, "%s%s", !written++ ? "" : i + 1 < count ? ", " : " or ", choices[i]);
}

void argument_expected(const struct argument *argument, char *text, size_t size)
{
    *text = '\0';
    into_buffer(argument, write_expected, text, size);
}

/* The whole ------------------------------------------------------------------------------------ */

/* A usage being written; `written`: the arguments that it has so far. */
struct usage {
    const struct argument_list *list;
    FILE *out;
    unsigned written;
};

static bool is_optional(const struct usage *usage, int index)
{
    return !usage->list->each[index].required;
}

/* Returns the argument whose brackets contain this one: the last optional one that it needs; -1:
 * none. */
static int parent_of(const struct usage *usage, int index)
{
    const struct argument *argument = &usage->list->each[index];
    for (int i = usage->list->count - 1; i >= 0; i--) {
        if (!(argument->needs & ARG(i)))
            continue;
        return is_optional(usage, i) ? i : parent_of(usage, i);
    }
    return -1;
}

static void write_children(struct usage *usage, int parent);

static void write_body(struct usage *usage, int index)
{
    write_one(&usage->list->each[index], usage->out);
    usage->written |= ARG(index);
    write_children(usage, index);
}

/* Returns the next argument in the same brackets that excludes this one; -1: none. */
static int alternative(const struct usage *usage, int index, int parent)
{
    for (int i = index + 1; i < usage->list->count; i++) {
        const struct argument *argument = &usage->list->each[i];
        if (!(usage->written & ARG(i)) && !argument->hidden && argument->without & ARG(index) &&
            parent_of(usage, i) == parent)
            return i;
    }
    return -1;
}

static void write_optional(struct usage *usage, int index, int parent)
{
    fputs("[", usage->out);
    write_body(usage, index);
    for (int i = alternative(usage, index, parent); i >= 0; i = alternative(usage, i, parent)) {
        fputs(" | ", usage->out);
        write_body(usage, i);
    }
    fputs("]", usage->out);
}

/* Writes the arguments within the brackets of one, or (-1) outside brackets. */
static void write_children(struct usage *usage, int parent)
{
    const char *gap = parent < 0 ? "" : " ";
    for (int i = 0; i < usage->list->count; i++) {
        if (usage->written & ARG(i) || usage->list->each[i].hidden || parent_of(usage, i) != parent)
            continue;
        fputs(gap, usage->out);
        gap = " ";
        if (is_optional(usage, i))
            write_optional(usage, i, parent);
        else
            write_body(usage, i);
    }
}

void arguments_usage(const struct argument_list *list, FILE *out)
{
    struct usage usage = {list, out, 0};
    write_children(&usage, -1);
}

/* Messages ------------------------------------------------------------------------------------- */

static char *usage_text(const struct argument_list *list)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    arguments_usage(list, out);
    fclose(out);
    return text;
}

bool argument_fail_unexpected(const struct argument_list *list, const char *word,
                              struct status *status)
{
    char *usage = usage_text(list);
    if (!usage || !*usage)
        status_fail(status, STATUS_INVALID, "\"%s\": unexpected argument", QUOTED(word));
    else
        status_fail(status, STATUS_INVALID, "\"%s\": unexpected argument, expected %s",
                    QUOTED(word), usage);
    free(usage);
    return false;
}

bool argument_fail_missing(const struct argument_list *list, int index, struct status *status)
{
    const struct argument *argument = &list->each[index];
    char one[ARGUMENT_EXPECTED_BYTES], values[ARGUMENT_EXPECTED_BYTES] = "";
    char *usage = usage_text(list);
    // The usage has only the name of its value.
    if (argument->name && argument->choices)
        argument_expected(argument, values, sizeof values);
    const char *are = *values ? "; " : "", *name = *values ? argument->name : "",
               *colon = *values ? ": " : "";
    if (argument->expected)
        snprintf(one, sizeof one, "%s", argument->expected);
    else
        argument_usage_one(argument, one, sizeof one);
    bool first = usage && strncmp(usage, one, strlen(one)) == 0;
    if (!usage || argument->expected || first)
        status_fail(status, STATUS_INVALID, "expected %s%s%s%s%s",
                    first && !argument->expected ? usage : one, are, name, colon, values);
    else
        status_fail(status, STATUS_INVALID, "expected %s: %s%s%s%s%s", one, usage, are, name, colon,
                    values);
    free(usage);
    return false;
}

bool argument_fail_bar(const struct argument_list *list, struct status *status)
{
    char *usage = usage_text(list);
    status_fail(status, STATUS_INVALID,
                "expected %s; a text that has ||| itself is quoted: \"a ||| b\"",
                usage ? usage : "one bar less");
    free(usage);
    return false;
}
