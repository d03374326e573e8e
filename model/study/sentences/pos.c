#include "model/study/sentences/pos.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Open classes, closed classes, others: https://universaldependencies.org/u/pos. */
static const char *const universal[] = {"ADJ",  "ADV",   "INTJ",  "NOUN", "PROPN", "VERB",
                                        "ADP",  "AUX",   "CCONJ", "DET",  "NUM",   "PART",
                                        "PRON", "SCONJ", "PUNCT", "SYM",  "X",     "_"};
enum { UNIVERSAL = sizeof universal / sizeof *universal };

static int place_of(const struct conllu *conllu, int tag)
{
    const char *name = tag < 0 ? "_" : conllu->tags.text[tag];
    for (int i = 0; i < UNIVERSAL; i++)
        if (strcmp(universal[i], name) == 0)
            return i;
    return UNIVERSAL + tag;
}

bool pos_find(const struct conllu *conllu, const struct walk_sentence *sentence, int *places,
              struct status *status)
{
    const struct conllu_sentence *words = sentence->words;
    if (!sentence_conllu_words(model_checkpoint(sentence->state->model), &sentence->source,
                               sentence->text, words, places, status))
        return false;
    for (int i = 0; i < sentence->source.count; i++)
        if (places[i] >= 0)
            places[i] = place_of(conllu, words->words[places[i]].upos);
    return true;
}

bool pos_declare(const struct conllu *conllu, int rows, struct record_shape *shape,
                 struct status *status)
{
    return record_shape_add(
        shape, (struct record_field){rows, 1, -1, pos_most(conllu) - 1, .whole = true}, status);
}

bool pos_put(const struct conllu *conllu, const struct walk_sentence *sentence, struct record *out,
             struct status *status)
{
    const int count = sentence->source.count;
    int *places = memory_new((size_t)count, sizeof *places, status);
    bool ok = places && pos_find(conllu, sentence, places, status);
    for (int i = 0; ok && i < count; i++)
        ok = record_put(out, places[i], status);
    free(places);
    return ok;
}

int pos_most(const struct conllu *conllu)
{
    return UNIVERSAL + conllu->tags.count;
}

const char *pos_name(const struct conllu *conllu, int place)
{
    return place < UNIVERSAL ? universal[place] : conllu->tags.text[place - UNIVERSAL];
}

/* Sums ----------------------------------------------------------------------------------------- */

bool pos_sums_add(struct pos_sums *sums, const struct conllu *conllu, int place, int head,
                  double sum, int64_t rows, struct status *status)
{
    const size_t needed = (size_t)place + 1;
    if (!memory_grow((void **)&sums->sums, &sums->capacity[0], needed * (size_t)sums->heads,
                     sizeof *sums->sums, status) ||
        !memory_grow((void **)&sums->names, &sums->capacity[1], needed, sizeof *sums->names,
                     status))
        return false;
    sums->places = sums->places > place ? sums->places : place + 1;
    snprintf(sums->names[place], sizeof sums->names[place], "%s", pos_name(conllu, place));
    struct pos_sum *of = &sums->sums[(size_t)place * (size_t)sums->heads + (size_t)head];
    of->sum += sum;
    of->rows += rows;
    return true;
}

int64_t pos_sums_rows(const struct pos_sums *sums, int place, int head)
{
    return sums->sums[(size_t)place * (size_t)sums->heads + (size_t)head].rows;
}

double pos_sums_mean(const struct pos_sums *sums, int place, int head)
{
    const struct pos_sum *of = &sums->sums[(size_t)place * (size_t)sums->heads + (size_t)head];
    return of->rows ? of->sum / (double)of->rows : NAN;
}

void pos_sums_free(struct pos_sums *sums)
{
    free(sums->names);
    free(sums->sums);
    *sums = (struct pos_sums){.heads = 0};
}
