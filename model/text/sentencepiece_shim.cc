#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <sentencepiece_processor.h>

extern "C" {
#include "model/text/sentencepiece_shim.h"
}

/* Not in the library's installed headers, but exported by it; without it the library reports
 * errors on standard error. */
namespace sentencepiece::logging
{
void SetMinLogLevel(int level);
}

struct sentencepiece_model {
    sentencepiece::SentencePieceProcessor processor;
    bool marks_ends;
};

namespace
{

const std::string blank_mark = "\u2581";
// Stands before the unknown piece on its way through the library, which then takes it for text. It
// is a noncharacter, so that no text has it.
const std::string shield = "\uFDD0";
const int log_fatal = 3;

void replace_all(std::string &text, const std::string &from, const std::string &to)
{
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

/* Runs what may throw; false with a status where it does or where the library reports an error. */
template <typename Action> bool guarded(struct status *status, Action action)
{
    try {
        const auto result = action();
        if (result.ok())
            return true;
        return status_fail(status, STATUS_INVALID, "SentencePiece: %s", result.error_message());
    } catch (const std::bad_alloc &) {
        return status_fail(status, STATUS_MEMORY, "out of memory in SentencePiece");
    } catch (const std::exception &error) {
        return status_fail(status, STATUS_INVALID, "SentencePiece: %s", error.what());
    } catch (...) {
        return status_fail(status, STATUS_INVALID, "SentencePiece failed");
    }
}

sentencepiece::util::Status decode(const sentencepiece::SentencePieceProcessor &processor,
                                   const char *const *pieces, int count, std::string &text)
{
    const int unknown_id = processor.unk_id();
    const std::string unknown = processor.IdToPiece(unknown_id);
    std::vector<std::string> list;
    list.reserve(count);
    for (int i = 0; i < count; i++)
        list.push_back(pieces[i] == unknown ? shield + unknown : pieces[i]);
    const auto result = processor.Decode(list, &text);
    replace_all(text, shield + unknown, unknown);
    const bool strange = count > 0 && processor.PieceToId(list[0]) == unknown_id;
    if (strange && text.compare(0, blank_mark.size(), blank_mark) == 0)
        text.erase(0, blank_mark.size());
    replace_all(text, blank_mark, " ");
    return result;
}

} // namespace

struct sentencepiece_model *sentencepiece_open(const char *model, size_t bytes,
                                               struct status *status)
{
    struct sentencepiece_model *opened = nullptr;
    if (!sentencepiece_check(model, bytes, status))
        return nullptr;
    const bool good = guarded(status, [&] {
        sentencepiece::logging::SetMinLogLevel(log_fatal);
        opened = new struct sentencepiece_model;
        opened->marks_ends = sentencepiece_ends_words(model, bytes);
        return opened->processor.LoadFromSerializedProto({model, bytes});
    });
    if (!good)
        sentencepiece_close(opened);
    return good ? opened : nullptr;
}

void sentencepiece_close(struct sentencepiece_model *model)
{
    delete model;
}

bool sentencepiece_marks_ends(const struct sentencepiece_model *model)
{
    return model->marks_ends;
}

bool sentencepiece_list(const struct sentencepiece_model *model, struct strings *pieces,
                        struct status *status)
{
    for (int id = 0; id < model->processor.GetPieceSize(); id++) {
        const std::string &piece = model->processor.IdToPiece(id);
        if (!strings_add(pieces, piece.data(), piece.size(), status))
            return false;
    }
    return true;
}

bool sentencepiece_split(const struct sentencepiece_model *model, const char *text,
                         struct strings *pieces, struct status *status)
{
    std::vector<std::string> list;
    if (!guarded(status, [&] { return model->processor.Encode(text, &list); }))
        return false;
    for (const std::string &piece : list)
        if (!strings_add(pieces, piece.data(), piece.size(), status))
            return false;
    return true;
}

char *sentencepiece_join(const struct sentencepiece_model *model, const char *const *pieces,
                         int count, struct status *status)
{
    std::string text;
    if (!guarded(status, [&] { return decode(model->processor, pieces, count, text); }))
        return nullptr;
    char *copy = static_cast<char *>(memory_new(text.size() + 1, 1, status));
    if (copy)
        std::memcpy(copy, text.data(), text.size());
    return copy;
}
