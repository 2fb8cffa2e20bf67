# SPDX-License-Identifier: BSD-2-Clause
#
# make            the program            make check     every test that this machine can run
# make unit       pure functions         make golden    recorded machines, no privilege
# make live       real objects (root)    make diff      beside the distribution's bpftool (root)
# make fuzz       libFuzzer targets      make san       unit, golden and live under ASan and UBSan
# make bench      beside bpftool (root)  make install   PREFIX=/usr/local, DESTDIR=
#
# BUILD=dir builds elsewhere, V=1 shows commands, CFLAGS, LDFLAGS and CC are yours.

BUILD ?= build
PREFIX ?= /usr/local
PKG_CONFIG ?= pkg-config
CLANG ?= clang
OPT ?= -O2 -g
VERSION := 0.1.0
LIBS := libbpf libelf zlib libcap

warnings := -Wall -Wextra -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wvla
sanflags := $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
, := ,
cflags = -std=gnu11 $(OPT) $(warnings) -D_GNU_SOURCE -DBPFLENS_VERSION='"$(VERSION)"' -Isrc -I$(BUILD) \
	$(sanflags) $(shell $(PKG_CONFIG) --cflags $(LIBS))
ldlibs = $(sanflags) $(shell $(PKG_CONFIG) --libs $(LIBS))
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

sources := $(filter-out src/main.c,$(wildcard src/*.c src/*/*.c))
sources := $(filter-out %.bpf.c,$(sources))
objects := $(sources:%.c=$(BUILD)/%.o)
bpf_objects := $(patsubst %.bpf.c,$(BUILD)/%.bpf.o,$(wildcard src/bpf/*.bpf.c))
units := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*.c tests/unit/*/*.c))
program := $(BUILD)/bpflens

.PHONY: all check unit golden live diff fuzz san bench doc install clean
.SECONDARY:
all: $(program) doc

$(program): $(BUILD)/src/main.o $(BUILD)/libbpflens.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(ldlibs)

$(BUILD)/libbpflens.a: $(objects)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c Makefile | $(bpf_objects)
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(cflags) $(CFLAGS) -MMD -MP -c -o $@ $<

# The tool's own BPF programs; system/ embeds the object files.
$(BUILD)/%.bpf.o: %.bpf.c Makefile
	@mkdir -p $(@D)
	$(call say,BPF,$<)
	$(Q)$(CLANG) -target bpf -O2 -g -Wall -Isrc $(shell $(PKG_CONFIG) --cflags libbpf) -MMD -MP -c -o $@ $<

$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libbpflens.a
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(ldlibs) -lcmocka

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

unit: $(units)
	$(Q)tests/tools/run-unit $(units)
