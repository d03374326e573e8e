/* What it costs to translate a test set under many settings of heads at once, as `:ablate` does,
 * compared with one setting after the other, as `:translate` does, with the same batch size.
 *
 * Usage: bench_sweep [MODEL [SRC]]     (default: samples/en-de.bin samples/sentences.en)
 *
 * Two cases: heads that are off in all layers of the encoder, where the settings share nothing but
 * the batches; and one head at a time, in the encoder and behind it, where the layers below are
 * computed once for all.
 *
 * One thread, and processor time, so that other processes count for little. Both ways must give the
 * same texts; this is checked before anything is timed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/study/ablate.h"
#include "model/study/sweep.h"
#include "model/text/conllu/conllu.h"
#include "session/selector.h"
#include "session/session.h"
#include "terminal/text/arguments.h"

enum { ROUNDS = 3, PLAIN_RUNS = 8 };

struct bench {
    struct session *session;
    const char *path;
    struct lines sources;
    struct head_settings **head_settings; // (count): the model's own, then without each head
    int count;
};

static void die(const struct status *status)
{
    fprintf(stderr, "bench_sweep: %s\n", status->message);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct cost {
    double seconds, sentences, tokens;
};

/* Translates sentences and adds the work and time to `cost`; the texts stay in the session. */
static void translate(struct bench *bench, int first, int count, struct cost *cost)
{
    struct status status;
    struct sweep sweep = {.path = bench->path,
                          .sources = &bench->sources,
                          .head_settings = bench->head_settings + first,
                          .count = count,
                          .kept = bench->count};
    const struct study_context context = session_study(bench->session, NULL);
    double begin = now();
    if (!sweep_open(&context, &sweep, &status) || !sweep_translate(&context, &sweep, NULL, &status))
        die(&status);
    cost->seconds += now() - begin;
    cost->sentences += (double)count * bench->sources.count;
    cost->tokens += (double)sweep.tokens;
    sweep_free(&sweep);
}

static struct cost run_together(struct bench *bench)
{
    struct cost cost = {0};
    cache_forget(&bench->session->cache, CACHED_TRANSLATIONS);
    translate(bench, 0, bench->count, &cost);
    return cost;
}

static struct cost run_apart(struct bench *bench)
{
    struct cost cost = {0};
    cache_forget(&bench->session->cache, CACHED_TRANSLATIONS);
    for (int i = 0; i < bench->count; i++)
        translate(bench, i, 1, &cost);
    return cost;
}

/* Translates with all heads, several times. */
static struct cost run_plain(struct bench *bench)
{
    struct cost cost = {0};
    for (int i = 0; i < PLAIN_RUNS; i++) {
        cache_forget(&bench->session->cache, CACHED_TRANSLATIONS);
        translate(bench, 0, 1, &cost);
    }
    return cost;
}

/* Returns all texts that the session keeps, in the order of the head settings; the caller frees
 * them. */
static char *all_texts(struct bench *bench)
{
    struct state state = bench->session->state;
    struct status status;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out && i < bench->count; i++) {
        state.head_settings = bench->head_settings[i];
        const struct translated *made =
            cache_translations(&bench->session->cache, &state, &bench->sources, &status);
        if (!made)
            die(&status);
        for (int k = 0; k < bench->sources.count; k++)
            fprintf(out, "%s\n", made->texts[k] ? made->texts[k] : "(none)");
    }
    if (!out || fclose(out) != 0) {
        fprintf(stderr, "bench_sweep: out of memory\n");
        exit(1);
    }
    return text;
}

static void check_texts(struct bench *bench)
{
    run_apart(bench);
    char *apart = all_texts(bench);
    run_together(bench);
    char *together = all_texts(bench);
    if (strcmp(apart, together) != 0 || strstr(apart, "(none)")) {
        fprintf(stderr, "bench_sweep: together and apart differ\n");
        exit(1);
    }
    printf("  checked: %d sentences under %d settings, together and apart: the same texts\n",
           bench->sources.count, bench->count);
    free(apart);
    free(together);
}

