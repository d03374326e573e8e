#!/usr/bin/env python3
"""Writes tests/golden/bleu_files.json: BLEU of sacreBLEU with tokenisers that are SentencePiece models.

Small models of tests/golden/text take the places of the real ones. Needs the packages sacrebleu and sentencepiece.
"""
import json
import os
import shutil
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
MODELS = {"flores200sacrebleuspm": "unigram.model", "sacrebleu_tokenizer_spm.model": "bpe.model"}
TEXTS = ["the cat sits on the mat .", "Zwei Hunde laufen über die Wiese!", " ein  Mann\u3000steht ", "x 12,345", ""]
REFERENCES = ["the cat sat on the mat.", "Zwei Hunde rennen über eine Wiese!", "ein Mann steht dort", "y 12.345", "z"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/models")
        for name, model in MODELS.items():
            shutil.copy(f"{ROOT}/tests/golden/text/{model}", f"{folder}/models/{name}")
        os.environ["SACREBLEU"] = folder
        from sacrebleu.metrics import BLEU
        scores = []
        for name in "spm", "flores101", "flores200":
            for lowercase in False, True:
                bleu = BLEU(tokenize=name, lowercase=lowercase)
                score = bleu.corpus_score(TEXTS, [REFERENCES])
                scores.append({"tokenize": name, "lowercase": lowercase, "score": score.score,
                               "verbose_score": str(score).split(" = ", 1)[1].split(" ", 1)[1],
                               "signature": str(bleu.get_signature())})
    with open(f"{ROOT}/tests/golden/bleu_files.json", "w", encoding="utf-8") as file:
        json.dump({"models": MODELS, "texts": TEXTS, "references": REFERENCES, "scores": scores}, file, ensure_ascii=False, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
