/* SPDX-License-Identifier: BSD-2-Clause */
#include "metrics/text.h"

#include "cli/kind.h"
#include "metrics/metrics.h"
#include "record/field.h"
#include "render/doc.h"

const struct metrics_row metrics[] = {
	{ SET_PROG, "bpf_prog_run_seconds_total", "run_time_ns", NULL },
	{ SET_PROG, "bpf_prog_runs_total", "run_cnt", NULL },
	{ SET_PROG, "bpf_prog_recursion_misses_total", "recursion_misses", NULL },
	{ SET_PROG, "bpf_prog_verified_instructions", "verified_insns", NULL },
	{ SET_PROG, "bpf_prog_memory_bytes", "bytes_memlock", NULL },
	{ SET_MAP, "bpf_map_entries", "entries", NULL },
	{ SET_MAP, "bpf_map_max_entries", "max_entries", NULL },
	{ SET_MAP, "bpf_map_memory_bytes", "bytes_memlock", NULL },
	{ SET_OBJECTS, "bpf_objects", NULL, "objects that could be read" },
	{ SET_ATTACHMENTS, "bpf_attachments", NULL, "attachments, as ls lists them" },
	{ SET_MACHINE, "bpf_stats_enabled", NULL,
	  "1 if the setting of that name is on: runs of all programs are counted" },
	{ SET_MACHINE, "bpf_unread_lists", NULL, "kinds of objects that could not be listed" },
	{ SET_MACHINE, "bpf_unread_objects", NULL,
	  "objects and attachments that could not be read, or only in part, and types of places that could not be listed" },
	{ SET_MACHINE, "bpf_unread_answers", NULL,
	  "answers that the kernel refused or that are damaged, the reasons of the others" },
	{ SET_MACHINE, "bpflens_left_out", NULL,
	  "values of programs and maps that are in no series because of --limit" },
	{ SET_BUILD, "bpflens_build_info", NULL, "version of this program" },
	{ .name = NULL },
};

const struct kind *metric_kind(const struct metrics_row *m)
{
	return m->field ? kind_of((enum object_kind)m->set) : NULL;
}

const struct field *metric_field(const struct metrics_row *m)
{
	return m->field ? schema_find(metric_kind(m)->schema, NULL, m->field, NULL) : NULL;
}

const char *metric_help(const struct metrics_row *m, struct arena *a)
{
	return m->help ? m->help : arena_fmt(a, "%s: %s", metric_kind(m)->noun, metric_field(m)->help);
}

/* The types, and the end of a sample's name, which is not in the name of the metric in OpenMetrics. */
static const struct metric_type {
	const char *word, *suffix;
} types[] = { { "counter", "_total" }, { "info", "_info" }, { "gauge", "" } };

static const struct metric_type *metric_type(const struct metrics_row *m)
{
	const struct metric_type *t = types;
	const size_t n = strlen(m->name);

	while (n < strlen(t->suffix) || strcmp(m->name + n - strlen(t->suffix), t->suffix) != 0)
		t++;
	return t;
}

static enum field_unit metric_field_unit(const struct metrics_row *m)
{
	return m->field ? metric_field(m)->unit : FU_NONE;
}

/* NULL: no unit. */
static const char *metric_unit(const struct metrics_row *m)
{
	const enum field_unit u = metric_field_unit(m);

	return u == FU_NSEC ? "seconds" : u == FU_SIZE ? "bytes" : NULL;
}

bool metric_row(unsigned row, struct arena *a, const char **ret_name, const char **ret_help)
{
	const struct metrics_row *m = &metrics[row];
	const char *unit = m->name ? metric_unit(m) : NULL;

	if (!m->name)
		return false;
	*ret_name = arena_fmt(a, "%s Pq %s%s%s", m->name, metric_type(m)->word, unit ? " , " : "", unit ? unit : "");
	*ret_help = metric_help(m, a);
	return true;
}

