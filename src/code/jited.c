/* SPDX-License-Identifier: BSD-2-Clause */
#include "code/jited.h"

#include "types/btf.h"
#include "cli/env.h"
#include "source/facts.h"
#include "source/lives.h"
#include "source/codes.h"
#include "kernel/abi.h"
#include "host/caps.h"
#include "host/elf/symbols.h"

const char *jited_machine(struct env *env)
{
	const char *machine = facts_architecture(env->machine);

	return machine ? machine : "";
}

static int jited_error(struct env *env, uint32_t id, const struct abi_prog_info *info, struct err *e)
{
	bool may = machine_is_saved(env->machine) || caps_bpf();
	const int64_t enabled = facts_limit(env->machine, "bpf_jit_enable");

	if (info->jited_prog_len || !may)
		err_set(e, -ENODATA, "program %u: the kernel does not show its machine code", id);
	else
		err_set(e, -ENODATA, "program %u was not compiled to machine code", id);
	if (!may)
		return err_hint(e, "reading it needs CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN");
	if (info->jited_prog_len)
		return facts_hint_hidden(env->machine, e);
	if (!enabled)
		return err_hint(e,
				"the JIT compiler is off: set net.core.bpf_jit_enable to 1 and load the program again");
	return err_hint(e,
			"`prog dump xlated` shows the instructions that the interpreter or the offload device runs%s",
			enabled < 0 ? "; net.core.bpf_jit_enable, which is not visible here, may be 0" :
				      "; it may have been loaded before net.core.bpf_jit_enable was set to 1");
}

static void explained_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct jited *x)
{
	code_info_read(env, id, info, &x->src);
	x->lens = info_array_read(env, id, Q_PROG_JITED_FUNC_LENS, info->nr_jited_func_lens, sizeof(uint32_t),
				  sizeof(uint32_t));
	x->ksyms =
		info_array_read(env, id, Q_PROG_JITED_KSYMS, info->nr_jited_ksyms, sizeof(uint64_t), sizeof(uint64_t));
	if (x->src.lines.n)
		x->places = info_array_read(env, id, Q_PROG_JITED_LINE_INFO, info->nr_jited_line_info,
					    info->jited_line_info_rec_size, sizeof(uint64_t));
	code_names_read(env, id, info, &x->src, &x->names);
}

/* With --at: is this what ran then? */
static void certainty_check(struct env *env, uint32_t id, const struct jited *x)
{
	const struct poke_funcs f = {
		.ksyms = { x->ksyms.p, x->ksyms.n * sizeof(uint64_t) },
		.lens = { x->lens.p, x->lens.n * sizeof(uint32_t) },
		.life = facts_life(env->machine, id),
		.n = x->image.n,
	};
	const uint64_t at = env->machine->at_ns;
	const char *doubt = at ? pokes_then_prog(facts_pokes(env->machine), &f, at, NULL) : NULL;
	struct err why = { 0 };

	if (!doubt)
		return;
	err_set(&why, -ESTALE, "program %u: its machine code at that moment is uncertain: %s", id, doubt);
	report_unread(env->report, &why);
}

int jited_read(struct env *env, uint32_t id, const struct abi_prog_info *info, struct jited *ret, struct err *e)
{
	struct jited x = { 0 };
	int err = info->jited_prog_len ? ask(env->machine, env->arena, &x.image, Q_PROG_JITED, id) : 0;

	if (err == -ENODATA && machine_is_saved(env->machine)) {
		err_set(e, err, "program %u: its machine code is not in this archive", id);
		return err_hint(e, "save it again: older versions did not save machine code");
	}
	if (err && err != -ENODATA)
		return err_sys(e, err, "program %u: cannot read its machine code", id);
	if (err || !x.image.n)
		return jited_error(env, id, info, e);
	if (x.image.n < info->jited_prog_len)
		note_refused(env->machine, -EBADMSG, Q_PROG_JITED, id);
	explained_read(env, id, info, &x);
	certainty_check(env, id, &x);
	*ret = x;
	return 0;
}

void jited_read_places(struct env *env, uint32_t id, const struct abi_prog_info *info, struct jited *ret)
{
	struct jited x = { 0 };
	uint32_t len;

	explained_read(env, id, info, &x);
	for (size_t i = 0; i < x.lens.n && x.image.n <= JITED_MAX; i++) {
		memcpy(&len, x.lens.p + i * sizeof(len), sizeof(len));
		x.image.n += len;
	}
	if (x.image.n > JITED_MAX)
		x.image.n = 0;
	*ret = x;
}

static uint64_t insn_place(const struct jited *x, size_t i)
{
	uint64_t ret;

	memcpy(&ret, x->places.p + i * x->places.size, sizeof(ret));
	return ret;
}

/*
 * The source lines of a function: after those of earlier instructions, those whose code is in it. Instruction numbers
 * alone are not enough, because blinding of constants changes them in the line records but not in the function records.
 */
static void lines_find(struct jited_func *f)
{
	const struct code_info *s = &f->x->src;
	size_t n = s->lines.n < f->x->places.n ? s->lines.n : f->x->places.n;
	uint32_t start = code_info_func(s, f->i).insn_off;

	while (f->line_end < n && code_info_line(s, f->line_end).insn_off < start)
		f->line_end++;
	f->line = f->line_end;
	while (f->addr && f->line_end < n && insn_place(f->x, f->line_end) - f->addr < f->len)
		f->line_end++;
}

bool jited_func_next(struct jited_func *f)
{
	const struct jited *x = f->x;
	const struct symbol *symbol;
	size_t left;
	uint32_t len;

	f->off += f->len;
	left = x->image.n - f->off;
	if (!left)
		return false;
	f->len = left;
	f->addr = 0;
	f->name = NULL;
	str_reset(&f->signature);
	if (f->i < x->lens.n) {
		memcpy(&len, x->lens.p + f->i * sizeof(len), sizeof(len));
		f->len = len && len < left ? len : left;
	}
	if (f->i < x->ksyms.n)
		memcpy(&f->addr, x->ksyms.p + f->i * sizeof(f->addr), sizeof(f->addr));
	symbol = code_names_at(&x->names, f->addr);
	if (symbol && symbol->addr == f->addr)
		f->name = symbol->name;
	f->line = f->line_end;
	if (f->i < x->src.funcs.n) {
		btf_signature(x->src.btf, code_info_func(&x->src, f->i).type_id, &f->signature);
		lines_find(f);
	}
	f->i++;
	return true;
}

size_t jited_func_line_pc(const struct jited_func *f)
{
	uint64_t off;

	if (f->line >= f->line_end || !f->addr)
		return SIZE_MAX;
	off = insn_place(f->x, f->line) - f->addr;
	return off < f->len ? (size_t)off : SIZE_MAX;
}

struct source_line jited_func_line(struct jited_func *f, size_t pc)
{
	struct source_line ret = { 0 };

	for (; jited_func_line_pc(f) <= pc; f->line++) {
		struct line_record l = code_info_line(&f->x->src, f->line);

		ret = source_line_of(&f->x->src, &l);
	}
	return ret;
}

size_t jited_func_run(const struct jited_func *f, size_t pc, size_t max)
{
	size_t next = jited_func_line_pc(f), end = next > pc && next < f->len ? next : f->len;

	return end - pc < max ? end - pc : max;
}

void jited_func_end(struct jited_func *f)
{
	str_release(&f->signature);
}
