#include "report/origins.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "session/head_description.h"
#include "session/script.h"

/* Heads and the search ------------------------------------------------------------------------- */

typedef bool head_test(const struct session *, enum module, int, int);

static void put_place(struct report *report, enum module module, int layer, int head)
{
    report_json(report, "module", value_text(module_names[module]));
    report_json(report, "layer", value_int(layer + 1));
    report_json(report, "head", value_int(head + 1));
}

/* Returns the mask as in the configuration: {"local": 2}, or a name. */
static struct value mask_value(struct report *report, const struct head *head)
{
    if (head->mask != MASK_LOCAL)
        return value_text(mask_names[head->mask]);
    struct group *local = report_object(report);
    report_json(report, "local", value_int(head->window));
    report_group_end(report);
    return value_object(&local->blocks);
}

static void put_head(struct report *report, const struct head *head)
{
    bool fixed = head->energy == ENERGY_FIXED;
    report_json(report, "energy", value_text(fixed ? "fixed" : "learned"));
    if (fixed) {
        report_json(report, "pattern", value_text(pattern_names[head->pattern]));
        if (head->pattern == PATTERN_GAUSSIAN) {
            report_json(report, "offset", value_int(head->offset));
            report_json(report, "deviation", value_real(head->deviation));
        }
        report_json(report, "unit", value_text(head->unit == UNIT_WORD ? "word" : "token"));
    } else {
        report_json(report, "mask", mask_value(report, head));
        if (head->entmax > 0)
            report_json(report, "alpha", value_real(head_alpha(head)));
    }
}

static struct value place_value(struct report *report, const struct session *session,
                                enum module module, int layer, int head, bool detail)
{
    struct group *object = report_object(report);
    put_place(report, module, layer, head);
    if (detail)
        put_head(report, head_settings_head(session->state.head_settings, module, layer, head));
    report_group_end(report);
    return value_object(&object->blocks);
}

/* Lists the heads for which `chosen` is true. */
static struct value list_heads(struct report *report, const struct session *session,
                               head_test *chosen, bool detail)
{
    const struct head_settings *settings = session->state.head_settings;
    size_t most = 0;
    int count = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        most += (size_t)settings->layers[m] * (size_t)settings->count[m];
    struct value *list = report_new(report, most, sizeof *list);
    for (int m = 0; list && m < MODULE_COUNT; m++)
        for (int layer = 0; layer < settings->layers[m]; layer++)
            for (int head = 0; head < settings->count[m]; head++)
                if (chosen(session, m, layer, head))
                    list[count++] = place_value(report, session, m, layer, head, detail);
    return value_list(list, count);
}

struct value heads_off_value(struct report *report, const struct session *session)
{
    return list_heads(report, session, head_off, false);
}

struct value heads_changed_value(struct report *report, const struct session *session)
{
    return list_heads(report, session, head_changed, true);
}

struct value search_value(struct report *report, const struct session *session)
{
    const struct config *config = session_config(session);
    const struct search_options *search = &session->state.search;
    struct group *object = report_object(report);
    report_json(report, "beam", value_int(search->beam));
    report_group(report, IN_JSON, "length_penalty");
    report_json(report, "kind", value_text(penalty_names[search->penalty]));
    report_json(report, "alpha", value_real(search->alpha));
    if (search->offset) // exports made before it existed are reproduced to the byte
        report_json(report, "offset", value_int(search->offset));
    report_group_end(report);
    report_group(report, IN_JSON, "max_length");
    report_json(report, "factor", value_real(search->factor));
    report_json(report, "plus", value_int(search->plus));
    if (search->most)
        report_json(report, "most", value_int(search->most));
    report_group_end(report);
    if (search->min_length) // as for the offset
        report_json(report, "min_length", value_int(search->min_length));
    if (search->at_limit != LIMIT_FORCED)
        report_json(report, "limit", value_text(limit_names[search->at_limit]));
    if (search->endings != ENDINGS_BEST)
        report_json(report, "endings", value_text(endings_names[search->endings]));
    if (config->languages.count)
        for (int side = 0; side < 2; side++)
            report_json(report, side == SIDE_SOURCE ? "source_language" : "target_language",
                        value_text(language_pair_name(config, &search->languages, side)));
    report_group_end(report);
    return value_object(&object->blocks);
}

