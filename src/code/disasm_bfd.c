/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/disasm.h"

#include "base/bytes.h"
#include "host/elf/libraries.h"

#ifdef WITH_BFD

#define PACKAGE "bpflens" /* required by bfd.h */
#include <bfd.h>
#include <dis-asm.h>
#include <dlfcn.h>

const bool disasm_built = true;

struct disasm {
	void *library; /* NULL: linked */
	disassembler_ftype decode;
	__typeof__(disassemble_free_target) *free_target;
	struct disassemble_info info;
	struct disasm_insn *insn; /* the instruction that is being printed */
	size_t used;		  /* bytes of its text */
	const unsigned char *p;
	size_t n;
	uint64_t pc;
};

/* @bfd: libbfd's name of the machine. */
static const struct bfd_machine {
	const char *name, *bfd;
	enum bfd_architecture arch;
	unsigned long mach;
	bool big;
} machines[] = {
	{ "x86_64", "i386:x86-64", bfd_arch_i386, bfd_mach_x86_64, false },
	{ "i386", "i386", bfd_arch_i386, bfd_mach_i386_i386, false },
	{ "i686", "i386", bfd_arch_i386, bfd_mach_i386_i386, false },
	{ "aarch64", "aarch64", bfd_arch_aarch64, bfd_mach_aarch64, false },
	{ "armv7l", "arm", bfd_arch_arm, bfd_mach_arm_unknown, false },
	{ "riscv64", "riscv:rv64", bfd_arch_riscv, bfd_mach_riscv64, false },
	{ "riscv32", "riscv:rv32", bfd_arch_riscv, bfd_mach_riscv32, false },
	{ "loongarch64", "Loongarch64", bfd_arch_loongarch, bfd_mach_loongarch64, false },
	{ "ppc64le", "powerpc:common64", bfd_arch_powerpc, bfd_mach_ppc64, false },
	{ "ppc64", "powerpc:common64", bfd_arch_powerpc, bfd_mach_ppc64, true },
	{ "s390x", "s390:64-bit", bfd_arch_s390, bfd_mach_s390_64, true },
	{ "sparc64", "sparc:v9", bfd_arch_sparc, bfd_mach_sparc_v9, true },
	{ "mips64", "mips:isa64", bfd_arch_mips, bfd_mach_mipsisa64, BIG_HERE },
};

PRINTF(2, 0) static void text_add(struct disasm *d, const char *fmt, va_list ap)
{
	size_t left = sizeof(d->insn->text) - d->used;
	int n = vsnprintf(d->insn->text + d->used, left, fmt, ap);

	if (n > 0)
		d->used += (size_t)n < left ? (size_t)n : left - 1;
}

PRINTF(2, 3) static int text_printf(void *stream, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_add(stream, fmt, ap);
	va_end(ap);
	return 0;
}

#ifdef BFD_STYLED
PRINTF(3, 4) static int text_styled(void *stream, enum disassembler_style style, const char *fmt, ...)
{
	va_list ap;

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
}

static void address_print(bfd_vma at, struct disassemble_info *info)
{
	struct disasm *d = info->stream;

	d->insn->has_target = true;
	d->insn->target = at;
	text_printf(d, "0x%llx", llu(at));
}

static asymbol *no_symbol(bfd_vma at, struct disassemble_info *info)
{
	return NULL;
}

/* The library's functions: linked into the program, or loaded from a library that may be missing. */
#ifdef BFD_LINKED
#define FUNCTION(d, name) (&name)
static const char *const other_names[] = { NULL };

/* Called for libbfd's plug-ins, which a static program cannot load and which are not needed. */
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode)
{
	return NULL;
}

static int library_open(struct disasm *d, const char *name, struct err *e)
{
	return 0;
}

static void library_close(struct disasm *d)
{
}

static bool library_fits(struct disasm *d, const struct bfd_machine *m)
{
	return true;
}
#else
#define FUNCTION(d, name) ((__typeof__(name) *)dlsym((d)->library, #name))
/* Used after an upgrade of binutils, and for machine code of other architectures. */
static const char *const other_names[] = { "/usr/lib*/libopcodes-*.so", "/usr/lib*/*/libopcodes-*.so", NULL };

static int library_open(struct disasm *d, const char *name, struct err *e)
{
	d->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (d->library)
		return 0;
	err_set(e, -ENOTSUP, "disassembling needs the library %s", name);
	return err_hint(e, "install binutils; if its version is another one, build again");
}

static void library_close(struct disasm *d)
{
	dlclose(d->library);
}

/*
 * The library does not report whether its struct disassemble_info and its architecture numbers are those of the headers
 * used here. So check that the members it sets are where they are expected, up to the end of the struct, and that its
 * name for the number is that of the machine.
 */
