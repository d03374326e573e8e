/* config.json of CTranslate2. Options of its search are arguments of a call, which no file has. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    {.names = "unk_token bos_token eos_token decoder_start_token", OPTION_OBEYED, "special tokens"},
    {.names = "add_source_bos add_source_eos", OPTION_OBEYED, "put around the source"},
    {.names = "layer_norm_epsilon", OPTION_OBEYED, "of layer norms"},
    {NULL},
};

const struct toolkit_table options_ctranslate2 = {"CTranslate2", "`config.json`", options};
