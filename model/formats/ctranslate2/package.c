/* Packages of Argos Translate: PACKAGE/metadata.json, PACKAGE/model/model.bin, a subword model. For
 * what argostranslate does with them see its translate.py, package.py and tokenizer.py. */
#include <stdio.h>
#include <string.h>

#include "model/formats/ctranslate2/reader.h"
#include "model/formats/options.h"
#include "model/formats/tokenizer_file.h"

static const struct toolkit_option options[] = {
    {.names = "from_code to_code", OPTION_OBEYED, "languages"},
    {.names = "target_prefix", OPTION_OBEYED, "what translations begin with; it is not shown"},
    {.names = "beam_size length_penalty", OPTION_OBEYED, "4 and 0.2, which no file says"},
    {.names = "replace_unknowns",
     OPTION_TOLD,
     "on, which no file says: unknown tokens become words of the source"},
    {.names = "code from_codes to_codes from_name to_name languages source_languages "
              "target_languages",
     OPTION_IDLE,
     "names, of several languages too"},
    {.names = "package_version argos_version links type dependencies",
     OPTION_IDLE,
     "where packages come from"},
    {.names = "num_hypotheses return_scores max_batch_size batch_type",
     OPTION_IDLE,
     "what a call returns, and how fast"},
    {.names = NULL},
};

const struct toolkit_table options_argos = {
    "Argos Translate", "`metadata.json` of a package, and in the call of `translate_batch`",
    options};

bool ct2_is_package(const char *folder, const char *at)
{
    char about[32], model[32];
    snprintf(about, sizeof about, "%smetadata.json", at);
    snprintf(model, sizeof model, "%smodel/model.bin", at);
    return family_has(folder, about) && family_has(folder, model);
}

void ct2_set_package_search(struct ct2_reader *reader)
{
    if (!reader->package)
        return;
    reader->plain.beam = 4;
    reader->plain.alpha = 0.2;
}

/* argostranslate splits the text into sentences and changes it before and after translating. */
static bool tell_texts(struct ct2_reader *reader)
{
    const char *kind = reader->plain.tokenizer;
    const char *change = strcmp(kind, tokenizer_names[TOKENIZER_SENTENCEPIECE]) == 0
                             ? "blanks for underscores in translations"
                         : strcmp(kind, tokenizer_names[TOKENIZER_BPE]) == 0
                             ? "normalisation of punctuation"
                             : NULL;
    return options_tell_text("cutting into sentences", reader->contents, reader->status) &&
           (!change || options_tell_text(change, reader->contents, reader->status));
}

bool ct2_tell_package(struct ct2_reader *reader)
{
    if (!reader->package)
        return true;
    json_t *called = json_pack("{s:b}", "replace_unknowns", 1);
    bool good = called ? options_tell(&options_argos, called, reader->contents, reader->status)
                       : status_no_memory(reader->status);
    json_decref(called);
    return good && tell_texts(reader);
}
