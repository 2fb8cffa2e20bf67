/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "metrics/series.h"

struct doc;
struct kind;
struct field;
/* Inside the folder: the metrics, and how they are printed. */
enum metric_set {
	SET_PROG, /* labels of a program; as OBJECT_PROG */
	SET_MAP,  /* of a map; as OBJECT_MAP */
	SET_OBJECTS,
	SET_ATTACHMENTS,
	SET_MACHINE, /* one set without labels: enum machine_value */
	SET_BUILD,
	SETS
};
enum machine_value { STATS_ENABLED, UNREAD_LISTS, UNREAD_OBJECTS, UNREAD_ANSWERS, LEFT_OUT };
/*
 * A metric. Its name is that of its samples and ends in _total for a counter, in _info for what only has labels; any
 * other one is a gauge.
 */
struct metrics_row {
	enum metric_set set;
	const char *name;
	const char *field; /* of the objects, which has the value and unit; NULL: help says what the value is */
	const char *help;  /* a sentence without a full stop, quotes and backslashes; NULL: that of the field */
};
extern const struct metrics_row metrics[]; /* ends with name NULL; those of a set are its values, in this order */
/* The kind of a metric with a field, and that field; NULL: it has none. */
const struct kind *metric_kind(const struct metrics_row *m);
const struct field *metric_field(const struct metrics_row *m);
const char *metric_help(const struct metrics_row *m, struct arena *a);
/* For the manual, as kind.types: its name with type and unit, and its help. */
bool metric_row(unsigned row, struct arena *a, const char **ret_name, const char **ret_help);

/* A label is a field of the samples in JSON (metrics_schema), with its name. */
const char *metrics_label_name(enum metrics_label l);

enum metrics_format { FORMAT_OPENMETRICS, FORMAT_PROMETHEUS };
/* Print all metrics that have values. */
void metrics_text(struct out *o, const struct series_set set[SETS], enum metrics_format format);
void metrics_doc(struct doc *d, const struct series_set set[SETS]);
/* A label's value between quotes. What out_text() does not print as it is becomes \xNN here, too. */
void metrics_put_label(struct out *o, const char *value);
