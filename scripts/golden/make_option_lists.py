#!/usr/bin/env python3
"""Lists the options that each toolkit has, for tests/model/formats/options/test_options.c.

    scripts/golden/make_option_lists.py REPOSITORIES

transformers, ctranslate2, eole and sockeye are the packages that are installed. REPOSITORIES holds the sources of the
other toolkits: marian-dev, fairseq, OpenNMT-py, joeynmt, argos-translate. The first line of a list names the toolkit and
its version; every other line is one option. --only NAME makes one list. nn.Transformer has none: its options are those
of attnscope.json.
"""

import argparse
import ast
import dataclasses
import inspect
import os
import re
from pathlib import Path

LISTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/golden/formats/options")
MODELS = ("Marian", "M2M100", "Pegasus", "Bart", "MBart", "T5", "MT5", "UMT5", "FSMT", "T5Gemma", "T5GemmaModule")
TOKENIZERS = ("MarianTokenizer", "M2M100Tokenizer", "NllbTokenizer", "PegasusTokenizer", "BartTokenizer",
              "MBartTokenizer", "MBart50Tokenizer", "T5Tokenizer", "FSMTTokenizer", "GemmaTokenizer")


def write(name, toolkit, options):
    with open(os.path.join(LISTS, name), "w", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in [f"# {toolkit}", *sorted(set(options))]))


def parameters(function):
    return [name for name, of in inspect.signature(function).parameters.items()
            if name != "self" and of.kind not in (of.VAR_KEYWORD, of.VAR_POSITIONAL)]


def transformers_options():
    """What the classes write to generation_config.json and config.json, and the arguments of
    tokenisers."""
    import transformers

    options = list(transformers.GenerationConfig().to_dict())
    for model in MODELS:
        options += getattr(transformers, f"{model}Config")().to_dict()
    for name in TOKENIZERS:
        options += parameters(getattr(transformers, name).__init__)
    for base in (transformers.PreTrainedTokenizer, transformers.PreTrainedTokenizerBase):
        options += re.findall(r'kwargs\.pop\("(\w+)"', inspect.getsource(base.__init__))
    return f"transformers {transformers.__version__}", options


def settings_of(*specifications):
    """Variables of model.bin that are not weights: numbers, flags, and tables of attention."""
    weights = ("weight", "weight_scale", "weight_zero", "bias", "gamma", "beta")
    for specification in specifications:
        for name, value in re.findall(r"self\.(\w+) = (.*)", inspect.getsource(specification.__init__)):
            if not re.search(r"Spec\(|^[\[(]|dict\(\)", value) and name not in weights:
                yield name


def ctranslate2_options():
    import ctranslate2
    from ctranslate2.converters import transformers as converter
    from ctranslate2.specs import attention_spec, common_spec, model_spec, transformer_spec

    options = parameters(model_spec.SequenceToSequenceModelConfig.__init__)
    for name in ("BartLoader", "MarianMTLoader", "M2M100Loader", "MBartLoader", "PegasusLoader", "T5Loader"):
        options += re.findall(r"\bconfig\.(\w+) = ", inspect.getsource(getattr(converter, name).set_config))
    options += settings_of(transformer_spec.TransformerEncoderSpec, transformer_spec.TransformerDecoderSpec,
                           transformer_spec.TransformerEncoderLayerSpec, transformer_spec.TransformerDecoderLayerSpec,
                           attention_spec.MultiHeadAttentionSpec, common_spec.LayerNormSpec,
                           common_spec.EmbeddingsSpec)
    signature = ctranslate2.Translator.translate_batch.__doc__.splitlines()[0]
    options += [name for name in re.findall(r"(\w+): ", signature) if name != "self"]
    return f"ctranslate2 {ctranslate2.__version__}", options


def marian_options(folder):
    source = open(f"{folder}/src/common/config_parser.cpp", encoding="utf-8").read()
    version = open(f"{folder}/VERSION", encoding="utf-8").read().strip()
    return f"marian-dev {version}", re.findall(r'cli\.add<[^(]*>\(\s*"--([\w-]+)', source)


def fields(path, names=None):
    """The annotated members of the classes of a file."""
    tree = ast.parse(open(path, encoding="utf-8").read())
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and (names is None or node.name in names):
            for member in node.body:
                if isinstance(member, ast.AnnAssign):
                    yield member.target.id


