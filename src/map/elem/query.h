/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "types/value/aggregate.h"
#include "types/value/member.h"
#include "map/elem/members.h"
#include "map/elem/print.h"
#include "map/elem/query_names.h"

struct filter;
/* Which elements of a map are wanted, how values of CPUs are combined, and the order. */
struct query_opts {
	const char *filter, *sort; /* NULL: all; as they come */
	uint32_t limit;		   /* 0: no limit */
	bool sum, max, avg;	   /* at most one */
	const char *cpu;	   /* only the value of this CPU; NULL: all */
};
/* Row of a command's table of arguments: an expression about elements. @T has the const char * as member @m. */
#define ELEM_FILTER_ARG(T, m, hlp) \
	ARG("--filter", ARG_STR, T, m, hlp, .alias = "-Q", .metavar = "EXPR", .offers = members_offer_filter)
#define CPU_ARG(name, T, m, ...) \
	ARG(name, ARG_STR, T, m, "for a per-CPU map: only the value of this CPU", .metavar = "N", ##__VA_ARGS__)
/* Rows of the command's table of arguments; @T has the struct query_opts as member @m. */
#define QUERY_ARGS(T, m) \
	ELEM_FILTER_ARG(T, m.filter, \
			"only elements for which the expression is true: key, value.member, key.list[2]"), \
		ARG("--sort", ARG_STR, T, m.sort, "sort by key, value or a member of them, descending with -", \
		    .metavar = "[-]MEMBER", .offers = members_offer_sort), \
		ARG("--limit", ARG_U32, T, m.limit, "at most this many elements", .metavar = "N", \
		    .flags = ARG_NONZERO), \
		ARG("--sum", ARG_FLAG, T, m.sum, "for a per-CPU map: the sum of the values", \
		    .rejects = "--max --avg"), \
		ARG("--max", ARG_FLAG, T, m.max, "for a per-CPU map: the largest value of each member", \
		    .rejects = "--sum --avg"), \
		ARG("--avg", ARG_FLAG, T, m.avg, "for a per-CPU map: the mean of the values", \
		    .rejects = "--sum --max"), \
		CPU_ARG("cpu", T, m.cpu, .rejects = "--sum --max --avg")

#define FORMAT_ARG(T, m) \
	ARG("--format", ARG_STR, T, m, \
	    "format of members: ip, mac, be16, be32, be64, le16, le32, le64, ktime, ksym, cgroup, ifindex, pid, tgid, netns, str, hex; auto: those that names of members and types imply", \
	    .metavar = "auto|MEMBER=FORMAT,...", .flags = ARG_REPEAT, .offers = members_offer_format)

/*
 * query_take() gets an element as it was read and returns it, if it is chosen, as it is printed: in the form @out,
 * which is that of the map unless the values of the CPUs are combined.
 */
/*
 * Gives members the formats of "value.addr=ip,key=hex" (types/value/format.h); "addr" alone if only one of the two has
 * it; "auto": those that names imply. Keys and values without a type are shown as an integer or bytes.
 */
int query_formats(struct elem_form *form, const struct arg_list *texts, struct machine *machine, struct arena *a,
		  struct err *e);
/* On a terminal, a note that names the members that mean more with "auto" than the numbers in @form. */
void query_offer_auto(struct env *env, const struct elem_form *form);

#define QUERY_HOLD (256u << 20) /* bytes that a sort may hold */
struct query {
	struct elem_form in, out;
	struct query_names names;
	struct filter *filter;
	struct aggregator aggregator;
	uint32_t limit;
	unsigned char *scratch; /* an element of form out */
	bool one_cpu;		/* its value is at that offset of the values of all: */
	size_t cpu_at;
	struct member sort;
	bool sorted, by_value, descending;
	enum row_name sort_row; /* sorted by this, not by a member */
	bool by_cpu;		/* the filter compares the number of the CPU: query_row() */
	/* Elements held for sorting: int32_t error, key, value. */
	unsigned char *held;
	size_t n, cap, stride;
};
/*
 * @form: with the types in which the names of the query are looked up; others may be used for printing. -EINVAL with a
 * sentence.
 */
int query_init(struct query *q, const struct query_opts *o, const struct elem_form *form, struct arena *a,
	       struct err *e);
/* names_find() of a member of what query_take() returns. */
int query_member(const struct query *q, const char *name, struct member *ret, bool *ret_of_value, struct err *e);
/* The key of the chosen element, valid until the next call; NULL: not wanted. */
const unsigned char *query_take(struct query *q, const unsigned char *key, int err);
/* Does the filter also select the row with the value of this CPU? */
bool query_row(const struct query *q, const unsigned char *key, uint32_t cpu);
/*
 * If q->sorted: holds what query_take() returned; then passes on all in order, at most q->limit. -E2BIG: too much to
 * hold.
 */
int query_hold(struct query *q, const unsigned char *key, int err, struct err *e);
void query_sort(struct query *q);
const unsigned char *query_find_elem(const struct query *q, size_t i, int *ret_err);
void query_release(struct query *q);
static inline bool query_asks_types(const struct query_opts *o)
{
	return o->filter || o->sort || o->sum || o->max || o->avg;
}
