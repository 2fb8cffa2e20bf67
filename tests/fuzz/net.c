/* SPDX-License-Identifier: BSD-2-Clause */
#include <fcntl.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "../unit/keys.h"
#include "cli/command.h"
#include "render/jsonw.h"
#include "source/source.h"
#include "kernel/netlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Any netlink messages and query answers for any question of the commands about networks; and each part as an error
 * message. Input: which command (a byte), then the parts: length (two bytes), bytes.
 */
enum { PARTS = 6, COMMANDS = 4 };
static const char *const parts[PARTS] = { "/links", "/qdiscs", "/classes/", "/filters/", "/actions", "/query/" };
static const struct {
	bool json;
	const char *word[5];
} commands[COMMANDS] = {
	{ false, { "net", "show", "--all" } },
	{ true, { "net", "show", "--all" } },
	{ false, { "net", "list", "-o", "+order,act,block" } },
	{ true, { "ls", "net" } },
};

struct input {
	struct source source;
	unsigned char *part[PARTS]; /* exact size, so that ASan notices a read past the end */
	size_t n[PARTS];
};

static int get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	const char *key = asked_name(q, a);
	static const struct {
		const char *key, *text;
	} fixed[] = {
		{ "sys/netns", "4 5\n" },
		{ "sys/netns_list", "4 5 /proc/self/ns/net\n4 6 /run/netns/a\\040b\n" },
		{ "link/ids", "" },
		{ "sys/link_netns", "" },
	};
	struct input *in = (struct input *)s;

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!strcmp(key, fixed[i].key)) {
			*ret = (struct blob){ (const unsigned char *)fixed[i].text, strlen(fixed[i].text) };
			return 0;
		}
	for (int i = 0; i < PARTS && !strncmp(key, "net/", 4); i++)
		if (strstr(key, parts[i])) {
			*ret = (struct blob){ in->part[i], in->n[i] };
			return 0;
		}
	return -ENODATA;
}

static void done(struct source *s)
{
	(void)s;
}

static const struct source_ops ops = { .name = "fuzz", .get = get, .close = done };

static void errors(const struct input *in)
{
	char text[NL_TEXT];

	for (int i = 0; i < PARTS; i++) {
		struct nl_msg m = {
			.type = i & 1 ? 2 : 3, .flags = i & 2 ? 0x300 : 0x200, .p = in->part[i], .n = in->n[i]
		};

		nl_error(&m, text, sizeof(text));
	}
}

static void run(struct input *in, unsigned which)
{
	struct globals opts = { .color = "never", .no_pager = true, .from = "-", .json = commands[which].json };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), argc = 0;
	const char *const *argv = commands[which].word;
	struct err e = { 0 };
	struct jsonw jw;
	struct out out;
	struct report report = { .out = &out, .jw = opts.json ? &jw : NULL };
	struct env env;

	while (argc < 5 && argv[argc])
		argc++;
	out_init(&out, null);
	jsonw_init(&jw, &out, false);
	env_init(&env, &opts, &report);
	env.machine = machine_new(&in->source);
	command_main(&env, argc, argv, &e);
	if (opts.json && (jw.depth || jw.named))
		__builtin_trap();
	out_close(&out, NULL);
	env_close(&env);
	report_release(&report);
	close(null);
}

/* The next part, from *p on. */
static void take(const uint8_t **p, size_t *left, unsigned char **ret, size_t *ret_n)
{
	size_t n = 0;

	if (*left >= 2) {
		n = (size_t)((*p)[0] | (*p)[1] << 8);
		*p += 2;
		*left -= 2;
	}
	n = n < *left ? n : *left;
	*ret = malloc(n + !n);
	if (!*ret)
		abort();
	memcpy(*ret, *p, n);
	*ret_n = n;
	*p += n;
	*left -= n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .source = { &ops } };
	const uint8_t *p = data + 1;
	size_t left = size - 1;

	if (!size)
		return 0;
	for (int i = 0; i < PARTS; i++)
		take(&p, &left, &in.part[i], &in.n[i]);
	errors(&in);
	run(&in, data[0] % COMMANDS);
	for (int i = 0; i < PARTS; i++)
		free(in.part[i]);
	return 0;
}
