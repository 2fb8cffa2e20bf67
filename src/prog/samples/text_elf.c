/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/samples/text_elf.h"

#include <elf.h>

#include "base/bytes.h"
#include "base/newfile.h"
#include "code/jited.h"

#define SECTS_MAX (SHN_LORESERVE - 8)
#define FILES_MAX 256 /* of one function */
/* DWARF 4: sections 6.2, 7.5 and 7.21 */
enum { OPCODE_BASE = 13, LINE_BASE = -5, LINE_RANGE = 14 };
enum { LNS_COPY = 1, LNS_ADVANCE_PC, LNS_ADVANCE_LINE, LNS_SET_FILE, LNS_SET_COLUMN };
enum { LNE_END = 1, LNE_SET_ADDRESS };
enum { TAG_COMPILE_UNIT = 0x11, TAG_SUBPROGRAM = 0x2e };
enum { AT_NAME = 0x03, AT_STMT_LIST = 0x10, AT_LOW_PC = 0x11, AT_HIGH_PC = 0x12, AT_LANGUAGE = 0x13 };
enum { FORM_ADDR = 0x01, FORM_DATA2 = 0x05, FORM_DATA8 = 0x07, FORM_STRING = 0x08, FORM_SEC_OFFSET = 0x17 };
#define LANGUAGE_C99 0x0c
static const unsigned char abbrev[] = {
	1,
	TAG_COMPILE_UNIT,
	1,
	AT_NAME,
	FORM_STRING,
	AT_LANGUAGE,
	FORM_DATA2,
	AT_STMT_LIST,
	FORM_SEC_OFFSET,
	AT_LOW_PC,
	FORM_ADDR,
	AT_HIGH_PC,
	FORM_DATA8,
	0,
	0,
	2,
	TAG_SUBPROGRAM,
	0,
	AT_NAME,
	FORM_STRING,
	AT_LOW_PC,
	FORM_ADDR,
	AT_HIGH_PC,
	FORM_DATA8,
	0,
	0,
	0,
};

void text_elf_release(struct text_elf *elf)
{
	str_release(&elf->bytes);
	str_release(&elf->names);
	str_release(&elf->symbols);
	str_release(&elf->strings);
	str_release(&elf->line);
	str_release(&elf->info);
	free(elf->sect);
	*elf = (struct text_elf){ 0 };
}

uint16_t text_elf_machine(const char *machine)
{
	static const struct {
		const char *name;
		uint16_t number;
	} all[] = { { "x86_64", EM_X86_64 }, { "aarch64", EM_AARCH64 }, { "riscv64", EM_RISCV } };

	for (size_t i = 0; i < ARRAY_SIZE(all) && !BIG_HERE; i++)
		if (!strcmp(machine, all[i].name))
			return all[i].number;
	return EM_NONE;
}

static void put(struct str *s, uint64_t v, size_t size)
{
	unsigned char bytes[8];

	store_uint(bytes, size, v, false);
	str_add(s, bytes, size);
}

static void put_uleb(struct str *s, uint64_t v)
{
	do {
		put(s, (v & 0x7f) | (v >> 7 ? 0x80 : 0), 1);
		v >>= 7;
	} while (v);
}

static void put_sleb(struct str *s, int64_t v)
{
	for (bool more = true; more; v >>= 7) {
		more = !((v >> 7 == 0 && !(v & 0x40)) || (v >> 7 == -1 && (v & 0x40)));
		put(s, ((uint64_t)v & 0x7f) | (more ? 0x80 : 0), 1);
	}
}

static void put_text(struct str *s, const char *text)
{
	str_add(s, text, strlen(text) + 1);
}

/* Set a length that was left open: that of all that follows it. */
static void close_length(struct str *s, size_t at)
{
	store_uint(s->p + at, 4, s->n - at - 4, false);
}

/* Append a name to a table of strings, whose first is empty. */
static uint32_t text_name_put(struct str *s, const char *name)
{
	uint32_t at;

	if (!s->n)
		put(s, 0, 1);
	at = (uint32_t)s->n;
	put_text(s, name);
	return at;
}

static int sect_add(struct text_elf *elf, const char *name, const struct text_sect *like, const void *p, size_t n)
{
	if (elf->nsects >= SECTS_MAX)
		return -E2BIG;
	ARRAY_MORE(elf->sect, elf->nsects, elf->cap);
	elf->sect[elf->nsects] = *like;
	elf->sect[elf->nsects].name = text_name_put(&elf->names, name);
	elf->sect[elf->nsects].off = elf->bytes.n;
	elf->sect[elf->nsects++].n = n;
	str_add(&elf->bytes, p, n);
	return 0;
}

