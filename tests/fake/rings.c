/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel writes to rings: the announcements of programs and tasks to perf events, and what our own BPF
 * programs of src/own/capture send when they are attached, which this does in their place.
 */
#include <limits.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include "fake.h"
#include "own/capture/calls.bpf.h"
#include "own/capture/capture.bpf.h"

#define PAGE 4096u

/* The size of the ring of an event is that of its mapping. */
void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t off)
{
	struct object *o;
	int err;

	if (fake_root && fd >= 0 && (o = object_of(fd, OBJECT_PERF, &err))) {
		o->top = (uint32_t)size - PAGE;
		if (ftruncate(fd, (off_t)size))
			return MAP_FAILED;
	}
	return (void *)real_syscall(SYS_mmap, at, size, prot, flags, fd, off);
}

/* A file cannot be waited for. Who waits for announcements and calls waits for something else, too; others do not wait.
 */
int epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	int err;
	const struct object *o = object_of(fd, UINT_MAX, &err);

	if (o && (o->kind != OBJECT_PERF || o->flags))
		return 0;
	return (int)real_syscall(SYS_epoll_ctl, epoll, op, o && op == EPOLL_CTL_ADD ? eventfd(1, EFD_CLOEXEC) : fd,
				 event);
}

uint64_t fake_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void *contents(const struct object *o, size_t size)
{
	CLEAN_FD file = object_file(o);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void around(unsigned char *ring, size_t size, uint64_t at, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ring[(at + i) & (size - 1)] = ((const unsigned char *)p)[i];
}

void perf_write(const struct object *event, const void *p, size_t n)
{
	struct perf_event_mmap_page *page = event->top ? contents(event, PAGE + event->top) : NULL;

	if (!page)
		return;
	if (page->data_head + n - page->data_tail <= event->top) {
		around((unsigned char *)page + PAGE, event->top, page->data_head, p, n);
		__atomic_store_n(&page->data_head, page->data_head + n, __ATOMIC_RELEASE);
	}
	munmap(page, PAGE + event->top);
}

/* A record, and where it comes from (PERF_SAMPLE_TID, _TIME, _CPU), in the rings of all CPUs in turn. */
static void announce(uint32_t type, const void *body, size_t n, bool of_tasks)
{
	const uint32_t cpu = kernel->announced++ % CPUS, pid = (uint32_t)getpid();
	const struct {
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, pad;
	} from = { pid, pid, fake_now(), cpu, 0 };
	const struct perf_event_header h = { type, 0, (uint16_t)(sizeof(h) + n + sizeof(from)) };
	STR all = { 0 };

	str_add(&all, &h, sizeof(h));
	str_add(&all, body, n);
	str_add(&all, &from, sizeof(from));
	for (int i = 0; i < OBJECTS; i++) {
		const struct object *o = &kernel->objects[i];

		if (o->used && o->kind == OBJECT_PERF && o->cpu == cpu &&
		    o->flags & (of_tasks ? FAKE_TASKS : FAKE_PROGS))
			perf_write(o, all.p, all.n);
	}
}

void announce_prog(const struct object *prog, bool gone)
{
	struct {
		uint16_t type, flags;
		uint32_t id;
		unsigned char tag[8];
	} body = { gone ? PERF_BPF_EVENT_PROG_UNLOAD : PERF_BPF_EVENT_PROG_LOAD, 0, prog->id, { 0 } };

	memcpy(body.tag, prog->info.prog.tag, sizeof(body.tag));
	announce(PERF_RECORD_BPF_EVENT, &body, sizeof(body), false);
}

void announce_task(uint32_t parent)
{
	const uint32_t pid = (uint32_t)getpid();
	const struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} fork = { pid, parent, pid, parent, fake_now() };
	const struct {
		uint32_t pid, tid;
		char name[8];
	} name = { pid, pid, "loader" };

	announce(PERF_RECORD_FORK, &fork, sizeof(fork), true);
	announce(PERF_RECORD_COMM, &name, sizeof(name), true);
}

/* bpf_ringbuf_output(); false: there is no room. In the map are the consumer's page, the producer's page, the data, and
 * this again. */
