# attnscope: build, test, install.
#
## make                  builds $(BUILD)/attnscope and its plug-ins
## make cuda             builds $(BUILD)/attnscope-cuda.so also where there is no CUDA toolkit
## make check            builds and runs the tests; with -j several at once
## make check-sanitized  the same under AddressSanitizer and UndefinedBehaviorSanitizer
## make check-emu-full   300 sentences through the sample on the emulated GPU, and on the CPU; and golden models in
##                       every order of threads and every precision
## make check-random     RANDOM_COUNT random mixtures of attention from number RANDOM_FIRST on, made anew with
##                       $(PYTHON) and scripts/requirements.txt: whether the reference says the same of them
## make valgrind         whether exports lose memory; minutes, and needs the package valgrind
## make lint             layers, formatting, two compilers' warnings, static analysis, the manual
## make gpu-bundle       packs what another machine with a GPU needs, and gpu-check for it
## make bench            builds and runs the benchmarks of the CPU
## make bench-gpu        builds and runs that of the plug-in for GPUs
## make papers           the pictures and numbers of samples/papers, into $(BUILD)/papers
## make samples          trains the models of samples/ again, with $(PYTHON), from DATA and DATA_JA
## make sample-NAME      one of them; both say first what they will take
## make install          into $(DESTDIR)$(PREFIX): program, manual page, completions, samples, and the
##                       plug-in for GPUs where it was built
## make uninstall        removes from there what install put there
## make clean            removes what the others made
##
## Variables: BUILD=build PREFIX=/usr/local DESTDIR= CC CXX OPTIMISE SANITIZE
##            CPPFLAGS CFLAGS CXXFLAGS LDFLAGS LDLIBS NVCC NVCCFLAGS PYTHON DATA DATA_JA
##            RANDOM_FIRST=1 RANDOM_COUNT=50

PREFIX ?= /usr/local
BUILD ?= build
SANITIZE ?=
# Without contraction a*b+c means what it says, and every instruction set gives the same bits.
OPTIMISE ?= -O2 -g
# CC=clang chooses the compiler of both languages.
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),clang++,g++)
endif

PACKAGES := cairo gsl jansson libpng libutf8proc ncursesw nettle pangocairo readline sentencepiece zlib
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wformat=2
C_WARNINGS := $(WARNINGS) -Wstrict-prototypes -Wmissing-prototypes
FLAGS = $(OPTIMISE) -ffp-contract=off -fno-math-errno -pthread $(SANITIZE)
INCLUDES := -I. -D_GNU_SOURCE $(shell pkg-config --cflags $(PACKAGES))
COMPILE_C = $(CC) -std=c11 $(C_WARNINGS) $(FLAGS) $(INCLUDES) $(CPPFLAGS) $(CFLAGS)
COMPILE_CXX = $(CXX) -std=c++17 $(WARNINGS) $(FLAGS) $(INCLUDES) $(CPPFLAGS) $(CXXFLAGS)
LINK = $(CXX) -pthread $(SANITIZE) $(LDFLAGS) -o $@ $^
LIBRARIES := $(shell pkg-config --libs $(PACKAGES)) -lm -ldl $(LDLIBS)

ifeq ($(shell uname -m),x86_64)
AVX2 := -mavx2 -mfma -mf16c
AVX512 := $(AVX2) -mavx512f -mavx512dq -mavx512bw -mavx512vl
endif

