# SPDX-License-Identifier: BSD-2-Clause
# LIBBPF, described in the Makefile: `system`, or a folder with the source of libbpf, which is built here as the program is.
# Sets LIBS, names of pkg-config, and libbpf, the library that is built here.
LIBBPF_NEW := 1.7
LIBBPF_OLD := 1.1
ifneq ($(MAKECMDGOALS),clean)
system_libbpf = $(shell $(PKG_CONFIG) --atleast-version=$(1) libbpf && echo system)
built_with := $(shell read l 2>/dev/null < $(BUILD)/libbpf/choice && { [ "$$l" = system ] || [ -e "$$l/src/libbpf.c" ]; } && echo "$$l")
LIBBPF ?= $(or $(built_with),$(call system_libbpf,$(LIBBPF_NEW)),$(shell scripts/libbpf --cached),$(error \
	libbpf $(LIBBPF_NEW) or newer is needed: scripts/libbpf fetches its source$(if $(call system_libbpf,$(LIBBPF_OLD)),; LIBBPF=system \
	builds with libbpf $(shell $(PKG_CONFIG) --modversion libbpf)$(,) which cannot load every object file)))
override LIBBPF := $(if $(filter fetch,$(LIBBPF)),$(shell scripts/libbpf),$(LIBBPF))
ifeq ($(LIBBPF),system)
$(if $(call system_libbpf,$(LIBBPF_OLD)),,$(error libbpf $(LIBBPF_OLD) or newer is needed, with its headers: scripts/bootstrap installs it))
else
override LIBBPF := $(shell cd '$(LIBBPF)' && [ -e src/libbpf.c ] && pwd)
$(if $(LIBBPF),,$(error LIBBPF is `system`, `fetch` or a folder with the source of libbpf))
libbpf_sources := $(shell cd '$(LIBBPF)/src' && echo *.c)
libbpf := $(BUILD)/libbpf/libbpf.a
endif
export LIBBPF
endif
LIBS := $(if $(libbpf),,libbpf) libelf zlib libcap

# The choice is a file, so that all is built again if it changes; links to the folder, because its name may have blanks.
choice := $(BUILD)/libbpf/choice
$(choice): $(if $(filter-out x$(LIBBPF)x,x$(built_with)x),new-choice)
	$(Q)mkdir -p $(@D)/include && ln -sfn '$(LIBBPF)' $(@D)/source && ln -sfn ../source/src $(@D)/include/bpf && echo '$(LIBBPF)' > $@
new-choice:

libbpf_objects := $(libbpf_sources:%.c=$(BUILD)/libbpf/%.o)
$(BUILD)/libbpf/libbpf.a: $(libbpf_objects)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(libbpf_objects): $(BUILD)/libbpf/%.o: Makefile $(choice)
	$(call say,CC,libbpf/$*.c)
	$(Q)$(CC) $(OPT) -w -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(patsubst %,-I$(@D)/source/%,include include/uapi) \
		$(shell $(PKG_CONFIG) --cflags libelf zlib) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $(@D)/source/src/$*.c
