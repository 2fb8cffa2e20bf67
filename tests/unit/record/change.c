/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include "base/base.h"
#include "record/change.h"
#include "record/field.h"
#include "render/doc.h"

static const char *const pins[] = { "/sys/fs/bpf/x", "/sys/fs/bpf/y" };

/* One record in both formats. */
static void check(const struct change_rec *change, const char *text, const char *json)
{
	struct arena *a = arena_new();
	struct change_rec c = *change;

	change_complete(&c);
	for (int i = 0; i < 2; i++) {
		struct jsonw jw;
		struct doc d;
		struct out out;

		out_init(&out, -1);
		jsonw_init(&jw, &out, false);
		doc_init(&d, &out, i ? &jw : NULL, a);
		doc_record(&d, &change_schema, &c);
		assert_string_equal(out_cstr(&out), i ? json : text);
		assert_int_equal(d.unread, 0);
		out_close(&out, NULL);
	}
	arena_free(a);
}

static void test_place(void **state)
{
	(void)state;
	check(&(struct change_rec){ .action = "detached", .prog_id = 3, .where = "eth0", .what = "xdp" },
	      "detached program 3 at eth0 xdp\n",
	      "{\"action\":\"detached\",\"prog_id\":3,\"where\":\"eth0\",\"what\":\"xdp\",\"dry_run\":false}");
	check(&(struct change_rec){ .action = "would attach",
				    .prog_id = 3,
				    .name = "new",
				    .where = "eth0",
				    .what = "xdp",
				    .link_id = 5,
				    .replaced = 2,
				    .replaced_name = "old",
				    .pins = pins,
				    .npins = 1,
				    .dry_run = true },
	      "would attach program 3 (new) at eth0 xdp, link 5, in place of 2 (old), pin /sys/fs/bpf/x\n",
	      "{\"action\":\"would attach\",\"prog_id\":3,\"name\":\"new\",\"where\":\"eth0\",\"what\":\"xdp\",\"link_id\":5,\"replaced\":2,"
	      "\"replaced_name\":\"old\",\"pins\":[\"/sys/fs/bpf/x\"],\"dry_run\":true}");
}

/* If a link does not run a program, it replaced a map. */
static void test_link_map(void **state)
{
	(void)state;
	check(&(struct change_rec){ .action = "updated to", .map_id = 7, .link_id = 5, .replaced = 6 },
	      "updated to map 7, link 5, in place of 6\n",
	      "{\"action\":\"updated to\",\"map_id\":7,\"link_id\":5,\"replaced\":6,\"replaced_map_id\":6,\"dry_run\":false}");
}

static void test_replace(void **state)
{
	(void)state;
	check(&(struct change_rec){ .sentence = SENTENCE_REPLACE,
				    .action = "attached",
				    .kind = "prog",
				    .id = 12,
				    .name = "count",
				    .where = "eth0",
				    .what = "xdp",
				    .link_id = 5,
				    .replaced = 7,
				    .how = "link updated" },
	      "attached count, program 12 at eth0 xdp, link 5, in place of 7: link updated\n",
	      "{\"action\":\"attached\",\"kind\":\"prog\",\"id\":12,\"prog_id\":12,\"name\":\"count\",\"where\":\"eth0\",\"what\":\"xdp\","
	      "\"link_id\":5,\"replaced\":7,\"how\":\"link updated\",\"dry_run\":false}");
	check(&(struct change_rec){ .sentence = SENTENCE_REPLACE,
				    .action = "would create",
				    .kind = "map",
				    .name = "flows",
				    .replaced = 7,
				    .how = "its type differs",
				    .dry_run = true },
	      "would create flows, in place of 7: its type differs\n",
	      "{\"action\":\"would create\",\"kind\":\"map\",\"name\":\"flows\",\"replaced\":7,\"replaced_map_id\":7,"
	      "\"how\":\"its type differs\",\"dry_run\":true}");
}

