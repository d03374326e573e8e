"""An independent float64 reference of the attnscope models.

Written from the papers and the design alone, in plain PyTorch operations, so that the C program
and the training script can both be checked against a third party:

    checkpoint   reads and writes model files, names every tensor and its shape
    text         tokenisers and word boundaries
    patterns     fixed attention patterns and masks, from positions and words alone
    entmax       weights of energies that are exactly 0 for some keys
    attention    one attention module: energies, contexts, gates, combination of heads
    model        embedding, stacks, the forced pass
    search       beam search
    attribution  norms, rollout, flow and ALTI, as their papers define them
    selftest     what the reference itself is checked against
    golden       the data that the C program is checked against
    toolkit_cases  the same, as another toolkit says it of a model of its own
"""
