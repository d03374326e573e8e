/* Tokenisers whose models are files, applied to text: "KIND\n", the text in one line, the model.
 * KIND is sentencepiece, bpe, byte_bpe, json, joiner or whitespace; "moses", "normalized", "ended",
 * "lower" or "fr" may follow, as in "bpe moses lower". */
#include <stdlib.h>
#include <string.h>

#include "model/text/text.h"
#include "tests/fuzz/fuzz.h"

static enum tokenizer_kind kind_of(const char *name)
{
    return strstr(name, "sentencepiece") ? TOKENIZER_SENTENCEPIECE
           : strstr(name, "byte_bpe")    ? TOKENIZER_BYTE_BPE
           : strstr(name, "bpe")         ? TOKENIZER_BPE
           : strstr(name, "json")        ? TOKENIZER_JSON
           : strstr(name, "joiner")      ? TOKENIZER_JOINER
                                         : TOKENIZER_WHITESPACE;
}

static void split_and_join(struct tokenizer *tokenizer, const char *text)
{
    struct status status = {0};
    struct strings pieces = {0};
    if (tokenizer_split(tokenizer, text, &pieces, &status)) {
        char *joined =
            tokenizer_join(tokenizer, (const char *const *)pieces.text, pieces.count, &status);
        if (!joined)
            fuzz_refused(&status);
        free(joined);
    } else {
        fuzz_refused(&status);
    }
    strings_free(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct fuzz_file file;
    if (!fuzz_file(data, size, &file))
        return 0;
    const uint8_t *end = file.size ? memchr(file.data, '\n', file.size) : NULL;
    char *text = end ? fuzz_text(file.data, (size_t)(end - file.data)) : NULL;
    if (!text)
        return 0;
    static const struct added_token added[] = {
        {.text = "a", .single_word = true},
        {.text = "<x>", .strip_left = true},
        {.text = "<xy", .strip_right = true, .normalized = true}};
    struct tokenizer_spec spec = {.kind = kind_of(file.name),
                                  .moses = strstr(file.name, "moses") != NULL,
                                  .normalized = strstr(file.name, "normalized") != NULL,
                                  .marks = strstr(file.name, "ended") ? MARKS_WORD_END : MARKS_NONE,
                                  .lowercase = strstr(file.name, "lower") != NULL,
                                  .blanks =
                                      strstr(file.name, "pieces") ? BLANKS_PIECES : BLANKS_ASCII,
                                  .added = added,
                                  .added_count = strstr(file.name, "added") ? 3 : 0,
                                  .language_codes = strstr(file.name, "codes") != NULL,
                                  .last_blank = strstr(file.name, "last") != NULL,
                                  .language = strstr(file.name, "fr") ? "fr" : "en",
                                  .model = (const char *)end + 1,
                                  .model_bytes = file.size - (size_t)(end - file.data) - 1};
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    if (tokenizer)
        split_and_join(tokenizer, text);
    else
        fuzz_refused(&status);
    tokenizer_close(tokenizer);
    free(text);
    return 0;
}