static void open_head_settings(struct bench *bench, enum ablate_by by, const char *selected)
{
    struct status status;
    struct selectors selectors;
    struct ablation_list list;
    struct strings words = {0};
    const struct head_settings *own = bench->session->state.head_settings;
    if (!arguments_split(selected, &words, &status) ||
        !selectors_parse(&words, &selectors, &status) ||
        !ablation_list_select(&selectors, by, session_config(bench->session), &list, &status))
        die(&status);
    bench->head_settings =
        memory_new((size_t)list.count + 1, sizeof *bench->head_settings, &status);
    for (bench->count = 0; bench->head_settings && bench->count <= list.count; bench->count++) {
        int i = bench->count;
        bench->head_settings[i] = i ? ablation_head_settings(own, &list.items[i - 1], &status)
                                    : head_settings_copy(own, &status);
        if (!bench->head_settings[i])
            die(&status);
    }
    if (!bench->head_settings)
        die(&status);
    ablation_list_free(&list);
    selectors_free(&selectors);
    strings_free(&words);
}

static void close_head_settings(struct bench *bench)
{
    cache_forget(&bench->session->cache, CACHED_TRANSLATIONS);
    for (int i = 0; i < bench->count; i++)
        head_settings_free(bench->head_settings[i]);
    free(bench->head_settings);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

static double sentence_rate(const struct cost *cost)
{
    return cost->sentences / cost->seconds;
}

static double token_rate(const struct cost *cost)
{
    return cost->tokens / cost->seconds;
}

/* The three ways take turns, so that a slow moment of the machine affects all of them. Without some
 * heads translations get longer or shorter. Therefore the rate in tokens, and the rate of one
 * setting after the other, are printed as well. */
static void time_sweep(struct bench *bench, enum ablate_by by, const char *selected)
{
    double rate[ROUNDS], plain_sentences[ROUNDS], plain_tokens[ROUNDS], apart_sentences[ROUNDS];
    open_head_settings(bench, by, selected);
    printf("by %s %s\n", ablate_by_names[by], selected);
    check_texts(bench);
    for (int i = 0; i < ROUNDS; i++) {
        struct cost plain = run_plain(bench), together = run_together(bench);
        struct cost apart = run_apart(bench);
        rate[i] = sentence_rate(&together);
        plain_sentences[i] = rate[i] / sentence_rate(&plain);
        plain_tokens[i] = token_rate(&together) / token_rate(&plain);
        apart_sentences[i] = rate[i] / sentence_rate(&apart);
    }
    printf("  together %.1f sentences/s: of :translate's rate with all heads %.3f, in tokens %.3f; "
           "of its rate with the same heads off %.3f (medians of %d)\n",
           median(rate), median(plain_sentences), median(plain_tokens), median(apart_sentences),
           ROUNDS);
    close_head_settings(bench);
}

int main(int count, char **arguments)
{
    const char *model = count > 1 ? arguments[1] : "samples/en-de.bin";
    struct bench bench = {.path = count > 2 ? arguments[2] : "samples/sentences.en"};
    struct session_spec spec = {
        .paths = &model, .count = 1, .device = {.kind = DEVICE_CPU}, .threads = 1};
    struct status status;
    setvbuf(stdout, NULL, _IOLBF, 0);
    bench.session = session_open(&spec, &status);
    if (!bench.session || !sentences_read(bench.path, NULL, &bench.sources, NULL, &status))
        die(&status);
    printf("%s, %s: %d sentences, batches of %d\n", model, bench.path, bench.sources.count,
           bench.session->state.search.batch);
    time_sweep(&bench, ABLATE_HEAD, "enc");
    time_sweep(&bench, ABLATE_LAYER_HEAD, "enc head 1 or cross head 1");
    lines_free(&bench.sources);
    session_close(bench.session);
    return 0;
}
