#include "tui/command/commands.h"

#include <stddef.h>
#include <string.h>

#include "session/selector.h"

static const char *const colours[] = {
    "A greater weight is lighter: in truecolor by the colour map itself, with 256 colours in 16 "
    "steps, with 8 or 16 colours in 13 shades from black to white. The maps blues and grey begin "
    "with white, as on paper, and get darker where cells are filled. Differences are neutral at "
    "zero, "
    "blue below it and red above it. Exported figures have their own colours (:set "
    "figure.colormap).",
    "Truecolor is used if the environment variable COLORTERM is truecolor or 24bit and terminfo "
    "has a direct form of TERM, such as xterm-direct or tmux-direct (Debian's package "
    "ncurses-term). Otherwise there are as many colours as TERM has: 256 where its name says so.",
    "In tmux, write into ~/.tmux.conf, and restart tmux with `tmux kill-server`:",
    "  set -g default-terminal tmux-256color",
    "  set -as terminal-features \",*:RGB\"",
    "  set-environment -g COLORTERM truecolor",
    "ssh does not pass COLORTERM on. If the terminal in front of you has truecolor, type on the "
    "other machine:",
    "  export COLORTERM=truecolor",
    "If NO_COLOR is set, there are no colours, and shades show the weights.",
    NULL,
};

static const char *const methods[] = {
    "`as METHOD` says what the matrix of :attn, :align or :beside shows, and what :align SRC TGT "
    "aligns by. :heads takes weights and norms.",
    "  weights        attention weights",
    "  norms          norms of weighted values",
    "  block-norms    with residual and norm",
    "  contributions  ALTI of one layer",
    "  rollout        weights of all layers",
    "  flow           maximum flow, all layers",
    "  alti           ALTI of all layers",
    "  value-zeroing  without the token's value",
    "norms: the norm of what the head adds for this token, which is the weight times the token's "
    "value after the output projection (Kobayashi et al. 2020). head all: the norm of the sum over "
    "the heads.",
    "block-norms: the same for the whole sublayer, with its residual connection and, in post-norm "
    "models, its layer norm (Kobayashi et al. 2021). In cross-attention the residual connection "
    "has no column.",
    "contributions: how much closer, in Manhattan distance, a token's vector is to the sublayer's "
    "output than the zero vector is, as a share of the row (Ferrando et al. 2022).",
    "rollout, flow (Abnar and Zuidema 2020) and alti (Ferrando et al. 2022) follow attention from "
    "the layer that is shown, by default the last, down through all layers to the tokens that the "
    "model reads. In the decoder these are tokens of the source (cross) and of the target so far "
    "(dec); "
    "a row of both sums to 1 (ALTI+). The title has the share of the source: where it is low, "
    "the model continues its own text instead of translating. In rollout it says nothing: every "
    "layer adds a residual connection of one half, so that of N layers it is 1 - 1/2^N. flow is "
    "slow for long sentences.",
    "value-zeroing: the cosine distance by which the layer's output moves when the token's value "
    "is "
    "set to zero in all heads, as a share of the row (Mohebbi et al. 2023). It runs the model once "
    "for each token.",
    "`:attribute METHOD` shows how much every token of the source and of the target so far "
    "contributes to each prediction. METHOD is rollout, flow or alti, of all layers, or",
    "  saliency              norm of the gradient",
    "  gradient-input        gradient times embedding",
    "  integrated-gradients  the same on a path",
    "  gradient-attention    gradient times weights",
    "  lrp                   relevance propagation",
    "  erasure               without the token",
    "saliency (Simonyan et al. 2014) and gradient-input (Denil et al. 2014) are one derivative of "
    "the token's log-probability by the embeddings. integrated-gradients (Sundararajan et al. "
    "2017) sums it along the way from nothing to the embeddings, so that a row sums to what the "
    "log-probability gains on it. gradient-attention (Chefer et al. 2021) follows weights that "
    "raise the log-probability through all layers. lrp distributes the token's logit, layer by "
    "layer (Voita et al. 2021; the rules of AttnLRP, Achtibat et al. 2024). erasure (Li et al. "
    "2016) is what the log-probability loses without the token's embedding. `against WORD` takes "
    "the difference from "
    "WORD's log-probability instead (Yin and Neubig 2022); rollout, flow and alti have none.",
    "All methods of layers take weights, gates and DHICM's importance as constants. Norms include "
    "the "
    "importance, and are 0 for a head that is off. rollout and flow take the mean over the heads "
    "that are on, "
    "under DHICM the mean by importance; they were published for self-attention; here "
    "cross-attention counts as one more layer with a residual connection. A decoder with a "
    "recurrence (SSRU) "
    "has none of the last three.",
    NULL,
};

static const char *const keys[] = {
    "In the prompt a line is edited as in a shell: Tab completes, the up arrow brings back earlier "
    "lines, Enter runs the line. Then the prompt is empty and waits for the next one.",
    "Letters go to the prompt while the cursor is in it, to the view after Esc, a click, Enter on "
    "an empty line, Tab, or an arrow to the left, to the right or down, which act there at once. "
    "PgUp, PgDn and the wheel scroll the view and leave the prompt as it is.",
    "In the view letters are keys: ? lists them, i goes back to the prompt, : types a command. "
    "Text that is typed there goes to the prompt as soon as it is clear that it is text, and what "
    "its letters did as keys is undone. What is pasted goes to the prompt wherever the focus is.",
    "At the prompt quit and exit leave, help and ? show the help. A line that is keys of the view, "
    "such as o or vq, or has a command inside, such as o:attn, is asked about. A blank in front of "
    "a "
    "line makes it a sentence whatever it says; :translate FILE asks nothing either.",
    "The line of keys begins with what has the focus; the lines around the view are heavy while it "
    "has it, and the cursor is in the prompt otherwise.",
    "While a command runs, what is there can be walked and read: the heads of a sentence whose "
    "weights are held, tables, help. What needs the model waits, in order. Esc in the view drops "
    "what waits, then stops the command, as Ctrl-C does.",
    "A number before a key of the view repeats it, or says which one is meant. Click a cell, or a "
    "head in the map of heads, to go there; double-click to open. To select text with the mouse, "
    "hold Shift.",
    NULL,
};

