/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "host/mountinfo.h"
#include "host/elf/symbols.h"
#include "host/task_fds.h"
#include "own/capture/calls.h"
#include "source/file/map_calls.h"
#include "source/source.h"
#include "source/task_place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_mounts(char *text, size_t size)
{
	struct mountinfo m;
	char *line;

	while ((line = strsep(&text, "\n")))
		if (mountinfo_parse(line, &m) &&
		    (*m.path != '/' || strlen(m.root) + strlen(m.type) + strlen(m.options) > size))
			abort();
}

/* Each symbol is found by its address and its name; addresses ascend. */
static void read_symbols(const char *text, size_t n, struct arena *a)
{
	const struct symbols *s = symbols_parse(text, n, a);

	for (size_t i = 0; i < symbols_count(s); i++) {
		const struct symbol *at = symbols_at(s, i), *found = symbols_find(s, at->addr),
				    *named = symbols_find_named(s, at->name),
				    *only = symbols_only(s, at->name, at->module);

		if (!at->addr || (i && at->addr < symbols_at(s, i - 1)->addr) || !found || found->addr != at->addr ||
		    !named || strcmp(named->name, at->name) || (only && strcmp(only->name, at->name)))
			abort();
	}
}

static void read_fds(const char *p, size_t n, struct arena *a)
{
	const struct task_fd *fds;
	size_t count, bytes = 0;

	task_fds_parse(p, n, a, &fds, &count);
	for (size_t i = 0; i < count; i++)
		bytes += strlen(fds[i].name) + strlen(fds[i].comm);
	if (bytes > n + count * sizeof(fds->comm))
		abort();
}

/* A call that was read is written as it was, and read again. */
static void again(void *ctx, const struct calls_record *r)
{
	const struct calls_record *first = ctx;

	if (memcmp(first, r, sizeof(*r) + r->key_bytes + r->value_bytes))
		abort();
}

static void write_again(void *ctx, const struct calls_record *r)
{
	struct calls_record *copy = calls_copy(r);
	STR text = { 0 };

	map_calls_put(&text, copy);
	if (map_calls_parse(&(struct blob){ (const unsigned char *)text.p, text.n }, ctx, again, copy))
		abort();
	free(copy);
}

/* The first byte says which text of /proc, or which answer, the rest is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ARENA a = arena_new();
	struct task_place place;
	char *text;

	if (!size)
		return 0;
	text = malloc(size); /* exact length, terminated in place of the first byte */
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0] % 5) {
	case 0:
		read_mounts(text, size);
		break;
	case 1:
		read_symbols(text, size - 1, a);
		break;
	case 2:
		task_place_parse(text, a, &place);
		break;
	case 3:
		read_fds(text, size - 1, a);
		break;
	default:
		map_calls_parse(&(struct blob){ (const unsigned char *)text, size - 1 }, a, write_again, a);
	}
	free(text);
	return 0;
}
