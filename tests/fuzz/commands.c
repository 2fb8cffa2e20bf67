/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "cli/command.h"
#include "render/jsonw.h"
#include "source/source.h"
#include "../tools/fake_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Any answers to any questions, with every reading command: the decoders of infos, instructions, BTF,
 * map elements, symbols, holders and pins. Input: which command and which format (a byte each), then answers: length of
 * the key (a byte), key, length of the answer (two bytes), answer. Seeds: tests/tools/mkseeds.py.
 */
#define MAX_ANSWERS 64

static const char *const commands[][8] = {
	{ "prog", "show" },
	{ "map", "show" },
	{ "link", "show" },
	{ "btf", "show" },
	{ "prog", "list", "-o", "+id" },
	{ "map", "list" },
	{ "link", "list", "-Q", "id > 0" },
	{ "prog", "dump", "xlated", "id", "1" },
	{ "map", "dump", "id", "1" },
	{ "prog", "dump", "xlated", "id", "1", "opcodes", "linum" },
	{ "pin", "list" },
	{ "pin", "list", "--tree" },
	{ "graph" },
	{ "graph", "--dot" },
	{ "prog", "show", "name", "x" },
	{ "__complete", "prog", "show", "id", "" },
	{ "perf", "show" },
	{ "perf", "list", "-o", "+symbol" },
	{ "ls" },
	{ "cgroup", "tree" },
	{ "cgroup", "show", "/sys/fs/cgroup/app.slice", "effective" },
	{ "cgroup", "list", "app.slice", "-o", "+id" },
	{ "graph", "--places", "--btf", "--dot" },
	{ "graph", "--mermaid" },
	{ "why", "map", "1" },
	{ "orphans", "--commands" },
	{ "prog", "annotate", "id", "1", "visual" },
	{ "prog", "dump", "jited", "id", "1", "linum", "--labels" },
	{ "map", "dump", "id", "1", "--sort", "key" },
	{ "mem", "--by", "unit" },
};
#define NCOMMANDS (sizeof(commands) / sizeof(*commands))

/*
 * The reading command of the tables with this number, as words; false: there are fewer. An object that it needs has the
 * id 1; other words are not guessed, but some are in the lines above.
 */
static bool table_command(size_t nr, const char *words[8])
{
	for (const struct group *g = groups; g->name; g++) {
		const struct command *c;

		for (size_t i = 0; !g->raw && (c = group_command(g, i)); i++) {
			size_t n = 0, required = 0, objects = 0;

			for (size_t k = 0; k < c->nargs; k++) {
				required += !!(c->args[k].flags & (ARG_REQUIRED | ARG_CHOICE));
				objects += c->args[k].flags & ARG_REQUIRED && c->args[k].type == ARG_OBJECT;
			}
			if (!(c->flags & CMD_READ) || c->flags & CMD_NOSOURCE || required > objects || nr--)
				continue;
			words[n++] = g->name;
			if (g->alone != c)
				words[n++] = c->name;
			for (; objects; objects--) {
				words[n++] = "id";
				words[n++] = "1";
			}
			return true;
		}
	}
	return false;
}

/* @which is a byte: the lines above, then the tables, then from the beginning. */
static const char *const *command_words(size_t which, const char *room[8])
{
	size_t n = 0;

	if (which < NCOMMANDS)
		return commands[which];
	if (table_command(which - NCOMMANDS, room))
		return room;
	while (table_command(n, room))
		n++;
	return command_words(which % (NCOMMANDS + n), room);
}

static bool take(const uint8_t **p, size_t *left, void *ret, size_t n)
{
	if (*left < n)
		return false;
	memcpy(ret, *p, n);
	*p += n;
	*left -= n;
	return true;
}

/* Each answer is in its own memory, so that ASan notices a read past its end. */
static size_t parse(const uint8_t *p, size_t left, struct fake_answer *ret)
{
	size_t n = 0;

	while (n < MAX_ANSWERS) {
		uint8_t klen, len[2];
		char *key;
		void *bytes;

		if (!take(&p, &left, &klen, 1) || left < klen)
			break;
		key = calloc(1, klen + 1u);
		take(&p, &left, key, klen);
		size_t blen = take(&p, &left, len, 2) ? (size_t)(len[0] | len[1] << 8) : 0;
		if (blen > left)
			blen = left;
		bytes = malloc(blen ? blen : 1);
		take(&p, &left, bytes, blen);
		ret[n++] = (struct fake_answer){ .key = key, .p = bytes, .n = blen };
	}
	return n;
}

static void run(struct source *src, unsigned which, unsigned format)
{
	struct globals opts = { .color = "never",
				.no_pager = true,
				.from = "-",
				.json = format & 1,
				.pretty = format & 2,
				.show_pins = format & 4 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), argc = 0;
	const char *room[8] = { NULL }, *const *argv = command_words(which, room);
	struct err e = { 0 };
	struct jsonw jw;
	struct out out;
	struct report report = { .out = &out, .jw = opts.json ? &jw : NULL };
	struct env env;

	while (argc < 8 && argv[argc])
		argc++;
	out_init(&out, null);
	jsonw_init(&jw, &out, opts.pretty);
	env_init(&env, &opts, &report);
	env.machine = machine_new(src);
	command_main(&env, argc, argv, &e);
	out_close(&out, NULL);
	env_close(&env);
	report_release(&report);
	close(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fake_answer answers[MAX_ANSWERS + 1] = { { 0 } };
	struct source *src = NULL;
	size_t n;

	if (size < 2)
		return 0;
	n = parse(data + 2, size - 2, answers);
	if (!source_fake(&src, answers))
		run(src, data[0], data[1]);
	for (size_t i = 0; i < n; i++) {
		free((void *)(uintptr_t)answers[i].key);
		free((void *)(uintptr_t)answers[i].p);
	}
	return 0;
}