static const char *const json[] = {
    "Each command prints one object on a line of its own; :export FILE.json writes the same "
    "object with provenance: the program's version, the checkpoint's SHA-256, the settings. The "
    "first members are the same for all commands:",
    "  command   its name, or sentence",
    "  ok        whether it worked",
    "  error     if not, why",
    "  model     the path of the model",
    "  state     commands, from its file",
    "  sentence  of views and changes",
    "state is the list of commands that lead from the model's file to the state that the result "
    "was "
    "computed in, such as [\":disable cross layer 2 head 1-4\"]; [] is the file's own state. "
    "sentence has the members source, target, forced and hypothesis.",
    "Layers, heads, rows and sentences are counted from 1; words of alignments, as Pharaoh does, "
    "and candidates of contrastive suites (0: the reference) from 0.",
    "Views of cross-attention have cross_rows: whether rows are the predicted tokens or the "
    "decoder's input (:set cross_rows).",
    "Of several states (:beside, :compare, :flips, in A B...), model and state are lists, in the "
    "order "
    "of the states; each translation is a member of its state. For translations made elsewhere, "
    "and "
    "where no model could be opened, both are null.",
    NULL,
};

static const char *const selector[] = {
    "SELECTOR says which attention a command is about: " SELECTOR_SYNTAX
    ". The parts may stand in any order.",
    "  enc, dec, cross  the encoder's or the decoder's self-attention, or cross-attention",
    "  layer LIST|all   numbers from 1, such as 3, 1-4 or 2,5-7",
    "  head LIST        the same of heads",
    "  head mean, max   the mean or the maximum over the heads of a layer",
    "  head importance  their mean by the importance of DHICM",
    "  head all         all heads together, with some methods",
    "  as METHOD        more than weights (:help methods)",
    "cross 2.7 is short for cross layer 2 head 7. The word in may stand before a module.",
    "mean, max, importance, all and every method are for :attn, :align and :beside; :heads takes "
    "as "
    "weights and as norms.",
    "Without a module, views and :disable, :enable, :mask, :entmax and :pattern take the one "
    "that was shown last (before any was: views the encoder's, the others cross-attention), "
    "studies such as "
    ":ablate the encoder's. Without layer or head, views keep those shown last; all others take "
    "every layer and every head.",
    NULL,
};

static const char *const nn_transformer[] = {
    "Weights of PyTorch's nn.Transformer, or of its stacks alone, open with a file attnscope.json "
    "beside them, which says what weights do not tell. So does the layout of pytorch-seq2seq's "
    "tutorial (fc_q, fc_k, fc_v, fc_o), whose tables need no names. The folder is the model.",
    "  {\"heads\": 8, \"norm_first\": false,",
    "   \"embedding_scale\": true,",
    "   \"embeddings\": {\"source\": \"src_tok_emb.weight\",",
    "                  \"target\": \"tgt_tok_emb.weight\"},",
    "   \"positions\": \"pos_encoder.pe\",",
    "   \"output\": \"generator\",",
    "   \"vocabulary\": {\"source\": \"src.json\", \"target\": \"tgt.json\"},",
    "   \"tokenizer\": \"words\", \"pad\": \"<pad>\", \"unk\": \"<unk>\",",
    "   \"source\": {\"start\": \"<s>\", \"end\": \"</s>\"},",
    "   \"target\": {\"start\": \"<s>\", \"end\": \"</s>\"},",
    "   \"max_length\": {\"factor\": 1, \"plus\": 50}}",
    "embedding_scale: whether embeddings are multiplied by the square root of their width. "
    "positions: a table in the file, or sinusoidal, or none. vocabulary: JSON (pieces, or pieces "
    "and ids), a pickle of these, a piece a line, or such a value in the checkpoint. tokenizer: "
    "words, characters, or the name of a tokeniser's file. What both sides share needs no source "
    "and target: \"vocabulary\": \"vocab.json\". Where a name of a tensor is missing or wrong, the "
    "message lists those of the file.",
    "Others: weights (which file), activation (relu or gelu), layer_norm_eps, beam, name, "
    "source_language, target_language. doc/options.md explains each.",
    NULL,
};

const struct topic topic_table[] = {
    {"selector", "selectors", "which attention a command is about", selector},
    {"colours", "colors", "colours of the screen, and how to get all of them", colours},
    {"keys", NULL, "keys of the screen: the prompt and the view", keys},
    {"json", NULL, "the members of the objects that --json prints", json},
    {"methods", NULL, "what `as norms`, `as alti` and the other methods show", methods},
    {"nn.Transformer", "attnscope.json", "how to open weights of PyTorch's nn.Transformer",
     nn_transformer},
};
const int topic_count = sizeof topic_table / sizeof *topic_table;

const struct topic *topic_find(const char *name)
{
    for (int i = 0; i < topic_count; i++)
        if (strcmp(name, topic_table[i].name) == 0 ||
            (topic_table[i].alias && strcmp(name, topic_table[i].alias) == 0))
            return &topic_table[i];
    return NULL;
}