/* A sample, for JSON. */
struct sample_rec {
	const char *metric, *type;
	const char *label[LABELS];
	const char *const *unit;
	uint32_t nunit, id;
	const char *value;
};
#define FIELD_LABEL(l, name, help) FIELD(sample_rec, label[l], name, help, .flags = FIELD_NONZERO)
static const struct field sample_fields[] = {
	/* The labels, in the order of the enum. */
	FIELD_LABEL(LABEL_KIND, "kind", "kind: prog, map, link or btf"),
	FIELD_LABEL(LABEL_PLACE, "place", "type of the place"),
	FIELD_LABEL(LABEL_WHAT, "what", "hook at the place"),
	FIELD_LABEL(LABEL_NAME, "name", "name of the program or map"),
	FIELD_LABEL(LABEL_TYPE, "type", "type of the program, map or link"),
	FIELD_LABEL(LABEL_TAG, "tag", "hash of the program's instructions"),
	FIELD_LABEL(LABEL_WHERE, "where", "place, the first of several, and hook, in the words of ls"),
	FIELD_LIST(sample_rec, unit, nunit, FT_STR, "holder_unit",
		   "systemd units of the processes that hold it: only the first", .flags = FIELD_NONZERO),
	FIELD(sample_rec, id, "id", "id of the program or map", .flags = FIELD_NONZERO),
	FIELD_LABEL(LABEL_VERSION, "version", "version of this program"),
	/* The rest. */
	FIELD(sample_rec, metric, "metric", "name of the metric", .role = ROLE_NAME),
	FIELD(sample_rec, type, "metric_type", "type of the metric: counter, gauge or info", .role = ROLE_KIND),
	FIELD_AS(sample_rec, value, FT_JSON, "value", "value, in the unit of the metric"),
};
const struct schema metrics_schema = SCHEMA("metrics_sample", sample_rec, sample_fields);

const char *metrics_label_name(enum metrics_label l)
{
	return sample_fields[l].name;
}

/* Of the text that is printed as it is, as nearly all labels are. */
static size_t plain_length(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] <= '~' && s[n] != '\\' && s[n] != '"')
		n++;
	return n;
}

void metrics_put_label(struct out *o, const char *value)
{
	const char *end = value + strlen(value);

	for (const char *s = value; s < end;) {
		const size_t plain = plain_length(s), n = plain ? plain : str_utf8(s, (size_t)(end - s));
		const bool hidden = !plain && (!n || (unsigned char)*s < ' ' || str_control(s, n));

		if (*s == '\n')
			out_str(o, "\\n");
		else if (hidden)
			out_fmt(o, "\\\\x%02x", (unsigned char)*s);
		else if (*s == '\\' || *s == '"')
			out_fmt(o, "\\%c", *s);
		else
			out_bytes(o, s, n);
		s += hidden ? 1 : n;
	}
}

#define VALUE_TEXT 32
static const char *metrics_value(enum field_unit unit, uint64_t v, char buf[VALUE_TEXT])
{
	char *end = num_dec(buf, unit == FU_NSEC ? v / NSEC_PER_SEC : v);

	if (unit == FU_NSEC) {
		/* All nine digits: those of the number after a 1, which becomes the point. */
		num_dec(end, NSEC_PER_SEC + v % NSEC_PER_SEC);
		*end = '.';
		end += 10;
	}
	*end = '\0';
	return buf;
}

static void head_print(struct out *o, const struct metrics_row *m, enum metrics_format format)
{
	const struct metric_type *t = metric_type(m);
	const bool open = format == FORMAT_OPENMETRICS;
	const int n = (int)(strlen(m->name) - (open ? strlen(t->suffix) : 0));
	const char *unit = open ? metric_unit(m) : NULL, *type = !open && t == &types[1] ? "gauge" : t->word;
	ARENA a = arena_new();

	out_fmt(o, "# HELP %.*s %s\n# TYPE %.*s %s\n", n, m->name, metric_help(m, a), n, m->name, type);
	if (unit)
		out_fmt(o, "# UNIT %.*s %s\n", n, m->name, unit);
}

