/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "record/field.h"
#include "render/render.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "host/pins.h"
#include "host/stop.h"

#define ROW(m, name, help, text, ...) FIELD(struct place_change, m, name, help, .plain = text, .flags = FIELD_NONZERO, ##__VA_ARGS__)
static const struct field change_fields[] = {
	ROW(action, "action", "what was done, or would be", "%"),
	ROW(prog_id, "prog", "the program", " program %", .unit = FU_PROG),
	ROW(name, "name", "its name", " (%)"),
	ROW(map_id, "map_id", "the struct_ops map", " map %", .unit = FU_MAP),
	ROW(where, "where", "at which place", " at %"),
	ROW(what, "what", "and at which hook there", " %"),
	ROW(link_id, "link_id", "the link", ", link %", .unit = FU_LINK),
	ROW(replaced, "replaced", "program, or of a struct_ops link map, that ran there before", ", in place of %"),
	ROW(replaced_name, "replaced_name", "its name", " (%)"),
	FIELD_LIST(struct place_change, pins, npins, FT_STR, "pins", "pins that were made or removed", .plain = ", pin %",
		   .flags = FIELD_NONZERO),
	FIELD(struct place_change, dry_run, "dry_run", "nothing was changed", .flags = FIELD_NOPLAIN),
};
const struct schema place_change_schema = SCHEMA("change", struct place_change, change_fields);

const struct schema attachment_schema = { .name = "attachment", .rec_size = sizeof(struct attachment) };

/* NULL: it has none, or it is gone. */
static const char *name_of(struct env *env, const struct kind *k, uint32_t id)
{
	const char *type, *name, *tag;
	struct err why = { 0 };

	return id && !k->label(env, env->arena, id, &type, &name, &tag, &why) && *name ? name : NULL;
}

void place_say(struct env *env, const struct place_change *change)
{
	struct render r = {
		.ops = env_render(env), .out = env->report->out, .jw = env->report->jw, .arena = env->keep, .single = true,
	};
	struct place_change c = *change;
	const struct kind *k = c.prog_id ? &kind_prog : &kind_map;

	if (!c.name)
		c.name = name_of(env, k, c.prog_id ? c.prog_id : c.map_id);
	if (!c.replaced_name)
		c.replaced_name = name_of(env, k, c.replaced);

	env->report->streamed = env->report->streamed || r.ops == &render_ndjson;
	render_begin(&r);
	render_section(&r, &place_change_schema, NULL);
	render_record(&r, &c);
	render_end(&r);
}

void place_note(struct env *env, const char *what, uint32_t prog_id)
{
	const char *name = name_of(env, &kind_prog, prog_id);

	if (prog_id)
		str_fit(env->report->note, sizeof(env->report->note), "%s program %u%s%s%s", what, prog_id, name ? " (" : "", name ? name : "",
			name ? ")" : "");
}

void place_would_detach(struct env *env, const struct attachment *a)
{
	const struct place_change c = {
		.action = "would detach", .prog_id = a->prog_id, .where = a->where, .what = a->what, .dry_run = true,
	};

	place_say(env, &c);
}

int place_linked(struct env *env, const struct attach_request *q, int fd, struct attach_result *ret, struct err *e)
{
	struct abi_link_info info = { 0 };
	uint32_t len = sizeof(info);
	int err = bpf_object_info(fd, &info, &len), hold = -1;

	if (err)
		return err_sys(e, err, "cannot read the new link's info");
	if (q->link)
		err = pins_pin(fd, q->link, env->opts->nomount, e);
	if (!err && q->hold) {
		hold = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		err = hold < 0 ? err_sys(e, -errno, "cannot hold link %u", info.id) : 0;
	}
	if (err)
		return err;
	ret->link_id = info.id;
	ret->hold_fd = hold;
	return 0;
}

static void say_attached(struct env *env, const struct attach_request *q, const struct attach_result *r)
{
	const struct place_change c = {
		.action = q->dry_run ? "would attach" : "attached", .prog_id = q->prog_id, .where = q->where, .what = q->what,
		.link_id = r->link_id, .replaced = r->replaced_prog, .pins = q->link ? &q->link : NULL, .npins = q->link ? 1 : 0,
		.dry_run = q->dry_run,
	};

	place_say(env, &c);
}

static int hold(struct env *env, int *hold_fd, struct err *e)
{
	STOP stop = { .fd = -1 };
	int err;

	if (*hold_fd < 0)
		return 0;
	err = stop_begin(&stop);
	if (err)
		return err_sys(e, err, "cannot wait");
	out_flush(env->report->out);
	stop_wait(&stop, -1, -1);
	close(*hold_fd);
	*hold_fd = -1;
	return 0;
}

int place_attached(struct env *env, const struct attach_request *q, struct attach_result *r, bool quiet, struct err *e)
{
	if (!quiet || q->dry_run)
		say_attached(env, q, r);
	else
		place_note(env, "replaced", r->replaced_prog);
	if (r->hold_fd >= 0 && !quiet && !env->report->jw)
		out_str(env->report->out, "until this command is interrupted\n");
	return hold(env, &r->hold_fd, e);
}