bool ring_output(const struct object *map, const void *p, size_t n)
{
	const size_t size = map->info.map.max_entries, all = 2 * PAGE + 2 * size;
	const uint32_t head[2] = { (uint32_t)n, 0 };
	unsigned char *ring = contents(map, all);
	uint64_t consumer, producer;
	bool fits;

	if (!ring)
		return false;
	consumer = *(const volatile uint64_t *)ring;
	producer = *(const volatile uint64_t *)(ring + PAGE);
	fits = producer + sizeof(head) + n - consumer <= size;
	if (fits) {
		for (unsigned char *data = ring + 2 * PAGE; data < ring + all; data += size) {
			around(data, size, producer, head, sizeof(head));
			around(data, size, producer + sizeof(head), p, n);
		}
		__atomic_store_n((uint64_t *)(ring + PAGE), producer + ((sizeof(head) + n + 7) & ~7ul),
				 __ATOMIC_RELEASE);
	}
	munmap(ring, all);
	return fits;
}

const struct object *map_of(const struct object *prog, const char *name)
{
	for (uint32_t i = 0; i < prog->nholds; i++) {
		const struct object *o = &kernel->objects[prog->holds[i]];

		if (o->kind == OBJECT_MAP && !strcmp(o->info.map.name, name))
			return o;
	}
	return NULL;
}

/* The program with the name that is attached, by a link or a probe. */
static const struct object *attached_named(const char *name)
{
	for (int i = 0; i < OBJECTS; i++) {
		const struct object *o = &kernel->objects[i];

		for (uint32_t h = 0; o->used && (o->kind == OBJECT_LINK || o->kind == OBJECT_PERF) && h < o->nholds;
		     h++)
			if (!strcmp(kernel->objects[o->holds[h]].info.prog.name, name) && object_is_open(o))
				return &kernel->objects[o->holds[h]];
	}
	return NULL;
}

struct sender {
	const struct object *ring;
	struct capture_head head;
	uint32_t lost;
};

/* Pieces, as own/capture/copy.bpf.h sends them. */
static void send(struct sender *s, uint32_t record, uint32_t index, const void *p, size_t n)
{
	static struct capture_piece piece;

	for (size_t at = 0; at < n; at += CAPTURE_PIECE) {
		const size_t part = n - at < CAPTURE_PIECE ? n - at : CAPTURE_PIECE;

		piece.head = s->head;
		piece.head.record = record;
		piece.head.index = index;
		piece.head.at = (uint32_t)at;
		memcpy(piece.data, (const char *)p + at, part);
		s->lost += !ring_output(s->ring, &piece, sizeof(piece.head) + part);
	}
}

/* Where a map and its values would be. */
static uint64_t map_address(const struct object *map)
{
	return 0xffff000000000000 + ((uint64_t)map->id << 32);
}
#define VALUES 0x100

/* What the verifier makes of instructions: addresses, and its own number for tail calls. */
static void insns_patch(struct bpf_insn *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const bool value = in[i].src_reg == BPF_PSEUDO_MAP_VALUE;
		uint64_t v;

		if (in[i].code == (BPF_JMP | BPF_CALL) && !in[i].src_reg && in[i].imm == BPF_FUNC_tail_call) {
			in[i].code = BPF_JMP | 0xf0;
			in[i].imm = 0;
		}
		if (in[i].code != (BPF_LD | BPF_IMM | BPF_DW) || (!value && in[i].src_reg != BPF_PSEUDO_MAP_FD))
			continue;
		v = map_address(object_by_id(OBJECT_MAP, (uint32_t)in[i].imm)) +
		    (value ? VALUES + (uint32_t)in[i + 1].imm : 0);
		in[i].src_reg = 0;
		in[i].imm = (int32_t)v;
		in[i + 1].imm = (int32_t)(v >> 32);
	}
}

