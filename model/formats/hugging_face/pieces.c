/* The pieces of ids during the reading of a Hugging Face folder. */
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/text/quote.h"

bool hf_set_piece(struct hf_reader *reader, int side, int64_t id, const char *piece,
                  const char *file)
{
    if (id < 0)
        return status_fail(reader->status, STATUS_INVALID,
                           "%s: \"%s\": id %lld, expected 0 or more", file, QUOTED(piece),
                           (long long)id);
    if (id >= reader->sizes[side] || reader->pieces[side][id])
        return true;
    reader->pieces[side][id] = strdup(piece);
    return reader->pieces[side][id] || status_no_memory(reader->status);
}

int64_t hf_id(const struct hf_reader *reader, int side, const char *piece)
{
    int of = reader->separate_vocabularies ? side : 0;
    for (int64_t id = 0; id < reader->sizes[of]; id++)
        if (reader->pieces[of][id] && strcmp(reader->pieces[of][id], piece) == 0)
            return id;
    return -1;
}
