/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/disasm.h"

#include <errno.h>
#include <string.h>

#include "base/clean.h"
#include "base/err.h"

#ifdef WITH_BFD

#define PACKAGE "bpflens"		/* bfd.h insists */
#include <bfd.h>
#include <dis-asm.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

const bool disasm_built = true;

struct disasm {
	void *library;			/* NULL: linked */
	disassembler_ftype decode;
	__typeof__(disassemble_free_target) *free_target;
	struct disassemble_info info;
	struct disasm_insn *insn;	/* the one that is being written */
	size_t used;			/* bytes of its text */
	const unsigned char *p;
	size_t n;
	uint64_t pc;
};

static const struct { const char *name; enum bfd_architecture arch; unsigned long mach; bool big; } machines[] = {
	{ "x86_64", bfd_arch_i386, bfd_mach_x86_64, false },
	{ "i386", bfd_arch_i386, bfd_mach_i386_i386, false },
	{ "i686", bfd_arch_i386, bfd_mach_i386_i386, false },
	{ "aarch64", bfd_arch_aarch64, bfd_mach_aarch64, false },
	{ "armv7l", bfd_arch_arm, bfd_mach_arm_unknown, false },
	{ "riscv64", bfd_arch_riscv, bfd_mach_riscv64, false },
	{ "riscv32", bfd_arch_riscv, bfd_mach_riscv32, false },
	{ "loongarch64", bfd_arch_loongarch, bfd_mach_loongarch64, false },
	{ "ppc64le", bfd_arch_powerpc, bfd_mach_ppc64, false },
	{ "ppc64", bfd_arch_powerpc, bfd_mach_ppc64, true },
	{ "s390x", bfd_arch_s390, bfd_mach_s390_64, true },
	{ "sparc64", bfd_arch_sparc, bfd_mach_sparc_v9, true },
	{ "mips64", bfd_arch_mips, bfd_mach_mipsisa64, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ },
};

__attribute__((format(printf, 2, 0)))
static void text_add(struct disasm *d, const char *fmt, va_list ap)
{
	size_t left = sizeof(d->insn->text) - d->used;
	int n = vsnprintf(d->insn->text + d->used, left, fmt, ap);

	if (n > 0)
		d->used += (size_t)n < left ? (size_t)n : left - 1;
}

__attribute__((format(printf, 2, 3)))
static int text_printf(void *stream, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_add(stream, fmt, ap);
	va_end(ap);
	return 0;
}

#ifdef BFD_STYLED
__attribute__((format(printf, 3, 4)))
static int text_styled(void *stream, enum disassembler_style style, const char *fmt, ...)
{
	va_list ap;

	(void)style;
	va_start(ap, fmt);
	text_add(stream, fmt, ap);
	va_end(ap);
	return 0;
}
#endif

static int memory_read(bfd_vma at, bfd_byte *to, unsigned n, struct disassemble_info *info)
{
	const struct disasm *d = info->stream;
	uint64_t off = at - d->pc;

	if (off > d->n || n > d->n - off)
		return EIO;
	memcpy(to, d->p + off, n);
	return 0;
}

static void memory_error(int status, bfd_vma at, struct disassemble_info *info)
{
	(void)status;
	(void)at;
	(void)info;
}

static void address_print(bfd_vma at, struct disassemble_info *info)
{
	struct disasm *d = info->stream;

	d->insn->has_target = true;
	d->insn->target = at;
	text_printf(d, "0x%llx", (unsigned long long)at);
}

static asymbol *no_symbol(bfd_vma at, struct disassemble_info *info)
{
	(void)at;
	(void)info;
	return NULL;
}

/* The library's functions: linked into a static program, or else found in a library that may be missing. */
#ifdef BFD_LINKED
#define FUNCTION(d, name) (&name)

/* For libbfd's plug-ins, which a static program cannot load and nothing here asks for. */
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

static int library_open(struct disasm *d, struct err *e)
{
	(void)d;
	(void)e;
	return 0;
}

static void library_close(struct disasm *d)
{
	(void)d;
}
#else
#define FUNCTION(d, name) ((__typeof__(name) *)dlsym((d)->library, #name))
static int library_open(struct disasm *d, struct err *e)
{
	d->library = dlopen(WITH_BFD, RTLD_NOW | RTLD_LOCAL);
	if (d->library)
		return 0;
	err_set(e, -ENOTSUP, "disassembling needs the library %s", WITH_BFD);
	return err_hint(e, "install the package binutils of the version that this was built with, or build again");
}

