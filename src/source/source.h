/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena; struct err;
/*
 * Where facts come from. A question is a key, an answer is bytes or -errno, exactly as the kernel gave them. Four
 * implementations: the live kernel, an archive, a recorder around another source, and the fake of the tests.
 *
 * Answers are raw on purpose: decoding happens after the source, so an old file profits from a new decoder and one set
 * of tests covers both. A refused question (-EPERM, -EINVAL, -ENOENT) is an answer and is recorded too. Integers are in
 * the byte order of the machine that answered.
 *
 *   KIND/ids               uint32_t[], ascending; KIND is prog, map, link or btf
 *   KIND/ID/info           struct bpf_KIND_info (abi.h) as long as the kernel made it, pointers zero
 *   KIND/ID/fdinfo         text of /proc/self/fdinfo/FD
 *   KIND/ID/buf/SPEC       buffers behind pointers of the info struct (info.h)
 *   prog/ID/{xlated,jited,map_ids,jited_ksyms,jited_func_lens,func_info,line_info,jited_line_info,prog_tags}
 *                          the array of that name of struct bpf_prog_info; record sizes stand in the info
 *   map/ID/elems/CURSOR    a batch of elements (elems.h); CURSOR is "start" or what the last batch gave
 *   map/ID/count           "N\n": elements that are there, found by walking; for maps that sys/map_counts does not have
 *   map/ID/ring            "consumer_pos:\tN\nproducer_pos:\tN\n": how far both sides of a ring buffer have come, in bytes
 *   map/ID/storage         the values of a map of local storage and whose they are (storage.h)
 *   map/ID/slots           "KEY PROG\n": programs in a prog_array, devmap, devmap_hash or cpumap; ids are no contents, so `save`
 *                          keeps it
 *   map/ID/progs           programs that run for the sockets of a sockmap or sockhash: answers of BPF_PROG_QUERY (kernel/query.h)
 *   map/ID/struct_ops      the value of a struct_ops map: state, ids of its programs, and what the program's author wrote into
 *                          the table of operations; code, not data of users, so `save` keeps it
 *   map/ID/pages/N         pages of an arena that are there, from page N on (pages.h)
 *   map/ID/sockets         the sockets in a sockmap or sockhash, with their keys (storage.h)
 *   map/ID/xsk             the AF_XDP sockets in an xskmap (xsk.h)
 *   btf/ID/name            text, without NUL
 *   btf/ID/data            raw BTF
 *   pin/PATH               "KIND ID\n" of what is pinned at the absolute PATH ("pin//sys/fs/bpf/x")
 *   sys/pins               "KIND ID PATH\n" for everything pinned in any mounted bpffs; PATH escaped as in /proc/mounts;
 *                          "? ERRNO PATH\n" for what could not be looked at
 *   sys/holders            struct holder_raw[] (host/holders.h)
 *   sys/map_counts         "ID N\n" for each map whose elements the kernel counts (own/counts.h)
 *   sys/kallsyms           text of /proc/kallsyms
 *   sys/ksym/0xADDR        "NAME+0xOFF/0xSIZE[ [MODULE]]": what lies at an address; live only, never recorded: the whole
 *                          of it is sys/kallsyms
 *   sys/ksym/__bpf_call_base  "0xADDR": where that symbol is; live only
 *   sys/ifaces             "INDEX NAME\n" for each network device of our namespace
 *   sys/netns              "DEV INO\n" of our network namespace
 *   sys/netns_list         "DEV INO PATH\n" for each network namespace that a task, a mount or a descriptor keeps, once, our
 *                          own first; PATH opens it, escaped as in /proc/mounts
 *   sys/link_netns         "LINK_ID INO\n" for links on devices and of netfilter: which network namespace (own/link_netns.h)
 *   net/INO/links          rtnetlink messages of RTM_GETLINK, the whole dump, for the network namespace of that number
 *   net/INO/{qdiscs,actions,classes/IFINDEX,filters/IFINDEX/PARENT}
 *                          the same of RTM_GETQDISC, RTM_GETACTION (kind bpf), RTM_GETTCLASS, RTM_GETTFILTER
 *   net/INO/query/IFINDEX/TYPE  BPF_PROG_QUERY (kernel/query.h) of attach type TYPE on a device; IFINDEX 0: of the namespace
 *   sys/clock              "NS\n": CLOCK_REALTIME minus CLOCK_BOOTTIME, rounded to milliseconds
 *   sys/cpus               "N\n": possible CPUs
 *   sys/cgroups            "ID PATH\n" for every cgroup v2 directory, once, parents before children; PATH relative to its mount,
 *                          whose root is "/" and stands before what is below it
 *   sys/cgroup_mounts      "ID PATH\n" for each cgroup2 mount, ID of its root, PATH escaped as in /proc/mounts
 *   cgroup_at/PATH         "ID\n" of the cgroup v2 directory PATH; -EBADF: it is none; live only, never recorded
 *   cgroup/ID/progs        the answers of BPF_PROG_QUERY (kernel/query.h) of all hooks of a cgroup that have programs, one after the
 *                          other, by attach type; cgroup/ID/effective: with those of the cgroups above it
 *   sys/uname              "SYSNAME RELEASE MACHINE\n"
 *   sys/limits             "kptr_restrict N\nbpf_jit_enable N\nbpf_jit_harden N\nunprivileged_bpf_disabled N\n", - if unreadable
 *   sys/task_fds           struct task_fd_raw and names (host/task_fds.h): descriptors with perf events and raw tracepoints
 *                          that run a program, in all processes but the asking one
 *   sys/pmus               "TYPE NAME\n" for each sort of perf event that devices and modules add
 *   sys/tracepoints        "CATEGORY:NAME\n" for each tracepoint that perf events can be made of
 *   func/PID/0xOFFSET/PATH "NAME[+0xOFF]": the function at an offset of the absolute PATH as the process PID sees it; 0: as we do
 *   sys/vmlinux            the kernel's BTF from /sys/kernel/btf, for kernels that give it no id (before 5.11)
 */
