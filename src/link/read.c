/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/btf.h"
#include "cli/env.h"
#include "cli/kind.h"
#include "cli/select.h"
#include "link/link.h"
#include "netns/names.h"
#include "source/facts.h"
#include "kernel/hooks.h"
#include "kernel/names.h"

/* Facts shared by links, read once per command. */
struct memo {
	struct net_names *names;
	struct link_brief *all;
	size_t nall;
	bool all_known;
};

static struct memo *memo_of(struct env *env)
{
	struct memo *m = env->memo[OBJECT_LINK];

	if (m)
		return m;
	m = env->memo[OBJECT_LINK] = arena_alloc(env->keep, sizeof(*m));
	m->names = net_names_new(env);
	return m;
}

static void link_add_prog(struct env *env, struct link_rec *r)
{
	const struct object_label label = kind_label(env, &kind_prog, r->info.prog_id);

	r->has_prog = label.avail;
	if (label.avail != AVAIL_YES)
		return;
	r->prog_type = label.type;
	r->prog_name = label.name;
}

/*
 * Read a member of the info at the offset that the kind names: false if it names none, or this kernel's info ends
 * before it.
 */
static bool info_u32(const struct link_rec *r, uint16_t off, uint32_t *ret)
{
	if (!off || off + sizeof(*ret) > r->info_len)
		return false;
	memcpy(ret, (const char *)&r->info + off, sizeof(*ret));
	return true;
}

/* The namespace's name; NULL: it is ours, or unknown. */
static const char *link_netns(struct env *env, struct arena *a, uint64_t ino, struct link_rec *r)
{
	const char *name = ino ? net_names_ns(memo_of(env)->names, ino, &r->netns_ours) : NULL;

	if (ino) {
		r->netns_ino = ino;
		r->has_netns = AVAIL_YES;
	}
	/* A namespace without a name is called by its number. */
	r->netns_name = name && strspn(name, "0123456789") < strlen(name) ? name : NULL;
	return ino && !r->netns_ours ? name ? name : arena_fmt(a, "%llu", llu(ino)) : NULL;
}

const char *link_in_netns(struct env *env, struct arena *a, unsigned need, struct link_rec *r, const char *what)
{
	bool of_ns = r->info.type == ABI_LINK_NETNS;
	const char *name;

	if (!(need & NEED_TARGET))
		return what;
	name = link_netns(env, a, of_ns ? r->info.netns.netns_ino : net_names_of_link(memo_of(env)->names, r->info.id),
			  r);
	return name ? arena_fmt(a, "%s:%s", name, what) : what;
}

/* An index in another namespace may also be the index of one of our devices. */
static void link_add_device(struct env *env, struct arena *a, unsigned need, struct link_rec *r, uint32_t ifindex)
{
	const char *ours, *prefixed;

	r->at.ifindex = ifindex;
	r->gone = !ifindex;
	if (!ifindex) {
		r->devname = r->attach_to = "(detached)";
		return;
	}
	ours = facts_ifname(env->machine, ifindex);
	prefixed = link_in_netns(env, a, need, r, "");
	r->devname = *prefixed ? net_names_device(memo_of(env)->names, r->netns_ino, ifindex) : ours;
	if (!r->devname)
		r->devname = "(unknown)";
	r->at.where = ours ? ours : arena_fmt(a, "ifindex:%u", ifindex);
	r->attach_to = arena_fmt(a, "%s%s(%u)", prefixed, r->devname, ifindex);
}

/* Which of the two answers counts, and by which path we see the file. */
static const char *file_shown(struct arena *a, uint32_t pid, const char *path, int there, int here)
{
	static const char deleted[] = " (deleted)";
	const size_t n = strlen(path), len = sizeof(deleted) - 1;
	const bool gone = there == -ENOENT && here == -ENOENT, said = n > len && !strcmp(path + n - len, deleted);

	if (there && here)
		return gone && !said ? arena_fmt(a, "%s%s", path, deleted) : path;
	return !there && here == -ENOENT ? arena_fmt(a, "/proc/%u/root%s", pid, path) : path;
}

/* The path in a question must not contain "..", so that it can be the name of a file. */
const char *link_func_at(struct env *env, struct arena *a, uint32_t pid, const char *path, uint64_t offset,
			 const char **ret_file)
{
	struct blob b;
	int here, there;

	if (ret_file)
		*ret_file = path;
	if (path[0] != '/' || strstr(path, "/../") || strlen(path) > QUESTION_KEY_MAX / 2)
		return NULL;
	here = ask_silently(env->machine, a, &b, Q_FUNC, 0, offset, .text = path);
	/* If the process sees another file, or is gone, use the file that we see. */
	there = pid ? ask_silently(env->machine, a, &b, Q_FUNC, pid, offset, .text = path) : -ENOENT;
	if (ret_file)
		*ret_file = file_shown(a, pid, path, there, here);
	if (there && here && here != -ENOENT)
		note_refused(env->machine, here, Q_FUNC, 0, offset, .text = path);
	return (there && here) || !b.n ? NULL : blob_text(a, &b);
}

/* A process that holds the link may see the file even if we do not. */
const char *link_symbol(struct env *env, struct arena *a, unsigned need, struct link_rec *r, uint64_t offset)
{
	const struct holder *h;
	uint32_t n = 0;

	if (!(need & NEED_SYMBOLS) || !r->text)
		return NULL;
	h = facts_holders(env->machine, OBJECT_LINK, r->info.id, &n);
	return link_func_at(env, a, n ? h[0].pid : 0, r->text, offset, &r->file);
}