/* The model ------------------------------------------------------------------------------------ */

bool model_is_foreign(const struct session *session)
{
    return !session->loaded->checkpoint->contents->own || session_config(session)->origin.family;
}

static struct value file_value(struct report *report, const char *name, const char *sha256)
{
    struct group *object = report_object(report);
    report_json(report, "name", value_text(report_copy(report, name)));
    report_json(report, "sha256", value_text(report_copy(report, sha256)));
    report_group_end(report);
    return value_object(&object->blocks);
}

struct value model_files_value(struct report *report, const struct session *session)
{
    const struct loaded *loaded = session->loaded;
    int count = loaded->checkpoint->contents->file_count;
    struct value *files = report_new(report, (size_t)count, sizeof *files);
    for (int i = 0; files && i < count; i++)
        files[i] =
            file_value(report, digests_name(loaded->checkpoint, i), loaded->digests.files[i]);
    return value_list(files, files ? count : 0);
}

struct value model_origin_value(struct report *report, const struct session *session)
{
    const struct model_origin *origin = &session_config(session)->origin;
    if (!origin->family)
        return value_null();
    struct value *files = report_new(report, (size_t)origin->file_count, sizeof *files);
    for (int i = 0; files && i < origin->file_count; i++)
        files[i] = file_value(report, origin->files[i].name, origin->files[i].sha256);
    struct group *object = report_object(report);
    report_json(report, "family", value_text(report_copy(report, origin->family)));
    report_json(report, "files", value_list(files, files ? origin->file_count : 0));
    report_group_end(report);
    return value_object(&object->blocks);
}

/* Conventions ---------------------------------------------------------------------------------- */

static void write_positions(FILE *out, const struct stack_config *stack)
{
    static const char *const layouts[] = {[LAYOUT_HALVES] = "halves",
                                          [LAYOUT_HALVES_FAIRSEQ] = "halves_fairseq",
                                          [LAYOUT_INTERLEAVED] = "interleaved"};
    if (stack->positions == POSITIONS_NONE)
        fputs(stack->buckets ? "relative positions" : "no positions", out);
    else if (stack->positions == POSITIONS_ROTARY)
        fprintf(out, "positions rotary, %s, base %g", layouts[stack->layout], stack->rotary_base);
    else
        fprintf(out, "positions %s",
                stack->positions == POSITIONS_LEARNED ? "learned" : layouts[stack->layout]);
    if (stack->positions != POSITIONS_NONE && stack->offset)
        fprintf(out, " from %d", stack->offset);
    if (stack->buckets)
        fprintf(out, "%s, %d buckets up to distance %d%s",
                stack->positions == POSITIONS_NONE ? "" : " and relative", stack->buckets,
                stack->max_distance, stack->separate_biases ? " in each layer" : "");
}

/* Writes the pieces for the languages that the session translates between. */
static void write_pieces(FILE *out, const struct session *session, const struct id_list *list,
                         int side)
{
    const struct checkpoint *checkpoint = session->loaded->checkpoint;
    const struct language_pair *languages = &session->state.search.languages;
    for (int i = 0; i < list->count; i++)
        fprintf(out, " %s",
                vocabulary_piece(checkpoint->vocabulary[side],
                                 config_token(checkpoint->config, list, i, languages, side)));
}

static void write_excluded(FILE *out, const struct session *session)
{
    enum { SHOWN = 5 };
    const struct id_list *excluded = &session_config(session)->excluded;
    const struct id_list shown = {excluded->ids, int_min(excluded->count, SHOWN)};
    if (!excluded->count)
        return;
    fputs("; never produced", out);
    write_pieces(out, session, &shown, SIDE_TARGET);
    if (excluded->count > SHOWN)
        fprintf(out, " and %d more", excluded->count - SHOWN);
}

