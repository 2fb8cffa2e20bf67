/* SPDX-License-Identifier: BSD-2-Clause */

#include "cli/env.h"
#include "netns/devices.h"
#include "netns/names.h"
#include "source/machine.h"

struct net_names {
	struct env *env;
	const struct net_ns *ns;
	struct net_devs *devs; /* of each namespace; dev NULL: not read yet */
	size_t n;
	bool listed;
	struct hash *links; /* of inode numbers, by link; NULL: not read yet */
};

struct net_names *net_names_new(struct env *env)
{
	struct net_names *names = arena_alloc(env->keep, sizeof(*names));

	names->env = env;
	return names;
}

static const struct net_ns *ns_of(struct net_names *names, uint64_t ino)
{
	struct err why = { 0 };

	if (!names->listed && !net_namespaces(names->env, true, &names->ns, &names->n, &why))
		names->devs = arena_array(names->env->keep, names->n, sizeof(*names->devs));
	names->listed = true;
	for (size_t i = 0; i < names->n; i++)
		if (names->ns[i].ino == ino)
			return &names->ns[i];
	return NULL;
}

const char *net_names_ns(struct net_names *names, uint64_t ino, bool *ret_ours)
{
	const struct net_ns *ns = ns_of(names, ino);

	*ret_ours = ns && ns->ours;
	return ns ? ns->name : NULL;
}

const char *net_names_device(struct net_names *names, uint64_t ino, uint32_t ifindex)
{
	const struct net_ns *ns = ns_of(names, ino);
	struct net_devs *devs = ns ? &names->devs[ns - names->ns] : NULL;
	const struct net_dev *d;
	struct err why = { 0 };

	if (!ns)
		return NULL;
	if (!devs->dev && net_devs_read(names->env, ns, devs, &why))
		devs->dev = arena_alloc(names->env->keep, sizeof(*devs->dev));
	d = devs->by_index.arena ? hash_get(&devs->by_index, ifindex) : NULL;
	return d ? d->name : NULL;
}

bool net_link_netns(struct env *env, char *line, uint32_t *ret_id, uint64_t *ret_ino)
{
	char *ino = strchr(line, ' ');

	if (ino)
		*ino++ = '\0';
	if (ino && !num_parse_u32(line, ret_id) && !num_parse_u64(ino, ret_ino))
		return true;
	if (*line)
		note_refused(env->machine, -EBADMSG, Q_LINK_NETNS);
	return false;
}

/* "LINK_ID INO" lines. */
static void device_links_read(struct net_names *names)
{
	struct env *env = names->env;
	char *text, *line;

	names->links = arena_alloc(env->keep, sizeof(*names->links));
	hash_init(names->links, env->keep);
	if (ask_lines(env->machine, env->keep, &text, Q_LINK_NETNS))
		return;
	while ((line = strsep(&text, "\n"))) {
		uint64_t *v = arena_alloc(env->keep, sizeof(*v));
		uint32_t id;

		if (net_link_netns(env, line, &id, v))
			*hash_put(names->links, id) = v;
	}
}

uint64_t net_names_of_link(struct net_names *names, uint32_t link_id)
{
	const uint64_t *ino;

	if (!names->links)
		device_links_read(names);
	ino = hash_get(names->links, link_id);
	return ino ? *ino : 0;
}
