/* SPDX-License-Identifier: BSD-2-Clause */
#include "own/probe/try.h"

#include <linux/bpf.h>
#include <sys/socket.h>

#include "kernel/bpf.h"
#include "kernel/clock.h"

#define LOG_ERRORS 1 /* errors, and the instructions up to them */
#define LOG_STATS 4  /* level of the verifier's log: errors and a few numbers */
#define LOG_LIVE 2   /* everything that it does */
#define REPORT_NS (20 * NSEC_PER_MSEC)
#ifndef ENOTSUPP
#define ENOTSUPP 524 /* internal to the kernel */
#endif
#define LARGE (BPF_MAXINSNS + 1)

/* The waiting process only needs to know that there are answers, and each message wakes it. So a few are enough. */
static void try_report(struct probe_try *t)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (t->alive < 0 || now - t->reported_at < REPORT_NS)
		return;
	t->reported_at = now;
	send(t->alive, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Load, with the verifier's log in t->log. 0 or -errno. */
static int try_load(struct probe_try *t, const struct probe_way *way, const struct bpf_insn *insns, size_t n,
		    uint32_t level)
{
	CLEAN_FD fd = -1;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = way->type;
	attr.expected_attach_type = way->attach;
	attr.prog_flags = way->flags;
	attr.attach_btf_id = way->id > 0 ? (uint32_t)way->id : 0;
	attr.prog_ifindex = t->ifindex;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = (uint32_t)n;
	attr.license = (uintptr_t) "GPL";
	attr.log_level = level;
	attr.log_buf = (uintptr_t)t->log;
	attr.log_size = sizeof(t->log);
	t->log[0] = '\0';
	fd = sys_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	t->log[sizeof(t->log) - 1] = '\0';
	try_report(t);
	return fd < 0 ? fd : 0;
}

/* Templates end by reading a register that cannot be read: -EACCES. */
static int taken(int err)
{
	return err == -EACCES ? 0 : err;
}

int probe_template(struct probe_try *t, const struct probe_way *way, const char *name)
{
	size_t n;
	const struct bpf_insn *insns = image_code(t->image, name, &n);

	return insns ? taken(try_load(t, way, insns, n, LOG_STATS)) : -EBADMSG;
}

int probe_way_try(struct probe_try *t, const struct probe_way *way, bool *ret_taken)
{
	int err = (way->func || way->btf) && way->id < 0 ? -EINVAL : probe_template(t, way, "probe_nothing");

	*ret_taken = !err;
	/* A log means that the verifier knows the type. */
	return err == -EINVAL && way->id > 0 && t->log[0] ? 0 : err;
}

int probe_large(struct probe_try *t, const struct probe_way *way)
{
	size_t n, i;
	const struct bpf_insn *zero = image_code(t->image, "probe_zero", &n);
	CLEAN_PTR struct bpf_insn *insns = malloc(LARGE * sizeof(*insns));

	if (!zero || !insns)
		return zero ? -ENOMEM : -EBADMSG;
	for (i = 0; i < LARGE - (n - 1); i++)
		insns[i] = zero[0];
	memcpy(insns + i, zero + 1, (n - 1) * sizeof(*insns));
	return taken(try_load(t, way, insns, LARGE, LOG_STATS));
}

uint8_t probe_helper(struct probe_try *t, const struct probe_way *way, uint32_t id)
{
	struct probe_way asleep = *way;
	struct bpf_insn insns[8];
	char number[16];
	size_t n;
	const struct bpf_insn *call = image_code(t->image, "probe_call", &n);
	int err;

	if (!call || n > ARRAY_SIZE(insns))
		return PROBE_UNKNOWN;
	memcpy(insns, call, n * sizeof(*insns));
	insns[0].imm = (int32_t)id;
	err = try_load(t, way, insns, n, LOG_STATS);
	if (!taken(err))
		return PROBE_YES;
	if ((err != -EINVAL && err != -ENOTSUPP) || !t->log[0])
		return PROBE_UNKNOWN;
	/*
	 * "unknown func bpf_sk_release#86", "program of this type cannot use helper bpf_sk_release#86", "func
	 * bpf_get_func_ip#173 not supported for program type 5": the words depend on the kernel, but all name the
	 * helper.
	 */
	snprintf(number, sizeof(number), "#%u%c", id, err == -EINVAL ? '\n' : ' ');
	if (strstr(t->log, number))
		return PROBE_NO;
	/* The helper is there, but not for this program: only for sleepable programs, or those of another function. So
	 * the type has it if sleepable programs can be loaded. */
	asleep.flags |= BPF_F_SLEEPABLE;
	return probe_template(t, &asleep, "probe_nothing") ? PROBE_NO : PROBE_YES;
}

uint8_t probe_kfunc(struct probe_try *t, const struct probe_way *way, uint32_t id)
{
	struct bpf_insn insns[8];
	size_t n;
	const struct bpf_insn *call = image_code(t->image, "probe_call", &n);
	int err;

	if (!call || n > ARRAY_SIZE(insns))
		return PROBE_UNKNOWN;
	memcpy(insns, call, n * sizeof(*insns));
	insns[0].src_reg = BPF_PSEUDO_KFUNC_CALL;
	insns[0].imm = (int32_t)id;
	err = try_load(t, way, insns, n, LOG_ERRORS);
	if (strstr(t->log, " is not allowed") || strstr(t->log, "must be sleepable"))
		return PROBE_NO;
	/* The instructions of the log begin when all functions were found; then the call, or what follows, is refused.
	 */
	return err && str_starts(t->log, "0: ") ? PROBE_YES : PROBE_UNKNOWN;
}

uint32_t probe_helpers_end(struct probe_try *t, const struct probe_way *way, uint32_t known)
{
	char none[64];
	uint32_t id;

	/* The message about an id that no kernel has, up to the number: "invalid func unknown". */
	if (probe_helper(t, way, INT32_MAX) != PROBE_NO)
		return known;
	snprintf(none, sizeof(none), "%.*s", (int)strcspn(t->log, "#"), t->log);
	for (id = known; id < PROBE_HELPERS; id++)
		if (probe_helper(t, way, id) == PROBE_UNKNOWN || str_starts(t->log, none))
			break;
	return id;
}

void probe_params(struct probe_try *t, const struct probe_way *way, const bool *ask, uint8_t *ret)
{
	struct bpf_insn insns[PROBE_HELPERS + 8];
	size_t n, used = 0;
	const struct bpf_insn *call = image_code(t->image, "probe_call", &n);

	memset(ret, PROBE_PARAMS_NONE, PROBE_HELPERS);
	if (!call || n > 8)
		return;
	/* No program may call helper 0, so the verifier stops there and does not check the others further. */
	insns[used] = call[0];
	insns[used++].imm = BPF_FUNC_unspec;
	for (uint32_t id = 1; id < PROBE_HELPERS; id++) {
		if (!ask[id])
			continue;
		insns[used] = call[0];
		insns[used++].imm = (int32_t)id;
	}
	memcpy(insns + used, call + 1, (n - 1) * sizeof(*insns));
	if (try_load(t, way, insns, used + n - 1, LOG_LIVE) == -EINVAL)
		probe_params_read(t->log, ret);
}

/*
 * " 2: .1234..... (85) call bpf_map_update_elem#2": the registers that are live there, among them the call's
 * parameters. The verifier assumes that an unknown helper needs all.
 */
void probe_params_read(const char *log, uint8_t *ret)
{
	static const char call[] = " (85) call ";
	const size_t regs = 10;

	for (const char *p = log; (p = strstr(p, call)); p += sizeof(call) - 1) {
		const char *at = p - regs, *hash = p + sizeof(call) - 1;
		unsigned long id;
		uint8_t n = 0;

		if ((size_t)(p - log) < regs || strspn(at, ".0123456789") != regs || (at > log && at[-1] != ' '))
			continue;
		hash += strcspn(hash, "#\n");
		id = *hash == '#' ? strtoul(hash + 1, NULL, 10) : 0;
		while (n < 5 && at[1 + n] == (char)('1' + n))
			n++;
		if (id && id < PROBE_HELPERS)
			ret[id] = n;
	}
}
