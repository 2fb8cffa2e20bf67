/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/command.h"
#include "cli/records.h"
#include "iter/iter.h"
#include "iter/list.h"
#include "record/field.h"

static const struct field link_fields[] = {
	FIELD(iter_link_rec, id, "link_id", "id of the link", .unit = FU_LINK),
	FIELD(iter_link_rec, prog_id, "prog_id", "id of the program that it runs", .unit = FU_PROG),
	FIELD_IF(iter_link_rec, prog, has_prog, "prog_name", "name of the program", .role = ROLE_NAME),
	FIELD(iter_link_rec, map_id, "map_id", "id of the map whose elements it walks", .unit = FU_MAP,
	      .flags = FIELD_NONZERO),
	FIELD(iter_link_rec, walks, "walks", "which part of the target it walks", .flags = FIELD_NONZERO),
	FIELD_LIST(iter_link_rec, pinned, npinned, FT_STR, "pinned", "paths of its pins in bpffs", .unit = FU_PIN,
		   FIELD_WHEN(iter_link_rec, has_pins)),
};
/* Only what identifies the link; `link show` and JSON have the rest. */
static size_t link_text(const void *row, char *buf, size_t size)
{
	const struct iter_link_rec *l = row;

	return str_snprintf(buf, size, "%u%s%s%s%s%s", l->id, l->walks ? " (" : "", l->walks ? l->walks : "",
			    l->walks ? ")" : "", l->npinned ? " " : "", l->npinned ? l->pinned[0] : "");
}
static const struct schema schema_iter_link = SCHEMA("iter_link", iter_link_rec, link_fields, .text = link_text);

static const struct field fields[] = {
	FIELD(iter_target, name, "target", "what it attaches to: the objects that an iterator walks", .role = ROLE_NAME,
	      .flags = FIELD_DEFAULT),
	FIELD(iter_target, module, "module", "kernel module that has it", .flags = FIELD_NONZERO),
	FIELD(iter_target, takes, "takes", "arguments that choose a part of it",
	      .flags = FIELD_DEFAULT | FIELD_NONZERO),
	FIELD_LIST(iter_target, context, ncontext, FT_STR, "context",
		   "what a program gets for each object, in addition to meta", .flags = FIELD_DEFAULT),
	FIELD_ROWS(iter_target, links, nlinks, &schema_iter_link, "links", "attached iterators", .need = NEED_PINS,
		   .flags = FIELD_DEFAULT),
};
const struct schema schema_iter = SCHEMA("iter", iter_target, fields);

struct iter_list_opts {
	struct records_opts records;
};
static const struct arg list_args[] = { RECORDS_ARGS(struct iter_list_opts, records) };

static int by_iter_name(const void *pa, const void *pb)
{
	const struct iter_target *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

static int by_target(const void *pa, const void *pb)
{
	const struct iter_link_rec *a = pa, *b = pb;

	return strcmp(a->target, b->target) ?: NUM_CMP(a->id, b->id);
}

/* A link whose target is not in the types gets a target of its own. */
static void links_add(struct env *env, struct records *ret, struct iter_link_rec *links, uint32_t n)
{
	struct iter_target *t, key;
	uint32_t i, end;
	size_t known;

	qsort(links, n, sizeof(*links), by_target);
	if (ret->n)
		qsort(ret->rec, ret->n, sizeof(*t), by_iter_name);
	known = ret->n;
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(links[end].target, links[i].target); end++)
			;
		key.name = links[i].target;
		t = known ? bsearch(&key, ret->rec, known, sizeof(*t), by_iter_name) : NULL;
		if (!t) {
			t = records_add(ret, env);
			t->name = links[i].target;
		}
		t->links = links + i;
		t->nlinks = end - i;
	}
	if (ret->n)
		qsort(ret->rec, ret->n, sizeof(*t), by_iter_name);
}

static int iterators_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct iter_link_rec *links;
	uint32_t n;
	int err;

	iter_targets(env, ret);
	if (!(ret->need & NEED_PINS))
		return 0;
	err = iter_links(env, NEED_PINS | NEED_PROG | NEED_TARGET, &links, &n, e);
	if (err && !ret->n)
		return err;
	if (err)
		report_add_unlisted(env->report, kind_link.noun, e->code);
	else
		links_add(env, ret, arena_dup(env->keep, links, n * sizeof(*links)), n);
	err_clear(e);
	return 0;
}

const struct command iter_list = {
	.name = "list",
	.summary = "list what iterators can walk, and the attached iterators",
	.help = "The targets are found in the types of the kernel and its modules. Each is listed with the links that "
		"walk it: their ids, the part that they walk, and their pins.",
	.example = "iter list -o target,context",
	.schema = &schema_iter,
	ARGS(list_args, struct iter_list_opts),
	.flags = CMD_READ | CMD_OURS,
	COLLECT(iterators_collect, struct iter_list_opts),
};
