/* SPDX-License-Identifier: BSD-2-Clause */
#include "mem/mem.h"

#include "cli/command.h"
#include "cli/kind.h"
#include "cli/records.h"
#include "kernel/abi.h"
#include "map/map.h"
#include "map/types.h"
#include "mem/nodes.h"
#include "record/field.h"

/* A row of either table: an object, or a group of them. */
struct mem_rec {
	const char *kind, *type, *name, *group;
	uint32_t id, objects, users, max_entries;
	uint64_t bytes, shared, share, entries, fill, dead;
	uint8_t is_object, has_users, has_bytes, is_group, has_share, has_entries, has_fill, has_dead; /* enum avail */
};
#define COLUMN .flags = FIELD_DEFAULT
static const struct field mem_fields[] = {
	FIELD_IF(mem_rec, kind, is_object, "kind", "kind: prog, map or btf", .names = &names_object_kind,
		 .role = ROLE_KIND, COLUMN | FIELD_KEY),
	FIELD_IF(mem_rec, id, is_object, "id", "its id", .role = ROLE_ID, COLUMN | FIELD_KEY),
	FIELD_IF(mem_rec, type, is_object, "type", "its type", .role = ROLE_KIND, COLUMN | FIELD_NONZERO),
	FIELD_IF(mem_rec, name, is_object, "name", "its name", .role = ROLE_NAME, COLUMN | FIELD_NONZERO),
	FIELD_IF(mem_rec, group, is_group, "sum_of",
		 "holder of the objects, or their kind or type; -: no holder, only attachments", .role = ROLE_OWNER,
		 .flags = FIELD_KEY),
	FIELD_IF(mem_rec, objects, is_group, "nr_objects", "number of objects in the group", .was = "nobjects",
		 .title = "OBJECTS"),
	FIELD_IF(mem_rec, bytes, has_bytes, "bytes",
		 "size (of the object's memory, or of that of all objects in the group)", .unit = FU_SIZE, COLUMN),
	FIELD_IF(mem_rec, shared, has_share, "bytes_shared", "part of that memory that another group also holds",
		 .unit = FU_SIZE, .title = "SHARED"),
	FIELD_IF(
		mem_rec, share, has_share, "bytes_share",
		"sum of each object's memory divided by the number of groups that hold it; all shares add up to the total",
		.unit = FU_SIZE, .title = "SHARE"),
	FIELD_IF(mem_rec, users, has_users, "processes",
		 "processes that hold the object, directly or through other objects", .need = NEED_HOLDERS, COLUMN),
	FIELD_IF(mem_rec, entries, has_entries, "entries", "number of elements; an array always has all of them",
		 .need = NEED_COUNT),
	FIELD_IF(mem_rec, max_entries, is_object, "max_entries", "maximum number of elements", .flags = FIELD_NONZERO),
	FIELD_IF(mem_rec, fill, has_fill, "fill", "elements in percent of max_entries", .title = "FILL%",
		 .unit = FU_PERCENT, .need = NEED_COUNT),
	FIELD_IF(mem_rec, dead, has_dead, "dead",
		 "elements whose key names a process, cgroup, network namespace or device that is gone",
		 .need = NEED_DEAD),
};
const struct schema mem_schema = SCHEMA("memory", mem_rec, mem_fields);

static const char *const by_words[] = { "object", "kind",  "type", "program",	"process",
					"pin",	  "owner", "unit", "container", "cgroup" };
static const struct names bys = NAMES(by_words);

struct mem_opts {
	struct records_opts records;
	int by;
	uint32_t full; /* 0: not given */
};

static struct mem_rec of_node(const struct node *n)
{
	struct mem_rec r = {
		.kind = kind_of(n->kind)->name,
		.type = *n->type ? n->type : NULL,
		.name = *n->name ? n->name : NULL,
		.id = n->id,
		.bytes = n->bytes,
		.users = n->groups,
		.is_object = AVAIL_YES,
		.has_users = AVAIL_YES,
		.has_bytes = n->unknown ? AVAIL_UNKNOWN : AVAIL_YES,
	};
	const struct map_rec *m = n->rec;

	if (n->kind == OBJECT_MAP) {
		r.max_entries = m->info.max_entries;
		r.entries = m->entries;
		r.fill = m->fill;
		r.has_entries = m->has_entries;
		r.has_fill = m->has_fill;
	}
	return r;
}

/* Arrays are always full and are never shown. A map with an unknown number of elements may be full. */
static bool is_full(const struct node *n, const struct mem_rec *r, uint32_t percent)
{
	const struct map_rec *m = n->rec;

	if (n->kind != OBJECT_MAP || m->info.type == ABI_MAP_STRUCT_OPS || map_type(m->info.type)->flags & MAP_INDEXED)
		return false;
	return r->has_fill == AVAIL_UNKNOWN || (r->has_fill == AVAIL_YES && r->fill >= percent);
}

