/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/attach.h"

#include "cli/select.h"

static int anchor(struct env *env, const struct kind *k, const struct object_ref *ref, enum attach_position position,
		  struct attach_request *q, struct err *e)
{
	if (!ref->by)
		return 0;
	q->position = position;
	return select_one(env, k, ref, k->object == OBJECT_LINK ? &q->anchor_link : &q->anchor_prog, e);
}

int attach_request_of(struct env *env, const struct object_ref *prog, const struct attach_opts *o,
		      struct attach_request *ret, struct err *e)
{
	struct attach_request q = {
		.link = o->link,
		.hold = o->hold,
		.overwrite = o->overwrite,
		.multi = o->multi,
		.override = o->override,
		.preorder = o->preorder,
		.revision = o->revision,
		.dry_run = o->dry_run,
		.position = o->first ? POSITION_FIRST :
			    o->last  ? POSITION_LAST :
				       POSITION_DEFAULT,
	};
	int err;

	if (o->first + o->last + !!o->before.by + !!o->after.by + !!o->before_link.by + !!o->after_link.by > 1)
		return err_usage(e, "the run order is one of first, last, before or after another program");
	if (o->multi && o->override)
		return err_usage(e, "'multi' and 'override' are mutually exclusive");
	if (o->link && o->hold)
		return err_usage(e, "'hold' and '--link' are mutually exclusive: a pin holds the link");
	q.has_cookie = o->cookie;
	if (o->cookie && num_parse_u64(o->cookie, &q.cookie))
		return err_usage(e, "can't parse %s as cookie: it must be a number", o->cookie);
	err = anchor(env, &kind_prog, &o->before, POSITION_BEFORE, &q, e);
	err = err ? err : anchor(env, &kind_prog, &o->after, POSITION_AFTER, &q, e);
	err = err ? err : anchor(env, &kind_link, &o->before_link, POSITION_BEFORE, &q, e);
	err = err ? err : anchor(env, &kind_link, &o->after_link, POSITION_AFTER, &q, e);
	if (err)
		return err;
	q.prog_fd = select_open(env, &kind_prog, prog, &q.prog_id, e);
	if (q.prog_fd < 0)
		return q.prog_fd;
	*ret = q;
	return 0;
}

void attach_request_close(struct attach_request *q)
{
	clean_fd(&q->prog_fd);
}
