/* SPDX-License-Identifier: BSD-2-Clause */
#include "audit/look.h"

#include "cli/env.h"
#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "link/link.h"
#include "perf/perf.h"
#include "relate/attached.h"

/* Where a program sees, and can change, what the kernel reports about itself: system calls, and functions that they
 * call. */
static const char objects[] = "where BPF objects are queried", files[] = "where directories are listed",
		  contents[] = "where files are read", symbols[] = "where symbols are listed",
		  all[] = "at every system call";
static const struct {
	const char *name, *where;
} calls[] = {
	{ "bpf", objects },    { "getdents", files },	{ "getdents64", files }, { "read", contents },
	{ "readv", contents }, { "pread64", contents }, { "preadv", contents },	 { "preadv2", contents },
};
/* clang-format off */
static const struct { const char *name, *where; } functions[] = {
	{ "bpf_lsm_bpf", objects }, { "bpf_lsm_bpf_map", objects }, { "bpf_lsm_bpf_prog", objects }, { "security_bpf", objects },
	{ "security_bpf_map", objects }, { "security_bpf_prog", objects }, { "bpf_prog_show_fdinfo", objects }, { "bpf_map_show_fdinfo", objects },
	{ "bpf_link_show_fdinfo", objects }, { "bpf_seq_read", objects }, { "iterate_dir", files }, { "filldir", files }, { "filldir64", files },
	{ "proc_pid_readdir", files }, { "proc_readfd", files }, { "vfs_read", contents }, { "seq_read", contents }, { "seq_read_iter", contents },
	{ "s_show", symbols }, { "bpf_get_kallsym", symbols }, { "sys_enter", all }, { "sys_exit", all },
};
/* clang-format on */
/* Prefixes of functions and tracepoints before the name of a system call. */
static const char *const prefixes[] = {
	"sys_enter_",	"sys_exit_", "__x64_sys_", "__ia32_sys_", "__arm64_sys_", "__s390x_sys_",
	"__riscv_sys_", "__se_sys_", "__do_sys_",  "ksys_",	  "__sys_",	  "sys_",
};

static const char *call_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_starts(name, prefixes[i]))
			return name + strlen(prefixes[i]);
	return "";
}

/* What the function does, for a message; NULL: it is not one of those. */
static const char *watched(const char *name)
{
	const char *call = call_name(name);

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].where;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strcmp(call, calls[i].name))
			return calls[i].where;
	return NULL;
}

/* The function in "syscalls:sys_exit_bpf", "vfs_read+0x4"; NULL: the place is in a file or a program. */
static const char *function_of(struct env *env, const char *where)
{
	const char *colon = strrchr(where, ':'), *name = colon ? colon + 1 : where;

	return strchr(where, '/') || str_starts(where, "prog:") ? NULL : arena_str(env->keep, name, strcspn(name, "+"));
}

/* The program at a place. */
static const struct graph_node *program_of(const struct look *l, uint32_t place, uint32_t id)
{
	GRAPH_OUT(&l->g, place, i) {
		const struct graph_node *n = &l->g.node[l->g.edge[i].to];

		if (n->kind == EDGE_PROG && n->id == id)
			return n;
	}
	return NULL;
}

static void place_report(struct look *l, uint32_t place, const struct attachment *a, const char *name)
{
	static const char *const changes = "changes what %s returns";
	const char *where = name ? watched(name) : NULL;
	const bool returns = !strcmp(a->what, hook_at(ABI_ATTACH_MODIFY_RETURN, 0)->word);
	const struct graph_node *n = (where || returns) && a->prog_id ? program_of(l, place, a->prog_id) : NULL;

	if (n && returns)
		finding_add(l, "dangerous", n)->why = arena_fmt(l->env->keep, changes, name ? name : a->where);
	if (n && where)
		finding_add(l, "watching", n)->why = arena_fmt(l->env->keep, "runs %s: %s %s", where, name, a->what);
}

/* The place of a link with several functions names only the first: checks the others. */
static void funcs_report(struct look *l, uint32_t place, const struct attachment *a)
{
	GRAPH_IN(&l->g, place, i) {
		const struct graph_node *n = &l->g.node[l->g.edge[i].from];
		const struct link_rec *r = n->kind == EDGE_LINK && n->id == a->link_id ? n->rec : NULL;

		for (uint32_t k = 1; r && k < r->nfuncs; k++)
			if (r->funcs[k].func)
				place_report(l, place, a, r->funcs[k].func);
	}
}

void places_find(struct look *l)
{
	for (uint32_t i = 0; i < l->g.nodes; i++) {
		const struct ls_rec *r = l->g.node[i].rec;

		if (l->g.node[i].kind != NODE_ATTACHMENT || strcmp(r->place, place_trace.name))
			continue;
		place_report(l, i, &r->a, function_of(l->env, r->a.where));
		if (r->a.link_id)
			funcs_report(l, i, &r->a);
	}
}
