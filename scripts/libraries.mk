# SPDX-License-Identifier: BSD-2-Clause
# Libraries that are used if their headers are installed: WITH_NAME is the file to load at run time, empty: built without it.
# libopcodes is loaded when it is needed, by the name of the version that the installed headers belong to.
bfd_try = $(CC) -DPACKAGE -include bfd.h -include dis-asm.h -E -x c /dev/null 2>/dev/null
ifeq ($(origin WITH_BFD),undefined)
WITH_BFD := $(shell $(bfd_try) | grep -q disassembler_ftype && so=$$($(CC) -print-file-name=libopcodes.so) && \
	basename "$$(readlink -f $$so | grep -e '/libopcodes-[^/]*$$' || ls $${so%.so}-*.so | head -n 1)")
endif
bfd_flags = -DWITH_BFD='"$(WITH_BFD)"' $(if $(shell $(bfd_try) | grep fprintf_styled_ftype),-DBFD_STYLED)
static_bfd = $(if $(WITH_BFD),$(foreach l,opcodes bfd sframe iberty zstd z,$(if $(findstring /,$(shell $(CC) -print-file-name=lib$(l).a)),-l$(l))))
ifeq ($(LIBOPCODES),shared)
bfd_flags += -DBFD_LINKED
ldlibs += $(if $(WITH_BFD),-lopcodes -lbfd)
endif
# libcrypto likewise.
ifeq ($(origin WITH_CRYPTO),undefined)
WITH_CRYPTO := $(shell $(CC) -include openssl/cms.h -E -x c /dev/null 2>/dev/null | grep -q CMS_sign && \
	basename "$$(readlink -f $$($(CC) -print-file-name=libcrypto.so))")
endif
# libmicrohttpd likewise; what follows the first number in the name of its file may change with an update.
ifeq ($(origin WITH_HTTP),undefined)
WITH_HTTP := $(shell $(CC) -include microhttpd.h -E -x c /dev/null 2>/dev/null | grep -q MHD_suspend_connection && \
	basename "$$(readlink -f $$($(CC) -print-file-name=libmicrohttpd.so))" | sed 's/\(\.so\.[0-9]*\).*/\1/')
endif
# In a static program the library's TLS has no functions (src/host/http/http.c).
static_http = $(if $(WITH_HTTP),$(shell $(CC) -print-file-name=libmicrohttpd.a | grep /))
static_http_libs = $(if $(static_http),$(static_http) $(shell nm -u $(static_http) 2>/dev/null | sed -n 's/^ *U \(gnutls_.*\)/-Wl,--defsym=\1=http_without_tls/p' | sort -u))
