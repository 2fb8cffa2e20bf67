/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/image.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <libelf.h>

#include "own/kbtf.h"
#include "own/own.h"

#define INSN sizeof(struct bpf_insn)

static void part_set(struct image_part *part, Elf_Scn *scn, const Elf64_Shdr *sh)
{
	const Elf_Data *d = elf_getdata(scn, NULL);

	*part = (struct image_part){ elf_ndxscn(scn), d ? d->d_buf : NULL, sh->sh_size };
}

static void section_take(struct image *im, Elf_Scn *scn, const Elf64_Shdr *sh, const char *name)
{
	static const struct {
		const char *name;
		size_t off;
	} parts[] = {
		{ ".text", offsetof(struct image, text) },   { ".rodata", offsetof(struct image, rodata) },
		{ ".bss", offsetof(struct image, bss) },     { ".maps", offsetof(struct image, maps) },
		{ ".BTF.ext", offsetof(struct image, ext) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!strcmp(name, parts[i].name)) {
			part_set((void *)((char *)im + parts[i].off), scn, sh);
			return;
		}
	}
	if (sh->sh_type == SHT_SYMTAB) {
		part_set(&im->symbols, scn, sh);
		im->names = sh->sh_link;
	} else if (sh->sh_type == SHT_PROGBITS && sh->sh_flags & SHF_EXECINSTR) {
		part_set(&im->prog, scn, sh);
		im->section = name;
	}
}

static int sections_find(struct image *im)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOSYS;
	/* libelf does not write to a file that it only reads. */
	im->elf = elf_memory((char *)(uintptr_t)im->file, im->file_size);
	if (!im->elf || elf_getshdrstrndx(im->elf, &names))
		return -EBADMSG;
	while ((scn = elf_nextscn(im->elf, scn))) {
		const Elf64_Shdr *sh = elf64_getshdr(scn);
		const char *name = sh ? elf_strptr(im->elf, names, sh->sh_name) : NULL;

		if (name)
			section_take(im, scn, sh, name);
	}
	return im->prog.p && im->symbols.p ? 0 : -EBADMSG;
}

static const Elf64_Sym *symbol_at(const struct image *im, size_t i)
{
	return i < im->symbols.size / sizeof(Elf64_Sym) ? (const Elf64_Sym *)im->symbols.p + i : NULL;
}

static const char *symbol_name(const struct image *im, const Elf64_Sym *s)
{
	const char *name = elf_strptr(im->elf, im->names, s->st_name);

	return name ? name : "";
}

/* "at__STRUCT__MEMBER" in .rodata is an offset in bytes, "bit__..." in bits. A symbol in no section is a kernel
 * function. */
static bool symbol_want(struct image *im, const Elf64_Sym *s, char *name, struct kbtf_want *ret)
{
	const bool optional = ELF64_ST_BIND(s->st_info) == STB_WEAK, bits = str_starts(name, "bit__");
	char *member;

	if (s->st_shndx == SHN_UNDEF && *name && im->nfuncs < IMAGE_FUNCS) {
		im->func[im->nfuncs].name = symbol_name(im, s);
		*ret = (struct kbtf_want){ NULL, name, optional, &im->func[im->nfuncs++].id, false };
		return true;
	}
	if (s->st_shndx != im->rodata.section || !(bits || str_starts(name, "at__")) ||
	    s->st_value + sizeof(int) > im->rodata.size)
		return false;
	name += strlen(bits ? "bit__" : "at__");
	member = strstr(name, "__");
	if (!member)
		return false;
	*member = '\0';
	*ret = (struct kbtf_want){ name, member + 2, optional, (void *)(im->constants + s->st_value), bits };
	return true;
}

/* Find the program's name, and what its symbols need from the kernel. Undefined functions are kernel functions. */
static int symbols_resolve(struct image *im, struct kbtf *kernel)
{
	struct kbtf_want want[KBTF_WANTS];
	char *names[KBTF_WANTS] = { NULL }, target[64];
	size_t n = 0, i;
	const Elf64_Sym *s;
	int err;

	if (str_starts(im->section, "iter/") || str_starts(im->section, "fentry/")) {
		snprintf(target, sizeof(target), "%s%s", *im->section == 'i' ? "bpf_iter_" : "",
			 strchr(im->section, '/') + 1);
		want[n++] = (struct kbtf_want){ NULL, target, false, &im->target, false };
	}
	for (i = 0; (s = symbol_at(im, i)) && n < KBTF_WANTS; i++) {
		if (s->st_shndx == im->prog.section && ELF64_ST_TYPE(s->st_info) == STT_FUNC)
			im->name = symbol_name(im, s);
		names[n] = strdup(symbol_name(im, s));
		if (!names[n])
			break;
		if (symbol_want(im, s, names[n], &want[n]))
			n++;
		else
			free(TAKE_PTR(names[n]));
	}
	err = !s ? kbtf_ask_in(kernel, want, n) : n < KBTF_WANTS ? -ENOMEM : -E2BIG;
	for (i = 0; i < KBTF_WANTS; i++)
		free(names[i]);
	return err;
}

