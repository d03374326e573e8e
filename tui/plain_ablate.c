/* Ablations and prunings as plain text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/plain.h"

static void print_partial(FILE *stream, const struct ablate_result *ablate)
{
    if (ablate->sentences < ablate->lines)
        fprintf(stream, " partial: the first %d of %d sentences\n", ablate->sentences,
                ablate->lines);
    else if (ablate_partial(ablate))
        fputs(" partial: not tested\n", stream);
}

static int widest_text(const struct ablation_list *list)
{
    size_t widest = strlen("off");
    for (int i = 0; i < list->count; i++) {
        char *text = ablation_text(&list->items[i]);
        size_t width = text ? strlen(text) : 0;
        widest = width > widest ? width : widest;
        free(text);
    }
    return (int)widest;
}

static void print_p(FILE *stream, double p)
{
    if (isnan(p))
        fprintf(stream, " %10s", "");
    else
        fprintf(stream, " %10.4f", p);
}

static void print_rows(FILE *stream, const struct ablate_result *ablate)
{
    const struct ablation_list *list = &ablate->ablations;
    int width = widest_text(list);
    fprintf(stream, " %5s %-*s %8s %8s %9s %10s %10s\n", "row", width, "off", "BLEU", "delta",
            "differing", "p", "p adjusted");
    for (int i = 0; i < list->count; i++) {
        const struct ablation_score *score = &ablate->scores[i];
        char *text = ablation_text(&list->items[i]);
        fprintf(stream, " %5d %-*s %8.2f %+8.2f %9d", i + 1, width, text ? text : "", score->score,
                score->delta, score->differing);
        free(text);
        print_p(stream, score->p);
        print_p(stream, score->p_adjusted);
        fputc('\n', stream);
    }
}

void plain_ablate_facts(FILE *stream, const struct ablate_result *ablate)
{
    print_partial(stream, ablate);
    fputs(" BLEU|", stream);
    ablate_write_signature(stream, ablate);
    fprintf(stream, " = %.2f without an ablation\n", ablate->base);
}

void plain_ablate_shown(FILE *stream, const struct ablate_result *ablate)
{
    if (ablate->request.shown)
        fprintf(stream, " row %d: a without, b with the ablation; %d of %d sentences differ\n",
                ablate->request.shown, ablate->shown.differing, ablate->sentences);
}

void plain_ablate(struct sink *sink, const struct session *session, const struct result *result)
{
    const struct ablate_result *ablate = &result->ablate;
    plain_study_title(sink->stream, session, result);
    plain_ablate_facts(sink->stream, ablate);
    print_rows(sink->stream, ablate);
    plain_ablate_shown(sink->stream, ablate);
    plain_listed(sink->stream, &ablate->shown);
}

static void print_step(FILE *stream, int number, const struct prune_step *step)
{
    char off[80];
    snprintf(off, sizeof off, "%s layer %d head %d", module_names[step->module], step->layer + 1,
             step->head + 1);
    fprintf(stream, " %5d %-24s %5d %8.2f %+8.2f\n", number, off, step->left, step->score,
            step->delta);
}

void plain_prune_facts(FILE *stream, const struct prune_result *prune)
{
    if (prune->partial)
        fprintf(stream, " partial: the first %d steps\n", prune->count);
    fputs(" BLEU|", stream);
    prune_write_signature(stream, prune);
    fprintf(stream, " = %.2f with all of %d heads\n", prune->base, prune->heads);
}

void plain_prune_end(FILE *stream, const struct prune_result *prune)
{
    if (prune_fell(prune))
        fprintf(stream, " with step %d it falls by more than %.9g\n", prune->count,
                prune->request.until);
}

void plain_prune_shown(FILE *stream, const struct prune_result *prune)
{
    if (prune->request.shown)
        fprintf(stream,
                " step %d: a with all heads, b without those of steps 1 to %d; %d of %d sentences "
                "differ\n",
                prune->request.shown, prune->request.shown, prune->shown.differing,
                prune->sentences);
}

void plain_prune(struct sink *sink, const struct session *session, const struct result *result)
{
    const struct prune_result *prune = &result->prune;
    plain_study_title(sink->stream, session, result);
    plain_prune_facts(sink->stream, prune);
    fprintf(sink->stream, " %5s %-24s %5s %8s %8s\n", "step", "off", "left", "BLEU", "delta");
    for (int i = 0; i < prune->count; i++)
        print_step(sink->stream, i + 1, &prune->steps[i]);
    plain_prune_end(sink->stream, prune);
    plain_prune_shown(sink->stream, prune);
    plain_listed(sink->stream, &prune->shown);
}
