# SPDX-License-Identifier: BSD-2-Clause
# Tests. Each stage ends with "NAME: N passed, N failed[, N skipped]"; tests/tools/check adds them up. Stages after "--" run beside the others.
fast := unit golden fake sweep combos rules
every := $(fast) live diff faults system fuzz foreign san
check: stages := unit golden fake -- sweep combos rules
check-live: stages := live diff
check-both: stages := live diff -- $(fast)
check-ci: stages := live diff faults -- $(fast) system fuzz foreign
check-all: stages := live diff faults san -- $(fast) system fuzz foreign
check-all: export BPFLENS_SWEEP ?= all
check-ci check-all: export BPFLENS_PROGRAMS ?= 1000
check-all: export BPFLENS_RULES ?= all
check-all: export BPFLENS_FAULTS ?= all
check check-live check-both check-ci check-all: all
	+$(Q)$(run_env) LEFT='$(filter-out $(stages),$(every))' tests/tools/check $(stages)

# NAMES= selects some, by the beginning of their path below tests/unit.
unit: $(BUILD)/tests/units $(BUILD)/tests/units-tables
	$(Q)$(run_env) tests/tools/run-unit $< $(if $(NAMES),$(filter $(NAMES:%=%%),$(units)),$(units))

wrapped := calls_choose calls_consume calls_lost calls_next child_prog_load elem_update_batch iter_run kbtf_ask kmem_open kmem_read net_target_open net_target_progs net_target_xdp own_close \
	own_files own_iter own_load own_map own_run perf_cpu_event pins_may_pin sampling_close sampling_count sampling_event sampling_open sampling_read sideband_count \
	sideband_read sideband_read_until source_record_again
# One program has all unit tests: the main() of each file has the name of the file, and tests define what is called instead of the functions in
# wrapped. Only tables, which reads all schemas of its own program, is alone.
$(BUILD)/tests/units: $(BUILD)/tests/units.o $(patsubst %,$(BUILD)/tests/unit/%.o,$(filter-out tables,$(units))) $(BUILD)/libbpflens.a $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(wrapped:%=-Wl,--wrap=%) -o $@ $^ $(ldlibs) -lcmocka
$(BUILD)/tests/units-tables: $(BUILD)/tests/unit/tables.o $(BUILD)/libbpflens.a $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -Wl,--defsym=main=unit_tables -o $@ $^ $(ldlibs) -lcmocka
$(BUILD)/tests/unit/%.o: cflags += -Dmain=unit_$(subst /,_,$(@:$(BUILD)/tests/unit/%.o=%)) -Wno-missing-prototypes
$(BUILD)/tests/units.o: cflags += -I$(BUILD)/tests
$(BUILD)/tests/units.o: $(BUILD)/tests/units.inc
$(BUILD)/tests/units.inc: tests/tests.mk $(if $(shell echo '$(units)' | cmp -s - $(BUILD)/tests/units.list || echo changed),new-units)
	$(Q)mkdir -p $(@D) && echo '$(units)' > $(@D)/units.list && \
		printf '%s\n' $(foreach u,$(filter-out tables,$(units)),'UNIT(unit_$(subst /,_,$u), "$u")') > $@
.PHONY: new-units

# NAMES= selects some.
golden: $(program)
	$(Q)$(run_env) tests/tools/run-golden $(NAMES)

golden-update: $(program)
	$(Q)$(run_env) tests/tools/run-golden --update $(NAMES)

# Unit and golden tests on other byte orders, word sizes and architectures.
portable: all
	$(Q)$(run_env) tests/tools/portable $(ARCHS)

# Builds as distributions do them: compilers, optimization, source trees. NAMES= selects some.
builds: all
	$(Q)$(run_env) tests/tools/builds $(NAMES)

