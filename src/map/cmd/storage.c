/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/map.h"

#include <arpa/inet.h>

#include "types/btf.h"
#include "types/value/value.h"
#include "cli/command.h"
#include "cli/select.h"
#include "map/elem/socket.h"
#include "map/types.h"
#include "map/elem/walk.h"
#include "render/doc.h"
#include "source/info.h"
#include "source/facts.h"
#include "source/source.h"
#include "source/storage.h"

struct storage_opts {
	struct object_ref map;
};

static const struct arg storage_args[] = {
	ONE_MAP_ARG(struct storage_opts, "a map of task, cgroup or socket storage"),
};

/* The owner of a value, in readable form. */
struct owner_rec {
	struct storage_owner raw;
	const char *comm, *cgroup, *local, *remote, *family;
	uint8_t has_task, has_cgroup, has_socket; /* enum avail */
};

#define OWNER_FIELD(m, name, help, w, ...) FIELD_IF(owner_rec, m, w, name, help, ##__VA_ARGS__)
static const struct field owner_fields[] = {
	OWNER_FIELD(raw.pid, "pid", "process that the thread belongs to", has_task, .unit = FU_PID, .plain = "pid %",
		    .col = 0),
	OWNER_FIELD(raw.tid, "tid", "thread that the value belongs to", has_task, .plain = "  tid %", .col = 1),
	OWNER_FIELD(comm, "comm", "command name of the process (here of this thread of it)", has_task,
		    .plain = "  comm %", .col = 2),
	OWNER_FIELD(raw.cgroup_id, "cgroup_id", "id of the cgroup that the value belongs to", has_cgroup,
		    .unit = FU_CGROUP, .plain = "cgroup %", .col = 3),
	OWNER_FIELD(cgroup, "cgroup", "path of the cgroup", has_cgroup, .plain = "  %", .col = 4,
		    .flags = FIELD_NONZERO),
	OWNER_FIELD(family, "family", "address family of the socket that the value belongs to", has_socket,
		    .plain = "socket %", .col = 5),
	OWNER_FIELD(local, "local", "address and port of the socket", has_socket, .plain = "  local %", .col = 6,
		    .flags = FIELD_NONZERO),
	OWNER_FIELD(remote, "remote", "address and port that it is connected to", has_socket, .plain = "  remote %",
		    .col = 7, .flags = FIELD_NONZERO),
	OWNER_FIELD(raw.socket.cookie, "socket_cookie", "cookie of the socket, if it was ever requested", has_socket,
		    .unit = FU_HEX, .plain = "  cookie %", .col = 8, .flags = FIELD_NONZERO),
};
static const struct schema schema_owner = SCHEMA("owner", owner_rec, owner_fields);

static void owner_read(struct env *env, uint32_t type, const struct storage_owner *raw, struct owner_rec *r)
{
	const struct socket_raw *s = &raw->socket;

	*r = (struct owner_rec){ .raw = *raw };
	switch (type) {
	case ABI_MAP_TASK_STORAGE:
		r->has_task = AVAIL_YES;
		r->comm = arena_str(env->arena, raw->comm, sizeof(raw->comm));
		return;
	case ABI_MAP_CGRP_STORAGE:
		r->has_cgroup = AVAIL_YES;
		r->cgroup = facts_cgroup(env->machine, raw->cgroup_id);
		return;
	default:
		r->has_socket = AVAIL_YES;
		r->family = socket_family(env->arena, s->family);
		r->local = socket_address(env->arena, s->family, s->local, s->local_port);
		r->remote =
			s->remote_port ? socket_address(env->arena, s->family, s->remote, ntohs(s->remote_port)) : NULL;
	}
}

struct value_rec {
	const char *value;
}; /* its bytes as JSON */
static const struct field value_fields[] = {
	FIELD_AS(value_rec, value, FT_JSON, "value", "value as bytes", .flags = FIELD_NOPLAIN),
};
static const struct schema schema_stored = SCHEMA("stored", value_rec, value_fields);

static void stored_print(struct doc *d, const struct owner_rec *owner, const struct value_rec *value,
			 const struct value_plan *plan, const unsigned char *bytes, uint32_t size)
{
	doc_object(d, NULL);
	doc_object(d, "owner");
	doc_fields(d, &schema_owner, owner);
	doc_end(d);
	doc_fields(d, &schema_stored, value);
	doc_text(d, "value: ");
	if (plan) {
		doc_object(d, "formatted");
		value_print(plan, doc_value(d, "value"), bytes, size);
		doc_end(d);
	} else {
		doc_hex(d, bytes, size);
	}
	doc_text(d, "\n");
	doc_end(d);
}

/* If the types cannot be read, the bytes are shown. */
static const struct value_plan *plan_get(struct env *env, const struct abi_map_info *info)
{
	const struct btf_types *t;

	if (!info->btf_id || !info->btf_value_type_id || btf_get(env->machine, info->btf_id, &t, NULL))
		return NULL;
	return value_plan_unique(value_plan(t, info->btf_value_type_id, value_form_of(env), env->keep), env->keep);
}

static void values_print(struct env *env, const struct abi_map_info *info, const struct storage *s)
{
	const struct value_plan *plan = plan_get(env, info);
	struct doc d;

	env_doc(env, &d);
	doc_stream(&d, NULL);
	for (size_t i = 0; i < s->n && !out_dead(env->report->out); i++) {
		ARENA_SCOPE(env->arena);
		struct storage_owner raw = storage_owner(s, i);
		const unsigned char *bytes = storage_value(s, i);
		const struct value_rec value = { elem_value_json(NULL, bytes, info->value_size, env->arena) };
		struct owner_rec r;

		owner_read(env, info->type, &raw, &r);
		stored_print(&d, &r, &value, plan, bytes, info->value_size);
	}
	doc_end(&d);
	env_doc_end(env, &d);
	if (!s->n && doc_is_text(&d))
		report_none(env->report, 0);
}

static int storage_run(struct env *env, const void *opts, struct err *e)
{
	const struct storage_opts *o = opts;
	struct abi_map_info info;
	struct storage s;
	uint32_t id;
	int err = select_one(env, &kind_map, &o->map, &id, e);

	if (!err)
		err = map_info(env->machine, env->arena, id, &info, e);
	if (err)
		return err;
	err = map_can(id, info.type, VERB_STORAGE, e);
	if (err)
		return err;
	err = storage_get(env->machine, env->arena, id, info.value_size, &s);
	if (err == -ENODATA)
		return map_unsaved_error(id, e);
	if (err == -EBADMSG)
		return err_set(e, err, "map %u: the values do not have the expected size", id);
	if (err) {
		err_sys(e, err, "map %u: cannot read its values", id);
		source_hint(e);
		return err == -EPERM ?
			       err :
			       err_hint(
				       e,
				       "needs BTF of the kernel and an iterator: since Linux 5.10 for sockets, 5.11 for tasks, "
				       "6.2 for cgroups");
	}
	values_print(env, &info, &s);
	return 0;
}

const struct command map_storage = {
	.name = "storage",
	.summary = "print the values of task, cgroup or socket storage, with their owners",
	.help = "Maps of local storage have no keys: each value belongs to a thread, a cgroup or a socket. The values are read by a BPF iterator "
		"that is unloaded afterwards; they are neither created nor changed.",
	.schema = &schema_owner,
	ARGS(storage_args, struct storage_opts),
	.flags = CMD_READ | CMD_TEXT | CMD_OURS,
	.run = storage_run,
};
