#include "tui/report/model_origin.h"

#include "base/minmax.h"

bool model_is_foreign(const struct session *session)
{
    return !session->loaded->checkpoint->contents->own || session_config(session)->origin.family;
}

/* Files ---------------------------------------------------------------------------------------- */

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
    else
        fprintf(out, "positions %s",
                stack->positions == POSITIONS_LEARNED ? "learned" : layouts[stack->layout]);
    if (stack->positions != POSITIONS_NONE && stack->offset)
        fprintf(out, " from %d", stack->offset);
    if (stack->buckets)
        fprintf(out, "%s, %d buckets up to distance %d",
                stack->positions == POSITIONS_NONE ? "" : " and relative", stack->buckets,
                stack->max_distance);
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
    if (config->search.endings == ENDINGS_FIRST)
        fputs("; the first translations that end are kept", out);
    if (config->search.endings == ENDINGS_NARROW)
        fputs("; the beam narrows with every translation that ends", out);
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
    fprintf(out, "%s, epsilon %g; embeddings times %g", config->rms_norm ? " (RMS)" : "",
            (double)config->norm_eps, (double)config->embedding_scale);
    if (config->attention_scale > 0)
        fprintf(out, "; energies times %g", (double)config->attention_scale);
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