static void library_close(struct disasm *d)
{
	dlclose(d->library);
}
#endif

static int functions_find(struct disasm *d, size_t m, struct err *e)
{
	__typeof__(disassembler) *find = FUNCTION(d, disassembler);
	__typeof__(init_disassemble_info) *init = FUNCTION(d, init_disassemble_info);
	__typeof__(disassemble_init_for_target) *target = FUNCTION(d, disassemble_init_for_target);

	d->free_target = FUNCTION(d, disassemble_free_target);
	if (!find || !init || !target)
		return err_set(e, -ENOTSUP, "%s lacks what disassembling needs", WITH_BFD);
	d->decode = find(machines[m].arch, machines[m].big, machines[m].mach, NULL);
	if (!d->decode) {
		err_set(e, -ENOTSUP, "%s does not know the machine code of %s", WITH_BFD, machines[m].name);
		return err_hint(e, "read it on such a machine, or with binutils that are built for all targets");
	}
#ifdef BFD_STYLED
	init(&d->info, d, text_printf, text_styled);
#else
	init(&d->info, d, text_printf);
#endif
	d->info.arch = machines[m].arch;
	d->info.mach = machines[m].mach;
	d->info.endian = d->info.endian_code = machines[m].big ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
	d->info.read_memory_func = memory_read;
	d->info.memory_error_func = memory_error;
	d->info.print_address_func = address_print;
	d->info.symbol_at_address_func = no_symbol;
	target(&d->info);
	return 0;
}

int disasm_open(struct disasm **ret, const char *machine, struct err *e)
{
	struct disasm *d;
	size_t m = 0;
	int err;

	while (m < ARRAY_SIZE(machines) && strcmp(machines[m].name, machine))
		m++;
	if (m == ARRAY_SIZE(machines))
		return err_set(e, -ENOTSUP, "the machine code of %s cannot be disassembled", *machine ? machine : "an unknown machine");
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_sys(e, -ENOMEM, "cannot start the disassembler");
	err = library_open(d, e);
	if (!err) {
		err = functions_find(d, m, e);
		if (err)
			library_close(d);
	}
	if (err) {
		free(d);
		return err;
	}
	*ret = d;
	return 0;
}

void disasm_close(struct disasm **d)
{
	if (!*d)
		return;
	if ((*d)->free_target)
		(*d)->free_target(&(*d)->info);
	library_close(*d);
	free(*d);
	*d = NULL;
}

static void text_trim(char *s)
{
	size_t n = strlen(s), blanks = strspn(s, " \t");

	while (n > blanks && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	memmove(s, s + blanks, n - blanks);
	s[n - blanks] = '\0';
}

void disasm_insn(struct disasm *d, const unsigned char *p, size_t n, uint64_t pc, struct disasm_insn *ret)
{
	int size;

	memset(ret, 0, sizeof(*ret));
	d->insn = ret;
	d->used = 0;
	d->p = p;
	d->n = n;
	d->pc = pc;
	/* Some machines read their bytes here instead of asking. */
	d->info.buffer = (bfd_byte *)(uintptr_t)p;
	d->info.buffer_vma = pc;
	d->info.buffer_length = n;
	size = d->decode(pc, &d->info);
	d->insn = NULL;
	text_trim(ret->text);
	if (size > 0 && (size_t)size <= n && *ret->text) {
		ret->size = (size_t)size;
		return;
	}
	*ret = (struct disasm_insn){ .text = "(bad)", .size = 1 };
}

#else

const bool disasm_built = false;

int disasm_open(struct disasm **ret, const char *machine, struct err *e)
{
	(void)ret;
	(void)machine;
	err_set(e, -ENOTSUP, "this program was built without a disassembler for machine code");
	return err_hint(e, "install binutils-dev (binutils-devel, binutils) and build again");
}

void disasm_close(struct disasm **d)
{
	*d = NULL;
}

void disasm_insn(struct disasm *d, const unsigned char *p, size_t n, uint64_t pc, struct disasm_insn *ret)
{
	(void)d;
	(void)p;
	(void)n;
	(void)pc;
	*ret = (struct disasm_insn){ .text = "(bad)", .size = 1 };
}

#endif