static bool library_fits(struct disasm *d, const struct bfd_machine *m)
{
	__typeof__(init_disassemble_info) *init = FUNCTION(d, init_disassemble_info);
	__typeof__(bfd_printable_arch_mach) *name = FUNCTION(d, bfd_printable_arch_mach);
	union {
		struct disassemble_info info;
		unsigned char byte[4 * sizeof(struct disassemble_info)];
	} u;
	size_t end = sizeof(u.info);

	if (!init || !name || strcmp(name(m->arch, m->mach), m->bfd))
		return false;
	memset(&u, 0xa5, sizeof(u));
#ifdef BFD_STYLED
	init(&u.info, d, text_printf, text_styled);
	if (u.info.fprintf_styled_func != text_styled)
		return false;
#else
	init(&u.info, d, text_printf);
#endif
	return u.info.stream == d && u.info.fprintf_func == text_printf && u.info.octets_per_byte == 1 &&
	       u.info.read_memory_func == FUNCTION(d, buffer_read_memory) &&
	       u.info.memory_error_func == FUNCTION(d, perror_memory) &&
	       u.info.print_address_func == FUNCTION(d, generic_print_address) &&
	       u.info.symbol_is_valid == FUNCTION(d, generic_symbol_is_valid) && u.byte[end - 1] == 0 &&
	       u.byte[end] == 0xa5;
}
#endif

static int functions_find(struct disasm *d, const struct bfd_machine *m, struct err *e)
{
	__typeof__(disassembler) *find = FUNCTION(d, disassembler);
	__typeof__(init_disassemble_info) *init = FUNCTION(d, init_disassemble_info);
	__typeof__(disassemble_init_for_target) *target = FUNCTION(d, disassemble_init_for_target);

	d->free_target = FUNCTION(d, disassemble_free_target);
	if (!find || !init || !target)
		return err_set(e, -ENOTSUP, "%s lacks the functions that disassembling needs", WITH_BFD);
	d->decode = find(m->arch, m->big, m->mach, NULL);
	if (!d->decode) {
		err_set(e, -ENOTSUP, "%s does not support the machine code of %s", WITH_BFD, m->name);
		return err_hint(e, "read it on a machine of that architecture, or with binutils built for all targets");
	}
#ifdef BFD_STYLED
	init(&d->info, d, text_printf, text_styled);
#else
	init(&d->info, d, text_printf);
#endif
	d->info.arch = m->arch;
	d->info.mach = m->mach;
	d->info.endian = d->info.endian_code = m->big ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
	d->info.read_memory_func = memory_read;
	d->info.memory_error_func = memory_error;
	d->info.print_address_func = address_print;
	d->info.symbol_at_address_func = no_symbol;
	target(&d->info);
	return 0;
}

/* Only the library that matches the headers is used without library_fits(). */
static int library_use(struct disasm *d, const char *name, const struct bfd_machine *m, struct err *e)
{
	int err = library_open(d, name, e);

	if (err)
		return err;
	err = !strcmp(name, WITH_BFD) || library_fits(d, m) ? functions_find(d, m, e) : -ENOTSUP;
	if (err)
		library_close(d);
	return err;
}

static int disasm_start(struct disasm *d, const struct bfd_machine *m, struct err *e)
{
	struct err why = { 0 };
	glob_t others;
	int err = library_use(d, WITH_BFD, m, &why);

	if (!err)
		return 0;
	libraries_find(other_names, &others);
	for (size_t i = 0; err && i < others.gl_pathc; i++)
		err = library_use(d, others.gl_pathv[i], m, NULL);
	globfree(&others);
	if (!err)
		return 0;
	err_set(e, why.code, "%s", why.msg);
	return err_hint(e, "%s", why.hint);
}

int disasm_open(struct disasm **ret, const char *machine, struct err *e)
{
	struct disasm *d;
	size_t m = 0;
	int err;

	while (m < ARRAY_SIZE(machines) && strcmp(machines[m].name, machine))
		m++;
	if (m == ARRAY_SIZE(machines))
		return err_set(e, -ENOTSUP, "the machine code of %s cannot be disassembled",
			       *machine ? machine : "an unknown machine");
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_sys(e, -ENOMEM, "cannot start the disassembler");
	err = disasm_start(d, &machines[m], e);
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
	/* For some machines the library reads the bytes here instead of calling read_memory_func. */
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
	err_set(e, -ENOTSUP, "this program was built without a disassembler for machine code");
	return err_hint(e, "install binutils-dev (binutils-devel, binutils) and build again");
}

void disasm_close(struct disasm **d)
{
	*d = NULL;
}

void disasm_insn(struct disasm *d, const unsigned char *p, size_t n, uint64_t pc, struct disasm_insn *ret)
{
	*ret = (struct disasm_insn){ .text = "(bad)", .size = 1 };
}

#endif
