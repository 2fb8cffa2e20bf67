# SPDX-License-Identifier: BSD-2-Clause
#
# make            the program            make check     what needs no root: unit, golden, fake, sweep, combos, rules
# make check-live live and diff (root)   make check-all every test that this machine can run
# make unit       pure functions         make golden    recorded machines; make fake  a kernel in memory; both without privilege
# make live       real objects (root)    make diff      compared with bpftool (root)
# make faults     refused calls (root)   make fuzz      libFuzzer targets
# make san        unit, golden and live under ASan and UBSan                    make system    unit and golden with the libbpf of the system
# make portable   unit and golden for s390x, i386 and arm64 (scripts/bootstrap portable); make builds  by other compilers, with LTO, ...
# make bench      times (root)           make install   PREFIX=/usr/local, DESTDIR=; make uninstall
# make dist       the source tarball, with the manual pages; make distcheck builds, tests and installs it
# make static     one file for other machines, with the disassembler (then under GPL-3+, as binutils)
#
# LIBBPF=system links the libbpf of the system, LIBBPF=fetch the one whose source scripts/libbpf fetches, LIBBPF=DIR the one with its source in DIR.
# Without it: what BUILD was built with before, else the newest one that is here.
#
# BUILD=dir builds elsewhere, V=1 shows commands; CPPFLAGS, CFLAGS, LDFLAGS and CC are for the user. LIBOPCODES=shared links the library of the
# disassembler, so that a package depends on it (then under GPL-3+), instead of loading it when it is needed; WITH_BFD= builds without the
# disassembler, WITH_CRYPTO= without signing, WITH_HTTP= without `metrics --listen`. For another architecture set CC and AR to the cross compiler, PKG_CONFIG to a pkg-config for its
# libraries, and RUN to a qemu-user, as in RUN='qemu-aarch64 -L /usr/aarch64-linux-gnu': the program is run to make the manual pages.

BUILD ?= build
# Always the same name for the folder: if the .d files have another one, objects are not rebuilt.
override BUILD := $(patsubst $(CURDIR)/%,%,$(BUILD))
PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
EXAMPLEDIR ?= $(DATADIR)/doc/bpflens/examples
BASHCOMPDIR ?= $(DATADIR)/bash-completion/completions
ZSHCOMPDIR ?= $(DATADIR)/zsh/site-functions
FISHCOMPDIR ?= $(DATADIR)/fish/vendor_completions.d
PKG_CONFIG ?= pkg-config
CLANG ?= clang
OPT ?= -O2 -g
VERSION := 0.1.0

warnings := -Wall -Wextra -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla -Wno-unused-parameter -Wno-missing-field-initializers
, := ,
sanflags = $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer) \
	$(if $(filter fuzz,$(SAN)),-fsanitize=fuzzer-no-link)
cflags = -std=gnu11 $(OPT) $(warnings) -pthread -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -DBPFLENS_VERSION='"$(VERSION)"' -Isrc -I$(BUILD)/src \
	$(sanflags) $(if $(libbpf),-isystem $(BUILD)/libbpf/include) $(shell $(PKG_CONFIG) --cflags $(LIBS))
ldlibs = $(sanflags) $(libbpf) $(shell $(PKG_CONFIG) --libs $(LIBS)) -pthread -ldl -lm
include scripts/libraries.mk
Q := $(if $(V),,@)
say = @mkdir -p $(@D)$(if $(V),,; printf '  %-7s %s\n' $(1) $(2))

