/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../types/build.h"
#include "kernel/abi.h"
#include "machine.h"
#include "code/insn.h"
#include "code/jited.h"

/*
 * Program 9: functions first and second; second is after first in the image and before it in memory; three
 * lines, two of them in first. Its bytes count from 0, and are not disassembled.
 */
struct program {
	unsigned char code[32];
	uint64_t ksyms[2], places[3];
	uint32_t lens[2];
	struct btf_build types;
	struct func_record funcs[2];
	struct line_record lines[3];
	struct abi_btf_info btf_info;
	struct abi_prog_info info;
};

/* Instructions: start of second, and of the second line. Bytes: of both functions, and before the second line. */
struct program_form {
	uint32_t second, line, first_len, second_len, place;
};

static inline void program_says(struct scripted *m, struct program *p, const struct program_form *f)
{
	uint32_t proto, file, size = f->first_len + f->second_len;

	memset(p, 0, sizeof(*p));
	for (unsigned i = 0; i < sizeof(p->code); i++)
		p->code[i] = (unsigned char)i;
	p->ksyms[0] = p->places[0] = 0xffffffffc0000100;
	p->ksyms[1] = p->places[2] = 0xffffffffc0000000;
	p->places[1] = p->ksyms[0] + f->place;
	p->lens[0] = f->first_len;
	p->lens[1] = f->second_len;
	build_init(&p->types);
	proto = build_type(&p->types, NULL, BTF_KIND_FUNC_PROTO, 0, 0,
			   build_int(&p->types, "int", 4, BTF_INT_SIGNED, 0, 32));
	p->funcs[0] = (struct func_record){ 0, build_type(&p->types, "first", BTF_KIND_FUNC, 0, 0, proto) };
	p->funcs[1] = (struct func_record){ f->second, build_type(&p->types, "second", BTF_KIND_FUNC, 0, 0, proto) };
	file = build_str(&p->types, "t.c");
	p->lines[0] = (struct line_record){ 0, file, build_str(&p->types, "one"), 1 << 10 };
	p->lines[1] = (struct line_record){ f->line, file, build_str(&p->types, "  two"), 2 << 10 | 7 };
	p->lines[2] = (struct line_record){ f->second, file, build_str(&p->types, "three"), 3 << 10 };
	build_done(&p->types);
	scripted_says(m, "prog/9/jited", 0, p->code, size);
	scripted_says(m, "prog/9/func_info", 0, p->funcs, sizeof(p->funcs));
	scripted_says(m, "prog/9/line_info", 0, p->lines, sizeof(p->lines));
	scripted_says(m, "prog/9/jited_line_info", 0, p->places, sizeof(p->places));
	scripted_says(m, "prog/9/jited_ksyms", 0, p->ksyms, sizeof(p->ksyms));
	scripted_says(m, "prog/9/jited_func_lens", 0, p->lens, sizeof(p->lens));
	scripted_says(m, "btf/3/info", 0, &p->btf_info, sizeof(p->btf_info));
	scripted_says(m, "btf/3/data", 0, p->types.out, p->types.out_n);
	p->info = (struct abi_prog_info){
		.id = 9,
		.jited_prog_len = size,
		.btf_id = 3,
		.nr_func_info = 2,
		.func_info_rec_size = sizeof(p->funcs[0]),
		.nr_line_info = 3,
		.line_info_rec_size = sizeof(p->lines[0]),
		.nr_jited_ksyms = 2,
		.nr_jited_func_lens = 2,
		.nr_jited_line_info = 3,
		.jited_line_info_rec_size = sizeof(p->places[0]),
	};
}
