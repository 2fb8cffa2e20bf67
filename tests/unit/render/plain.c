/* SPDX-License-Identifier: BSD-2-Clause */
#include "rendering.h"

#include "record/view.h"
#include "render/text.h"

static void check(const struct schema *s, const struct view *view, unsigned skip, const void *rec, const char *want)
{
	struct rendering t;

	rendering_start(&t, &render_plain, view);
	t.r.skip_need = skip;
	render_section(&t.r, s, view);
	render_record(&t.r, rec);
	assert_string_equal(rendering_end(&t), want);
	rendering_free(&t);
}

/* bpftool's blocks of a program, a map and some links, including trailing blanks. */
struct prog {
	uint32_t id, type, uid, xlated, jited, memlock, btf, cnt;
	uint64_t ns, time;
	char name[16];
	uint8_t tag[8];
	bool gpl, is_jited, orphaned;
	const uint32_t *maps;
	uint32_t n_maps, n_pins, n_meta, n_pids;
	const char **pins;
	struct sample_pair *meta;
	struct sample_row *pids;
};
#define NZ .flags = FIELD_NONZERO
static const struct field prog_fields[] = {
	FIELD(prog, id, "id", "x", .plain = "%: "),
	FIELD_AS(prog, type, FT_ENUM, "type", "x", .names = &sample_types, .plain = "%  "),
	FIELD_AS(prog, name, FT_STR, "name", "x", .flags = FIELD_INLINE | FIELD_NONZERO, .plain = "name %  "),
	FIELD_AS(prog, tag, FT_BYTES, "tag", "x", .plain = "tag %"),
	FIELD(prog, gpl, "gpl_compatible", "x", .plain = "  gpl|"),
	FIELD(prog, ns, "run_time_ns", "x", NZ, .plain = " run_time_ns %"),
	FIELD(prog, cnt, "run_cnt", "x", NZ, .plain = " run_cnt %"),
	FIELD_AS(prog, time, FT_TIME, "loaded_at", "x", NZ, .line = 1),
	FIELD(prog, uid, "uid", "x", .line = 1),
	FIELD(prog, orphaned, "orphaned", "x", .line = 2, .col = 3, .plain = "  orphaned|"),
	FIELD(prog, xlated, "bytes_xlated", "x", .line = 2, .plain = "xlated %B"),
	FIELD(prog, is_jited, "jited", "x", .line = 2, .col = 1, .plain = "|  not jited"),
	FIELD(prog, jited, "bytes_jited", "x", .line = 2, .col = 1, NZ, .plain = "  jited %B"),
	FIELD(prog, memlock, "bytes_memlock", "x", .line = 2, .col = 2, NZ, .plain = "  memlock %B"),
	FIELD_LIST(prog, maps, n_maps, FT_UINT, "map_ids", "x", .line = 2, .col = 4, NZ),
	FIELD_LIST(prog, pins, n_pins, FT_STR, "pinned", "x", .line = 3, .flags = FIELD_EACH, .plain = "pinned %"),
	FIELD(prog, btf, "btf_id", "x", .line = 4, NZ),
	FIELD_ROWS(prog, pids, n_pids, &sample_pid_schema, "pids", "x", .line = 5, NZ),
	FIELD_ROWS(prog, meta, n_meta, &sample_pair_schema, "metadata", "x", .line = 6,
		   .flags = FIELD_KEYED | FIELD_NONZERO),
};
static const struct schema prog_schema = SCHEMA("prog", prog, prog_fields);

