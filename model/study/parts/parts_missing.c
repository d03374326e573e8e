/* Which sentences the files of a merge lack, and what would bring them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/parts/parts_fields.h"
#include "model/text/quote.h"

void parts_lack_range(struct parts *parts, int first, int end)
{
    for (int i = first; i < end; i++)
        parts->lacking[i] = true;
    parts->lacked++;
}

void parts_lack(struct parts *parts, int sentence)
{
    parts_lack_range(parts, sentence, sentence + 1);
}

/* "the parts lack sentences 34 to 66, 80 and others of 100" */
static void name_sentences(const struct parts *parts, FILE *out)
{
    enum { RUNS_MOST = 3 };
    const int count = parts->counts.sentences;
    int runs = 0;
    fprintf(out, "the parts lack %s ", parts->counts.unit);
    for (int i = 0, end; i < count; i = end + 1) {
        for (end = i; end < count && parts->lacking[end] == parts->lacking[i]; end++)
            continue;
        end--;
        if (!parts->lacking[i])
            continue;
        if (runs == RUNS_MOST) {
            fputs(" and others", out);
            break;
        }
        fprintf(out, "%s%d", runs++ ? ", " : "", i + 1);
        if (end > i)
            fprintf(out, " to %d", end + 1);
    }
    fprintf(out, " of %d", count);
}

/* Of how many parts the files are; 0: of different numbers. */
static int parts_of(const struct parts *parts)
{
    int count = parts->merged_count ? parts->merged[0].count : 0;
    for (int i = 0; i < parts->merged_count; i++)
        if (parts->merged[i].count != count)
            return 0;
    return count;
}

static bool has_file(const struct parts *parts, int part)
{
    for (int i = 0; i < parts->merged_count; i++)
        if (parts->merged[i].part == part)
            return true;
    return false;
}

static bool lacks_part(const struct parts *parts, int part, int count)
{
    const int sentences = parts->counts.sentences;
    for (int i = parts_first(part, count, sentences); i < parts_first(part + 1, count, sentences);
         i++)
        if (parts->lacking[i])
            return true;
    return false;
}

/* The parts that lack sentences, behind `before`: those with a file, or those without. Returns how many there are. */
static int name_parts(const struct parts *parts, int count, bool with_file, const char *before,
                      FILE *out)
{
    enum { NAMED_MOST = 8 };
    int named = 0;
    for (int part = 1; part <= count; part++) {
        if (has_file(parts, part) != with_file || !lacks_part(parts, part, count))
            continue;
        if (named++ < NAMED_MOST)
            fprintf(out, "%s%d/%d", named > 1 ? ", " : before, part, count);
    }
    if (named > NAMED_MOST)
        fprintf(out, " and %d more", named - NAMED_MOST);
    return named;
}

static void name_cause(const struct parts *parts, FILE *out)
{
    const int count = parts_of(parts);
    fputs(": ", out);
    if (count && name_parts(parts, count, false, "there is no file of ", out))
        return;
    if (parts->counts.found == 0 && parts->journal.count > 0) {
        fputs("they have nothing of this model with these settings and texts", out);
        return;
    }
    if (!count || !name_parts(parts, count, true,
                              "expected the rest, by the same command with --shard ", out))
        fputs("expected the rest, by the same commands with --shard", out);
}

bool parts_check(const struct parts *parts, const char *path, struct status *status)
{
    char *text = NULL;
    size_t size;
    if (!parts || parts_divided(parts) || !parts->lacked)
        return true;
    bool same = !parts->merged_device || strcmp(parts->merged_device, parts->spec.device) == 0;
    if (same && parts->lacked <= parts->damaged)
        return true;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return status_no_memory(status);
    name_sentences(parts, out);
    name_cause(parts, out);
    bool ok = fclose(out) == 0;
    if (ok)
        status_fail(status, STATUS_INVALID, "%s: %s", QUOTED_PATH(path), text);
    else
        status_no_memory(status);
    free(text);
    return false;
}
