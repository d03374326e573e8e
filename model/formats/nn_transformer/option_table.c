/* attnscope.json, which describes a model of torch.nn.Transformer. */
#include <stddef.h>

#include "model/formats/options.h"

static const struct toolkit_option options[] = {
    {.names = "weights",
     OPTION_OBEYED,
     "the file with the weights; otherwise the one that ranks first by its name"},
    {.names = "heads", OPTION_OBEYED, "heads of every attention; of encoder and decoder"},
    {.names = "norm_first",
     OPTION_OBEYED,
     "`true`: norms come before attention and feed-forward layers; otherwise behind them"},
    {.names = "activation", OPTION_OBEYED, "`relu` (if absent) or `gelu`"},
    {.names = "layer_norm_eps", OPTION_OBEYED, "1e-5 if absent"},
    {.names = "embedding_scale",
     OPTION_OBEYED,
     "`true`: embeddings are multiplied by the square root of their width; `false`; or a number"},
    {.names = "embeddings output",
     OPTION_OBEYED,
     "names of tensors: of source and target, and of the last linear layer"},
    {.names = "positions",
     OPTION_OBEYED,
     "the name of a table that is added to embeddings, of one for each side, `sinusoidal` (sine "
     "and "
     "cosine in turn, from 0), or `none`"},
    {.names = "vocabulary",
     OPTION_OBEYED,
     "one file, or one for each side: JSON or a pickle (pieces, or pieces and ids), or a piece a "
     "line; or the name of such a value in the checkpoint"},
    {.names = "tokenizer",
     OPTION_OBEYED,
     "`characters`, `words` (if absent), or a tokeniser's file; of each side"},
    {.names = "source target",
     OPTION_OBEYED,
     "`start` and `end`: pieces around the source's (null: none), and of the target's"},
    {.names = "pad unk", OPTION_OBEYED, "pieces; unknown ones become `unk`"},
    {.names = "max_length",
     OPTION_OBEYED,
     "most tokens of a translation: `factor` for each token of the source, and `plus`"},
    {.names = "beam", OPTION_OBEYED, "width of the beam, 1 if absent"},
    {.names = "name source_language target_language", OPTION_OBEYED, "names"},
    {.names = NULL},
};

const struct toolkit_table options_nn_transformer = {"nn.Transformer", "`attnscope.json`", options};