int image_open(struct image *im, const void *file, size_t size, struct kbtf *kernel)
{
	int err;

	*im = (struct image){ .file = file, .file_size = size };
	err = sections_find(im);
	if (err)
		return err;
	im->n = (im->prog.size + im->text.size) / INSN;
	im->insns = malloc(im->n * INSN);
	im->constants = malloc(im->rodata.size + 1);
	if (!im->insns || !im->constants)
		return -ENOMEM;
	memcpy(im->insns, im->prog.p, im->prog.size);
	if (im->text.size)
		memcpy((char *)im->insns + im->prog.size, im->text.p, im->text.size);
	if (im->rodata.size)
		memcpy(im->constants, im->rodata.p, im->rodata.size);
	return symbols_resolve(im, kernel);
}

void image_close(struct image *im)
{
	elf_end(im->elf);
	free(im->insns);
	free(im->constants);
	*im = (struct image){ 0 };
}

int image_set(struct image *im, const char *name, uint32_t v)
{
	const Elf64_Sym *s;

	for (size_t i = 0; (s = symbol_at(im, i)); i++) {
		if (s->st_shndx != im->rodata.section || strcmp(symbol_name(im, s), name) ||
		    s->st_value + sizeof(v) > im->rodata.size)
			continue;
		memcpy(im->constants + s->st_value, &v, sizeof(v));
		return 0;
	}
	return -ENOENT;
}

const struct bpf_insn *image_code(const struct image *im, const char *name, size_t *ret_n)
{
	const Elf64_Sym *s;

	for (size_t i = 0; (s = symbol_at(im, i)); i++) {
		if (s->st_shndx != im->prog.section || strcmp(symbol_name(im, s), name) ||
		    s->st_value + s->st_size > im->prog.size)
			continue;
		*ret_n = s->st_size / INSN;
		return im->insns + s->st_value / INSN;
	}
	return NULL;
}

/* Instruction number of an offset in .text. */
static int32_t text_insn(const struct image *im, uint64_t off)
{
	return (int32_t)((im->prog.size + off) / INSN);
}

/* Type id of the function; -1: the kernel does not have it. */
static int func_id(const struct image *im, const Elf64_Sym *s)
{
	const char *name = symbol_name(im, s);

	for (unsigned i = 0; i < im->nfuncs; i++)
		if (!strcmp(im->func[i].name, name))
			return im->func[i].id;
	return -1;
}

/* Link a call of a function in .text or of a kernel function. */
static int call_link(const struct image *im, const Elf64_Sym *s, struct bpf_insn *insn)
{
	if (s->st_shndx == im->text.section && im->text.section) {
		insn->src_reg = BPF_PSEUDO_CALL;
		insn->imm += text_insn(im, s->st_value) - (int32_t)(insn - im->insns);
		return 0;
	}
	if (s->st_shndx != SHN_UNDEF)
		return -EBADMSG;
	insn->src_reg = BPF_PSEUDO_KFUNC_CALL;
	insn->imm = func_id(im, s);
	if (insn->imm < 0) {
		/* Never called, because its address is tested before. But old kernels reject unknown calls even in dead
		 * code. */
		insn->src_reg = 0;
		insn->imm = BPF_FUNC_get_smp_processor_id;
	}
	return 0;
}

static int map_fd(const struct image *im, const struct image_fds *fds, const Elf64_Sym *s)
{
	for (const struct own_map *m = fds->maps; m && m->fd >= 0; m++)
		if (!m->name || !strcmp(m->name, symbol_name(im, s)))
			return m->fd;
	return -1;
}

/* Link an address: in one of the two maps of variables, of a map, of a function in .text, or of a kernel function, for
 * which it is only 0 or not. */
static int address_link(const struct image *im, const struct image_fds *fds, const Elf64_Sym *s, struct bpf_insn *insn)
{
	const uint64_t off = s->st_value + (uint32_t)insn->imm;

	if (s->st_shndx == SHN_UNDEF) {
		insn->imm = func_id(im, s) > 0;
		return 0;
	}
	if (s->st_shndx == im->rodata.section || s->st_shndx == im->bss.section) {
		insn[0].src_reg = BPF_PSEUDO_MAP_VALUE;
		insn[0].imm = s->st_shndx == im->bss.section ? fds->bss : fds->rodata;
		insn[1].imm = (int32_t)off;
	} else if (s->st_shndx == im->maps.section) {
		insn->src_reg = BPF_PSEUDO_MAP_FD;
		insn->imm = map_fd(im, fds, s);
	} else if (s->st_shndx == im->text.section) {
		insn->src_reg = BPF_PSEUDO_FUNC;
		insn->imm = text_insn(im, off) - (int32_t)(insn - im->insns) - 1;
	} else {
		return -EBADMSG;
	}
	return 0;
}