sources := $(filter-out src/main.c %.bpf.c,$(wildcard src/*.c src/*/*.c src/*/*/*.c))
objects := $(sources:%.c=$(BUILD)/%.o)
embedded := $(patsubst %.bpf.c,$(BUILD)/%.bpf.inc,$(wildcard src/own/*/*.bpf.c))
units := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*.c tests/unit/*/*.c tests/unit/*/*/*.c))
program := $(BUILD)/bpflens
pages := $(patsubst man/%.in,$(BUILD)/man/%,$(wildcard man/*.in))
fuzzers := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
fixtures := $(addprefix $(BUILD)/tests/live/,mkobj churn lines roundtrip feed captures probed) $(BUILD)/bench/measure \
	$(patsubst %.bpf.c,$(BUILD)/%.bpf.o,$(wildcard tests/live/*.bpf.c))
run_env = RUN='$(RUN)' MAKE='$(MAKE)' BUILD='$(abspath $(BUILD))' BPFLENS='$(abspath $(program))'

.PHONY: all check check-live check-both check-ci check-all portable builds unit golden golden-update fake fake-update sweep combos foreign system system-stages rules live diff faults fuzz fuzz-programs san bench static doc install uninstall dist distcheck debcheck rpmcheck clean
.SECONDARY:
all: $(program) doc

include scripts/libbpf.mk scripts/curses.mk

$(program): $(BUILD)/src/main.o $(BUILD)/libbpflens.a $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(ldlibs)

static: $(BUILD)/static/bpflens
$(BUILD)/static/bpflens: $(BUILD)/src/main.o $(if $(WITH_BFD),$(BUILD)/static/disasm_bfd.o) $(BUILD)/src/host/elf/tree.o $(BUILD)/static/sign.o \
	$(if $(static_curses),$(BUILD)/static/terminal.o) $(BUILD)/static/http.o $(BUILD)/static/version.o $(BUILD)/libbpflens.a $(libbpf)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -static -Wl,--wrap=dlopen -o $@ $^ $(shell $(PKG_CONFIG) --static --libs $(LIBS)) $(static_bfd) $(static_curses) $(static_http_libs) -lm

$(BUILD)/libbpflens.a: $(objects)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# A tarball of `make dist` has the manual pages, because a cross build cannot always run the program to make them.
ifneq ($(wildcard man/bpflens.8),)
$(BUILD)/man/%: man/%
	$(Q)mkdir -p $(@D) && cp $< $@
endif

$(BUILD)/%.o: %.c Makefile $(choice) | $(embedded)
	$(call say,CC,$<)
	$(Q)$(CC) $(cflags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/src/all/version.o: cflags += -DLIBBPF_LINK='"$(if $(libbpf),static,shared)"'
$(BUILD)/src/code/disasm_bfd.o: cflags += $(if $(WITH_BFD),$(bfd_flags))
$(BUILD)/src/base/arena.o: cflags += $(if $(EXACT),-DARENA_EXACT)
$(BUILD)/src/host/sign.o: cflags += $(if $(WITH_CRYPTO),-DWITH_CRYPTO='"$(WITH_CRYPTO)"')
$(BUILD)/src/host/http/http.o: cflags += $(if $(WITH_HTTP),-DWITH_HTTP='"$(WITH_HTTP)"')
$(BUILD)/static/http.o: cflags += $(if $(static_http),-DWITH_HTTP='"$(WITH_HTTP)"' -DHTTP_LINKED)
$(BUILD)/static/version.o: cflags += -DLIBBPF_LINK='"static"'
$(BUILD)/static/disasm_bfd.o: cflags += $(bfd_flags) -DBFD_LINKED
$(patsubst %,$(BUILD)/static/%.o,version sign http disasm_bfd terminal): $(BUILD)/static/%.o: Makefile $(choice)
	$(call say,CC,$@)
	$(Q)$(CC) $(cflags) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $(wildcard src/*/$*.c src/*/*/$*.c)

bpf_target = $(if $(filter 4321,$(shell echo __BYTE_ORDER__ | $(CC) -E -P -)),bpfeb,bpfel)
# The BPF programs of bpflens. Their object files are embedded as arrays, elf_NAME of NAME.bpf.c.
$(BUILD)/%.bpf.inc: $(BUILD)/%.bpf.o
	$(Q)(echo 'static const unsigned char elf_$(*F)[] = {'; od -An -v -tx1 $< | sed 's/[0-9a-f][0-9a-f]/0x&,/g'; echo '};') > $@.tmp && mv $@.tmp $@
$(BUILD)/%.bpf.o: %.bpf.c Makefile $(choice)
	$(call say,BPF,$<)
	$(Q)$(CLANG) -target $(bpf_target) -O2 -g -ffreestanding -fdebug-prefix-map='$(CURDIR)'=. -Wall -Isrc \
		$(if $(libbpf),-I$(BUILD)/libbpf/include,$(patsubst -I%,-idirafter %,$(shell $(PKG_CONFIG) --cflags libbpf))) -MMD -MP -c -o $@ $<

-include $(shell find $(addprefix $(BUILD)/,src tests bench static libbpf) -name '*.d' 2>/dev/null)

# Manual pages: the text in man/, in which the program fills in the tables of commands and fields.
doc: $(pages)
$(BUILD)/man/%: man/%.in $(program)
	$(call say,MAN,$@)
	$(Q)$(RUN) $(program) __doc man $< > $@.tmp && mv $@.tmp $@

include tests/tests.mk

install: all
	install -Dm755 $(program) $(DESTDIR)$(SBINDIR)/bpflens
	for p in $(pages); do install -Dm644 -t $(DESTDIR)$(MANDIR)/man8 $$p || exit; done
	install -Dm644 bash-completion/bpflens $(DESTDIR)$(BASHCOMPDIR)/bpflens
	install -Dm644 bash-completion/_bpflens $(DESTDIR)$(ZSHCOMPDIR)/_bpflens
	install -Dm644 bash-completion/bpflens.fish $(DESTDIR)$(FISHCOMPDIR)/bpflens.fish
	for e in examples/*; do install -Dm644 -t $(DESTDIR)$(EXAMPLEDIR) $$e || exit; done
uninstall:
	rm -f $(DESTDIR)$(SBINDIR)/bpflens $(addprefix $(DESTDIR)$(MANDIR)/man8/,$(notdir $(pages))) \
		$(DESTDIR)$(BASHCOMPDIR)/bpflens $(DESTDIR)$(ZSHCOMPDIR)/_bpflens $(DESTDIR)$(FISHCOMPDIR)/bpflens.fish
	for e in examples/*; do rm -f $(DESTDIR)$(EXAMPLEDIR)/$${e##*/}; done

dist: $(pages)
	$(Q)scripts/dist $(BUILD) $(VERSION)
distcheck debcheck rpmcheck: dist
	$(Q)MAKE='$(MAKE)' tests/tools/$@ $(BUILD)/bpflens-$(VERSION).tar.gz

clean:
	rm -rf $(BUILD)
