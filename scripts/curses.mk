# SPDX-License-Identifier: BSD-2-Clause
# The screen of `top`: ncursesw is loaded when it is needed, or linked into the static program. WITH_CURSES= builds without it. The name of the library
# without a version is a script for the linker.
has_curses = $(shell $(CC) -D_GNU_SOURCE -include curses.h -E -x c /dev/null 2>/dev/null | grep wget_wch | head -n 1)
WITH_CURSES ?= $(if $(has_curses),$(notdir $(firstword $(wildcard $(shell $(CC) -print-file-name=libncursesw.so).[0-9]))))
static_curses = $(if $(WITH_CURSES),$(foreach l,ncursesw tinfo,$(if $(findstring /,$(shell $(CC) -print-file-name=lib$(l).a)),-l$(l))))
$(BUILD)/src/render/terminal.o: cflags += $(if $(WITH_CURSES),-DWITH_CURSES='"$(WITH_CURSES)"')
$(BUILD)/static/terminal.o: cflags += -DWITH_CURSES='"$(WITH_CURSES)"' -DCURSES_LINKED
