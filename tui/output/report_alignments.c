#include "tui/output/report_alignments.h"

#include <string.h>
#include <utf8proc.h>

static const struct alignments *find(const struct report *report)
{
    const struct block *block = report_find(report, BLOCK_ALIGNMENTS, IN_ALIGNMENTS);
    return block ? block->alignments : NULL;
}

bool report_has_alignments(const struct report *report)
{
    return find(report) != NULL;
}

size_t report_alignment_count(const struct report *report)
{
    const struct alignments *alignments = find(report);
    return alignments ? (size_t)alignments->count : 0;
}

static void write_row(FILE *stream, const struct align_soft *soft, int row, char between)
{
    const float *weights = soft->weights + (size_t)row * (size_t)soft->columns;
    for (int j = 0; j < soft->columns; j++) {
        if (j)
            fputc(between, stream);
        fprintf(stream, "%.9g", weights[j]);
    }
}

static void write_marian(FILE *stream, const struct align_soft *soft)
{
    for (int t = 0; t < soft->rows; t++) {
        if (t)
            fputc(' ', stream);
        write_row(stream, soft, t, ',');
    }
    fputc('\n', stream);
}

static bool is_space(utf8proc_int32_t c)
{
    utf8proc_category_t category = utf8proc_category(c);
    return c <= ' ' || (c >= 0x7F && c <= 0x9F) || category == UTF8PROC_CATEGORY_ZS ||
           category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

/* Readers split at " ||| " and at blanks: where a token has bars in a row they are written as Moses escapes them,
 * &#124;, and blanks likewise. */
static void write_token(FILE *stream, const char *token)
{
    bool bars = strstr(token, "|||") != NULL;
    while (*token) {
        utf8proc_int32_t c;
        utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)token, -1, &c);
        size_t count = bytes > 0 ? (size_t)bytes : 1;
        if (bytes > 0 && ((bars && c == '|') || is_space(c)))
            fprintf(stream, "&#%d;", (int)c);
        else
            fwrite(token, 1, count, stream);
        token += count;
    }
}

/* All but the last, which is end-of-sentence. */
static void write_tokens(FILE *stream, const char *const *tokens, int count)
{
    for (int i = 0; i + 1 < count; i++) {
        fputs(i ? " " : "", stream);
        write_token(stream, tokens[i]);
    }
}

static void write_nematus(FILE *stream, const struct align_soft *soft, int sentence)
{
    fprintf(stream, "%d ||| ", sentence);
    write_tokens(stream, soft->target, soft->rows);
    fprintf(stream, " ||| %.9g ||| ", soft->cost);
    write_tokens(stream, soft->source, soft->columns);
    fprintf(stream, " ||| %d %d\n", soft->columns, soft->rows);
    for (int t = 0; t < soft->rows; t++) {
        write_row(stream, soft, t, ' ');
        fputc('\n', stream);
    }
    fputc('\n', stream);
}

static bool write_soft(FILE *stream, enum alignment_layout layout,
                       const struct alignments *alignments, int i, struct status *status)
{
    struct align_soft soft;
    if (!alignments->soft(alignments->data, i, &soft, status))
        return false;
    if (layout == ALIGNMENT_MARIAN)
        write_marian(stream, &soft);
    else if (soft.rows)
        write_nematus(stream, &soft, i);
    align_soft_free(&soft);
    return true;
}

bool alignments_report(FILE *stream, enum alignment_layout layout, const struct report *report,
                       struct pace *pace, struct status *status)
{
    const struct alignments *alignments = find(report);
    for (int i = 0; alignments && i < alignments->count; i++) {
        if (!pace_step(pace, 1))
            return false;
        if (layout == ALIGNMENT_PHARAOH)
            fprintf(stream, "%s\n", alignments->links[i]);
        else if (!write_soft(stream, layout, alignments, i, status))
            return false;
    }
    return true;
}