/* The memory of a link is tiny, and the kernel does not report it. */
static bool is_shown(const struct mem_opts *o, const struct node *n, const struct mem_rec *r)
{
	return n->kind != OBJECT_LINK && (!o->full || is_full(n, r, o->full));
}

static int largest_first(const void *pa, const void *pb)
{
	const struct mem_rec *a = pa, *b = pb;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	if (a->id != b->id)
		return a->id > b->id ? 1 : -1;
	return strcmp(a->group ? a->group : a->kind ? a->kind : "", b->group ? b->group : b->kind ? b->kind : "");
}

static void objects_add(struct env *env, const struct mem_opts *o, struct nodes *all, struct records *ret)
{
	struct holdings unused;

	if (ret->need & NEED_HOLDERS)
		groups_find(env, all, BY_PROCESS, &unused);
	for (size_t i = 0; i < all->n; i++) {
		struct mem_rec r = of_node(&all->v[i]);

		if (!is_shown(o, &all->v[i], &r))
			continue;
		if (ret->need & NEED_DEAD && all->v[i].kind == OBJECT_MAP)
			r.has_dead = map_dead_count(env, &((const struct map_rec *)all->v[i].rec)->info, &r.dead);
		*(struct mem_rec *)records_add(ret, env) = r;
	}
	if (o->full && ret->n)
		env->report->status = 1;
	if (o->full)
		ret->more = "+fill";
	else
		ret->total = "bytes";
}

static void groups_add(struct env *env, const struct mem_opts *o, struct nodes *all, struct records *ret)
{
	struct holdings g;

	groups_find(env, all, (enum mem_by)o->by, &g);
	for (size_t i = 0; i < g.n; i++) {
		const struct holding *from = &g.v[i];
		const uint8_t known = from->unknown ? AVAIL_UNKNOWN : AVAIL_YES;

		*(struct mem_rec *)records_add(ret, env) = (struct mem_rec){
			.group = from->name,
			.objects = from->objects,
			.bytes = from->bytes,
			.shared = from->shared,
			.share = from->share,
			.is_group = AVAIL_YES,
			.has_bytes = known,
			.has_share = known,
		};
	}
	ret->more = "sum_of,nobjects,bytes,bytes_shared,bytes_share";
	ret->total = "bytes_share";
}

static int groups_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	const struct mem_opts *o = opts;
	struct nodes all;
	int err;

	err = nodes_read(env,
			 (ret->need & (NEED_COUNT | NEED_HOLDERS)) | (o->full ? NEED_COUNT : 0) |
				 groups_need((enum mem_by)o->by),
			 !o->full, &all, e);

	if (err)
		return err;
	if (o->by == BY_OBJECT)
		objects_add(env, o, &all, ret);
	else
		groups_add(env, o, &all, ret);
	if (ret->n)
		qsort(ret->rec, ret->n, ret->s->rec_size, largest_first);
	return 0;
}

static int mem_run(struct env *env, const void *opts, struct err *e)
{
	struct mem_opts o = *(const struct mem_opts *)opts;

	if (o.full && o.by != BY_OBJECT)
		return err_usage(e, "'--full' selects maps, and does not apply to groups");
	if (o.full && o.full > 100)
		return err_usage(e, "'--full' takes a percentage, 1 to 100");
	return records_run(env, &o.records, &o, groups_collect, e);
}

static const struct arg mem_args[] = {
	ARG("--by", ARG_WORD, struct mem_opts, by,
	    "show sums by kind or type of the objects, or by the program, process, directory of pins, owner, systemd unit, container or cgroup that holds them",
	    .metavar = "WHAT", .words = &bys),
	ARG("--full", ARG_U32, struct mem_opts, full,
	    "only maps that are at least this full, without arrays, which are always full; exit status 1 if there is one",
	    .metavar = "PERCENT", .flags = ARG_NONZERO),
	RECORDS_WATCH_ARGS(struct mem_opts, records),
};

const struct command command_mem = {
	.name = "mem",
	.summary = "show how much kernel memory programs, maps and types use",
	.help = "Lists the largest first. The memory of a program is its instructions and the pages of its machine code; of a map, the size that the kernel reports; "
		"of a BTF object, its types. The kernel's own BTF is not counted. A group has the objects that it holds and those that they refer to: a process has its links, "
		"their programs, the maps of these programs, and the objects in these maps. An object of several groups is in the sum of each; SHARE divides it among them. The last line has the total.",
	.example = "mem --by process",
	.schema = &mem_schema,
	ARGS(mem_args, struct mem_opts),
	.flags = CMD_READ | CMD_OURS | CMD_MANY | CMD_WATCH,
	.run = mem_run,
	.records = offsetof(struct mem_opts, records),
};
