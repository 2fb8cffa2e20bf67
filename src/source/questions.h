/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "kernel/object.h"
#include "source/file/swap.h"

struct blob;
struct live;
/*
 * Every question that a machine can be asked, a row each. The live source, `save`, the names of answers in an archive,
 * the manual and the fault tests use the rows: a new question is answered, saved, documented and tested through its
 * row.
 */
/* clang-format off */
enum question {
	/* One for each kind of object, in the order of enum object_kind: question_of(Q_IDS, kind). */
	Q_IDS, Q_IDS_LAST = Q_IDS + OBJECT_KINDS - 1,
	Q_INFO, Q_INFO_LAST = Q_INFO + OBJECT_KINDS - 1,
	Q_FDINFO, Q_FDINFO_LAST = Q_FDINFO + OBJECT_KINDS - 1,
	Q_BUF, Q_BUF_LAST = Q_BUF + OBJECT_KINDS - 1,
	Q_HOLDERS_OF, Q_HOLDERS_OF_LAST = Q_HOLDERS_OF + OBJECT_KINDS - 1,

	/* Arrays of struct bpf_prog_info. */
	Q_PROG_XLATED, Q_PROG_JITED, Q_PROG_MAP_IDS, Q_PROG_JITED_KSYMS, Q_PROG_JITED_FUNC_LENS, Q_PROG_FUNC_INFO,
	Q_PROG_LINE_INFO, Q_PROG_JITED_LINE_INFO, Q_PROG_PROG_TAGS,

	Q_MAP_ELEMS, Q_MAP_COUNT, Q_MAP_RING, Q_MAP_STORAGE, Q_MAP_SLOTS, Q_MAP_PROGS, Q_MAP_STRUCT_OPS, Q_MAP_PAGES,
	Q_MAP_SOCKETS, Q_MAP_XSK, Q_MAP_INNER,

	Q_BTF_NAME, Q_BTF_DATA,

	Q_PIN,
	Q_FUNC,
	Q_TASK_CGROUP,
	Q_CGROUP_PROGS, Q_CGROUP_EFFECTIVE, Q_CGROUP_AT,
	Q_NET_LINKS, Q_NET_QDISCS, Q_NET_ACTIONS, Q_NET_CLASSES, Q_NET_FILTERS, Q_NET_QUERY,

	Q_COUNTED, Q_PINS, Q_HOLDERS, Q_MAP_COUNTS, Q_KALLSYMS, Q_KSYM, Q_CALL_BASE, Q_IFACES, Q_NETNS, Q_NETNS_LIST, Q_LINK_NETNS,
	Q_CLOCK, Q_CPUS, Q_CGROUPS, Q_CGROUP_MOUNTS, Q_UNAME, Q_LIMITS, Q_TASK_FDS, Q_SOCKET_FILTERS, Q_PMUS, Q_TRACEPOINTS,
	Q_TRACEPOINT_FORMAT, Q_VMLINUX, Q_KCONFIG, Q_FEATURES, Q_BPFFS, Q_ACCESS, Q_LIVES, Q_CODES, Q_CODE, Q_POKES, Q_CALLS, Q_CALL,
	Q_SAMPLING, Q_SAMPLES, Q_SAMPLED_TASKS, Q_COUNTERS, Q_LISTED,

	Q_META,
	QUESTIONS
};
/* clang-format on */
static inline enum question question_of(enum question first, enum object_kind kind)
{
	return (enum question)(first + (unsigned)kind);
}

/* Q_FEATURES */
enum {
	FEATURES_FULL = 1 << 0,		/* also helpers whose probe leaves a trace (own/probe/probe.h) */
	FEATURES_UNPRIVILEGED = 1 << 1, /* for a user without capabilities */
	FEATURES_KFUNCS = 1 << 2,	/* instead: functions of the kernel that programs may call */
};

/* A question with its parts; its row defines which of them it has. */
struct asked {
	enum question q;
	uint64_t id; /* object, cgroup, network namespace or process */
	uint64_t index, sub;
	const char *text; /* path, cursor, word; the last part */
};

/* The subject of a question, which determines how often `save` asks it. */
enum question_about {
	ABOUT_MACHINE, /* once */
	ABOUT_PROG,
	ABOUT_MAP,
	ABOUT_LINK,
	ABOUT_BTF,   /* each object: ABOUT_PROG + enum object_kind */
	ABOUT_PLACE, /* parts that only readers know: saved when they ask */
};
enum question_saved {
	SAVED_ALWAYS,
	SAVED_READ,	/* only when a reader asks */
	SAVED_DATA,	/* contents of maps: with --map-data only */
	SAVED_RECORDED, /* in recordings only */
	SAVED_NEVER,	/* answered by the running kernel only */
};
struct question_row {
	/* Its name in an archive: # is id, @ index, * index as 0x…, ~ sub, $ text, which comes last. */
	const char *pattern;
	const char *what; /* what is missing if it is refused, with # for the id: "maps of program #" */
	const char *help; /* the answer and its form; parts as in the manual: ID, N, 0xN, TEXT */
	enum question_about about;
	enum question_saved saved;
	bool of_process; /* its id is that of a process, 0: ours; which may be somebody else's (machine_unseen()) */
	/* -errno that meant "none" in archives before format 2; since then such an answer is empty. */
	int16_t none[3];
	/* The answer of the live source, by one of these if it can: appended to the scratch text, or in *ret. */
	int (*text)(struct live *l);
	int (*live)(struct live *l, struct arena *a, struct blob *ret);
	/* The integers in the answer, for machines of the other byte order (source/file/swap.h): equal records; or what
	 * knows them. Neither: text, or bytes. */
	const char *record;
	swap_fn *swap;
};
extern const struct question_row questions[QUESTIONS];

#define QUESTION_KEY_MAX 4096 /* bytes of a name in an archive; for a longer one -ENAMETOOLONG */
/* Appends the name to @ret. 0, or -ENAMETOOLONG with @ret unchanged. */
int question_key(const struct asked *q, struct str *ret);
/* Did this error mean "none" before format 2? */
bool question_was_none(enum question q, int why);
/* The row's words for what is missing, with the id; in the arena. */
const char *question_what(const struct asked *q, struct arena *a);