FOLDERS := gpu gpu/cpu model/text model/net model/study render tui tui/screen
to_objects = $(patsubst %,$(BUILD)/%.o,$(basename $(wildcard $(1))))
OBJECTS := $(call to_objects,$(FOLDERS:=/*.c) $(FOLDERS:=/*.cc))
TEST_OBJECTS := $(call to_objects,tests/*.c tests/*.cc)
EMULATOR_OBJECTS := $(call to_objects,tests/cuda_emulator/*.cc)
BENCH_OBJECTS := $(call to_objects,tests/bench/*.c)
ALL_OBJECTS := $(OBJECTS) $(TEST_OBJECTS) $(EMULATOR_OBJECTS) $(BENCH_OBJECTS)
TESTS := $(basename $(filter $(BUILD)/tests/test_%,$(TEST_OBJECTS)))
BENCHES := $(basename $(filter $(BUILD)/tests/bench/bench_%,$(BENCH_OBJECTS)))

# What the program writes of its own manual.
MANUAL := $(addprefix $(BUILD)/,attnscope.1 attnscope.bash _attnscope attnscope.fish)

.PHONY: all
all: $(BUILD)/attnscope $(MANUAL) plugins

$(BUILD)/attnscope: $(OBJECTS)
	$(LINK) $(LIBRARIES)

$(BUILD)/attnscope.1: PART := man
$(BUILD)/attnscope.bash: PART := complete-bash
$(BUILD)/_attnscope: PART := complete-zsh
$(BUILD)/attnscope.fish: PART := complete-fish
$(MANUAL): $(BUILD)/attnscope
	$(abspath $<) --generate $(PART) >$@.new && mv $@.new $@

# All but `main`; and what the tests, and the benchmarks, share.
$(BUILD)/attnscope.a: $(filter-out $(BUILD)/tui/main.o,$(OBJECTS))
$(BUILD)/tests.a: $(filter-out $(TESTS:=.o),$(TEST_OBJECTS))
$(BUILD)/emulator.a: $(EMULATOR_OBJECTS)
$(BUILD)/bench.a: $(filter-out $(BENCHES:=.o),$(BENCH_OBJECTS))
$(BUILD)/%.a:
	rm -f $@ && $(AR) rcs $@ $^

$(TESTS): %: %.o $(BUILD)/tests.a $(BUILD)/attnscope.a
	$(LINK) -lcmocka $(LIBRARIES)

# Kernels, compiled for the emulator: where nvcc finds CUDA's headers, they find its.
EMULATOR := -Itests/cuda_emulator -fPIC
$(filter $(BUILD)/tests/test_cuda_%,$(TESTS)): $(BUILD)/emulator.a
$(call to_objects,tests/test_cuda_*.cc tests/emulator_support.cc): INCLUDES += $(EMULATOR)
$(EMULATOR_OBJECTS): INCLUDES += $(EMULATOR)
$(EMULATOR_OBJECTS): OPTIMISE += -O3
# What a kernel's threads pass all the time: sanitizers, which are for the kernels, would halve their speed.
$(patsubst %,$(BUILD)/tests/cuda_emulator/%.o,scheduler warp): override SANITIZE :=

# The program, some of whose allocations fail.
SHORT_OF_MEMORY := $(BUILD)/tests/attnscope_short_of_memory
WRAPPED := malloc calloc realloc aligned_alloc strdup strndup asprintf vasprintf open_memstream
$(SHORT_OF_MEMORY): $(OBJECTS) $(BUILD)/tests/failing_memory.o
	$(LINK) $(WRAPPED:%=-Wl,--wrap=%) $(LIBRARIES)
$(BUILD)/tests/test_memory: | $(SHORT_OF_MEMORY)

$(BENCHES): %: %.o $(BUILD)/bench.a $(BUILD)/attnscope.a
	$(LINK) $(LIBRARIES)

$(BUILD)/gpu/cpu/%.o: OPTIMISE += -O3
$(BUILD)/%_avx2.o: FLAGS += $(AVX2)
$(BUILD)/%_avx512.o: FLAGS += $(AVX512)

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_C) -MMD -MP -c -o $@ $<

$(BUILD)/%.o: %.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CXX) -MMD -MP -c -o $@ $<

# Changes when the compilers or their flags do, so that objects follow.
FLAGS_NOW := $(COMPILE_C) $(COMPILE_CXX) $(LIBRARIES) $(AVX512)
$(BUILD)/flags: FORCE
	@pkg-config --print-errors --exists $(PACKAGES) || { echo 'run scripts/install_packages'; exit 1; }
	@mkdir -p $(@D)
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' >$@
.PHONY: FORCE
FORCE:

include gpu/cuda/plugin.mk
.PHONY: plugins
plugins: $(PLUGINS)

# The tests of operations and models run on the CPU and again on the emulated GPU; some are of that alone.
PLUGIN_TESTS := $(filter $(BUILD)/tests/test_ops_% $(addprefix $(BUILD)/tests/,test_golden test_stems),$(TESTS))
EMULATED_RUNS := $(addprefix $(BUILD)/tests/,test_cuda_ops.run test_cuda_device.run test_cuda_tokens.run)
EMULATED_RUNS += $(addprefix $(BUILD)/tests/,test_cuda_loader.run test_cuda_stops.run test_cli_gpu.run)
EMULATED_RUNS += $(addprefix $(BUILD)/tests/,test_cuda_steps.run test_cuda_memory.run)
$(EMULATED_RUNS): export ATTNSCOPE_TEST_PLUGIN := $(abspath $(EMULATED_PLUGIN))
$(EMULATED_RUNS): plugins

# What goes to a machine with a GPU: programs that look for their libraries beside themselves.
BUNDLE := $(BUILD)/gpu-bundle
DEVICE_TESTS := $(PLUGIN_TESTS) $(addprefix $(BUILD)/tests/,test_cuda_ops test_cuda_device test_cuda_tokens)
BUNDLE_TESTS := $(DEVICE_TESTS:$(BUILD)/tests/%=$(BUNDLE)/%)
BUNDLE_PROGRAMS := $(addprefix $(BUNDLE)/,attnscope bench_gpu) $(BUNDLE_TESTS)

$(BUNDLE_PROGRAMS): private LDFLAGS += -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib'
$(BUNDLE)/attnscope: $(OBJECTS)
	@mkdir -p $(@D)
	$(LINK) $(LIBRARIES)
$(BUNDLE)/bench_gpu: $(BUILD)/tests/bench/bench_gpu.o $(BUILD)/bench.a $(BUILD)/attnscope.a
	@mkdir -p $(@D)
	$(LINK) $(LIBRARIES)
$(BUNDLE_TESTS): $(BUNDLE)/%: $(BUILD)/tests/%.o $(BUILD)/tests.a $(BUILD)/emulator.a $(BUILD)/attnscope.a
	@mkdir -p $(@D)
	$(LINK) -lcmocka $(LIBRARIES)

.PHONY: gpu-bundle
gpu-bundle: cuda $(EMULATED_PLUGIN) $(BUNDLE_PROGRAMS)
	scripts/gpu_bundle $(BUILD)/attnscope-gpu-bundle.tar.gz $(CUDA_PLUGIN) $(EMULATED_PLUGIN) $(BUNDLE_PROGRAMS)

# Every test runs (-k), and the exit status tells of all of them.
NARROW_RUNS := $(addprefix $(BUILD)/tests/test_golden.,tf32.run bf16.run)
RUNS := $(TESTS:=.run) $(PLUGIN_TESTS:=.emulated.run) $(PLUGIN_TESTS:=.one_warp.run) $(NARROW_RUNS) \
	install.run gpu_bundle.run papers.run
# The longest walk no other memory than the golden models in fp32 do; a bundle of sanitized programs is no use.
ifneq ($(SANITIZE),)
RUNS := $(filter-out $(BUILD)/tests/test_golden.one_warp.run $(NARROW_RUNS) gpu_bundle.run,$(RUNS))
endif
.PHONY: check $(RUNS)
check: all $(TESTS) $(ONE_WARP_PLUGIN)
	@$(MAKE) --no-print-directory --keep-going --output-sync $(RUNS)
$(TESTS:=.run): %.run: %
	@echo '# $<'
	@ATTNSCOPE=$(BUILD)/attnscope timeout --foreground 900 $(abspath $<)
# Threads run forwards, backwards, which turns every two of them around, and at random. That third order is for the
# operations; whole models do without, and in blocks of one warp and in other precisions they run forwards alone.
ORDERS := 3
$(BUILD)/tests/test_golden.emulated.run: ORDERS := 2
$(BUILD)/tests/test_golden.one_warp.run: ORDERS := 1
$(PLUGIN_TESTS:=.emulated.run): %.emulated.run: % plugins
	@echo '# $< on the emulated GPU'
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_ORDERS=$(ORDERS) \
		timeout --foreground 900 $(abspath $<)
$(PLUGIN_TESTS:=.one_warp.run): %.one_warp.run: % $(ONE_WARP_PLUGIN)
	@echo '# $< on the emulated GPU with blocks of one warp'
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(ONE_WARP_PLUGIN)) ATTNSCOPE_TEST_ORDERS=$(ORDERS) \
		timeout --foreground 900 $(abspath $<)
# Products alone are narrow: every model has one of the two precisions.
$(BUILD)/tests/test_golden.tf32.run: MODELS := 1/2
$(BUILD)/tests/test_golden.bf16.run: MODELS := 2/2
$(NARROW_RUNS): $(BUILD)/tests/test_golden.%.run: $(BUILD)/tests/test_golden plugins
	@echo '# $< on the emulated GPU in $*'
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_PRECISION=$* \
		ATTNSCOPE_TEST_MODELS=$(MODELS) ATTNSCOPE_TEST_ORDERS=1 timeout --foreground 900 $(abspath $<)
install.run: all
	@echo '# tests/check_install'
	@MAKE='$(MAKE)' BUILD='$(BUILD)' timeout --foreground 900 tests/check_install
# With the emulated plug-in alone, which is what there is everywhere.
gpu_bundle.run: $(EMULATED_PLUGIN) $(BUNDLE_PROGRAMS)
	@echo '# tests/check_gpu_bundle'
	@scripts/gpu_bundle $(BUILD)/tests/gpu-bundle.tar.gz $^
	@timeout --foreground 900 tests/check_gpu_bundle $(BUILD)/tests/gpu-bundle.tar.gz
papers.run: papers
	@echo '# tests/check_papers'
	@timeout --foreground 900 tests/check_papers $(BUILD)/papers

# What takes minutes, and is the same work on more sentences, or on whole models what `check` does on a part of them.
.PHONY: check-emu-full
check-emu-full: all $(addprefix $(BUILD)/tests/,test_cuda_tokens test_golden)
	@for precision in fp32 tf32 bf16; do \
		ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_PRECISION=$$precision \
			$(abspath $(BUILD)/tests/test_golden) || exit 1; \
	done
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_SENTENCES=300 \
		$(abspath $(BUILD)/tests/test_cuda_tokens)

# Beside the golden models, which some tests name. What holds for those to the bit holds for any.
RANDOM_FIRST ?= 1
RANDOM_COUNT ?= 50
RANDOM_TESTS := $(addprefix $(BUILD)/tests/test_,golden exact branches recording)
.PHONY: check-random
check-random: export ATTNSCOPE_TEST_GOLDEN := $(abspath $(BUILD)/random)
check-random: all $(RANDOM_TESTS)
	@rm -rf $(BUILD)/random && mkdir -p $(BUILD)/random
	@ln -s $(abspath $(wildcard tests/golden/*.bin tests/golden/*.expected)) $(BUILD)/random
	$(PYTHON) scripts/reference.py random $(BUILD)/random --first $(RANDOM_FIRST) --count $(RANDOM_COUNT)
	@for test in $(abspath $(RANDOM_TESTS)); do echo "# $$test"; $$test || exit 1; done
	@echo '# $(BUILD)/tests/test_golden on the emulated GPU'
	@ATTNSCOPE_TEST_PLUGIN=$(abspath $(EMULATED_PLUGIN)) ATTNSCOPE_TEST_ORDERS=1 \
		$(abspath $(BUILD)/tests/test_golden)

# Tests ask for more memory than there is, and expect an error.
.PHONY: check-sanitized
check-sanitized: export ASAN_OPTIONS := allocator_may_return_null=1
check-sanitized: export LSAN_OPTIONS := print_suppressions=0:suppressions=$(CURDIR)/scripts/leak_suppressions
check-sanitized:
	$(MAKE) check BUILD=$(BUILD)-sanitized NVCC= OPTIMISE='-O1 -g -fno-omit-frame-pointer' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all'

.PHONY: valgrind
valgrind: $(BUILD)/attnscope
	scripts/check_leaks $<

GPU_BENCH := $(BUILD)/tests/bench/bench_gpu
CPU_BENCHES := $(filter-out $(GPU_BENCH),$(BENCHES))
.PHONY: bench bench-gpu
bench-gpu: $(GPU_BENCH) cuda
	$(abspath $<) --plugin $(abspath $(CUDA_PLUGIN))
bench: $(CPU_BENCHES)
	@for bench in $(abspath $(CPU_BENCHES)); do echo "# $$bench"; $$bench || exit 1; done

include scripts/samples.mk

.PHONY: objects lint
objects: $(ALL_OBJECTS)
lint: all
	MAKE='$(MAKE)' BUILD='$(BUILD)' scripts/lint

# FILE:PLACE of everything but the program; samples are looked for in the sources.
SHARED := \
	$(BUILD)/attnscope.1:share/man/man1/attnscope.1 \
	$(BUILD)/attnscope.bash:share/bash-completion/completions/attnscope \
	$(BUILD)/_attnscope:share/zsh/site-functions/_attnscope \
	$(BUILD)/attnscope.fish:share/fish/vendor_completions.d/attnscope.fish \
	$(foreach sample,$(wildcard samples/*.bin),$(sample):share/attnscope/$(sample))
ROOT = $(DESTDIR)$(PREFIX)

# The plug-in for GPUs is installed where there is one; where nvcc is, it is built first.
INSTALLED_PLUGIN = $(ROOT)/lib/attnscope/$(notdir $(CUDA_PLUGIN))

.PHONY: install uninstall
install: $(BUILD)/attnscope $(MANUAL) $(filter $(CUDA_PLUGIN),$(PLUGINS))
	install -D -m 755 $< '$(ROOT)/bin/attnscope'
	[ ! -e $(CUDA_PLUGIN) ] || install -D -m 755 $(CUDA_PLUGIN) '$(INSTALLED_PLUGIN)'
	@for pair in $(SHARED); do \
		echo "install -D -m 644 $${pair%%:*} $(ROOT)/$${pair#*:}"; \
		install -D -m 644 "$${pair%%:*}" '$(ROOT)'/"$${pair#*:}" || exit 1; \
	done

uninstall:
	rm -f '$(ROOT)/bin/attnscope' '$(INSTALLED_PLUGIN)'
	[ ! -d '$(ROOT)/lib/attnscope' ] || rmdir --ignore-fail-on-non-empty '$(ROOT)/lib/attnscope'
	@for pair in $(SHARED); do \
		echo "rm -f $(ROOT)/$${pair#*:}"; \
		rm -f '$(ROOT)'/"$${pair#*:}" || exit 1; \
	done
	[ ! -d '$(ROOT)/share/attnscope/samples' ] || rmdir --ignore-fail-on-non-empty \
		'$(ROOT)/share/attnscope/samples' '$(ROOT)/share/attnscope'

.PHONY: clean
clean:
	rm -rf $(BUILD) $(BUILD)-sanitized

.PHONY: help
help:
	@sed -n 's/^## \?//p' $(firstword $(MAKEFILE_LIST))

-include $(ALL_OBJECTS:.o=.d)
