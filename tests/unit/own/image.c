/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <elf.h>
#include <unistd.h>

#include "base/base.h"
#include "own/image.h"
#include "own/kbtf.h"

#include "own/bpf/trie.bpf.inc"
#include "own/bpf/holders_tasks.bpf.inc"
#include "own/capture/close.bpf.inc"

/* Does a function of .text begin with this instruction of the image? */
static bool function_begins(const struct image *im, size_t insn)
{
	const Elf64_Sym *s = im->symbols.p;

	for (size_t i = 0; i < im->symbols.size / sizeof(*s); i++)
		if (s[i].st_shndx == im->text.section && ELF64_ST_TYPE(s[i].st_info) == STT_FUNC &&
		    im->prog.size + s[i].st_value == insn * sizeof(struct bpf_insn))
			return true;
	return false;
}

/* Calls and addresses of functions in .text refer to the beginning of one. */
static void test_functions(void **state)
{
	static const struct {
		const unsigned char *p;
		size_t n;
	} files[] = {
		{ elf_trie, sizeof(elf_trie) },
		{ elf_holders_tasks, sizeof(elf_holders_tasks) },
		{ elf_close, sizeof(elf_close) },
	};
	size_t calls = 0, addresses = 0;
	KBTF kernel = { 0 };

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip_because("the kernel has no BTF");
	for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
		IMAGE im;

		assert_int_equal(image_open(&im, files[f].p, files[f].n, &kernel), 0);
		assert_int_equal(image_link(&im, &(struct image_fds){ .rodata = 3, .bss = 4 }), 0);
		for (size_t i = 0; i < im.n; i++) {
			const struct bpf_insn *insn = &im.insns[i];
			const bool call = insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
			const bool wide = insn->code == (BPF_LD | BPF_IMM | BPF_DW);

			if (call || (wide && insn->src_reg == BPF_PSEUDO_FUNC)) {
				assert_true(function_begins(&im, i + 1 + (size_t)(ssize_t)insn->imm));
				calls += call;
				addresses += !call;
			}
			i += wide;
		}
	}
	assert_true(calls > 10 && addresses > 0);
}

/* .BTF.ext of an image that this build did not make whole. */
static void test_damaged(void **state)
{
	struct {
		uint32_t magic, hdr_len, off, len;
	} head; /* of struct btf_ext_header */
	CLEAN_PTR char *ext = NULL;
	CLEAN_PTR struct bpf_func_info *info = NULL;
	CLEAN_PTR void *btf = NULL;
	KBTF kernel = { 0 };
	size_t btf_size;
	uint32_t n;
	IMAGE im;

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip_because("the kernel has no BTF");
	assert_int_equal(image_open(&im, elf_holders_tasks, sizeof(elf_holders_tasks), &kernel), 0);
	ext = malloc(im.ext.size);
	memcpy(ext, im.ext.p, im.ext.size);
	im.ext.p = ext;
	assert_int_equal(image_funcs(&im, &btf, &btf_size, &info, &n), 0);
	assert_true(n > 0);
	memcpy(&head, ext, sizeof(head));
	for (size_t size = 0; size < head.hdr_len + head.off + head.len; size += 4) {
		struct image cut = im;

		cut.ext.size = size;
		free(TAKE_PTR(btf));
		free(TAKE_PTR(info));
		assert_int_equal(image_funcs(&cut, &btf, &btf_size, &info, &n), -EBADMSG);
	}
	ext[head.hdr_len + head.off]++; /* the size of a record */
	free(TAKE_PTR(btf));
	free(TAKE_PTR(info));
	assert_int_equal(image_funcs(&im, &btf, &btf_size, &info, &n), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_functions), cmocka_unit_test(test_damaged) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
