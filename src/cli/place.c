/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/place.h"

#include <fcntl.h>

#include "cli/change.h"
#include "cli/env.h"
#include "record/field.h"
#include "render/doc.h"
#include "kernel/abi.h"
#include "kernel/bpf.h"
#include "kernel/hooks.h"
#include "source/facts.h"
#include "host/pins.h"
#include "host/stop.h"

const struct schema attachment_schema = { .name = "attachment", .rec_size = sizeof(struct attachment) };

bool attachment_is_at(const struct attachment *a, const char *where)
{
	for (uint32_t i = 0; i < a->nfuncs; i++)
		if (!strcmp(a->funcs[i], where) || !strcmp(a->func_places[i], where))
			return true;
	return !strcmp(a->where, where);
}

void place_report_detached(struct env *env, const struct attachment *a, bool dry_run)
{
	const struct change_rec c = {
		.action = dry_run ? "would detach" : "detached",
		.prog_id = a->prog_id,
		.where = a->where,
		.what = a->what,
		.dry_run = dry_run,
	};

	change_report(env, &c);
}

const char *place_one_word(struct env *env, const char *text)
{
	char *ret = arena_str(env->keep, text, SIZE_MAX);

	for (char *p = ret; (p = strchr(p, ' '));)
		*p = '_';
	return ret;
}

void place_explain(struct env *env, const struct hook *h, struct err *e)
{
	const char *release = e && e->code == -EINVAL ? facts_release(env->machine) : NULL;

	if (h && release && hook_is_newer(h, release))
		err_hint(e, "%s needs Linux %s, this is %.60s", h->word, h->since, release);
}

int place_check_replaced(const struct attach_request *q, uint32_t now, struct err *e)
{
	if (!q->overwrite || !q->anchor_prog || q->anchor_prog == now)
		return 0;
	return err_set(e, -ENOENT, "%s %s does not run program %u", q->where, q->what, q->anchor_prog);
}

int place_finish_link(struct env *env, const struct attach_request *q, int fd, struct attach_result *ret, struct err *e)
{
	struct abi_link_info info = { 0 };
	uint32_t len = sizeof(info);
	int err = sys_object_info(fd, &info, &len), hold = -1;

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
	const struct change_rec c = {
		.action = q->dry_run ? "would attach" : "attached",
		.prog_id = q->prog_id,
		.where = q->where,
		.what = q->what,
		.link_id = r->link_id,
		.replaced = r->replaced_prog,
		.pins = q->link ? &q->link : NULL,
		.npins = q->link ? 1 : 0,
		.dry_run = q->dry_run,
	};

	change_print(env, &c);
}

int place_hold(struct env *env, struct attach_result *r, bool quiet, struct err *e)
{
	STOP stop = { .fd = -1 };
	struct doc d;
	int err;

	if (r->hold_fd < 0)
		return 0;
	env_doc(env, &d);
	if (!quiet)
		doc_text(&d, "until this command is interrupted\n");
	err = stop_begin(&stop);
	if (err)
		return err_sys(e, err, "cannot wait");
	out_flush(env->report->out);
	stop_wait(&stop, -1, -1);
	clean_fd(&r->hold_fd);
	return 0;
}

int place_report_attached(struct env *env, const struct attach_request *q, struct attach_result *r, bool quiet,
			  struct err *e)
{
	if (!quiet || q->dry_run || change_is_reported(env))
		say_attached(env, q, r);
	else
		change_note(env, "replaced", r->replaced_prog);
	return place_hold(env, r, quiet, e);
}