int text_elf_code(struct text_elf *elf, uint64_t addr, const void *code, size_t n, const char *name)
{
	const struct text_sect like = { .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = addr };
	Elf64_Sym symbol = { .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_value = addr, .st_size = n };
	STR section = { 0 };
	int err;

	str_fmt(&section, ".text.%s", name);
	err = sect_add(elf, section.p, &like, code, n);
	if (err)
		return err;
	symbol.st_name = text_name_put(&elf->strings, name);
	symbol.st_shndx = (uint16_t)elf->nsects; /* the first section is unused */
	str_add(&elf->symbols, &symbol, sizeof(symbol));
	return 0;
}

int text_elf_btf(struct text_elf *elf, uint32_t id, const void *p, size_t n)
{
	STR name = { 0 };

	str_fmt(&name, ".BTF.%u", id);
	return sect_add(elf, name.p, &(const struct text_sect){ .type = SHT_PROGBITS }, p, n);
}

/* A line of a function. */
struct elf_line {
	size_t pc;
	struct source_line src;
	uint32_t file; /* from 1 */
};

/* The number of a file in the table, which grows; 0: it is full. */
static uint32_t file_number(const char **files, uint32_t *n, const char *file)
{
	for (uint32_t i = *n; i > 0; i--)
		if (!strcmp(files[i - 1], file))
			return i;
	if (*n == FILES_MAX)
		return 0;
	files[(*n)++] = file;
	return *n;
}

static void line_head(struct str *s, const char *const *files, uint32_t n)
{
	static const unsigned char lengths[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	size_t head;

	put(s, 4, 2); /* version */
	head = s->n;
	put(s, 0, 4);
	put(s, 1, 1); /* bytes of the shortest instruction */
	put(s, 1, 1); /* operations in one */
	put(s, 1, 1); /* lines are statements */
	put(s, (uint8_t)LINE_BASE, 1);
	put(s, LINE_RANGE, 1);
	put(s, OPCODE_BASE, 1);
	str_add(s, lengths, sizeof(lengths));
	put(s, 0, 1); /* no directories */
	for (uint32_t i = 0; i < n; i++) {
		put_text(s, files[i]);
		str_add(s, "\0\0", 3); /* directory, time, length */
	}
	put(s, 0, 1);
	close_length(s, head);
}

static void line_program(struct str *s, const struct jited_func *f, const struct elf_line *v, size_t n)
{
	uint32_t file = 1, line = 1;
	size_t pc = 0;

	put(s, 0, 1);
	put_uleb(s, 9);
	put(s, LNE_SET_ADDRESS, 1);
	put(s, f->addr, 8);
	for (size_t i = 0; i < n; i++) {
		put(s, LNS_ADVANCE_PC, 1);
		put_uleb(s, v[i].pc - pc);
		put(s, LNS_ADVANCE_LINE, 1);
		put_sleb(s, (int64_t)v[i].src.num - line);
		if (v[i].file != file) {
			put(s, LNS_SET_FILE, 1);
			put_uleb(s, v[i].file);
		}
		put(s, LNS_SET_COLUMN, 1);
		put_uleb(s, v[i].src.col);
		put(s, LNS_COPY, 1);
		pc = v[i].pc;
		line = v[i].src.num;
		file = v[i].file;
	}
	put(s, LNS_ADVANCE_PC, 1);
	put_uleb(s, f->len - pc);
	put(s, 0, 1);
	put_uleb(s, 1);
	put(s, LNE_END, 1);
}

static void unit_put(struct str *s, const struct jited_func *f, const char *file, const char *name, size_t line)
{
	const size_t at = s->n;

	put(s, 0, 4);
	put(s, 4, 2); /* version */
	put(s, 0, 4); /* offset in .debug_abbrev */
	put(s, 8, 1); /* bytes of an address */
	put_uleb(s, 1);
	put_text(s, file);
	put(s, LANGUAGE_C99, 2);
	put(s, line, 4);
	put(s, f->addr, 8);
	put(s, f->len, 8);
	put_uleb(s, 2);
	put_text(s, name);
	put(s, f->addr, 8);
	put(s, f->len, 8);
	put(s, 0, 1);
	close_length(s, at);
}

void text_elf_lines(struct text_elf *elf, struct jited_func *f, const char *name)
{
	const char *files[FILES_MAX];
	const size_t line = elf->line.n;
	struct elf_line *v = NULL;
	size_t n = 0, cap = 0, pc, last = 0;
	uint32_t nfiles = 0;

	while ((pc = jited_func_line_pc(f)) != SIZE_MAX) {
		struct elf_line l = { .pc = pc, .src = jited_func_line(f, pc) };

		l.file = l.src.text && l.src.file && *l.src.file ? file_number(files, &nfiles, l.src.file) : 0;
		if (!l.file || pc < last || pc >= f->len)
			continue;
		ARRAY_MORE(v, n, cap);
		v[n++] = l;
		last = pc;
	}
	if (n && elf->line.n < UINT32_MAX / 2) {
		unit_put(&elf->info, f, files[0], name, line);
		put(&elf->line, 0, 4);
		line_head(&elf->line, files, nfiles);
		line_program(&elf->line, f, v, n);
		close_length(&elf->line, line);
	}
	free(v);
}

static int tables_add(struct text_elf *elf)
{
	static const struct text_sect plain = { .type = SHT_PROGBITS };
	int err = sect_add(elf, ".debug_abbrev", &plain, abbrev, sizeof(abbrev));

	if (!err)
		err = sect_add(elf, ".debug_info", &plain, elf->info.p, elf->info.n);
	if (!err)
		err = sect_add(elf, ".debug_line", &plain, elf->line.p, elf->line.n);
	while (elf->bytes.n % sizeof(uint64_t))
		put(&elf->bytes, 0, 1);
	return err;
}

static void header_put(struct str *out, const struct text_elf *elf, const Elf64_Shdr *heads, size_t n, uint16_t machine)
{
	Elf64_Ehdr h = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(h),
		.e_shoff = sizeof(h),
		.e_shentsize = sizeof(*heads),
		.e_shnum = (uint16_t)n,
		.e_shstrndx = (uint16_t)(n - 1),
	};

	str_add(out, &h, sizeof(h));
	str_add(out, heads, n * sizeof(*heads));
	str_add(out, elf->bytes.p, elf->bytes.n);
}