/* -ENOENT: the link is gone; after any other refusal the strings are unknown. */
static int link_read_bufs(struct env *env, struct arena *a, struct link_rec *r)
{
	const struct link_kind *k = r->kind;
	int err;

	r->has_bufs = AVAIL_YES;
	if (!k->nbufs)
		return 0;
	err = info_bufs_get(env->machine, a, OBJECT_LINK, r->info.id, k->bufs, k->nbufs, r->buf);
	if (err == -ENOENT)
		return err;
	if (err)
		r->has_bufs = AVAIL_UNKNOWN;
	else if (!k->bufs[0].elem && r->buf[0].n)
		r->text = (const char *)r->buf[0].p;
	return 0;
}

static int link_add_part(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	const struct hook *h = NULL;
	uint32_t v;
	int err = link_read_bufs(env, a, r);

	if (err)
		return err;
	if (info_u32(r, r->kind->attach_type, &v)) {
		r->attach_type = btf_word(env->machine, &names_attach_type, v);
		h = hook_at(v, 0);
	}
	if (r->kind->subtypes)
		h = hook_of(HOOK_EVENT, r->info.perf_event.type);
	r->at.what = h ? h->word : r->attach_type ? r->attach_type : r->type;
	r->at.where = r->attach_to = r->text;
	if (r->kind->cookie && r->kind->cookie + sizeof(r->at.cookie) <= r->info_len)
		memcpy(&r->at.cookie, (const char *)&r->info + r->kind->cookie, sizeof(r->at.cookie));
	if (info_u32(r, r->kind->ifindex, &v))
		link_add_device(env, a, need, r, v);
	if (r->kind->derive)
		r->kind->derive(env, a, need, r);
	return 0;
}

static void link_add_holders(struct env *env, struct arena *a, unsigned need, struct link_rec *r)
{
	object_owners_read(env, a, OBJECT_LINK, r->info.id, need, &r->owners);
	if (r->info.type != ABI_LINK_PERF_EVENT || !r->owners.nholders)
		return;
	r->has_bpf_cookie = AVAIL_YES;
	for (uint32_t i = 0; i < r->owners.nholders && !r->bpf_cookie; i++)
		r->bpf_cookie = r->owners.holders[i].cookie;
	/* The same number; since Linux 6.6 the kernel reports it for the link itself. */
	if (!r->bpf_cookie)
		r->bpf_cookie = r->at.cookie;
}

static int link_info(struct env *env, struct arena *a, uint32_t id, struct link_rec *r, struct err *e)
{
	int err = info_get(env->machine, a, OBJECT_LINK, id, &r->info, sizeof(r->info), &r->info_len);

	if (err == -ENOENT)
		return err_set(e, err, "there is no link with id %u", id);
	if (err)
		return err_sys(e, err, "link %u: cannot read info", id);
	if (r->info_len < offsetof(struct abi_link_info, prog_id))
		return err_set(e, -EBADMSG, "link %u: info of %u bytes is too short", id, r->info_len);
	r->info.id = id;
	r->type = btf_word(env->machine, &names_link_type, r->info.type);
	return 0;
}

int link_read(struct env *env, struct arena *a, uint32_t id, unsigned need, void *rec, struct err *e)
{
	struct link_rec *r = rec;
	int err = link_info(env, a, id, r, e);

	if (err)
		return err;
	r->kind = link_kind_of(&r->info);
	r->at.prog_id = r->info.prog_id;
	r->at.link_id = id;
	r->at.what = r->type;
	if (r->kind && link_add_part(env, a, need, r))
		return err_set(e, -ENOENT, "link %u is gone", id);
	if ((need & NEED_PROG) && r->info.prog_id)
		link_add_prog(env, r);
	link_add_holders(env, a, need, r);
	return 0;
}

static size_t briefs_read(struct env *env, const uint32_t *ids, size_t n, struct link_brief *ret)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		ARENA_SCOPE(env->arena);
		struct link_brief *b = &ret[found];
		uint32_t len;

		*b = (struct link_brief){ .id = ids[i] };
		b->err = info_get(env->machine, env->arena, OBJECT_LINK, b->id, &b->info, sizeof(b->info), &len);
		found += b->err != -ENOENT;
		env_progress(env, "read links", i);
	}
	return found;
}

int link_all(struct env *env, const struct link_brief **ret, size_t *n, struct err *e)
{
	struct memo *m = memo_of(env);
	const uint32_t *ids;
	size_t nids;
	int err = m->all_known ? 0 : select_all(env, &kind_link, &ids, &nids, e);

	if (err)
		return err;
	if (!m->all_known) {
		m->all = arena_array(env->keep, nids, sizeof(*m->all));
		m->nall = briefs_read(env, ids, nids, m->all);
		m->all_known = true;
	}
	*ret = m->all;
	*n = m->nall;
	return 0;
}

int link_label(struct env *env, struct arena *a, uint32_t id, struct object_label *ret, struct err *e)
{
	struct link_rec *r = arena_alloc(a, sizeof(*r));
	int err = link_info(env, a, id, r, e);

	if (!err)
		*ret = (struct object_label){ r->type, "", "" };
	return err;
}
