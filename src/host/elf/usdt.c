/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/elf/usdt.h"

#include <gelf.h>

#include "base/bytes.h"
#include "host/elf/func.h"

#define NOTES_MAX (64u << 20) /* bytes; more can only be meant to fill memory */
#define NOTE_TYPE 3u
#define NOTE_NAME "stapsdt"
enum { NOTE_HEAD = 12 };
#define NOTE_ALIGNED(n) (((n) + 3) & ~(uint64_t)3)

static void elf_close(Elf **elf)
{
	elf_end(*elf);
}

/* The first section of that name; NULL: none. */
static Elf_Scn *section_find(Elf *elf, const char *name, GElf_Shdr *ret)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *found = gelf_getshdr(scn, ret) ? elf_strptr(elf, strings, ret->sh_name) : NULL;

		if (found && !strcmp(found, name))
			return scn;
	}
	return NULL;
}

/* The next string of a description; NULL: not terminated. */
static const char *text_take(const unsigned char **p, size_t *n)
{
	const unsigned char *text = *p, *end = memchr(text, '\0', *n);

	if (!end)
		return NULL;
	*n -= (size_t)(end + 1 - text);
	*p = end + 1;
	return (const char *)text;
}

struct usdt_notes {
	Elf *elf;
	struct arena *arena;
	struct usdt_file *file;
	uint64_t base; /* address of section .stapsdt.base; 0: none */
	struct usdt_probe *probes;
	size_t cap;
};

/* Addresses in notes are not changed when the file is prelinked: section .stapsdt.base tells how far it moved. */
static int note_read(struct usdt_notes *s, const unsigned char *p, size_t n)
{
	const uint32_t width = s->file->pointer;
	struct usdt_probe probe = { 0 };
	const unsigned char *text = p + 3 * width;
	size_t left;
	uint64_t moved;

	if (n < 3 * width)
		return -EBADMSG;
	left = n - 3 * width;
	probe.address = load_uint(p, width, s->file->big);
	moved = s->base ? s->base - load_uint(p + width, width, s->file->big) : 0;
	probe.semaphore = load_uint(p + 2 * width, width, s->file->big);
	probe.address += moved;
	probe.semaphore += probe.semaphore ? moved : 0;
	if (width == sizeof(uint32_t)) {
		probe.address = (uint32_t)probe.address;
		probe.semaphore = (uint32_t)probe.semaphore;
	}
	probe.provider = text_take(&text, &left);
	probe.name = probe.provider ? text_take(&text, &left) : NULL;
	probe.args = probe.name ? text_take(&text, &left) : NULL;
	if (!probe.args || !*probe.provider || !*probe.name)
		return -EBADMSG;
	if (!elf_offset_of(s->elf, probe.address, &probe.offset) ||
	    (probe.semaphore && !elf_offset_of(s->elf, probe.semaphore, &probe.semaphore_offset))) {
		s->file->outside++;
		return 0;
	}
	probe.provider = arena_str(s->arena, probe.provider, SIZE_MAX);
	probe.name = arena_str(s->arena, probe.name, SIZE_MAX);
	probe.args = arena_str(s->arena, probe.args, SIZE_MAX);
	ARENA_MORE(s->arena, s->probes, s->file->n, s->cap);
	s->probes[s->file->n++] = probe;
	return 0;
}

static int notes_read(struct usdt_notes *s, const unsigned char *p, size_t n)
{
	int err = 0;

	while (n && !err) {
		uint64_t name, desc, end;

		if (n < NOTE_HEAD)
			return -EBADMSG;
		name = load_uint(p, 4, s->file->big);
		desc = load_uint(p + 4, 4, s->file->big);
		end = NOTE_HEAD + NOTE_ALIGNED(name) + desc;
		if (end > n)
			return -EBADMSG;
		if (load_uint(p + 8, 4, s->file->big) == NOTE_TYPE && name == sizeof(NOTE_NAME) &&
		    !memcmp(p + NOTE_HEAD, NOTE_NAME, name))
			err = note_read(s, p + end - desc, desc);
		end = NOTE_ALIGNED(end);
		end = end < n ? end : n;
		p += end;
		n -= end;
	}
	return err;
}

int usdt_read(struct usdt_file *ret, int fd, struct arena *a)
{
	__attribute__((cleanup(elf_close))) Elf *elf =
		elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	struct usdt_notes s = { .elf = elf, .arena = a, .file = ret };
	GElf_Ehdr head;
	GElf_Shdr sh;
	Elf_Scn *notes;
	Elf_Data *data;
	int err;

	*ret = (struct usdt_file){ 0 };
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head))
		return -ENOEXEC;
	ret->machine = head.e_machine;
	ret->big = head.e_ident[EI_DATA] == ELFDATA2MSB;
	ret->pointer = gelf_getclass(elf) == ELFCLASS32 ? sizeof(uint32_t) : sizeof(uint64_t);
	if (section_find(elf, ".stapsdt.base", &sh))
		s.base = sh.sh_addr;
	notes = section_find(elf, ".note.stapsdt", &sh);
	if (!notes)
		return -ENODATA;
	/* A file of debug information has the header of the section only. */
	if (sh.sh_type == SHT_NOBITS)
		return -ENODATA;
	if (sh.sh_flags & SHF_COMPRESSED || sh.sh_size > NOTES_MAX || !(data = elf_rawdata(notes, NULL)) ||
	    (data->d_size && !data->d_buf))
		return -EBADMSG;
	err = notes_read(&s, data->d_buf, data->d_size);
	ret->probes = s.probes;
	return err;
}

bool usdt_arg_next(const char **text, struct usdt_arg *ret, struct arena *a)
{
	const char *p = *text + strspn(*text, " "), *at = p;
	unsigned depth = 0;

	if (!*p)
		return false;
	*ret = (struct usdt_arg){ .is_signed = *p == '-' };
	for (at += ret->is_signed; *at >= '0' && *at <= '9' && ret->size < 1000; at++)
		ret->size = ret->size * 10 + (uint32_t)(*at - '0');
	ret->is_float = *at == 'f';
	at += ret->is_float;
	if (*at == '@')
		p = at + 1;
	else
		*ret = (struct usdt_arg){ 0 };
	/* Blanks are in brackets only: "[sp, 60]". */
	for (at = p; *at && (*at != ' ' || depth); at++)
		depth = *at == '[' || *at == '(' ? depth + 1 : (*at == ']' || *at == ')') && depth ? depth - 1 : depth;
	ret->where = arena_str(a, p, (size_t)(at - p));
	*text = at;
	return true;
}
