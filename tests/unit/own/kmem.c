/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "own/bpf/kmem.bpf.h"
#include "own/kbtf.h"
#include "own/kmem.h"
#include "own/own.h"
#include "own/pages.h"
#include "own/xsk.h"

/* The memory of a kernel: what is not in it cannot be read. Not @on: the real kernel. */
#define BASE UINT64_C(0xffff888000000000)
#define SIZE (256u << 10)
static struct {
	bool on;
	int load_err, run_err, types_err;
	int loads, maps_made, closed;
	unsigned runs;
	unsigned char memory[SIZE];
	struct kmem_run run;
	void (*between)(uint64_t addr); /* called before each read */
} kernel;

int __real_own_load(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
		    struct own_loaded *ret);
int __wrap_own_load(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
		    struct own_loaded *ret);
int __wrap_own_load(struct own *own, const struct own_program *p, const struct own_const *consts, int map_fd,
		    struct own_loaded *ret)
{
	if (!kernel.on)
		return __real_own_load(own, p, consts, map_fd, ret);
	assert_string_equal(p->name, "kmem");
	assert_true(map_fd >= 0);
	if (kernel.load_err)
		return kernel.load_err;
	kernel.loads++;
	*ret = (struct own_loaded){ .open = true, .shared = &kernel.run, .shared_size = sizeof(kernel.run) };
	return 0;
}

void __real_own_close(struct own_loaded *l);
void __wrap_own_close(struct own_loaded *l);
void __wrap_own_close(struct own_loaded *l)
{
	if (!kernel.on) {
		__real_own_close(l);
		return;
	}
	kernel.closed += l->open;
	memset(l, 0, sizeof(*l));
}

int __real_own_map(struct own *own, const struct own_map_wish *wish);
int __wrap_own_map(struct own *own, const struct own_map_wish *wish);
int __wrap_own_map(struct own *own, const struct own_map_wish *wish)
{
	if (!kernel.on)
		return __real_own_map(own, wish);
	kernel.maps_made++;
	return dup(STDERR_FILENO);
}

static bool is_there(uint64_t addr, uint64_t n)
{
	return addr >= BASE && addr - BASE <= SIZE - n;
}

/* What kmem.bpf.c does. */
int __real_own_run(const struct own_loaded *l, void *ctx, uint32_t ctx_size, int *ret_value);
int __wrap_own_run(const struct own_loaded *l, void *ctx, uint32_t ctx_size, int *ret_value);
int __wrap_own_run(const struct own_loaded *l, void *ctx, uint32_t ctx_size, int *ret_value)
{
	struct kmem_run *r = &kernel.run;

	if (!kernel.on)
		return __real_own_run(l, ctx, ctx_size, ret_value);
	assert_true(r->count <= KMEM_READS && r->size <= KMEM_BYTES && l->open);
	r->map = BASE + 64;
	kernel.runs++;
	for (uint32_t i = 0; i < r->count; i++) {
		const uint64_t addr = r->addr + i * r->step;

		if (kernel.between)
			kernel.between(addr);
		r->failed[i] = !is_there(addr, r->size);
		if (r->failed[i])
			memset(r->bytes + i * r->size, 0, r->size);
		else
			memcpy(r->bytes + i * r->size, kernel.memory + (addr - BASE), r->size);
	}
	return kernel.run_err;
}

/* The kernel's types: where members are. */
static const struct {
	const char *type, *member;
	int at;
} types[] = {
	{ "xsk_map", "xsk_map", 256 },	    { "xdp_sock", "sk", 0 },
	{ "xdp_sock", "dev", 80 },	    { "xdp_sock", "queue_id", 88 },
	{ "net_device", "ifindex", 4 },	    { "net_device", "name", 8 },
	{ "net_device", "nd_net", 32 },	    { "net", "ns", 16 },
	{ "net", "loopback_dev", 48 },	    { "ns_common", "inum", 8 },
	{ "sock", "sk_socket", 24 },	    { "socket_alloc", "vfs_inode", 128 },
	{ "inode", "i_ino", 64 },	    { "bpf_arena", "user_vm_start", 8 },
	{ "bpf_arena", "user_vm_end", 16 }, { "bpf_arena", "kern_vm", 24 },
	{ "vm_struct", "addr", 40 },
};

int __real_kbtf_ask(const struct kbtf_want *want, size_t n);
int __wrap_kbtf_ask(const struct kbtf_want *want, size_t n);
int __wrap_kbtf_ask(const struct kbtf_want *want, size_t n)
{
	if (!kernel.on)
		return __real_kbtf_ask(want, n);
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (strcmp(types[k].type, want[i].type) || strcmp(types[k].member, want[i].member))
			assert_true(++k < ARRAY_SIZE(types));
		*want[i].ret = types[k].at;
	}
	return kernel.types_err;
}

