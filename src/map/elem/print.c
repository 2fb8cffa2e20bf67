/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/elem/print.h"

#include <linux/bpf.h>

#include "types/btf.h"
#include "map/elem/note.h"
#include "map/types.h"
#include "render/jsonw.h"
#include "source/facts.h"
#include "source/machine.h"

/* Up to this size, bpftool prints key and value after their names, and both on a line. */
#define LINE_BYTES 16
#define PAIR_BYTES 24

uint64_t elem_value_step(const struct elem_form *f)
{
	return f->cpus ? ((uint64_t)f->value_size + 7) & ~7ull : f->value_size;
}

uint64_t elem_value_bytes(const struct elem_form *f)
{
	return elem_value_step(f) * (f->cpus ? f->cpus : 1);
}

void elem_form_init(struct elem_form *ret, const struct abi_map_info *info, uint32_t cpus)
{
	unsigned flags = map_type(info->type)->flags;

	*ret = (struct elem_form){
		.id = info->id,
		.type = info->type,
		.key_size = info->key_size,
		.value_size = info->value_size,
		.big = BIG_HERE,
		.flags = flags,
		.cpus = flags & MAP_PERCPU ? cpus : 0,
	};
}

void elem_form_ask(struct elem_form *ret, const struct abi_map_info *info, struct machine *m)
{
	elem_form_init(ret, info, map_type(info->type)->flags & MAP_PERCPU ? facts_cpus(m) : 0);
	ret->big = machine_is_big(m);
	ret->cpu_numbers = ret->cpus ? facts_cpu_numbers(m) : NULL;
}

int elem_form_check(const struct elem_form *f, uint32_t id, struct err *e)
{
	if (!(f->flags & MAP_PERCPU) || f->cpus)
		return 0;
	err_set(e, -ENODATA, "map %u has a value for each possible CPU, and their number is not known", id);
	return err_hint(e, "the kernel lists them in /sys/devices/system/cpu/possible, so /sys must be mounted");
}

int elem_form_cpu(struct elem_form *f, const char *text, size_t *ret_at, struct err *e)
{
	uint32_t cpu, i = 0;

	if (num_parse_u32(text, &cpu))
		return err_usage(e, "'%s' is not the number of a CPU", text);
	if (!f->cpus)
		return err_usage(e, "the map has a single value for all CPUs: omit 'cpu'");
	while (i < f->cpus && elem_cpu(f, i) != cpu)
		i++;
	if (i == f->cpus)
		return err_set(e, -ENOENT, "no CPU %u: the map has values for %u CPU%s", cpu, f->cpus, plural(f->cpus));
	*ret_at = (size_t)(i * elem_value_step(f));
	f->cpus = 0;
	return 0;
}

void elem_form_types(struct elem_form *f, const struct btf_types *t, uint32_t key_type, uint32_t value_type,
		     enum value_form form, struct machine *machine, struct arena *a)
{
	f->key = btf_type(t, key_type) ? value_plan_tagged(t, key_type, form, f->view, machine, a) : NULL;
	f->value = btf_type(t, value_type) ? value_plan_tagged(t, value_type, form, f->view, machine, a) : NULL;
}

void elem_form_unique(struct elem_form *f, struct arena *a)
{
	f->key = f->key ? value_plan_unique(f->key, a) : NULL;
	f->value = f->value ? value_plan_unique(f->value, a) : NULL;
}

int elem_skipped(const struct elem_form *f, int err)
{
	return err == -ENOENT && (f->flags & MAP_SPARSE);
}

#define ERROR_TEXT 160
/* @buf: ERROR_TEXT bytes that may be used for the text. */
static const char *error_text(const struct elem_form *f, int err, char *buf)
{
	const struct map_type *t = map_type(f->type);

	if (err == -ENOENT)
		return "<no entry>";
	if (err == -ENOSPC && f->type == BPF_MAP_TYPE_REUSEPORT_SOCKARRAY)
		return "<cannot read>";
	if (err != -ENOTSUPP)
		return err_text(err);
	/* strerror() has no text for this number. */
	snprintf(buf, ERROR_TEXT, "%s [%s]", t->but.verbs & 1u << VERB_LOOKUP ? t->but.why : err_text(err),
		 err_name(err));
	return buf;
}

static void percpu_hex(const struct elem_form *f, struct out *o, const unsigned char *value)
{
	uint32_t cpu;

	for (cpu = 0; cpu < f->cpus; cpu++) {
		out_fmt(o, "value (CPU %02u):%c", elem_cpu(f, cpu), f->value_size > LINE_BYTES ? '\n' : ' ');
		out_hex(o, value + cpu * elem_value_step(f), f->value_size);
		out_char(o, '\n');
	}
}

void elem_hex(const struct elem_form *f, struct out *o, const unsigned char *key, int err)
{
	char buf[ERROR_TEXT];
	const char *text = err ? error_text(f, err, buf) : NULL;
	size_t size = text ? strlen(text) : f->value_size;
	int percpu = f->cpus && !err;
	int apart = f->key_size > LINE_BYTES || size > LINE_BYTES;
	int inner = !err && (f->flags & MAP_OF_MAPS) && f->value_size == sizeof(uint32_t);

	if (f->key_size) {
		out_str(o, "key:");
		out_char(o, apart || percpu ? '\n' : ' ');
		out_hex(o, key, f->key_size);
		out_str(o, !apart && !percpu && f->key_size + size <= PAIR_BYTES ? "  " : "\n");
	}
	if (percpu)
		return percpu_hex(f, o, key + f->key_size);
	if (!size)
		return;
	out_str(o, inner ? "inner_map_id:" : "value:");
	out_char(o, apart ? '\n' : ' ');
	if (text)
		out_str(o, text);
	else if (inner)
		out_fmt(o, "%u ", elem_u32(f, key + f->key_size));
	else
		out_hex(o, key + f->key_size, f->value_size);
	elem_notes(f, o, NULL, key, err);
	out_char(o, '\n');
	if (inner && f->inner)
		f->inner(f->inner_ctx, elem_u32(f, key + f->key_size));
}

