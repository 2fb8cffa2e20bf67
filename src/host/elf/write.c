/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/elf/elf.h"

#include <gelf.h>
#include <sys/mman.h>

#define ALIGN_MAX 65536u

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

static int failed(struct err *e)
{
	return err_set(e, -EBADMSG, "libelf cannot write it: %s", elf_errmsg(-1));
}

static int sections_check(const struct elf_object *o, struct err *e)
{
	for (uint32_t i = 1; i < o->nsects; i++) {
		const struct elf_sect *s = &o->sects[i];

		if (s->align > ALIGN_MAX || s->align & (s->align - 1))
			return err_set(e, -EBADMSG, "the alignment of its section %.100s is invalid", s->name);
		if (s->size && !s->p && s->type != SHT_NOBITS && s->type != SHT_NULL)
			return err_set(e, -ENOTSUP, "its section %.100s is compressed", s->name);
	}
	return 0;
}

/* The section's name in @names, to which it is appended if it is not in section o->names. */
static uint32_t name_at(const struct elf_object *o, uint32_t i, struct str *names)
{
	const uintptr_t from = (uintptr_t)o->sects[o->names].p, at = (uintptr_t)o->sects[i].name;
	const size_t end = names->n;

	if (at >= from && at - from < o->sects[o->names].size)
		return (uint32_t)(at - from);
	str_add(names, o->sects[i].name, strlen(o->sects[i].name) + 1);
	return (uint32_t)end;
}

static int section_add(Elf *elf, const struct elf_object *o, uint32_t i, struct str *names, struct err *e)
{
	const struct elf_sect *s = &o->sects[i];
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr sh;

	if (!data || !gelf_getshdr(scn, &sh))
		return failed(e);
	sh.sh_name = name_at(o, i, names);
	sh.sh_type = s->type;
	sh.sh_flags = s->flags;
	sh.sh_link = s->link;
	sh.sh_info = s->info;
	sh.sh_addralign = s->align;
	sh.sh_entsize = s->entsize;
	/* Bytes, because they are in the file's order already. */
	data->d_type = ELF_T_BYTE;
	data->d_align = s->align ? s->align : 1;
	data->d_size = s->type == SHT_NULL ? 0 : s->size;
	data->d_buf = data->d_size ? (void *)(size_t)s->p : NULL;
	return gelf_update_shdr(scn, &sh) ? 0 : failed(e);
}

static int head_add(Elf *elf, const struct elf_object *o, struct err *e)
{
	GElf_Ehdr h;

	if (!gelf_newehdr(elf, ELFCLASS64) || !gelf_getehdr(elf, &h))
		return failed(e);
	h.e_ident[EI_DATA] = o->big ? ELFDATA2MSB : ELFDATA2LSB;
	h.e_type = o->type;
	h.e_machine = o->machine;
	h.e_flags = o->flags;
	h.e_version = EV_CURRENT;
	h.e_shstrndx = (uint16_t)o->names;
	return gelf_update_ehdr(elf, &h) ? 0 : failed(e);
}

/* libelf writes to descriptors only. */
int elf_write(struct str *ret, const struct elf_object *o, struct err *e)
{
	CLEAN_FD fd = memfd_create("elf", MFD_CLOEXEC);
	STR names = { 0 };
	__attribute__((cleanup(elf_endp))) Elf *elf =
		fd < 0 || elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_WRITE, NULL);
	int err = sections_check(o, e);
	Elf_Data *data;

	if (err)
		return err;
	if (fd < 0)
		return err_sys(e, -errno, "cannot create a file in memory");
	err = elf ? head_add(elf, o, e) : failed(e);
	str_add(&names, o->sects[o->names].p, o->sects[o->names].size);
	for (uint32_t i = 1; i < o->nsects && !err; i++)
		err = section_add(elf, o, i, &names, e);
	if (err)
		return err;
	data = elf_getdata(elf_getscn(elf, o->names), NULL);
	data->d_buf = names.p;
	data->d_size = names.n;
	if (elf_update(elf, ELF_C_WRITE) < 0)
		return failed(e);
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, -errno, "cannot read what was written");
	err = str_read_fd(ret, fd, SIZE_MAX);
	return err ? err_sys(e, err, "cannot read what was written") : 0;
}
