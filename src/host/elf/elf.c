/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/elf/elf.h"

#include <gelf.h>

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

bool elf_is(const void *p, size_t n)
{
	return n >= SELFMAG && !memcmp(p, ELFMAG, SELFMAG);
}

uint32_t elf_pointer(const void *p, size_t n)
{
	unsigned char class = elf_is(p, n) && n > EI_CLASS ? ((const unsigned char *)p)[EI_CLASS] : ELFCLASSNONE;

	return class == ELFCLASS32 ? sizeof(Elf32_Addr) : class == ELFCLASS64 ? sizeof(Elf64_Addr) : 0;
}

int elf_section(const void *p, size_t n, const char *name, const void **ret, size_t *ret_n)
{
	/* libelf writes to this memory only with ELF_C_RDWR. */
	__attribute__((cleanup(elf_endp))) Elf *elf =
		elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory((char *)(size_t)p, n);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t strings;
	const char *found;

	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &strings))
		return -EBADMSG;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			return -EBADMSG;
		found = elf_strptr(elf, strings, sh.sh_name);
		if (!found || strcmp(found, name))
			continue;
		if (sh.sh_type == SHT_NOBITS || sh.sh_flags & SHF_COMPRESSED || sh.sh_offset > n ||
		    sh.sh_size > n - sh.sh_offset)
			return -EBADMSG;
		*ret = (const char *)p + sh.sh_offset;
		*ret_n = sh.sh_size;
		return 0;
	}
	return -ENOENT;
}
