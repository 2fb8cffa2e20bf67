/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/audit.h"

#include <linux/perf_event.h>

#include "kernel/perf/sideband.h"
#include "recording/catalog.h"
#include "recording/code_log.h"
#include "recording/poke_log.h"

#define RING (1u << 20) /* bytes for each CPU */

struct audit_note {
	enum { LOADED, UNLOADED, CODE_GONE } what;
	uint32_t id, pid;
	uint64_t time, addr;
	uint8_t tag[SIDEBAND_TAG];
};

static void audit_keep(struct audit *a, const struct audit_note *n)
{
	ARRAY_MORE(a->note, a->n, a->cap);
	a->note[a->n++] = *n;
}

static void audit_event(void *ctx, const struct sideband_record *r)
{
	struct audit *a = ctx;
	const bool late = a->until && r->time > a->until;
	struct audit_note n = { .time = r->time, .pid = r->pid == UINT32_MAX ? 0 : r->pid };

	if (!late)
		code_log_note(a->code, r);
	if (a->pokes && r->kind == SIDEBAND_KSYMBOL && !r->ksymbol.gone)
		poke_log_code(a->pokes, r->ksymbol.addr, r->ksymbol.len, r->time);
	if (r->kind == SIDEBAND_KSYMBOL && r->ksymbol.gone) {
		n.what = CODE_GONE;
		n.addr = r->ksymbol.addr;
	} else if (r->kind == SIDEBAND_PROG && r->prog.event == PERF_BPF_EVENT_PROG_UNLOAD) {
		n.what = UNLOADED;
		n.id = r->prog.id;
	} else if (!late && r->kind == SIDEBAND_PROG && r->prog.event == PERF_BPF_EVENT_PROG_LOAD &&
		   r->pid != (uint32_t)getpid()) {
		n.what = LOADED;
		n.id = r->prog.id;
		memcpy(n.tag, r->prog.tag, sizeof(n.tag));
	} else {
		return;
	}
	audit_keep(a, &n);
}

int audit_open(struct audit *a, struct code_log *code, struct poke_log *pokes)
{
	*a = (struct audit){ .code = code, .pokes = pokes };
	return sideband_open(&a->ring, &(struct sideband_opts){ .ring = RING, .wake = RING / 16 });
}

void audit_close(struct audit *a)
{
	sideband_close(&a->ring);
	free(a->note);
	*a = (struct audit){ 0 };
}

void audit_listen(struct audit *a)
{
	/* Changes first: earlier ones are of other code than what is announced now at their addresses. */
	if (a->pokes)
		poke_log_listen(a->pokes);
	while (a->ring && sideband_read(a->ring, audit_event, a))
		;
}

static void note_enter(struct catalog *cat, const struct audit_note *n)
{
	if (n->what == UNLOADED)
		catalog_note_unload(cat, n->id, n->time);
	else if (n->what == CODE_GONE)
		catalog_note_code_gone(cat, n->addr, n->time);
	else
		catalog_note_load(cat, n->id, n->time, n->pid, n->tag);
}

void audit_pass(struct audit *a, struct catalog *cat, uint64_t time)
{
	for (; a->passed < a->n && a->note[a->passed].time <= time; a->passed++)
		note_enter(cat, &a->note[a->passed]);
	if (a->passed == a->n)
		a->passed = a->n = 0;
}

void audit_pass_known(struct audit *a, struct catalog *cat)
{
	for (size_t i = a->passed; i < a->n; i++)
		if (a->note[i].what != LOADED || catalog_has(cat, a->note[i].id))
			note_enter(cat, &a->note[i]);
}

uint64_t audit_lost(const struct audit *a)
{
	const struct sideband_count c = a->ring ? sideband_count(a->ring) : (struct sideband_count){ 0 };

	return c.lost + c.bad;
}