static void bpftool_program(void **state)
{
	uint32_t maps[] = { 30109, 30129 };
	const char *pins[] = { "/sys/fs/bpf/a", "/sys/fs/bpf/b" };
	struct sample_pair meta[] = { { "version", "\"v1.2.3\"" }, { "num", "42" } };
	struct sample_row pids[] = { { 17, 0, "bpftool" }, { 18, 0, "agent" } };
	struct prog p = {
		.id = 29983,
		.type = 1,
		.xlated = 1280,
		.jited = 779,
		.memlock = 4096,
		.btf = 590,
		.cnt = 568,
		.ns = 525510,
		.time = 1000000000,
		.name = "tp_getpid",
		.tag = { 0x91, 3, 0x7b, 0xf2, 0xb3, 0x20, 0x55, 0x12 },
		.gpl = true,
		.is_jited = true,
		.maps = maps,
		.n_maps = 2,
		.pins = pins,
		.n_pins = 2,
		.meta = meta,
		.n_meta = 2,
		.pids = pids,
		.n_pids = 2,
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	check(&prog_schema, NULL, 0, &p,
	      "29983: xdp  name tp_getpid  tag 91037bf2b3205512  gpl run_time_ns 525510 run_cnt 568\n"
	      "\tloaded_at 2001-09-09T01:46:40+0000  uid 0\n"
	      "\txlated 1280B  jited 779B  memlock 4096B  map_ids 30109,30129\n"
	      "\tpinned /sys/fs/bpf/a\n\tpinned /sys/fs/bpf/b\n\tbtf_id 590\n\tpids bpftool(17), agent(18)\n"
	      "\tmetadata:\n\t\tversion = \"v1.2.3\"\n\t\tnum = 42\n");
	p = (struct prog){ .id = 1, .type = 77, .xlated = 16, .orphaned = true };
	check(&prog_schema, NULL, 0, &p,
	      "1: unknown(77)  tag 0000000000000000\n\tuid 0\n\txlated 16B  not jited  orphaned\n");
}

struct link {
	uint32_t id, prog, n;
	uint64_t cookie;
	const char *tp, *path;
	struct sample_row *funcs;
};
static const struct field func_fields[] = {
	FIELD(sample_row, addr, "offset", "x", .unit = FU_HEX, .width = 18),
	FIELD(sample_row, cookie, "ref_ctr_offset", "x", .unit = FU_HEX, .width = 18),
	FIELD(sample_row, cookie, "cookie", "x", .unit = FU_HEX, .width = 18, .title = "cookies         "),
};
static const struct schema func_schema = SCHEMA("func", sample_row, func_fields);
static const struct field tp_fields[] = {
	FIELD(link, tp, "tp_name", "x", .plain = "tp '%'  ", .line = 1),
	FIELD(link, cookie, "cookie", "x", .plain = "cookie %  ", NZ, .line = 1, .col = 1),
};
static const struct field uprobe_fields[] = {
	FIELD(link, path, "path", "x", .plain = "uprobe.multi  path %  ", .line = 1),
	FIELD(link, n, "func_cnt", "x", .plain = "func_cnt %  ", .line = 1, .col = 1),
	FIELD_ROWS(link, funcs, n, &func_schema, "funcs", "x", .line = 2),
};
static const struct schema tp_part = SCHEMA("tp", link, tp_fields);
static const struct schema uprobe_part = SCHEMA("uprobe", link, uprobe_fields);
static const struct schema *link_more(const void *rec)
{
	return ((const struct link *)rec)->tp ? &tp_part : &uprobe_part;
}
static const struct field link_fields[] = {
	FIELD(link, id, "id", "x", .plain = "%: link  "),
	FIELD(link, prog, "prog_id", "x", .plain = "prog %  "),
};
static const struct schema link_schema = SCHEMA("link", link, link_fields, .more = link_more);

static void bpftool_links(void **state)
{
	struct sample_row funcs[] = { { 0xe29a0, 0, NULL }, { 1, 0x22, NULL } };

	(void)state;
	check(&link_schema, NULL, 0, &(struct link){ .id = 3119, .prog = 30462, .tp = "sys_enter", .cookie = 77 },
	      "3119: link  prog 30462  \n\ttp 'sys_enter'  cookie 77  \n");
	check(&link_schema, NULL, 0, &(struct link){ .id = 4, .prog = 5, .path = "/bin/x\033", .n = 2, .funcs = funcs },
	      "4: link  prog 5  \n\tuprobe.multi  path /bin/x\\x1b  func_cnt 2  \n"
	      "\toffset             ref_ctr_offset     cookies         \n"
	      "\t0xe29a0            0x0                0x0               \n"
	      "\t0x1                0x22               0x22              \n");
}

static size_t line_text(const void *row, char *buf, size_t size)
{
	const struct sample_row *r = row;

	return (size_t)snprintf(buf, size, "%016llx %s  ", (unsigned long long)r->addr, r->func);
}
static const struct schema line_schema =
	SCHEMA("line", sample_row, func_fields, .text = line_text, .head = "addr             func");
static const struct field lines_fields[] = {
	FIELD(link, id, "id", "x", .plain = "%: "),
	FIELD_ROWS(link, funcs, n, &line_schema, "funcs", "x", .plain = "%", .flags = FIELD_EACH, .line = 2),
};
static const struct schema lines_schema = SCHEMA("lines", link, lines_fields);

/* A row that prints itself is on its own line. */
static void rows_one_a_line(void **state)
{
	struct sample_row funcs[] = { { 0xe29a0, 0, "first" }, { 1, 0, "last\033" } };

	(void)state;
	check(&lines_schema, NULL, 0, &(struct link){ .id = 4, .n = 2, .funcs = funcs },
	      "4: \n\taddr             func\n\t00000000000e29a0 first  \n\t0000000000000001 last\\x1b  \n");
	check(&lines_schema, NULL, 0, &(struct link){ .id = 4, .n = 0, .funcs = funcs }, "4: \n");
}

/* A device with its number, and a sentence with fields that are not in the text otherwise. */
struct device {
	uint32_t index, id;
	const char *name, *action;
	uint8_t has_index;
	bool done;
};
static size_t index_text(const void *rec, char *buf, size_t size)
{
	const struct device *d = rec;

	if (!d->name)
		return 0;
	return (size_t)snprintf(buf, size, d->index ? "%s(%u)" : "%s", d->name, d->index);
}
static const struct field device_fields[] = {
	FIELD(device, id, "id", "x", .plain = "%: "),
	FIELD(device, name, "devname", "x", .flags = FIELD_NOPLAIN),
	FIELD_IF(device, index, has_index, "ifindex", "x", .plain = "ifindex %  ", .text = index_text,
		 .flags = FIELD_NONZERO),
	FIELD(device, action, "action", "x", .flags = FIELD_NOPLAIN),
};
static const struct wording device_words[] = { { "action", "%", 1, 0 }, { "devname", " at %", 1, 1 } };
static const struct schema device_part_schema = SCHEMA_WORDS("device", device, device_words);
static const struct schema *device_more(const void *rec)
{
	return ((const struct device *)rec)->done ? &device_part_schema : NULL;
}
static const struct schema device_schema = SCHEMA("device", device, device_fields, .more = device_more);

static void text_of_a_field(void **state)
{
	struct device d = { .id = 1, .index = 2, .name = "et\x1bh", .has_index = AVAIL_YES };
	char name[300];

	(void)state;
	check(&device_schema, NULL, 0, &d, "1: ifindex et\\x1bh(2)  \n");
	d.index = 0; /* also asked for where it does not apply */
	check(&device_schema, NULL, 0, &d, "1: ifindex et\\x1bh  \n");
	d.has_index = AVAIL_UNKNOWN;
	check(&device_schema, NULL, 0, &d, "1: ifindex ?  \n");
	d.name = NULL;
	check(&device_schema, NULL, 0, &d, "1: \n");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	d = (struct device){ .id = 1, .name = name };
	{
		struct rendering t;

		rendering_start(&t, &render_plain, NULL);
		render_section(&t.r, &device_schema, NULL);
		render_record(&t.r, &d);
		assert_non_null(strstr(rendering_end(&t), name));
		rendering_free(&t);
	}
}

static void words_of_a_part(void **state)
{
	struct device d = { .id = 1, .index = 2, .name = "eth0", .has_index = AVAIL_YES, .action = "attached" };

	(void)state;
	check(&device_schema, NULL, 0, &d, "1: ifindex eth0(2)  \n");
	d.done = true;
	check(&device_schema, NULL, 0, &d, "1: ifindex eth0(2)  \n\tattached at eth0\n");
	d.action = NULL;
	check(&device_schema, NULL, 0, &d, "1: ifindex eth0(2)  \n\tat eth0\n");
}

static const struct sample rec = {
	.id = 7,
	.type = 1,
	.name = "eth",
	.info_len = 4,
	.has_time = AVAIL_UNKNOWN,
	.size = 1536,
	.tiny = 1,
	.addr = 5,
	.part_map = 3,
	.kind = 1,
	.path = "/p",
};

static void unknown_and_defaults(void **state)
{
	struct rendering t;
	struct sample s = rec;

	(void)state;
	check(&sample_schema, NULL, NEED_FDINFO | NEED_PINS, &rec,
	      "7: xdp  name eth  tag 0000000000000000  flags 0x0\n\tloaded_at ?map_id 3  \n"
	      "\tbytes 1536B  not jited\n\trun_time_ns 0  prio 0  tiny 1  has address\n\tpath /p\n\tbtf_id 0\n");
	s.tiny = 0, s.addr = 0;
	rendering_start(&t, &render_plain, NULL);
	render_record(&t.r, &s);
	render_record(&t.r, &s);
	s.has_time = AVAIL_NO, s.info_len = 16;
	render_record(&t.r, &s);
	assert_null(strstr(rendering_end(&t), "tiny"));
	assert_null(strstr(out_cstr(&t.out), "has address"));
	assert_non_null(strstr(out_cstr(&t.out), "port 0"));
	assert_int_equal(t.r.unknown, 2);
	rendering_free(&t);
}

static void only_the_columns_asked_for(void **state)
{
	const char *cols[] = { "name", "pinned", "id", "map_id", "dev" };
	struct view view = { .cols = cols, .ncols = 4, .need = NEED_PINS };
	const char *pins[] = { "/a", "/b" };
	struct sample s = rec;

	(void)state;
	s.pins = pins, s.n_pins = 2;
	check(&sample_schema, &view, NEED_PINS, &s, "7:   name eth\n\tmap_id 3  \n\tpinned /a\n\tpinned /b\n");
	view.ncols = 2;
	view.cols = cols + 1;
	check(&sample_schema, &view, 0, &s, "7: \n\tpinned /a\n\tpinned /b\n");
	view.ncols = 1;
	check(&sample_schema, &view, 0, &s, "pinned /a\n\tpinned /b\n");
	s.n_pins = 0;
	check(&sample_schema, &view, 0, &s, "");
}

static void headline(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	render_plain_headline(&o, &sample_schema, &rec);
	assert_string_equal(out_cstr(&o), "7: xdp  name eth  tag 0000000000000000  flags 0x0");
	out_close(&o, NULL);
}

/* Every value is shown, and no value controls the terminal. */
static void shows_every_value(void **state)
{
	unsigned i;

	(void)state;
	srandom(21);
	for (i = 0; i < 3000; i++) {
		struct sample_memory m;
		struct sample s;
		struct rendering t;
		struct schema_iter it = SCHEMA_ITER(&sample_schema, &s);
		const struct field *f;
		const char *text;

		sample_random(&s, &m);
		rendering_start(&t, &render_plain, NULL);
		render_record(&t.r, &s);
		text = rendering_end(&t);
		assert_int_equal(text[t.out.n - 1], '\n');
		assert_null(strchr(text, '\033'));
		while ((f = schema_next(&it))) {
			struct value v = schema_value(&it, f);
			struct out want;
			char buf[400];

			if (v.avail == AVAIL_NO || (f->flags & FIELD_NOPLAIN) || (f->plain && !strchr(f->plain, '%')) ||
			    ((f->flags & FIELD_PLAIN_NZ) && v.avail == AVAIL_YES && value_is_zero(&v)) ||
			    f->flags & FIELD_EACH || (f->type == FT_ROWS && !f->rows->text))
				continue;
			out_init(&want, -1);
			value_text(f, &v, VALUE_PLAIN, buf, sizeof(buf));
			out_text(&want, buf);
			if (!strstr(text, out_cstr(&want)))
				fail_msg("%s: %s not in %s", f->name, want.buf, text);
			out_close(&want, NULL);
		}
		rendering_free(&t);
	}
}

/* On a terminal a line is continued with more indent: at a gap between two facts, else between words; a text with
 * neither is not broken. */
static void folds(void **state)
{
	struct out text, o;

	(void)state;
	setenv("COLUMNS", "20", 1);
	out_init(&o, -1);
	o.tty = true;
	render_fold(&text, &o);
	out_str(&text,
		"one two  three four five six\n\tseven eight nine\n\nfits  in twenty  is\na_word_that_is_longer_than_that and\n"
		"trailing blanks here                  \nthe end, without a newline");
	render_put_folded(&text, &o);
	assert_string_equal(out_cstr(&o),
			    "one two\n  three four five\n  six\n\tseven eight\n          nine\n\nfits  in twenty  is\n"
			    "a_word_that_is_longer_than_that\n  and\ntrailing blanks here\nthe end, without a newline");
	out_close(&o, NULL);
	unsetenv("COLUMNS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds),
		cmocka_unit_test(bpftool_program),
		cmocka_unit_test(bpftool_links),
		cmocka_unit_test(rows_one_a_line),
		cmocka_unit_test(unknown_and_defaults),
		cmocka_unit_test(text_of_a_field),
		cmocka_unit_test(words_of_a_part),
		cmocka_unit_test(only_the_columns_asked_for),
		cmocka_unit_test(headline),
		cmocka_unit_test(shows_every_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
