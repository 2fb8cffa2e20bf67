/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/runs/attach.h"

#include "base/base.h"

/* The exit first: otherwise the first runs would begin and not end. */
int runs_attach(struct runs_hooks *h, struct own *own, const struct runs_programs *p, const struct own_const *consts,
		const struct own_map *maps, const struct own_target *at)
{
	int err = own_load_at(own, &p->entry, consts, maps, at, &h->entry);

	if (!err)
		err = own_load_at(own, &p->exit, consts, maps, at, &h->exit);
	if (err)
		return err;
	h->at_exit = own_attach(own, &h->exit);
	h->at_entry = h->at_exit < 0 ? h->at_exit : own_attach(own, &h->entry);
	return h->at_entry < 0 ? h->at_entry : 0;
}

void runs_detach(struct runs_hooks *h)
{
	clean_fd(&h->at_entry);
	clean_fd(&h->at_exit);
	h->at_entry = h->at_exit = -1;
}

void runs_close(struct runs_hooks *h)
{
	runs_detach(h);
	own_close(&h->exit);
	own_close(&h->entry);
}
