/* SPDX-License-Identifier: BSD-2-Clause */
#include <elf.h>

#include "base/bytes.h"
#include "types/btf.h"
#include "object/file.h"
#include "object/read.h"
#include "object/refusals.h"

/* The refusals found so far, in the arena; its room doubles. */
struct refusal_list {
	const struct object *o;
	struct object_refusal *all;
	uint32_t n;
	size_t cap;
};

static void refusal_add(struct refusal_list *l, const char *part, const char *name, const char *why, const char *remedy)
{
	ARENA_MORE(l->o->arena, l->all, l->n, l->cap);
	l->all[l->n++] = (struct object_refusal){ .part = part, .name = name, .why = why, .remedy = remedy };
}

static void funcs_judge(struct refusal_list *l)
{
	for (uint32_t i = 0; i < l->o->nfuncs; i++) {
		const struct object_func *f = &l->o->funcs[i];

		if (f->refused)
			refusal_add(l, "function", f->name, f->refused->why, f->refused->remedy);
	}
}

static void maps_judge(struct refusal_list *l)
{
	const struct elf_sect *legacy = &l->o->elf.sects[object_section(l->o, "maps")];
	const struct object_map *maps;
	uint32_t n;

	if (legacy->size)
		refusal_add(l, "section", "maps", "libbpf since 1.0 does not read maps that are defined there",
			    "define each as struct { __uint(type, ...); __type(key, ...); ... } NAME SEC(\".maps\")");
	object_maps(l->o, &maps, &n);
	for (uint32_t i = 0; i < n; i++) {
		const struct object_map *m = &maps[i];

		if (m->pinning && strcmp(m->pinning, "by_name") != 0)
			refusal_add(
				l, "map", m->name,
				"its pinning is neither LIBBPF_PIN_NONE (0) nor LIBBPF_PIN_BY_NAME (1)",
				"other values are for other loaders, such as iproute2; `load ... pinmaps DIR` pins maps");
		if (m->type && str_has_word("perf_event_array prog_array cgroup_array", m->type) &&
		    !strcmp(m->section, ".maps") && (m->key_size != 4 || m->value_size != 4)) {
			refusal_add(l, "map", m->name, "its keys and values must have 4 bytes",
				    "add __uint(key_size, 4) and __uint(value_size, 4)");
			l->all[l->n - 1].by_loader = true;
		}
		if (m->type && strstr(m->type, "_of_maps") && !m->inner && !strcmp(m->section, ".maps")) {
			refusal_add(l, "map", m->name,
				    "it is a map of maps, and the file does not define its inner maps",
				    "define them with __array(values, ...), or give an existing map with 'map name'");
			l->all[l->n - 1].by_loader = true;
		}
	}
}