/* bpftool's words, which differ with a link. */
static void test_struct_ops(void **state)
{
	(void)state;
	check(&(struct change_rec){ .sentence = SENTENCE_STRUCT_OPS,
				    .action = "Registered",
				    .struct_ops = "tcp_congestion_ops",
				    .name = "cc",
				    .map_id = 3 },
	      "Registered tcp_congestion_ops cc id 3\n",
	      "{\"action\":\"Registered\",\"kernel_struct_ops\":\"tcp_congestion_ops\",\"name\":\"cc\",\"map_id\":3,\"dry_run\":false}");
	check(&(struct change_rec){ .sentence = SENTENCE_STRUCT_OPS,
				    .action = "Replaced",
				    .struct_ops = "tcp_congestion_ops",
				    .name = "cc",
				    .map_id = 3,
				    .link_id = 4,
				    .replaced = 2,
				    .pins = pins,
				    .npins = 2 },
	      "Replaced tcp_congestion_ops cc map id 3 link id 4 in place of map id 2 pin /sys/fs/bpf/x,/sys/fs/bpf/y\n",
	      "{\"action\":\"Replaced\",\"kernel_struct_ops\":\"tcp_congestion_ops\",\"name\":\"cc\",\"map_id\":3,\"link_id\":4,"
	      "\"replaced\":2,\"replaced_map_id\":2,\"pins\":[\"/sys/fs/bpf/x\",\"/sys/fs/bpf/y\"],\"dry_run\":false}");
}

static void test_objects(void **state)
{
	(void)state;
	check(&(struct change_rec){ .sentence = SENTENCE_UNPIN,
				    .action = "would remove",
				    .kind = "map",
				    .id = 3,
				    .path = pins[0],
				    .dry_run = true },
	      "would remove /sys/fs/bpf/x, a pin of map 3\n",
	      "{\"action\":\"would remove\",\"kind\":\"map\",\"id\":3,\"map_id\":3,\"path\":\"/sys/fs/bpf/x\",\"dry_run\":true}");
	check(&(struct change_rec){ .sentence = SENTENCE_OBJECT,
				    .action = "would freeze",
				    .kind = "map",
				    .id = 3,
				    .dry_run = true },
	      "would freeze map 3\n",
	      "{\"action\":\"would freeze\",\"kind\":\"map\",\"id\":3,\"map_id\":3,\"dry_run\":true}");
	check(&(struct change_rec){ .sentence = SENTENCE_CREATE,
				    .action = "would create",
				    .kind = "map",
				    .type = "hash",
				    .path = pins[0],
				    .dry_run = true },
	      "would create a map of type hash and pin it to /sys/fs/bpf/x\n",
	      "{\"action\":\"would create\",\"kind\":\"map\",\"type\":\"hash\",\"path\":\"/sys/fs/bpf/x\",\"dry_run\":true}");
}

/* JSON has the value before and after; text has them below, as in a dump. */
static void test_elements(void **state)
{
	(void)state;
	check(&(struct change_rec){ .sentence = SENTENCE_ELEMENT,
				    .action = "would write to",
				    .kind = "map",
				    .id = 3,
				    .before = "{\"a\":1}",
				    .after = "{\"a\":2}",
				    .dry_run = true },
	      "would write to map 3:\n",
	      "{\"action\":\"would write to\",\"kind\":\"map\",\"id\":3,\"map_id\":3,\"before\":{\"a\":1},\"after\":{\"a\":2},\"dry_run\":true}");
	check(&(struct change_rec){ .sentence = SENTENCE_ELEMENTS,
				    .action = "imported",
				    .kind = "map",
				    .id = 3,
				    .written = 1,
				    .last = 2 },
	      "wrote 1 element\n",
	      "{\"action\":\"imported\",\"kind\":\"map\",\"id\":3,\"map_id\":3,\"written\":1,\"failed\":0,\"last\":2,\"dry_run\":false}");
	check(&(struct change_rec){ .sentence = SENTENCE_ELEMENTS,
				    .action = "would import",
				    .kind = "map",
				    .id = 3,
				    .written = 2,
				    .deletes = true,
				    .failed = 1,
				    .last = 4,
				    .dry_run = true },
	      "would write 2 elements, delete 0, 1 failed\n",
	      "{\"action\":\"would import\",\"kind\":\"map\",\"id\":3,\"map_id\":3,\"written\":2,\"deleted\":0,\"failed\":1,\"last\":4,"
	      "\"dry_run\":true}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place),	   cmocka_unit_test(test_link_map), cmocka_unit_test(test_replace),
		cmocka_unit_test(test_struct_ops), cmocka_unit_test(test_objects),  cmocka_unit_test(test_elements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