int text_elf_write(struct text_elf *elf, uint16_t machine, const char *path, struct err *e)
{
	STR symbols = { 0 }, names = { 0 }, out = { 0 };
	Elf64_Shdr *heads;
	uint32_t name;
	size_t n;
	int err = tables_add(elf);

	str_add(&symbols, &(const Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	str_add(&symbols, elf->symbols.p, elf->symbols.n);
	if (!elf->strings.n)
		put(&elf->strings, 0, 1);
	if (!err)
		err = sect_add(elf, ".symtab", &(const struct text_sect){ .type = SHT_SYMTAB }, symbols.p, symbols.n);
	if (!err)
		err = sect_add(elf, ".strtab", &(const struct text_sect){ .type = SHT_STRTAB }, elf->strings.p,
			       elf->strings.n);
	name = text_name_put(&elf->names, ".shstrtab");
	str_add(&names, elf->names.p, elf->names.n);
	if (!err)
		err = sect_add(elf, "", &(const struct text_sect){ .type = SHT_STRTAB }, names.p, names.n);
	if (err)
		return err_sys(e, err, "cannot write %s: %zu functions", path, elf->nsects);
	elf->sect[elf->nsects - 1].name = name;
	n = elf->nsects + 1;
	heads = array_resize(NULL, n, sizeof(*heads));
	memset(heads, 0, n * sizeof(*heads));
	for (size_t i = 0; i < elf->nsects; i++) {
		const struct text_sect *s = &elf->sect[i];

		heads[i + 1] = (Elf64_Shdr){
			.sh_name = s->name,
			.sh_type = s->type,
			.sh_flags = s->flags,
			.sh_addr = s->addr,
			.sh_offset = sizeof(Elf64_Ehdr) + n * sizeof(*heads) + s->off,
			.sh_size = s->n,
			.sh_addralign = 1,
		};
	}
	heads[n - 3].sh_link = (uint32_t)(n - 2);
	heads[n - 3].sh_info = 1; /* the first symbol that is not local */
	heads[n - 3].sh_entsize = sizeof(Elf64_Sym);
	heads[n - 3].sh_addralign = sizeof(uint64_t);
	header_put(&out, elf, heads, n, machine);
	free(heads);
	return newfile_write(path, out.p, out.n, e);
}
