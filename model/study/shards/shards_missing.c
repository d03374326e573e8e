/* Names the sentences that a merge's files lack, and the commands that would compute them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/shards/shards_fields.h"
#include "model/text/quote.h"

void shards_lack_range(struct shards *shards, int first, int end)
{
    for (int i = first; i < end; i++)
        shards->lacking[i] = true;
    shards->lacked++;
}

void shards_lack(struct shards *shards, int sentence)
{
    shards_lack_range(shards, sentence, sentence + 1);
}

/* Writes "the parts lack sentences 34 to 66, 80 and others of 100". */
static void name_sentences(const struct shards *shards, FILE *out)
{
    enum { RUNS_MOST = 3 };
    const int count = shards->counts.sentences;
    int runs = 0;
    fprintf(out, "the parts lack %s ", shards->counts.unit);
    for (int i = 0, end; i < count; i = end + 1) {
        for (end = i; end < count && shards->lacking[end] == shards->lacking[i]; end++)
            continue;
        end--;
        if (!shards->lacking[i])
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

/* Returns how many parts the files belong to; 0: they disagree. */
static int parts_of(const struct shards *shards)
{
    int count = shards->merged_count ? shards->merged[0].count : 0;
    for (int i = 0; i < shards->merged_count; i++)
        if (shards->merged[i].count != count)
            return 0;
    return count;
}

static bool has_file(const struct shards *shards, int part)
{
    for (int i = 0; i < shards->merged_count; i++)
        if (shards->merged[i].part == part)
            return true;
    return false;
}

static bool lacks_part(const struct shards *shards, int part, int count)
{
    const int sentences = shards->counts.sentences;
    for (int i = shards_first(part, count, sentences); i < shards_first(part + 1, count, sentences);
         i++)
        if (shards->lacking[i])
            return true;
    return false;
}

/* Writes the parts that lack sentences after `before`: those with a file, or those without. Returns
 * how many there are. */
static int name_parts(const struct shards *shards, int count, bool with_file, const char *before,
                      FILE *out)
{
    enum { NAMED_MOST = 8 };
    int named = 0;
    for (int part = 1; part <= count; part++) {
        if (has_file(shards, part) != with_file || !lacks_part(shards, part, count))
            continue;
        if (named++ < NAMED_MOST)
            fprintf(out, "%s%d/%d", named > 1 ? ", " : before, part, count);
    }
    if (named > NAMED_MOST)
        fprintf(out, " and %d more", named - NAMED_MOST);
    return named;
}

static void name_cause(const struct shards *shards, FILE *out)
{
    const int count = parts_of(shards);
    fputs(": ", out);
    if (count && name_parts(shards, count, false, "there is no file of ", out))
        return;
    if (shards->counts.found == 0 && shards->journal.count > 0) {
        fputs("they have nothing of this model with these settings and texts", out);
        return;
    }
    if (!count || !name_parts(shards, count, true,
                              "expected the rest, by the same command with --shard ", out))
        fputs("expected the rest, by the same commands with --shard", out);
}

bool shards_check(const struct shards *shards, const char *path, struct status *status)
{
    char *text = NULL;
    size_t size;
    if (!shards || shards_divided(shards) || !shards->lacked)
        return true;
    if (shards->lacked <= shards->damaged)
        return true;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return status_no_memory(status);
    name_sentences(shards, out);
    name_cause(shards, out);
    bool ok = fclose(out) == 0;
    if (ok)
        status_fail(status, STATUS_INVALID, "%s: %s", QUOTED_PATH(path), text);
    else
        status_no_memory(status);
    free(text);
    return false;
}
