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

# Each session of samples/papers runs in $(BUILD)/papers, where its pictures go; what it prints goes to
# NAME.txt. On the CPU, whose numbers are the same everywhere.
PAPERS := $(patsubst samples/papers/%.scope,$(BUILD)/papers/%.txt,$(wildcard samples/papers/*.scope))
.PHONY: papers
papers: $(PAPERS)
	@echo '$(words $(PAPERS)) sessions: their pictures and numbers are in $(BUILD)/papers'
$(BUILD)/papers/%.txt: samples/papers/%.scope $(BUILD)/attnscope $(wildcard samples/*.bin samples/sentences*) \
		| $(BUILD)/papers/samples
	cd $(@D) && $(abspath $(BUILD)/attnscope) --device cpu samples/en-de.bin -f samples/papers/$*.scope >$*.txt.new
	@mv $@.new $@
# The same for the tests, with the first lines of the test set and the first items of the suites.
SHORT_PAPERS := $(PAPERS:$(BUILD)/%=$(BUILD)/tests/%)
.PHONY: short-papers
short-papers: $(SHORT_PAPERS)
$(BUILD)/tests/papers/%.txt: samples/papers/%.scope $(BUILD)/attnscope $(BUILD)/tests/papers/samples
	@cd $(@D) && $(abspath $(BUILD)/attnscope) --device cpu samples/en-de.bin -f samples/papers/$*.scope >$*.txt.new
	@mv $@.new $@
$(BUILD)/tests/papers/samples: $(wildcard samples/*.bin samples/*.json samples/sentences*)
	@rm -rf $@ && mkdir -p $@ && ln -s $(addprefix '$(CURDIR)'/,$(wildcard samples/*.bin) samples/papers) $@
	@for file in $(wildcard samples/sentences*); do head -n 40 $$file >$@/$${file#samples/}; done
	@for suite in $(wildcard samples/*.json); do jq '.[:40]' $$suite >$@/$${suite#samples/}; done
$(BUILD)/papers/samples:
	@mkdir -p $(@D) && ln -s '$(CURDIR)/samples' $@