static void send_maps(struct sender *s, const struct object *prog)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < prog->nholds; i++) {
		const struct object *o = &kernel->objects[prog->holds[i]];
		const struct abi_map_info *info = &o->info.map;
		struct capture_map m = { .addr = map_address(o),
					 .value = info->type == BPF_MAP_TYPE_ARRAY ? map_address(o) + VALUES : 0,
					 .id = info->id,
					 .type = info->type,
					 .key_size = info->key_size,
					 .value_size = info->value_size,
					 .max_entries = info->max_entries,
					 .flags = info->map_flags };

		memcpy(m.name, info->name, sizeof(m.name));
		if (o->kind == OBJECT_MAP)
			send(s, CAPTURE_MAP, n++, &m, sizeof(m));
	}
}

static void send_meta(struct sender *s, const struct object *prog, uint32_t way, uint32_t btf_size)
{
	const struct abi_prog_info *info = &prog->info.prog;
	struct capture_meta m = { .type = info->type,
				  .len = info->xlated_prog_len / (uint32_t)sizeof(struct bpf_insn),
				  .pages = 1,
				  .load_time = info->load_time,
				  .nr_line_info = info->nr_line_info,
				  .nr_func_info = info->nr_func_info,
				  .nr_maps = info->nr_map_ids,
				  .gpl_compatible = (info->flags & ABI_PROG_GPL) != 0,
				  .verified_insns = info->verified_insns,
				  .btf_id = info->btf_id,
				  .btf_size = btf_size,
				  .btf_sent = btf_size != 0,
				  .pid = (uint32_t)getpid(),
				  .tid = (uint32_t)getpid(),
				  .way = way,
				  .comm = "loader" };

	memcpy(m.tag, info->tag, sizeof(m.tag));
	memcpy(m.name, info->name, sizeof(m.name));
	send(s, CAPTURE_META, 0, &m, sizeof(m));
}

static void send_copy(struct sender *s, const struct object *prog, uint32_t way)
{
	const struct abi_prog_info *info = &prog->info.prog;
	const struct object *btf = info->btf_id ? object_by_id(OBJECT_BTF, info->btf_id) : NULL;
	const size_t insns = info->xlated_prog_len, funcs = (size_t)info->nr_func_info * info->func_info_rec_size,
		     lines = (size_t)info->nr_line_info * info->line_info_rec_size, n = insns + funcs + lines;
	CLEAN_PTR unsigned char *bytes = malloc(n);
	CLEAN_FD file = object_file(prog);
	struct capture_func func = { 0 };
	struct capture_end end = { 0 };
	unsigned char *types = btf ? contents(btf, btf->info.btf.btf_size) : NULL;

	if (!bytes || pread(file, bytes, n, 0) != (ssize_t)n)
		FAKE_ABORT();
	memcpy(func.tag, info->tag, sizeof(func.tag));
	insns_patch((void *)bytes, insns / sizeof(struct bpf_insn));
	send_meta(s, prog, way, btf ? btf->info.btf.btf_size : 0);
	send(s, CAPTURE_FUNC, 0, &func, sizeof(func));
	send(s, CAPTURE_XLATED, 0, bytes, insns);
	send(s, CAPTURE_FUNC_INFO, 0, bytes + insns, funcs);
	send(s, CAPTURE_LINE_INFO, 0, bytes + insns + funcs, lines);
	send_maps(s, prog);
	if (types) {
		send(s, CAPTURE_BTF, 0, types, btf->info.btf.btf_size);
		munmap(types, btf->info.btf.btf_size);
	}
	end.lost = s->lost;
	send(s, CAPTURE_END, 0, &end, sizeof(end));
}

/* One of the programs that see loads is attached. */
void capture_load(const struct object *prog)
{
	static const char *const hooks[] = { "capture_fentry", "capture_symbol", "capture_kprobe", "capture_exit" };
	const struct object *hook = NULL, *bss, *ring;
	struct capture_state *state;
	struct sender s;

	for (size_t i = 0; !hook && i < ARRAY_SIZE(hooks); i++)
		hook = attached_named(hooks[i]);
	ring = hook ? map_of(hook, "bpflens.ring") : NULL;
	bss = hook ? map_of(hook, "bpflens.bss") : NULL;
	state = bss ? contents(bss, sizeof(*state)) : NULL;
	if (!ring || !state)
		return;
	s = (struct sender){ .ring = ring, .head = { .id = prog->id, .time = fake_now(), .batch = state->batch } };
	send_copy(&s, prog, CAPTURE_LOADED);
	state->lost += s.lost != 0;
	munmap(state, sizeof(*state));
}