const char *elem_value_json(const struct value_plan *plan, const void *p, size_t n, struct arena *a)
{
	struct jsonw_text t;
	struct jsonw *w = jsonw_text_begin(&t);

	if (plan)
		value_print(plan, w, p, n);
	else
		jsonw_hexbytes(w, p, n);
	return jsonw_text_end(&t, a);
}

const char *elem_values_json(const struct elem_form *f, const unsigned char *value, struct arena *a)
{
	struct jsonw_text t;
	struct jsonw *w;

	if (!f->cpus)
		return elem_value_json(f->value, value, f->value_size, a);
	w = jsonw_text_begin(&t);
	jsonw_array(w);
	for (uint32_t cpu = 0; cpu < f->cpus; cpu++)
		jsonw_embed(w, elem_value_json(f->value, value + cpu * elem_value_step(f), f->value_size, a));
	jsonw_end(w);
	return jsonw_text_end(&t, a);
}

void elem_key_text(const struct elem_form *f, struct out *o, const unsigned char *key)
{
	struct jsonw w;

	if (!f->key) {
		out_hex(o, key, f->key_size);
		return;
	}
	jsonw_init(&w, o, false);
	value_print(f->key, &w, key, f->key_size);
}

#define NAME(w, text) jsonw_name_raw((w), "\"" text "\"", sizeof(text) + 1)

static void error_json(const struct elem_form *f, struct jsonw *w, int err)
{
	char buf[ERROR_TEXT];

	NAME(w, "value");
	jsonw_object(w);
	NAME(w, "error");
	jsonw_str(w, err == -ENOENT || err == -ENOSPC ? err_text(err) : error_text(f, err, buf));
	jsonw_end(w);
}

/* The values of all CPUs, by type, or as bytes if plan is NULL. */
static void percpu_json(const struct elem_form *f, struct jsonw *w, const unsigned char *value,
			const struct value_plan *plan)
{
	uint32_t cpu;

	NAME(w, "values");
	jsonw_array(w);
	for (cpu = 0; cpu < f->cpus; cpu++) {
		jsonw_object(w);
		NAME(w, "cpu");
		jsonw_uint(w, elem_cpu(f, cpu));
		NAME(w, "value");
		if (plan)
			value_print(plan, w, value + cpu * elem_value_step(f), f->value_size);
		else
			jsonw_hexbytes(w, value + cpu * elem_value_step(f), f->value_size);
		jsonw_end(w);
	}
	jsonw_end(w);
}

/* Is the value a map? */
static bool has_inner(const struct elem_form *f, int err)
{
	return !err && (f->flags & MAP_OF_MAPS) && f->value_size == sizeof(uint32_t);
}

static void inner_json(const struct elem_form *f, struct jsonw *w, const unsigned char *value)
{
	NAME(w, "inner");
	f->inner(f->inner_ctx, elem_u32(f, value));
}

static void typed_members(const struct elem_form *f, struct jsonw *w, const unsigned char *key, int err)
{
	if (f->key || f->keys) {
		NAME(w, "key");
		if (f->key)
			value_print(f->key, w, key, f->key_size);
		else
			jsonw_hexbytes(w, key, f->key_size);
	}
	if (err) {
		error_json(f, w, err);
	} else if (f->cpus) {
		percpu_json(f, w, key + f->key_size, f->value);
	} else {
		NAME(w, "value");
		if (f->value)
			value_print(f->value, w, key + f->key_size, f->value_size);
		else
			jsonw_hexbytes(w, key + f->key_size, f->value_size);
	}
}

void elem_put_typed(const struct elem_form *f, struct jsonw *w, const unsigned char *key, int err)
{
	jsonw_object(w);
	typed_members(f, w, key, err);
	elem_notes(f, NULL, w, key, err);
	if (f->inner && has_inner(f, err))
		inner_json(f, w, key + f->key_size);
	jsonw_end(w);
}

void elem_json(const struct elem_form *f, struct jsonw *w, const unsigned char *key, int err)
{
	const unsigned char *value = key + f->key_size;

	jsonw_object(w);
	NAME(w, "key");
	jsonw_hexbytes(w, key, f->key_size);
	if (err) {
		error_json(f, w, err);
	} else if (f->cpus) {
		percpu_json(f, w, value, NULL);
	} else if (!f->aggregate) {
		NAME(w, "value");
		jsonw_hexbytes(w, value, f->value_size);
		if (has_inner(f, err)) {
			NAME(w, "inner_map_id");
			jsonw_uint(w, elem_u32(f, value));
		}
	}
	elem_notes(f, NULL, w, key, err);
	if (!err && (f->key || f->value)) {
		NAME(w, "formatted");
		jsonw_object(w);
		typed_members(f, w, key, 0);
		jsonw_end(w);
	}
	if (f->inner && has_inner(f, err))
		inner_json(f, w, value);
	jsonw_end(w);
}

enum elem_look elem_look(const struct env *env)
{
	return value_form_of(env) == VALUE_FORMATTED ? ELEM_JSON : ELEM_TYPED;
}
