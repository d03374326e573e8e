# The models of samples/, and what samples/papers/ makes of them.

PYTHON ?= python3
# Folders with train and dev in .en and .de, in .ja and .en.
DATA ?=
DATA_JA ?=
TRAIN_SAMPLE = $(PYTHON) scripts/train_sample.py $(if $(DATA),--data '$(DATA)') $(if $(DATA_JA),--data-ja '$(DATA_JA)')

.PHONY: samples
samples:
	$(TRAIN_SAMPLE) all
sample-%: FORCE
	$(TRAIN_SAMPLE) $*