void capture_run(const struct object *prog)
{
	const struct object *bss = map_of(prog, "bpflens.bss");
	struct capture_state *state =
		bss && !strcmp(prog->info.prog.name, "capture_exit") ? contents(bss, sizeof(*state)) : NULL;

	if (!state)
		return;
	state->runs = getenv("PREEMPT") ? CAPTURE_PREEMPTED : CAPTURE_ALONE;
	munmap(state, sizeof(*state));
}

static void object_say(int fd, struct calls_object *ret)
{
	int err;
	const struct object *o = object_of(fd, UINT_MAX, &err);

	if (o && o->kind < OBJECT_KINDS)
		*ret = (struct calls_object){ o->kind + 1u, o->id };
}

static bool calls_is_of(const struct calls_record *r, const struct calls_command *of, uint32_t map)
{
	uint32_t id = 0;

	if (of->map_id)
		memcpy(&id, r->attr + of->map_id - 1, sizeof(id));
	if (id == map || (r->made.kind == OBJECT_MAP + 1 && r->made.id == map))
		return true;
	for (size_t i = 0; i < CALLS_FDS; i++)
		if (r->object[i].kind == OBJECT_MAP + 1 && r->object[i].id == map)
			return true;
	return false;
}

/* The bytes that a member points to. */
static uint32_t calls_bytes(const struct calls_record *r, uint8_t member, uint32_t n, unsigned char *to)
{
	const void *from = NULL;

	if (member)
		memcpy(&from, r->attr + member - 1, sizeof(from));
	if (!from || n > CALLS_VALUE)
		return 0;
	memcpy(to, from, n);
	return n;
}

/* What the program calls_exit reports of a call. */
void calls_report(unsigned cmd, const union bpf_attr *attr, size_t size, int result, uint64_t begin)
{
	const struct object *hook = attached_named("calls_exit"), *ring = hook ? map_of(hook, "bpflens.calls") : NULL,
			    *bss = hook ? map_of(hook, "bpflens.bss") : NULL;
	struct calls_state *state = bss ? contents(bss, sizeof(*state)) : NULL;
	static struct calls_elem elem;
	struct calls_record r = { .begin = begin, .end = fake_now(), .result = result, .cmd = cmd, .comm = "loader" };
	const struct calls_command *of;
	const struct calls_map *map;
	const char *text;

	if (!ring || !state || cmd >= CALLS_COMMANDS)
		return;
	of = &state->command[cmd];
	r.pid = r.tid = (uint32_t)getpid();
	r.size = (uint32_t)size;
	r.got = r.size < CALLS_ATTR ? r.size : CALLS_ATTR;
	memcpy(r.attr, attr, r.got);
	if (of->makes && result >= 0)
		object_say(result, &r.made);
	for (size_t i = 0; i < CALLS_FDS && of->fd[i]; i++)
		object_say(*(const int *)(r.attr + of->fd[i] - 1), &r.object[i]);
	if (of->text) {
		memcpy(&text, r.attr + of->text - 1, sizeof(text));
		if (text)
			snprintf(r.text, sizeof(r.text), "%s", text);
	}
	map = &state->map;
	if (map->id)
		r.key_bytes = calls_bytes(&r, of->key, map->key_size, elem.bytes);
	if (map->id && (result >= 0 || !(of->answers || of->next_key)))
		r.value_bytes = calls_bytes(&r, of->next_key ? of->next_key : of->value,
					    of->next_key ? map->key_size : map->value_bytes, elem.bytes + r.key_bytes);
	elem.call = r;
	if (!map->id || calls_is_of(&r, of, map->id))
		state->lost += !ring_output(ring, &elem, sizeof(r) + r.key_bytes + r.value_bytes);
	munmap(state, sizeof(*state));
}