def fairseq_options(folder):
    """Options of stacks have the stack's name as a prefix, as on the command line and in
    checkpoints."""
    config = f"{folder}/fairseq/models/transformer/transformer_config.py"
    options = [f"{stack}_{name}" for stack in ("encoder", "decoder") for name in fields(config, ["EncDecBaseConfig"])]
    options += [f"decoder_{name}" for name in fields(config, ["DecoderConfig"])]
    options += [f"quant_noise_{name}" for name in fields(config, ["QuantNoiseConfig"])]
    options += [name for name in fields(config, ["TransformerConfig"]) if name not in ("encoder", "decoder",
                                                                                       "quant_noise")]
    options += fields(f"{folder}/fairseq/dataclass/configs.py", ["GenerationConfig"])
    options += fields(f"{folder}/fairseq/tasks/translation.py", ["TranslationConfig"])
    version = open(f"{folder}/fairseq/version.txt", encoding="utf-8").read().strip()
    return f"fairseq {version}", options


def opennmt_options(folder):
    """The options of training, which are in checkpoints, and of translate.py."""
    source = open(f"{folder}/onmt/opts.py", encoding="utf-8").read()
    version = re.search(r'version="(.*)"', open(f"{folder}/setup.py", encoding="utf-8").read()).group(1)
    return f"OpenNMT-py {version}", re.findall(r'\.add\(\s*"--(\w+)"', source)


def joeynmt_options(folder):
    """The options that the code reads from the configuration."""
    options = []
    for name in ("config", "model", "data", "datasets", "embeddings", "encoders", "decoders", "initialization",
                 "tokenizers", "vocabulary", "builders"):
        source = open(f"{folder}/joeynmt/{name}.py", encoding="utf-8").read()
        options += re.findall(r'\b\w*(?:cfg|config|kwargs|symbols)(?:\["\w+"\])*(?:\.get\(|\[)"(\w+)"', source)
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and re.match(r"Transformer(En|De)coder$|Embeddings$", node.name):
                for member in node.body:
                    if isinstance(member, ast.FunctionDef) and member.name == "__init__":
                        options += [argument.arg for argument in member.args.args if argument.arg != "self"]
    init = open(f"{folder}/joeynmt/__init__.py", encoding="utf-8").read()
    return f"joeynmt {re.search(r'[0-9]+[.][0-9.]+', init).group(0)}", options


def argos_options(folder):
    """What it reads from metadata.json, and passes to translate_batch."""
    package = open(f"{folder}/argostranslate/package.py", encoding="utf-8").read()
    call = open(f"{folder}/argostranslate/translate.py", encoding="utf-8").read().split("translate_batch(")[1]
    version = re.search(r'version="(.*)"', open(f"{folder}/setup.py", encoding="utf-8").read()).group(1)
    options = re.findall(r'metadata\.get\("(\w+)"', package)
    return f"argostranslate {version}", options + re.findall(r"^\s+(\w+)=", call.split("\n    )")[0], re.M)


def eole_options():
    """The fields that config.json may have for a Transformer and its search."""
    import eole
    from eole.config import inference, models
    from eole.transforms import tokenize
    classes = (models.EmbeddingsConfig, models.TransformerEncoderConfig, models.TransformerDecoderConfig,
               models.TransformerModelConfig, inference.DecodingConfig, inference.InferenceConfig,
               tokenize.BaseTokenizerConfig)
    return f"eole {eole.__version__}", [name for each in classes for name in each.model_fields]


def sockeye_options():
    """The fields that `config` may have, and the options of sockeye-translate."""
    import sockeye
    from sockeye import arguments, data_io, encoder, layers, model, transformer
    classes = (data_io.DataStatistics, data_io.DataConfig, layers.LengthRatioConfig, transformer.TransformerConfig,
               encoder.FactorConfig, encoder.EmbeddingConfig, model.ModelConfig)
    parser = argparse.ArgumentParser(add_help=False)
    arguments.add_translate_cli_args(parser)
    options = [field.name for each in classes for field in dataclasses.fields(each)]
    return f"sockeye {sockeye.__version__}", options + [action.dest for action in parser._actions]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--only", metavar="NAME")
    given = parser.parse_args()
    toolkits = {"transformers": (transformers_options,), "ctranslate2": (ctranslate2_options,),
                "marian": (marian_options, "marian-dev"), "fairseq": (fairseq_options, "fairseq"),
                "opennmt": (opennmt_options, "OpenNMT-py"), "joeynmt": (joeynmt_options, "joeynmt"),
                "eole": (eole_options,), "argos": (argos_options, "argos-translate"), "sockeye": (sockeye_options,)}
    for name, (options, *folder) in toolkits.items():
        if given.only in (None, name):
            write(f"{name}.txt", *options(*[given.repositories / part for part in folder]))


main()
