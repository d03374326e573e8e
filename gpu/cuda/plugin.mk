# The CUDA plug-in: compiled by nvcc for GPUs, and by the C++ compiler with the emulator for tests.
# Included by the Makefile at the top.

CUDA_SOURCES := $(wildcard gpu/cuda/*.cu)

# The emulated GPU ----------------------------------------------------------------------------------------------

EMULATED_PLUGIN := $(BUILD)/attnscope-cudaemu.so
EMULATED_OBJECTS := $(CUDA_SOURCES:%.cu=$(BUILD)/emulated/%.o) $(BUILD)/emulated/base/status.o

# What nvcc is told about loops does not concern other compilers.
$(BUILD)/emulated/%.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CXX) -Itests/cuda_emulator -Wno-unknown-pragmas -fPIC -fvisibility=hidden \
		-MMD -MP -x c++ -c -o $@ $<

$(BUILD)/emulated/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_C) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

objects: $(EMULATED_OBJECTS)
$(EMULATED_PLUGIN): $(EMULATED_OBJECTS) $(EMULATOR_OBJECTS)
	$(LINK) -shared -Wl,-Bsymbolic

# The same with blocks of one warp, for tests alone.
ONE_WARP_PLUGIN := $(BUILD)/attnscope-cudaemu32.so
ONE_WARP_OBJECTS := $(CUDA_SOURCES:%.cu=$(BUILD)/emulated32/%.o)
$(BUILD)/emulated32/%.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CXX) -Itests/cuda_emulator -DCUDAEMU_BLOCK_LIMIT=32 -Wno-unknown-pragmas -fPIC \
		-fvisibility=hidden -MMD -MP -x c++ -c -o $@ $<

$(ONE_WARP_PLUGIN): $(ONE_WARP_OBJECTS) $(BUILD)/emulated/base/status.o $(EMULATOR_OBJECTS)
	$(LINK) -shared -Wl,-Bsymbolic

# The same, whose accesses to memory are watched (tests/cuda_emulator/races.h). The sanitizer's runtime is the
# emulator's, so that it is not linked with.
WATCHED := -fsanitize=thread
WATCHED_PLUGIN := $(BUILD)/attnscope-cudaraces.so
WATCHED_OBJECTS := $(CUDA_SOURCES:%.cu=$(BUILD)/watched/%.o)
$(BUILD)/watched/%.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE_CXX) -Itests/cuda_emulator -Wno-unknown-pragmas $(WATCHED) -fPIC -fvisibility=hidden \
		-MMD -MP -x c++ -c -o $@ $<

$(WATCHED_PLUGIN): $(WATCHED_OBJECTS) $(BUILD)/emulated/base/status.o $(EMULATOR_OBJECTS)
	$(LINK) -shared -Wl,-Bsymbolic

# The GPU -------------------------------------------------------------------------------------------------------

NVCC ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA_PLUGIN := $(BUILD)/attnscope-cuda.so
CUDA_OBJECTS := $(CUDA_SOURCES:%.cu=$(BUILD)/native/%.o)
CUDA_ROOT = $(abspath $(dir $(realpath $(NVCC)))..)
CUDA_LIBRARIES = $(firstword $(wildcard $(CUDA_ROOT)/lib64 $(CUDA_ROOT)/lib))

# Machine code for the GPUs of data centres since 2020, and for later ones PTX, which the driver compiles.
CUDA_TARGETS ?= -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=[sm_90,compute_90]
COMPILE_CUDA = $(NVCC) -std=c++17 -O3 -lineinfo $(CUDA_TARGETS) -I. -Igpu/cuda/native \
	-Werror=all-warnings -Xcompiler=-Wall,-Wextra,-fPIC,-fvisibility=hidden $(NVCCFLAGS)

$(BUILD)/native/%.o: %.cu $(BUILD)/native/flags
	@mkdir -p $(@D)
	$(COMPILE_CUDA) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

# Of the compiler alone: none of the packages that the program needs is needed here.
COMPILE_STATUS = $(CC) -std=c11 $(C_WARNINGS) $(FLAGS) -I. -D_GNU_SOURCE $(CPPFLAGS) $(CFLAGS)
$(BUILD)/native/base/status.o: base/status.c $(BUILD)/native/flags
	@mkdir -p $(@D)
	$(COMPILE_STATUS) -fPIC -fvisibility=hidden -MMD -MP -c -o $@ $<

$(CUDA_PLUGIN): $(CUDA_OBJECTS) $(BUILD)/native/base/status.o
	$(NVCC) -shared -o $@ $^ -L$(CUDA_LIBRARIES) -lcublas -lcublasLt \
		-Xlinker=-rpath,'$$ORIGIN',-rpath,$(CUDA_LIBRARIES)

$(BUILD)/native/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE_CUDA) $(COMPILE_STATUS)' | cmp -s - $@ || echo '$(COMPILE_CUDA) $(COMPILE_STATUS)' >$@

# Where there is no toolkit, the compiler comes from PyPI.
.PHONY: cuda
cuda:
ifneq ($(NVCC),)
cuda: $(CUDA_PLUGIN)
else
	$(MAKE) cuda NVCC="$$(scripts/install_nvcc $(BUILD)/nvcc)"
endif

# Registers and spills of every kernel; fails where one spills.
.PHONY: cuda-registers
cuda-registers:
	@for source in $(CUDA_SOURCES); do \
		$(NVCC) -std=c++17 -O3 -I. -Igpu/cuda/native -arch=sm_90 -Xptxas=-v -c -o /dev/null $$source; \
	done 2>&1 | awk -F"'" '/Compiling entry/ { name = $$2 } \
		/spill/ { split($$0, word, " "); spill = word[5] + word[9]; spilled += spill } \
		/Used/ { split($$0, word, " "); \
			printf "%-60s %4d registers %4d bytes spilled\n", name, word[5], spill } \
		END { exit spilled > 0 }'

# How kernels read memory, from the machine code of sm_90; fails where that is worse than scripts/sass_limits allows. The
# disassembler is one of the toolkit, or of the packages nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm, on the PATH.
CUOBJDUMP ?= $(firstword $(wildcard $(dir $(NVCC))cuobjdump) $(shell command -v cuobjdump))
.PHONY: cuda-sass
ifeq ($(NVCC),)
cuda-sass:
	@echo 'cuda-sass: nvcc not found: install a CUDA toolkit, or set NVCC' >&2; exit 1
else ifeq ($(CUOBJDUMP),)
cuda-sass:
	@echo 'cuda-sass: cuobjdump not found: pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm, or set CUOBJDUMP' >&2; exit 1
else
cuda-sass: $(CUDA_PLUGIN)
	@PATH="$(dir $(CUOBJDUMP)):$$PATH" $(CUOBJDUMP) -sass -arch sm_90 $< >$(BUILD)/native/sass.txt
	@scripts/sass_loads.py --limits scripts/sass_limits $(BUILD)/native/sass.txt
endif

PLUGINS := $(EMULATED_PLUGIN) $(if $(NVCC),$(CUDA_PLUGIN))

-include $(EMULATED_OBJECTS:.o=.d) $(ONE_WARP_OBJECTS:.o=.d) $(WATCHED_OBJECTS:.o=.d) $(CUDA_OBJECTS:.o=.d) $(BUILD)/native/base/status.d
