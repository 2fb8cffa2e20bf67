/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "events/attr.h"
#include "events/bpf_cmd.h"
#include "events/record.h"
#include "kernel/object.h"
#include "own/capture/calls.bpf.h"
#include "record/field.h"

/* The object that the call created, or that its first descriptor of the command's kind refers to. */
static const struct calls_object *subject(const struct calls_record *r, const struct attr_command *c)
{
	if (c->makes)
		return r->made.kind == c->kind + 1u ? &r->made : NULL;
	for (unsigned i = 0; i < CALLS_FDS; i++)
		if (r->object[i].kind == c->kind + 1u)
			return &r->object[i];
	return NULL;
}

static void call_read(struct env *env, const struct calls_record *r, const struct map_decode *map,
		      struct event_rec *ret)
{
	struct arena *a = env->arena;
	struct attr_objects objects;
	struct attr_elem elem = { 0 };
	struct attr_rows rows;

	attr_read(env->machine, r, a, &rows);
	attr_objects(env->machine, r, a, &objects);
	if (map)
		attr_elem_read(env->machine, r, map, a, &elem);
	*ret = (struct event_rec){
		.tid = r->tid,
		.result = r->result,
		.error = r->result < 0 ? err_name((int)r->result) : NULL,
		.duration = r->end - r->begin,
		.attr = rows.row,
		.nattr = rows.n,
		.object = objects.row,
		.nobject = objects.n,
		.type = attr_type(env->machine, r),
		.name = attr_name(r, a),
		.key = elem.key,
		.value = elem.value,
		.next_key = elem.next_key,
		.count = elem.count,
		.has_call = AVAIL_YES,
		.has_key = elem.has_key,
		.has_value = elem.has_value,
		.has_next_key = elem.has_next_key,
		.has_count = elem.has_count,
	};
	ret->has_type = ret->type ? AVAIL_YES : AVAIL_NO;
}

static void object_set(struct event_rec *ret, const struct calls_object *o)
{
	if (!o->kind || o->kind > OBJECT_KINDS)
		return;
	ret->kind = object_kind_names[o->kind - 1];
	ret->id = o->id;
	ret->has_id = AVAIL_YES;
}

bool event_of_call(struct env *env, const struct calls_record *r, bool lasting, const struct map_decode *map,
		   struct event_rec *ret)
{
	const struct attr_command *c = r->cmd < attr_ncommands ? &attr_commands[r->cmd] : NULL;
	const struct calls_object *o = lasting && c && c->event && r->result >= 0 ? subject(r, c) : NULL;

	if (lasting && (!c || !c->event || r->result < 0))
		return false;
	call_read(env, r, map, ret);
	ret->event = lasting ? c->event : attr_command(env->machine, r->cmd, env->arena);
	object_set(ret, lasting ? o ? o : &(struct calls_object){ 0 } : &r->made);
	if (lasting && !o) {
		ret->kind = object_kind_names[c->kind];
		ret->has_id = AVAIL_UNKNOWN;
	}
	return true;
}
