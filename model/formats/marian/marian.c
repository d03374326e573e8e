/* Reads models of Marian: model.npz or model.bin with vocabularies and, usually, decoder.yml in one
 * folder. Marian's src/models/transformer.h shows what they compute. */
#include <stdlib.h>
#include <string.h>

#include "model/formats/marian/reader.h"
#include "model/formats/options.h"
#include "model/text/quote.h"

/* Marian uses these scales for a student's quantised activations; here activations are floats. */
static bool is_harmless(const char *name)
{
    return strncmp(name, "special:", strlen("special:")) == 0 || strstr(name, "QuantMultA") != NULL;
}

/* Parameters that are not used would be missing from the computation. */
static bool marian_check_leftovers(struct marian_reader *reader)
{
    for (int i = 0; i < reader->items->count; i++) {
        const struct marian_item *item = &reader->items->items[i];
        if (!item->used && !is_harmless(item->name))
            return marian_fail(reader, item->name,
                               "is not supported, expected a Transformer of attention, norms "
                               "and feed-forward layers");
    }
    return true;
}

static bool open_items(struct marian_reader *reader)
{
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, reader->model, reader->status);
    reader->items = file ? marian_items_open(file, reader->status) : NULL;
    return reader->items || (file && status_prefix(reader->status, "%s", QUOTED(reader->model)));
}

/* Marian multiplies quantised weights by activations that it rounds, too. */
static bool tell_rounding(struct marian_reader *reader)
{
    bool rounds8 = false, rounds16 = false;
    for (int i = 0; i < reader->items->count; i++) {
        rounds8 |= reader->items->items[i].type == MARIAN_INT8;
        rounds16 |= reader->items->items[i].type == MARIAN_INT16;
    }
    return (!rounds8 && !rounds16) ||
           options_tell_text(rounds8 ? FLOAT_ACTIVATIONS : "activations of 16 bits",
                             reader->contents, reader->status);
}

/* A model of an ensemble can be opened by its path, or if the others are absent. */
static bool tell_ensemble(struct marian_reader *reader)
{
    size_t count = json_array_size(json_object_get(reader->decoder, "models"));
    char text[64];
    snprintf(text, sizeof text, "an ensemble of %zu models", count);
    return count < 2 || options_tell_text(text, reader->contents, reader->status);
}

/* Reports what Marian does in translation that is not done here. */
static bool tell(struct marian_reader *reader)
{
    return options_tell(&options_marian, reader->decoder, reader->contents, reader->status) &&
           tell_rounding(reader) && tell_ensemble(reader);
}

static bool read_model(struct marian_reader *reader)
{
    if (!open_items(reader) || !marian_read_options(reader) || !marian_find_vocabularies(reader))
        return false;
    marian_name_languages(reader);
    return marian_find_embeddings(reader) && marian_read_vocabularies(reader) &&
           marian_put_embeddings(reader) && marian_put_stack(reader, 0) &&
           marian_put_stack(reader, 1) && marian_put_vocabularies(reader) &&
           marian_check_leftovers(reader) &&
           contents_configure(reader->contents, plain_config_json(&reader->plain),
                              reader->status) &&
           tell(reader);
}

static bool read_marian(struct contents *contents, const struct candidate *candidate,
                        struct status *status)
{
    struct marian_reader reader = {
        .contents = contents, .folder = candidate->folder, .status = status};
    reader.plain.name = candidate->name;
    bool good =
        marian_find_model(&reader, candidate->is_folder ? NULL : name_in_path(candidate->path)) &&
        read_model(&reader);
    for (int side = 0; side < 2; side++) {
        piece_list_free(&reader.pieces[side]);
        free(reader.vocabulary[side]);
    }
    free(reader.model);
    free(reader.decoder_name);
    json_decref(reader.decoder);
    json_decref(reader.options);
    json_decref(reader.excluded);
    json_decref(reader.languages);
    marian_items_close(reader.items);
    return good;
}

static bool recognise(const struct candidate *candidate)
{
    if (candidate->is_folder)
        return marian_in_folder(candidate->folder);
    return marian_bin_begins(candidate->head) ||
           (marian_npz_begins(candidate->head) && marian_npz_recognise(candidate->path));
}

const struct family family_marian = {"Marian", recognise, read_marian};