struct blob {
	const unsigned char *p;
	size_t n;
};

struct source;
struct source_ops {
	const char *name;	/* "live", "archive", "record", "fake" */
	/* 0, or -errno as the kernel gave it, or -ENODATA: this source does not know. *ret is in the arena or static. */
	int (*get)(struct source *s, const char *key, struct arena *a, struct blob *ret);
	void (*idle)(struct source *s);	/* may be NULL */
	void (*close)(struct source *s);
};
struct source {			/* first member of each implementation */
	const struct source_ops *ops;
};

#define SOURCE_KEY_MAX 4096	/* a longer key is answered with -ENAMETOOLONG */
int source_get(struct source *s, struct arena *a, struct blob *ret, const char *keyfmt, ...)
	__attribute__((format(printf, 4, 5)));
/*
 * The live source keeps the last object of each kind open, which keeps it alive (and a link attached). Asking for ids drops
 * it; call this before waiting for time or the user.
 */
void source_idle(struct source *s);
void source_close(struct source **s);

/* The running kernel. Opens objects read-only where the kernel allows; changes nothing. @debug: say on stderr which way holders were found. */
int source_live(struct source **ret, int debug, struct err *e);
/*
 * A file made by `save`; "-" is standard input. Its contents are listed at once, from the index at its end or by one pass (tar.h): at most
 * ARCHIVE_MAX bytes unpacked, ARCHIVE_MEMBERS members, regular files with plain relative names only; -EBADMSG with a
 * sentence otherwise, -ENOEXEC for a file that is no archive at all or from a machine of the other byte order. Answers are read
 * when they are asked; one whose bytes are damaged (they have check sums) is -EBADMSG, the others are not concerned. So is a list of
 * ids without a check sum that does not have an object whose info is there. What does not fit memory is kept in a
 * temporary file: at most ARCHIVE_TEMP_MAX.
 */
#define ARCHIVE_MAX (4ull << 30)
#define ARCHIVE_ANSWER_MAX (1ull << 30)
#define ARCHIVE_TEMP_MAX (1ull << 30)
#define ARCHIVE_MEMBERS (1u << 22)
int source_archive(struct source **ret, const char *path, struct err *e);
/* The same from memory; the bytes must outlive the source. For tests and fuzzers. */
int source_archive_mem(struct source **ret, const void *p, size_t n, struct err *e);
/*
 * True for an archive that ends too early, because its writer was killed or the file was cut: it has the first @answers, and @why is a
 * sentence that lives as long as the source. What is missing is -ENODATA.
 */
bool source_archive_cut(const struct source *s, uint64_t *answers, const char **why);
/*
 * Asks @inner, passes its answers on, and writes each first answer to the archive @path: mode 0600. Until source_record_finish() the
 * file is PATH.partial (base/newfile.h), which has everything that was answered up to the last second or 256 KiB,
 * and is an archive at each moment; a signal that ends the program removes it, SIGKILL leaves it. Closing without finish leaves no
 * file. Takes @inner on success. @note: lines for the member "meta" (what was left out).
 */
int source_record(struct source **ret, struct source *inner, const char *path, const char *note, struct err *e);
/* Writes @p as the answer to @key, in place of the one that may be there. For lists of what has gone meanwhile. */
void source_record_again(struct source *s, const char *key, const void *p, size_t n);
int source_record_finish(struct source *s, struct err *e);

/* Tests: answers from an array ended by a NULL key; others are -ENODATA. */
struct fake_answer { const char *key; int err; const void *p; size_t n; };
int source_fake(struct source **ret, const struct fake_answer *answers);

#endif
