# The models of samples/, and what samples/papers/ makes of them.

PYTHON ?= python3
# Folders with train, dev and test: in .en and .de; in .ja and .en.
DATA ?=
DATA_JA ?=
TRAIN_SAMPLE = $(PYTHON) scripts/train_sample.py $(if $(DATA),--data '$(DATA)') $(if $(DATA_JA),--data-ja '$(DATA_JA)')

.PHONY: samples
samples:
	$(TRAIN_SAMPLE) all
sample-%: FORCE
	$(TRAIN_SAMPLE) $*

# Each session of samples/papers runs in $(BUILD)/papers, where its pictures go, with its output in NAME.txt. It runs on
# the CPU, whose numbers are the same everywhere. With DATA, the sentences of the test split replace the fewer ones in
# samples/, and the folder is $(BUILD)/papers-test: the session there names data/test.en. DATA_JA does this for Japanese.
PAPERS_IN := $(BUILD)/papers$(if $(DATA),-test)
sessions_in = $(patsubst $1/%.scope,$(PAPERS_IN)/%.txt,$(wildcard $1/*.scope))
PAPERS := $(call sessions_in,samples/papers)
RUN_SESSION = $(abspath $(BUILD)/attnscope) --device cpu samples/en-de.bin -f
vpath %.scope samples/papers samples/papers/trained
.PHONY: papers
papers: $(PAPERS)
	@echo '$(words $(PAPERS)) sessions: their pictures and numbers are in $(PAPERS_IN)'
	$(if $(and $(DATA),$(DATA_JA)),@$(PYTHON) scripts/papers_verdicts.py --read-back $(PAPERS_IN))
# Sessions of samples/papers/trained load models that samples/ has no room for: a missing one is trained first, on one
# core. With -j 2 two are trained at a time.
TRAINED_PAPERS := $(call sessions_in,samples/papers/trained)
models_of = $(sort $(shell sed -n 's,^:load \(samples/trained/.*\),\1,p' samples/papers/trained/$1.scope))
trained_models = $(call models_of,*)
.PHONY: papers-trained
papers-trained: $(TRAINED_PAPERS)
	@echo '$(words $(TRAINED_PAPERS)) sessions: their pictures and numbers are in $(PAPERS_IN)'
$(TRAINED_PAPERS): | $$(call models_of,$$(basename $$(@F)))
.PRECIOUS: samples/trained/%.bin
samples/trained/%.bin:
	$(TRAIN_SAMPLE) $*
$(BUILD)/papers/%.txt: %.scope $(BUILD)/attnscope $(wildcard samples/*.bin samples/*.json samples/sentences*) \
		| $(BUILD)/papers/samples
	cd $(@D) && $(RUN_SESSION) $< >$*.txt.new
	@mv $@.new $@
$(BUILD)/papers-test/%.txt: %.scope $(BUILD)/attnscope $(wildcard samples/*.bin samples/*.json) \
		| $(BUILD)/papers-test/samples $(BUILD)/papers-test/data $(if $(DATA_JA),$(BUILD)/papers-test/data-ja)
	@sed -e 's,samples/sentences\.\(en\|de\),data/test.\1,g' \
		$(if $(DATA_JA),-e 's$(comma)samples/sentences-ja\.\(en\|ja\)$(comma)data-ja/test.\1$(comma)g') $< >$(@D)/$*.scope
	cd $(@D) && $(RUN_SESSION) $*.scope >$*.txt.new
	@mv $@.new $@
# The same for the tests, with the first lines of the test set and the first items of the suites. A model that is not in
# samples/ is replaced by a similar one.
SHORT_PAPERS := $(patsubst $(PAPERS_IN)/%,$(BUILD)/tests/papers/%,$(PAPERS) $(TRAINED_PAPERS))
KINDS := fixed-word fixed dhicm mma context-both context
STAND_IN = $(firstword $(foreach kind,$(KINDS),$(if $(findstring -$(kind),$1),en-de-$(kind))) en-de)
.PHONY: short-papers
short-papers: $(SHORT_PAPERS)
$(BUILD)/tests/papers/%.txt: %.scope $(BUILD)/attnscope $(BUILD)/tests/papers/samples
	@cd $(@D) && $(RUN_SESSION) $< >$*.txt.new
	@mv $@.new $@
$(BUILD)/tests/papers/samples: $(wildcard samples/*.bin samples/*.json samples/sentences* samples/aligned* samples/*.conllu \
		samples/papers/trained/*)
	@rm -rf $@ && tests/support/short_samples samples $@ 24
	@rm -f $@/trained && mkdir $@/trained
	@$(foreach model,$(trained_models),cp samples/$(call STAND_IN,$(model)).bin '$(@D)/$(model)' &&) true
	@for suite in $(wildcard samples/*.json); do jq '.[:40]' $$suite >$@.suite && mv $@.suite $@/$${suite#samples/}; done
$(BUILD)/papers/samples $(BUILD)/papers-test/samples:
	@mkdir -p $(@D) && ln -s '$(CURDIR)/samples' $@
# The next call may name another folder.
$(BUILD)/papers-test/data: FORCE
	@for file in test.en test.de; do \
		test -f '$(DATA)'/$$file || { echo "DATA: no $$file in '$(DATA)'" >&2; exit 1; }; done
	@mkdir -p $(@D) && ln -sfn '$(abspath $(DATA))' $@
# Without the blanks of tokenisation, like the training data.
$(BUILD)/papers-test/data-ja: FORCE
	@for file in test.ja test.en; do \
		test -f '$(DATA_JA)'/$$file || { echo "DATA_JA: no $$file in '$(DATA_JA)'" >&2; exit 1; }; done
	@mkdir -p $@ && tr -d ' ' <'$(DATA_JA)'/test.ja >$@/test.ja && cp '$(DATA_JA)'/test.en $@
