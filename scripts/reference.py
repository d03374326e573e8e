#!/usr/bin/env python3
"""The float64 reference: translate, force a target, test itself, make the golden data."""

import argparse
import json

import torch

from attnscope_reference.checkpoint import read_checkpoint, write_safetensors
from attnscope_reference.model import Model
from attnscope_reference.search import search


SHORT_PAIRS = [
    ("Two dogs are running.", "Zwei Hunde laufen."),
    ("The gardener hid the strawberries.", "Der Gärtner hat die Erdbeeren versteckt."),
    ("Nobody photographs the kitchen.", "Niemand fotografiert die Küche."),
    ("It is snowing.", "Es schneit."),
    ("We are late.", "Wir sind spät."),
    ("Where is my hat?", "Wo ist mein Hut?"),
    ("She sings well.", "Sie singt gut."),
    ("The soup is cold.", "Die Suppe ist kalt."),
    ("He lost his keys.", "Er hat seine Schlüssel verloren."),
    ("A boy is swimming.", "Ein Junge schwimmt."),
    ("The train has stopped.", "Der Zug hat angehalten."),
    ("They bought a boat.", "Sie haben ein Boot gekauft."),
    ("My aunt paints horses.", "Meine Tante malt Pferde."),
    ("Close the door!", "Schließ die Tür!"),
    ("The stars are bright.", "Die Sterne sind hell."),
    ("I do not smoke.", "Ich rauche nicht."),
    ("Three women are laughing.", "Drei Frauen lachen."),
    ("The tea was too hot.", "Der Tee war zu heiß."),
    ("Who wrote this letter?", "Wer hat diesen Brief geschrieben?"),
    ("Birds fly south.", "Vögel fliegen nach Süden."),
]


def translate(arguments):
    model = Model(read_checkpoint(arguments.model))
    for text in arguments.text:
        source = model.text.source(text)
        print("source", " ".join(source.tokens))
        hypotheses, margin = search(model, source, arguments.beam)
        for hypothesis in hypotheses:
            print("score", f"{hypothesis.score:.9g}", "logprob", f"{hypothesis.total:.9g}")
            print("  text", model.text.target_text(hypothesis.ids))
            print("  tokens", " ".join(model.text.target_tokens(hypothesis.ids)))
            print("  logprobs", " ".join(f"{x:.9g}" for x in hypothesis.logprobs))
        print("narrowest margin", f"{margin:.3g}")


def force(arguments):
    model = Model(read_checkpoint(arguments.model))
    source, target = model.text.source(arguments.source), model.text.target(arguments.target)
    captured, logprobs = model.force(source, target)
    del captured["decoder.output"]
    metadata = {"source_tokens": source.tokens, "source_ids": source.ids,
                "target_tokens": model.text.target_tokens(target), "target_ids": target,
                "logprobs": logprobs, "logprob": sum(logprobs)}
    write_safetensors(arguments.out, {name: t.float() for name, t in captured.items()},
                      {key: json.dumps(value, ensure_ascii=False)
                       for key, value in metadata.items()})


def selftest(_):
    from attnscope_reference.selftest import run
    run()


def golden(arguments):
    from attnscope_reference.golden import write_golden
    write_golden(arguments.directory, arguments.only)


def mixtures(arguments):
    from attnscope_reference.golden_random import write_random
    write_random(arguments.directory, arguments.first, arguments.count)


def samples(arguments):
    from attnscope_reference.golden_samples import write_samples
    write_samples(arguments.directory, arguments.samples, arguments.only)


def attribution(arguments):
    from attnscope_reference.attribution import write_attribution
    write_attribution(arguments.file, arguments.directory)


def gradients(arguments):
    from attnscope_reference.attribution import write_gradients
    write_gradients(arguments.file, arguments.models, SHORT_PAIRS)


def patches(arguments):
    from attnscope_reference.attribution import write_patches
    dogs = "Two dogs are running.", "Zwei Hunde laufen."
    car = "My brother bought a new car.", "Mein Bruder hat ein neues Auto gekauft."
    write_patches(arguments.file, arguments.models,
                  [(*dogs, "Two men are running.", None), (*dogs, "The dog", [(0, 0), (1, 2)]),
                   (*car, "A new house", [(0, 3), (1, 4), (2, 5)]),
                   ("It is raining.", "Es regnet.", "She was here last night.", [(1, 1), (4, 2)])])


def lens(arguments):
    from attnscope_reference.lens import write_lens
    write_lens(arguments.file, arguments.directory, arguments.models, SHORT_PAIRS[0])


def contrast(arguments):
    from attnscope_reference.golden_contrast import write_scores
    write_scores(arguments.file, arguments.model, arguments.suites)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)

    command = commands.add_parser("translate", help="every hypothesis of each text")
    command.add_argument("model")
    command.add_argument("text", nargs="+")
    command.add_argument("--beam", type=int)
    command.set_defaults(run=translate)

    command = commands.add_parser("force", help="everything captured for a sentence pair")
    command.add_argument("model")
    command.add_argument("source")
    command.add_argument("target")
    command.add_argument("--out", required=True)
    command.set_defaults(run=force)

    commands.add_parser("selftest", help="check the reference itself").set_defaults(run=selftest)

    command = commands.add_parser("golden", help="write the golden data")
    command.add_argument("directory")
    command.add_argument("--only", nargs="*", help="names of models")
    command.set_defaults(run=golden)

    command = commands.add_parser("random", help="write such data of random mixtures")
    command.add_argument("directory")
    command.add_argument("--first", type=int, default=1, help="number of the first model")
    command.add_argument("--count", type=int, default=50)
    command.set_defaults(run=mixtures)

    command = commands.add_parser("samples", help="write the golden data of trained models")
    command.add_argument("samples", help="folder of the models")
    command.add_argument("directory")
    command.add_argument("--only", nargs="*", help="names of models")
    command.set_defaults(run=samples)

    command = commands.add_parser("attribution", help="write what methods of attribution give")
    command.add_argument("file")
    command.add_argument("directory", help="folder of golden models and data")
    command.set_defaults(run=attribution)

    command = commands.add_parser("gradients", help="write derivatives by the gains of heads")
    command.add_argument("file")
    command.add_argument("models", nargs="+")
    command.set_defaults(run=gradients)

    command = commands.add_parser("patches", help="write what patched heads change")
    command.add_argument("file")
    command.add_argument("models", nargs="+")
    command.set_defaults(run=patches)

    command = commands.add_parser("lens", help="write what fewer layers predict")
    command.add_argument("file")
    command.add_argument("directory", help="folder of golden models and data")
    command.add_argument("models", nargs="+", help="trained models")
    command.set_defaults(run=lens)

    command = commands.add_parser("contrast", help="write the scores of contrastive suites")
    command.add_argument("file")
    command.add_argument("model")
    command.add_argument("suites", nargs="+")
    command.set_defaults(run=contrast)
    return parser.parse_args()


if __name__ == "__main__":
    # One thread: the sums of golden data must not depend on the machine's cores.
    torch.set_num_threads(1)
    arguments = parse()
    arguments.run(arguments)
