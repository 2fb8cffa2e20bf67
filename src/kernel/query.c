/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/query.h"

#include "kernel/abi.h"
#include "kernel/bpf.h"

#define ROOM_FIRST 16
#define ROOM_MAX (1u << 24)  /* more programs than the kernel lets anyone attach */
#define TRIES 16	     /* retries, because programs may be attached meanwhile */
#define UNTOUCHED UINT32_MAX /* in the first element; neither an id nor flags */

void prog_query_release(struct prog_query_room *r)
{
	free(r->v);
	*r = (struct prog_query_room){ 0 };
}

static int query_room_make(struct prog_query_room *r, uint32_t size)
{
	if (size > ROOM_MAX)
		return -E2BIG;
	r->v = array_resize(r->v, (size_t)QUERY_ARRAYS * size, sizeof(*r->v));
	r->size = size;
	return 0;
}

static uint32_t *room_array(const struct prog_query_room *r, enum prog_query_array a)
{
	return r->v + (size_t)a * r->size;
}

static uint64_t pointer(const struct prog_query_room *r, uint32_t want, enum prog_query_array a)
{
	return want & 1u << a ? (uintptr_t)room_array(r, a) : 0;
}

static int ask_once(struct prog_query_room *r, struct abi_prog_query *q, const struct abi_prog_query *question,
		    uint32_t want)
{
	*q = *question;
	q->prog_ids = pointer(r, want, QUERY_PROGS);
	q->prog_attach_flags = pointer(r, want, QUERY_PROG_FLAGS);
	q->link_ids = pointer(r, want, QUERY_LINKS);
	q->link_attach_flags = pointer(r, want, QUERY_LINK_FLAGS);
	q->count = r->size;
	for (int a = 0; a < QUERY_ARRAYS; a++)
		*room_array(r, (enum prog_query_array)a) = UNTOUCHED;
	return sys_bpf(ABI_PROG_QUERY, (union bpf_attr *)q, sizeof(*q));
}

/* A kernel that does not know a member requires it to be zero. Leave out the newer members first. */
static int ask_known(struct prog_query_room *r, struct abi_prog_query *q, const struct abi_prog_query *question,
		     uint32_t *want)
{
	static const uint32_t younger[] = { 0, 1 << QUERY_LINKS | 1 << QUERY_LINK_FLAGS, 1 << QUERY_PROG_FLAGS };
	uint32_t without = r->refused;
	int err = -EINVAL;

	for (size_t i = 0; i < ARRAY_SIZE(younger) && err == -EINVAL; i++) {
		if (i && !(*want & ~without & younger[i]))
			continue;
		without |= younger[i];
		err = ask_once(r, q, question, *want & ~without);
	}
	if (err != -EINVAL) {
		*want &= ~without;
		r->refused = without & ~(1u << QUERY_PROGS);
	}
	return err;
}

int prog_query_ask(struct prog_query_room *r, uint32_t target, uint32_t attach_type, uint32_t query_flags,
		   uint32_t want, bool empty, struct str *ret)
{
	const struct abi_prog_query question = { .target = target,
						 .attach_type = attach_type,
						 .query_flags = query_flags };
	struct prog_query_head head = { .attach_type = attach_type };
	struct abi_prog_query q;
	int err = r->v ? 0 : query_room_make(r, ROOM_FIRST);

	want |= 1u << QUERY_PROGS;
	for (int i = 0; !err; i++) {
		err = ask_known(r, &q, &question, &want);
		if (err != -ENOSPC)
			break;
		if (i == TRIES)
			return -EAGAIN;
		err = query_room_make(r, q.count > r->size ? q.count + q.count / 8 : r->size * 2);
	}
	if (err)
		return err;
	if (q.count > r->size)
		return -EBADMSG;
	if (!q.count && !empty)
		return 0;
	head.attach_flags = q.attach_flags;
	head.count = q.count;
	head.revision = q.revision;
	for (int a = 0; a < QUERY_ARRAYS; a++)
		if (want & 1u << a && q.count && *room_array(r, (enum prog_query_array)a) != UNTOUCHED)
			head.has |= 1u << a;
	str_add(ret, &head, sizeof(head));
	for (int a = 0; a < QUERY_ARRAYS; a++)
		if (head.has & 1u << a)
			str_add(ret, room_array(r, (enum prog_query_array)a), sizeof(uint32_t) * q.count);
	return 0;
}

int prog_query_next(const unsigned char **p, size_t *n, struct prog_query *ret)
{
	struct prog_query q = { 0 };
	const unsigned char *at = *p;
	size_t left = *n;

	if (!left)
		return 0;
	if (left < sizeof(q.head))
		return -EBADMSG;
	memcpy(&q.head, at, sizeof(q.head));
	at += sizeof(q.head);
	left -= sizeof(q.head);
	if (q.head.has >> QUERY_ARRAYS || (q.head.count && !(q.head.has & 1u << QUERY_PROGS)))
		return -EBADMSG;
	for (int a = 0; a < QUERY_ARRAYS; a++) {
		if (!(q.head.has & 1u << a))
			continue;
		if (left / sizeof(uint32_t) < q.head.count)
			return -EBADMSG;
		q.array[a] = at;
		at += sizeof(uint32_t) * q.head.count;
		left -= sizeof(uint32_t) * q.head.count;
	}
	*p = at;
	*n = left;
	*ret = q;
	return 1;
}

uint32_t prog_query_at(const struct prog_query *q, enum prog_query_array a, uint32_t i)
{
	uint32_t v = 0;

	if (q->array[a] && i < q->head.count)
		memcpy(&v, q->array[a] + sizeof(v) * i, sizeof(v));
	return v;
}