static int section_link(struct image *im, const struct image_fds *fds, Elf_Scn *scn, size_t first)
{
	const Elf_Data *d = elf_getdata(scn, NULL);
	int err = d ? 0 : -EBADMSG;

	for (size_t i = 0; !err && i < d->d_size / sizeof(Elf64_Rel); i++) {
		const Elf64_Rel *r = (const Elf64_Rel *)d->d_buf + i;
		const Elf64_Sym *s = symbol_at(im, ELF64_R_SYM(r->r_info));
		const size_t at = first + r->r_offset / INSN;

		if (!s || at >= im->n)
			err = -EBADMSG;
		else if (im->insns[at].code == (BPF_JMP | BPF_CALL))
			err = call_link(im, s, &im->insns[at]);
		else if (im->insns[at].code == (BPF_LD | BPF_IMM | BPF_DW) && at + 1 < im->n)
			err = address_link(im, fds, s, &im->insns[at]);
		else
			err = -EBADMSG;
	}
	return err;
}

int image_link(struct image *im, const struct image_fds *fds)
{
	Elf_Scn *scn = NULL;
	int err = 0;

	while (!err && (scn = elf_nextscn(im->elf, scn))) {
		const Elf64_Shdr *sh = elf64_getshdr(scn);

		if (sh && sh->sh_type == SHT_REL && sh->sh_info == im->prog.section)
			err = section_link(im, fds, scn, 0);
		else if (sh && sh->sh_type == SHT_REL && im->text.section && sh->sh_info == im->text.section)
			err = section_link(im, fds, scn, im->prog.size / INSN);
	}
	return err;
}

/* Read the table of functions in .BTF.ext: the size of a record, then for each section its name, the number of records,
 * and the records. */
static int image_funcs_read(const struct image *im, const struct btf *btf, struct bpf_func_info *ret, size_t max,
			    uint32_t *ret_n)
{
	const struct {
		uint16_t magic;
		uint8_t version, flags;
		uint32_t hdr_len, off, len;
	} *h = im->ext.p;
	const char *p = im->ext.p, *end;
	uint32_t rec, head[2];

	if (im->ext.size < sizeof(*h) || h->len < sizeof(rec) || (uint64_t)h->hdr_len + h->off + h->len > im->ext.size)
		return -EBADMSG;
	p += h->hdr_len + h->off;
	end = p + h->len;
	memcpy(&rec, p, sizeof(rec));
	p += sizeof(rec);
	if (rec != sizeof(*ret))
		return -EBADMSG;
	*ret_n = 0;
	while ((size_t)(end - p) >= sizeof(head)) {
		const char *name;

		memcpy(head, p, sizeof(head));
		p += sizeof(head);
		name = btf__name_by_offset(btf, head[0]);
		if (!name || head[1] > max - *ret_n || (uint64_t)head[1] * rec > (size_t)(end - p))
			return -EBADMSG;
		for (uint32_t i = 0; i < head[1]; i++, p += rec) {
			memcpy(&ret[*ret_n], p, rec);
			/* The kernel counts instructions. */
			ret[*ret_n].insn_off =
				(ret[*ret_n].insn_off + (strcmp(name, ".text") ? 0 : (uint32_t)im->prog.size)) / INSN;
			++*ret_n;
		}
	}
	return 0;
}

static int by_text_offset(const void *a, const void *b)
{
	const struct bpf_func_info *x = a, *y = b;

	return NUM_CMP(x->insn_off, y->insn_off);
}

int image_funcs(const struct image *im, void **ret_btf, size_t *ret_btf_size, struct bpf_func_info **ret,
		uint32_t *ret_n)
{
	CLEAN_PTR struct bpf_func_info *info = NULL;
	struct bpf_object *obj;
	const struct btf *btf;
	const void *raw;
	uint32_t size = 0;
	int err = 0;

	*ret_n = 0;
	if (!im->text.size)
		return 0;
	/* libbpf completes the offsets of variables in their sections; the compiler leaves them out. */
	obj = bpf_object__open_mem(im->file, im->file_size, NULL);
	if (!obj)
		return -errno;
	info = calloc(im->n, sizeof(*info));
	btf = bpf_object__btf(obj); /* NULL: libbpf ran out of memory, and goes on without BTF */
	raw = btf ? btf__raw_data(btf, &size) : NULL;
	*ret_btf = raw ? malloc(size) : NULL;
	err = info && *ret_btf ? image_funcs_read(im, btf, info, im->n, ret_n) : -ENOMEM;
	if (*ret_btf)
		memcpy(*ret_btf, raw, size);
	bpf_object__close(obj);
	/* The compiler may write .text first. */
	if (!err)
		qsort(info, *ret_n, sizeof(*info), by_text_offset);
	*ret_btf_size = size;
	*ret = TAKE_PTR(info);
	return err;
}