static void write_search(FILE *out, const struct config *config)
{
    if (config->search.specials_allowed)
        fputs("; padding and start tokens may be produced", out);
    if (config->search.min_length)
        fprintf(out, "; at least %d token%s before the end", config->search.min_length,
                config->search.min_length == 1 ? "" : "s");
    if (config->search.min_length && config->search.renormalize)
        fputs(", which has no probability until then", out);
    if (config->search.endings == ENDINGS_FIRST)
        fputs("; the first translations that end are kept", out);
    if (config->search.endings == ENDINGS_NARROW)
        fputs("; the beam narrows with every translation that ends", out);
    if (config->search.endings == ENDINGS_RANKED)
        fputs("; translations that end compete with those that go on", out);
    if (config->search.endings == ENDINGS_ATTAINABLE)
        fputs("; the search goes on while a better translation seems attainable", out);
    if (config->search.endings == ENDINGS_NEVER)
        fputs("; the search goes on while a better translation of any length seems attainable",
              out);
    if (config->search.at_limit == LIMIT_FREE)
        fputs("; at the maximum length end-of-sentence is forced and costs nothing", out);
    if (config->search.at_limit == LIMIT_OPEN)
        fputs("; translations of the maximum length need no end-of-sentence", out);
    if (config->search.endings == ENDINGS_TOP)
        fputs("; the search ends once the best continuation ends a translation", out);
    if (config->search.offset)
        fprintf(out, "; the length penalty counts %d more token%s", config->search.offset,
                config->search.offset == 1 ? "" : "s");
}

static void write_conventions(FILE *out, const struct session *session)
{
    const struct config *config = session_config(session);
    const struct stack_config *stacks = config->stacks;
    const struct id_list *heads = &config->alignment.heads;
    write_positions(out, &stacks[STACK_ENCODER]);
    fprintf(out, "; %s-norm", stacks[STACK_ENCODER].pre_norm ? "pre" : "post");
    if (stacks[STACK_DECODER].pre_norm != stacks[STACK_ENCODER].pre_norm)
        fprintf(out, ", of the decoder %s-norm", stacks[STACK_DECODER].pre_norm ? "pre" : "post");
    if (stacks[STACK_ENCODER].output_norm || stacks[STACK_DECODER].output_norm)
        fprintf(out, " and norms of %soutputs",
                !stacks[STACK_DECODER].output_norm   ? "the encoder's "
                : !stacks[STACK_ENCODER].output_norm ? "the decoder's "
                                                     : "");
    fprintf(out, "%s, epsilon %g; embeddings times %g", config->rms_norm ? " (RMS)" : "",
            (double)config->norm_eps, (double)config->embedding_scale);
    if (config->attention_scale > 0)
        fprintf(out, "; energies times %g", (double)config->attention_scale);
    if (config->attention_cap > 0)
        fprintf(out, "; energies capped at %g", (double)config->attention_cap);
    if (config->output_cap > 0)
        fprintf(out, "; logits capped at %g", (double)config->output_cap);
    if (config->output_scale != 1)
        fprintf(out, "; states times %g before the output", (double)config->output_scale);
    fputs("; source", out);
    write_pieces(out, session, &config->prefix, SIDE_SOURCE);
    fputs(" …", out);
    write_pieces(out, session, &config->suffix, SIDE_SOURCE);
    fputs("; target begins", out);
    write_pieces(out, session, &config->start, SIDE_TARGET);
    write_excluded(out, session);
    write_search(out, config);
    if (heads->count)
        fprintf(out, "; aligns by layer %d, head", config->alignment.layer + 1);
    for (int i = 0; i < heads->count; i++)
        fprintf(out, " %d", heads->ids[i] + 1);
}

const char *model_conventions(struct report *report, const struct session *session)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        write_conventions(out, session);
    return report_written(&writer);
}