# For every reading command, each question of every archive is refused in turn.
sweep: $(BUILD)/tests/sweep/sweep
	$(Q)$< $(wildcard tests/archives/*.tar*)
$(BUILD)/tests/sweep/sweep: $(BUILD)/tests/sweep/sweep.o $(BUILD)/tests/sweep/main.o $(BUILD)/libbpflens.a $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -Wl,--wrap=source_archive -o $@ $^ $(ldlibs)
$(BUILD)/tests/sweep/main.o: src/main.c Makefile $(choice)
	$(call say,CC,$@)
	$(Q)$(CC) $(cflags) $(CPPFLAGS) $(CFLAGS) -Dmain=bpflens_main -Wno-missing-prototypes -MMD -MP -c -o $@ $<

# Random command lines.
combos: $(BUILD)/tests/combos/combos
	$(Q)tests/combos/run '$(abspath $<)'
$(BUILD)/tests/combos/combos: $(BUILD)/tests/combos/combos.o $(BUILD)/tests/combos/line.o $(BUILD)/tests/sweep/main.o $(BUILD)/libbpflens.a $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(ldlibs)

# Command lines on a kernel in memory (tests/fake/fake.h); NAMES= selects some.
fake_objects := $(patsubst %,$(BUILD)/tests/%.bpf.o,fake/vmlinux fake/tracing fake/large fake/sends live/load live/iters live/cc live/cc_plain live/cc_link)
fake: $(BUILD)/tests/fake/bpflens $(fake_objects)
	$(Q)$(run_env) tests/fake/run $(abspath $<) $(NAMES)
fake-update: $(BUILD)/tests/fake/bpflens $(fake_objects)
	$(Q)$(run_env) tests/fake/run $(abspath $<) --update $(NAMES)
$(BUILD)/tests/fake/bpflens: $(patsubst %.c,$(BUILD)/%.o,$(filter-out %.bpf.c,$(wildcard tests/fake/*.c))) $(BUILD)/src/main.o $(BUILD)/libbpflens.a $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(ldlibs)

# Files that others made: FOREIGN=DIR, else the objects in Debian's packages.
foreign: $(program)
	$(Q)$(run_env) FOREIGN='$(FOREIGN)' tests/foreign/run

rules: all
	$(Q)$(run_env) tests/tools/run-tests rules $(wildcard tests/check/*.sh tests/check/*.py)

live diff faults: $(program) $(fixtures)
	$(Q)$(run_env) tests/tools/run-tests --loads $@ $(wildcard tests/$@/test_*)

# EXACT=1: each allocation is freed when its scope ends, and has a red zone.
san:
	$(Q)ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 $(MAKE) --no-print-directory BUILD=$(BUILD)/$(if $(EXACT),exact,san) SAN=1 OPT='-O1 -g' san-stages
san-stages: all
	+$(Q)$(run_env) tests/tools/check unit golden live

# Unit and golden tests of a build with the libbpf of the system, where that is not what is linked.
system:
ifeq ($(LIBBPF),system)
	@echo 'skip - system: the libbpf of the system is linked'; echo 'system: 0 passed, 0 failed, 1 skipped'
else
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/system LIBBPF=system system-stages
endif
system-stages: all
	+$(Q)$(run_env) tests/tools/check unit golden

# clang's libFuzzer with tests/fuzz/*.c; each for FUZZ_SECONDS, or until its inputs have FUZZ_BYTES.
fuzz:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=$(CLANG) SAN=fuzz OPT='-O1 -gline-tables-only' fuzz-programs
	$(Q)tests/tools/run-fuzz $(BUILD)/fuzz $(fuzzers)
fuzz-programs: $(fuzzers:%=$(BUILD)/tests/fuzz/%)
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/tools/fuzz_bytes.o $(BUILD)/libbpflens.a $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -Wl,--wrap=LLVMFuzzerTestOneInput -o $@ $^ $(ldlibs)

$(BUILD)/tests/live/%: $(BUILD)/tests/live/%.o $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(ldlibs)
$(BUILD)/tests/live/captures: $(BUILD)/libbpflens.a
$(BUILD)/tests/live/mkobj: $(patsubst %.c,$(BUILD)/%.o,$(filter-out %.bpf.c,$(wildcard tests/live/mk*.c)))

bench: $(program) $(BUILD)/bench/mk $(BUILD)/bench/measure $(BUILD)/bench/bare $(BUILD)/bench/loads
	$(Q)$(run_env) bench/run
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(libbpf)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(ldlibs)