static void put(uint64_t addr, const void *p, size_t n)
{
	assert_true(is_there(addr, n));
	memcpy(kernel.memory + (addr - BASE), p, n);
}

static void put64(uint64_t addr, uint64_t v)
{
	put(addr, &v, sizeof(v));
}

static void put32(uint64_t addr, uint32_t v)
{
	put(addr, &v, sizeof(v));
}

static int on(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.on = true;
	for (size_t i = 0; i < SIZE; i++)
		kernel.memory[i] = (unsigned char)(i * 7 + i / 251);
	return 0;
}

static int off(void **state)
{
	(void)state;
	kernel.on = false;
	return 0;
}

static void test_read(void **state)
{
	static unsigned char got[SIZE];
	struct own own = { 0 };
	struct kmem k;

	(void)state;
	assert_int_equal(kmem_open(&k, &own, -1), 0);
	assert_int_equal(kernel.maps_made, 1);
	assert_int_equal(k.map, BASE + 64);
	assert_int_equal(kmem_read(&k, BASE + 3, got, SIZE - 3), 0);
	assert_memory_equal(got, kernel.memory + 3, SIZE - 3);
	/* The first piece that is not there ends it. */
	memset(got, 0xee, sizeof(got));
	assert_int_equal(kmem_read(&k, BASE + 3, got, SIZE), -EFAULT);
	assert_memory_equal(got, kernel.memory + 3, 3 * KMEM_BYTES);
	assert_int_equal(got[3 * KMEM_BYTES], 0xee);
	assert_int_equal(kmem_read(&k, BASE - 1, got, 1), -EFAULT);
	kernel.runs = 0;
	assert_int_equal(kmem_read(&k, BASE, got, 0), 0);
	assert_int_equal(kernel.runs, 0);
	kernel.run_err = -EPERM;
	assert_int_equal(kmem_read(&k, BASE, got, 1), -EPERM);
	kmem_close(&k);
	assert_null(k.run);
	assert_int_equal(kernel.closed, 1);
}

static void test_open(void **state)
{
	struct own own = { 0 };
	struct kmem k;

	(void)state;
	assert_int_equal(kmem_open(&k, &own, STDIN_FILENO), 0);
	assert_int_equal(kernel.maps_made, 0);
	kmem_close(&k);
	kernel.run_err = -EACCES;
	assert_int_equal(kmem_open(&k, &own, STDIN_FILENO), -EACCES);
	assert_null(k.run);
	assert_int_equal(kernel.closed, kernel.loads);
	kernel.load_err = -EPERM;
	assert_int_equal(kmem_open(&k, &own, STDIN_FILENO), -EPERM);
	assert_int_equal(kernel.closed, kernel.loads);
}

static void test_there(void **state)
{
	unsigned char there[600];
	struct own own = { 0 };
	struct kmem k;

	(void)state;
	assert_int_equal(kmem_open(&k, &own, STDIN_FILENO), 0);
	kernel.runs = 0;
	/* The last 300 of 600 are behind the end. */
	assert_int_equal(kmem_there(&k, BASE + SIZE - 300 * 16, 16, 600, there), 0);
	assert_int_equal(kernel.runs, 3);
	for (unsigned i = 0; i < 600; i++)
		assert_int_equal(there[i], i < 300);
	kernel.run_err = -EPERM;
	assert_int_equal(kmem_there(&k, BASE, 16, 1, there), -EPERM);
	kmem_close(&k);
}

/* A socket at @xs, of a device at @dev, in a network namespace at @net; its file is at @file. */
static void socket_put(uint64_t xs, uint64_t dev, uint64_t net, uint64_t file, uint16_t queue)
{
	put64(xs + 80, dev);
	put(xs + 88, &queue, sizeof(queue));
	put64(xs + 24, file);
	if (dev) {
		put32(dev + 4, 12);
		put(dev + 8, "eth0_sixteen_chr", 16);
		put64(dev + 32, net);
		put32(net + 16 + 8, 4026531840u);
	}
	if (file)
		put64(file + 128 + 64, 777);
}

#define SLOTS (BASE + 64 + 256)
#define SOCKET (BASE + 0x20000)

static void freed_meanwhile(uint64_t addr)
{
	if (addr == SOCKET + 0x1000 + 88)
		put64(SLOTS + 8 * 2, 0);
}