static int name_order(const void *pa, const void *pb)
{
	const struct object_extern *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

/* The types in which libbpf stores the value of an option. */
static bool holds_option(const struct btf_types *t, uint32_t id)
{
	const struct btf_type *type = btf_resolved(t, id);
	const unsigned kind = type ? btf_kind_of(type) : 0;

	return kind == BTF_KIND_INT || kind == BTF_KIND_ENUM || kind == BTF_KIND_ARRAY;
}

/* The options that libbpf computes; others of this prefix may be weak. */
static bool is_option(const struct object_extern *e)
{
	return str_starts(e->name, "CONFIG_") || (e->weak && str_starts(e->name, "LINUX_")) ||
	       str_has_word("LINUX_KERNEL_VERSION LINUX_HAS_BPF_COOKIE LINUX_HAS_SYSCALL_WRAPPER", e->name);
}

static void externs_judge(struct refusal_list *l)
{
	const struct object *o = l->o;
	const struct object_extern *all;
	struct object_extern *sorted;
	uint32_t n;

	object_externs(o, &all, &n);
	sorted = arena_dup(o->arena, all, n * sizeof(*all));
	qsort(sorted, n, sizeof(*sorted), name_order);
	for (uint32_t i = 0; i < o->elf.nsymbols; i++) {
		const struct elf_symbol *s = &o->elf.symbols[i];
		const size_t at = ARRAY_LOWER(n, k, strcmp(sorted[k].name, s->name) < 0);

		if (!s->undefined || s->bind == STB_LOCAL || !*s->name || (at < n && !strcmp(sorted[at].name, s->name)))
			continue;
		if (o->btf)
			refusal_add(
				l, "extern", s->name,
				"it is neither a symbol nor an option of the kernel (__ksym, __kconfig)",
				"programs cannot call libraries: define it, or link the file that does with `bpflens gen object`");
		else
			refusal_add(l, "extern", s->name, "the file has no types (section .BTF) that say what it is",
				    "compile with -g, or define it in the file");
	}
	for (uint32_t i = 0; i < n; i++) {
		if (strcmp(all[i].kind, "kconfig") != 0)
			continue;
		if (!is_option(&all[i])) {
			refusal_add(l, "extern", all[i].name, "libbpf knows no option of that name",
				    "options are CONFIG_..., and a few LINUX_..., such as LINUX_KERNEL_VERSION");
			l->all[l->n - 1].opens = true;
		}
		if (!holds_option(o->btf, all[i].type_id))
			refusal_add(l, "extern", all[i].name,
				    "a variable of its type cannot hold an option of the kernel",
				    "declare it as bool, an integer, enum libbpf_tristate or an array of char");
	}
}

/* libbpf takes the offsets of variables from symbols, unless a linker has set them. */
static void vars_judge(struct refusal_list *l)
{
	const struct object *o = l->o;

	for (uint32_t s = 1; s < o->elf.nsects; s++) {
		const struct btf_type *sec = object_data_kind(o->elf.sects[s].name) ? o->datasecs[s] : NULL;

		for (unsigned i = 0; sec && !sec->size && i < btf_vlen_of(sec); i++) {
			const struct btf_type *var = btf_type(o->btf, btf_vars_of(sec)[i].type);
			const char *name = var ? btf_str(o->btf, var->name_off) : NULL;

			if (name && btf_kind_of(var) == BTF_KIND_VAR &&
			    ((const struct btf_var *)(var + 1))->linkage != BTF_VAR_STATIC && !object_symbol(o, name))
				refusal_add(l, "variable", name, "its types name it, but it has no symbol",
					    "do not change symbols (strip, objcopy) without the section .BTF");
		}
	}
}

static void order_judge(struct refusal_list *l)
{
	if (l->o->elf.big == BIG_HERE)
		return;
	refusal_add(l, "byte order", l->o->elf.big ? "big-endian" : "little-endian", "this machine has the other one",
		    "compile it with -target bpf on such a machine, or -target bpfel or bpfeb for it");
	l->all[l->n - 1].opens = true;
}

void object_refusals(const struct object *o, const struct object_refusal **ret, uint32_t *ret_n)
{
	struct refusal_list l = { .o = o };

	funcs_judge(&l);
	maps_judge(&l);
	externs_judge(&l);
	vars_judge(&l);
	order_judge(&l);
	*ret = l.all;
	*ret_n = l.n;
}

/* libbpf's errno is that of a look-up inside of the file: not of the file. */
static int library_error(struct err *e, int err, const char *what, const char *path)
{
	const bool lookup = err == -ENOENT || err == -ESRCH;

	if (lookup)
		err_set(e, err, "cannot %s %s: libbpf does not find a part of it", what, path);
	else
		err_sys(e, err, "cannot %s %s", what, path);
	if (e && lookup)
		e->status = EXIT_FAILED;
	return err;
}

static bool is_reason(const struct object_refusal *r, const char *what, const char *name)
{
	return name ? !strcmp(r->name, name) : !r->by_loader && (!r->opens || !strcmp(what, "load"));
}

int object_explain_refused(const char *what, const char *path, const struct str *bytes, const char *name, int err,
			   struct err *e)
{
	ARENA scratch = arena_new();
	const struct object_refusal *all;
	struct object o;
	uint32_t n, i;

	if (object_read(&o, path, bytes->p ? bytes->p : "", bytes->n, scratch, NULL))
		return 0;
	object_refusals(&o, &all, &n);
	for (i = 0; i < n && !is_reason(&all[i], what, name); i++)
		;
	if (i == n)
		return 0;
	err_set(e, err, "cannot %s %s: %s %s: %s", what, path, all[i].part, all[i].name, all[i].why);
	if (e)
		e->status = EXIT_FAILED;
	return err_hint(e, "%s", all[i].remedy);
}

int object_explain(const char *what, const char *path, const struct str *bytes, int err, struct err *e)
{
	const int known = object_explain_refused(what, path, bytes, NULL, err, e);

	return known ? known : library_error(e, err, what, path);
}