static void labels_print(struct out *o, const struct series *one)
{
	char before = '{';

	for (enum metrics_label l = 0; l < LABELS; l++) {
		if (!one->label[l])
			continue;
		out_char(o, before);
		out_str(o, metrics_label_name(l));
		out_str(o, "=\"");
		metrics_put_label(o, one->label[l]);
		out_char(o, '"');
		before = ',';
	}
	out_str(o, before == ',' ? "} " : " ");
}

/* The labels of all series of a set as they are printed, once for all its metrics. */
struct labels_text {
	struct out text;
	size_t *end; /* of each series */
};

static void labels_text_make(struct labels_text *l, const struct series_set *set)
{
	l->text.n = 0;
	l->end = array_resize(l->end, set->n + 1, sizeof(*l->end));
	l->end[0] = 0;
	for (size_t i = 0; i < set->n; i++) {
		labels_print(&l->text, set->v[i]);
		l->end[i + 1] = l->text.n;
	}
}

static void sample_print(struct out *o, const struct metrics_row *m, const struct labels_text *l, size_t i,
			 const char *value)
{
	out_str(o, m->name);
	out_bytes(o, l->text.buf + l->end[i], l->end[i + 1] - l->end[i]);
	out_str(o, value);
	out_char(o, '\n');
}

/* The number of a metric among those of its set. */
static unsigned value_index(const struct metrics_row *m)
{
	unsigned i = 0;

	for (const struct metrics_row *p = metrics; p < m; p++)
		i += p->set == m->set;
	return i;
}

static void sample_doc(struct doc *d, const struct metrics_row *m, const struct series *one, const char *value)
{
	struct sample_rec r = { .metric = m->name, .type = metric_type(m)->word, .value = value };

	memcpy(r.label, one->label, sizeof(r.label));
	r.unit = &one->label[LABEL_UNIT];
	r.nunit = one->label[LABEL_UNIT] != NULL;
	if (one->label[LABEL_ID])
		num_parse_u32(one->label[LABEL_ID], &r.id);
	doc_record(d, &metrics_schema, &r);
}

static void metric_print(struct out *o, const struct metrics_row *m, const struct series_set *set,
			 const struct labels_text *l, enum metrics_format format)
{
	const enum field_unit unit = metric_field_unit(m);
	const unsigned at = value_index(m);
	bool headed = false;

	for (size_t i = 0; i < set->n && !out_dead(o); i++) {
		char buf[VALUE_TEXT];

		if (!(set->v[i]->known >> at & 1))
			continue;
		if (!headed)
			head_print(o, m, format);
		headed = true;
		sample_print(o, m, l, i, metrics_value(unit, set->v[i]->value[at], buf));
	}
}

void metrics_text(struct out *o, const struct series_set set[SETS], enum metrics_format format)
{
	struct labels_text l = { .end = NULL };

	out_init(&l.text, -1);
	for (const struct metrics_row *m = metrics; m->name; m++) {
		if (m == metrics || m->set != m[-1].set)
			labels_text_make(&l, &set[m->set]);
		metric_print(o, m, &set[m->set], &l, format);
	}
	if (format == FORMAT_OPENMETRICS)
		out_str(o, "# EOF\n");
	out_close(&l.text, NULL);
	free(l.end);
}

static void metric_doc(struct doc *d, const struct metrics_row *m, const struct series_set *set)
{
	const unsigned at = value_index(m);

	for (size_t i = 0; i < set->n && !doc_dead(d); i++) {
		const struct series *one = set->v[i];
		char buf[VALUE_TEXT];

		if (one->known >> at & 1)
			sample_doc(d, m, one, metrics_value(metric_field_unit(m), one->value[at], buf));
	}
}

void metrics_doc(struct doc *d, const struct series_set set[SETS])
{
	doc_stream(d, NULL);
	for (const struct metrics_row *m = metrics; m->name; m++)
		metric_doc(d, m, &set[m->set]);
	doc_end(d);
}