/* Provenance: states --------------------------------------------------------------------------- */

/* Writes the commands that lead from the model's file to the session's state, one per line. NULL:
 * out of memory. */
static char *write_state(const struct session *session)
{
    char *text = NULL;
    size_t size;
    struct status status;
    struct script_writer writer = {session, open_memstream(&text, &size), 0};
    if (!writer.stream)
        return NULL;
    script_write_settings(&writer, setting_of_state);
    bool ok = script_write_heads(&writer, &status);
    if (fclose(writer.stream) == 0 && ok)
        return text;
    free(text);
    return NULL;
}

static struct value list_lines(struct report *report, const char *text)
{
    int count = 0;
    for (const char *c = text; *c; c++)
        count += *c == '\n';
    const char **lines = report_new(report, (size_t)count, sizeof *lines);
    for (int i = 0; lines && i < count; i++) {
        size_t length = strcspn(text, "\n");
        lines[i] = report_format(report, "%.*s", (int)length, text);
        text += length + 1;
    }
    return value_texts(lines, lines ? count : 0);
}

static struct value state_value(struct report *report, const struct session *session,
                                const struct saved_state *state)
{
    struct session other = session_under(session, state, NULL);
    return list_lines(report, report_take_text(report, write_state(&other)));
}

/* Describes a state in words: "model en-de.bin  :disable encoder layer 2 head 1". */
static const char *state_words(struct report *report, const char *path, const struct value *state)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        fprintf(out, "model %s", path);
    for (int i = 0; out && i < state->count; i++)
        fprintf(out, "  %s", state->texts[i]);
    return report_written(&writer);
}

static void put_one(struct report *report, const struct session *session)
{
    const struct saved_state state =
        report->origin.state.loaded ? report->origin.state : states_current(session);
    struct value commands = state_value(report, session, &state);
    report_json(report, "model", value_text(state.loaded->path));
    report_json(report, "state", commands);
    if (report->navigation.kind == VIEW_FILE) {
        report->computed_with = state_words(report, state.loaded->path, &commands);
        report->named_with =
            state_words(report, report_copy(report, loaded_name(state.loaded)), &commands);
    }
}

static void put_several(struct report *report, const struct session *session)
{
    const struct origin *origin = &report->origin;
    struct value *models = report_new(report, (size_t)origin->count, sizeof *models);
    struct value *states = report_new(report, (size_t)origin->count, sizeof *states);
    int count = models && states ? origin->count : 0;
    for (int i = 0; i < count; i++) {
        models[i] = value_text(origin->states[i].state.loaded->path);
        states[i] = state_value(report, session, &origin->states[i].state);
    }
    report_json(report, "model", value_list(models, count));
    report_json(report, "state", value_list(states, count));
}

/* For scores of translations made elsewhere. */
static void put_none(struct report *report)
{
    report_json(report, "model", value_null());
    report_json(report, "state", value_null());
}

/* Provenance: the sentence --------------------------------------------------------------------- */

/* With several states, each has its own translation, which stands beside its weights. */
static void put_sentence(struct report *report, const struct sentence_pair *pair)
{
    report_group(report, IN_JSON, "sentence");
    report_json(report, "source", value_text(report_copy(report, pair->text)));
    if (report->origin.count == 0) {
        report_json(report, "target", value_text(report_copy(report, pair_target(pair))));
        report_json(report, "forced", value_bool(pair->forced));
        report_json(report, "hypothesis", value_int(pair->chosen + 1));
    }
    report_group_end(report);
}

void report_add_provenance(struct report *report, const struct session *session)
{
    const struct origin *origin = &report->origin;
    struct group *group = report_object(report);
    if (origin->count)
        put_several(report, session);
    else if (origin->study && !origin->state.loaded)
        put_none(report);
    else
        put_one(report, session);
    if (origin->pair)
        put_sentence(report, origin->pair);
    report_group_end(report);
    report->provenance = &group->blocks;
}