static void test_xsk(void **state)
{
	struct own own = { 0 };
	struct xsk_raw got[3];
	STR raw = { 0 };
	struct kmem k;

	(void)state;
	memset(kernel.memory, 0, SIZE);
	assert_int_equal(kmem_open(&k, &own, STDIN_FILENO), 0);
	socket_put(SOCKET, SOCKET + 0x100, SOCKET + 0x200, SOCKET + 0x300, 3);
	socket_put(SOCKET + 0x1000, 0, 0, 0, 4);
	socket_put(SOCKET + 0x2000, 0, 0, 0, 5);
	put64(SLOTS + 8, SOCKET);
	put64(SLOTS + 8 * 2, SOCKET + 0x1000);	  /* it is closed while it is read */
	put64(SLOTS + 8 * 5, BASE + SIZE);	  /* not there */
	put64(SLOTS + 8 * 9000, SOCKET + 0x2000); /* not bound to a device, in the second part */
	kernel.between = freed_meanwhile;
	assert_int_equal(xsk_read(&k, 9001, &raw), 0);
	assert_int_equal(raw.n, 2 * sizeof(*got));
	memcpy(got, raw.p, raw.n);
	assert_int_equal(got[0].slot, 1);
	assert_int_equal(got[0].queue, 3);
	assert_int_equal(got[0].ifindex, 12);
	assert_string_equal(got[0].ifname, "eth0_sixteen_ch");
	assert_int_equal(got[0].netns, 4026531840u);
	assert_int_equal(got[0].inode, 777);
	assert_int_equal(got[1].slot, 9000);
	assert_int_equal(got[1].queue, 5);
	assert_int_equal(got[1].ifindex, 0);
	assert_string_equal(got[1].ifname, "");
	assert_int_equal(got[1].netns, 0);
	assert_int_equal(got[1].inode, 0);
	/* The last slot is one too far. */
	str_reset(&raw);
	assert_int_equal(xsk_read(&k, 9000, &raw), 0);
	assert_int_equal(raw.n, sizeof(*got));
	kernel.types_err = -ENOENT;
	assert_int_equal(xsk_read(&k, 10, &raw), -ENOENT);
	kernel.types_err = 0;
	k.map = BASE + SIZE;
	assert_int_equal(xsk_read(&k, 10, &raw), -EFAULT);
	kmem_close(&k);
}

static int arena_is(const struct kmem *k, uint64_t start, uint64_t end, struct pages_place *ret)
{
	put64(k->map + 8, start);
	put64(k->map + 16, end);
	return pages_find(k, ret);
}

static void test_pages(void **state)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = UINT64_C(0x7f0000000000), vm = BASE + 0x3000;
	struct own own = { 0 };
	struct pages_place p;
	struct kmem k;

	(void)state;
	assert_int_equal(kmem_open(&k, &own, STDIN_FILENO), 0);
	put64(k.map + 24, vm);
	put64(vm + 40, BASE);
	assert_int_equal(arena_is(&k, from, from + 5 * page, &p), 0);
	assert_int_equal(p.user, from);
	assert_int_equal(p.pages, 5);
	assert_int_equal(p.page_size, page);
	assert_int_equal(p.kernel, BASE + 0x8000); /* an offset reaches half of 64 KiB back */
	assert_int_equal(pages_addr(&p, 2), BASE + 0x8000 + 2 * page);
	assert_int_equal(arena_is(&k, from, from + (UINT64_C(1) << 32), &p), 0);
	assert_int_equal(p.pages, (UINT64_C(1) << 32) / page);
	assert_int_equal(arena_is(&k, 0, 0, &p), 0);
	assert_int_equal(p.pages, 0);
	/* Memory of something else. */
	assert_int_equal(arena_is(&k, from, from - page, &p), -EBADMSG);
	assert_int_equal(arena_is(&k, from, from + page + 1, &p), -EBADMSG);
	assert_int_equal(arena_is(&k, from, from + (UINT64_C(1) << 32) + page, &p), -EBADMSG);
	put64(k.map + 24, 8);
	assert_int_equal(arena_is(&k, from, from + page, &p), -EBADMSG);
	kernel.types_err = -ENOENT;
	assert_int_equal(pages_find(&k, &p), -ENOENT);
	kmem_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open, on, off),
		cmocka_unit_test_setup_teardown(test_read, on, off),
		cmocka_unit_test_setup_teardown(test_there, on, off),
		cmocka_unit_test_setup_teardown(test_xsk, on, off),
		cmocka_unit_test_setup_teardown(test_pages, on, off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
