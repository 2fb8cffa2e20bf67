/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every reading command on every archive, with each question that it asks refused in turn: all of them, and one of them
 * alone; with EPERM, ENOENT, EINVAL, ENOMEM, and truncated to half. Either the output is the same, because the answer
 * was not needed, or the command ends with a documented status and a message. Other output with status 0, or with the
 * messages of a run without the fault, is a failure.
 *
 * usage: sweep ARCHIVE...      the program itself is linked in; each run is a child process
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "../tools/child.h"
#include "all/all.h"
#include "cli/command.h"
#include "source/machine.h"

#define HALF 1	   /* instead of a -errno: half of the bytes */
#define SECONDS 20 /* for one command */
#define WORDS 12
#define SHARE 32
#ifndef SHOWN
#define SHOWN 40 /* failures that are printed, of one archive */
#endif

int __wrap_source_archive(struct source **ret, const char *path, struct err *e);
int __real_source_archive(struct source **ret, const char *path, struct err *e);

static struct shared { /* between this process and its children */
	unsigned asked[QUESTIONS];
	unsigned long runs, commands, silent, broken, opened;
} * shared;

static bool all;
static unsigned share; /* of this archive; below SHARE */

/* What is done to the next command. */
static struct fault {
	struct source source;
	struct source *inner;
	bool on;
	enum question q;
	int how;
	long nth; /* of the questions of that kind; -1: all */
} fault;

/*
 * Can a reader of the answer notice that half of it is missing, wherever the half ends? If not (an answer of hooks one
 * after the other may end after one), archives do, by the length and checksum of each answer.
 */
static bool form_tells(enum question q)
{
	return q > Q_FDINFO_LAST && q != Q_BTF_NAME && q != Q_FUNC && q != Q_PIN && q != Q_HOLDERS && q != Q_KALLSYMS &&
	       q != Q_LINK_NETNS && q != Q_CGROUP_PROGS && q != Q_CGROUP_EFFECTIVE &&
	       !(q >= Q_NET_LINKS && q <= Q_NET_FILTERS);
}

/* An odd number, never at the end of a line: a cut between two numbers, records or lines could not be noticed. */
static size_t half(const struct blob *b)
{
	size_t n = b->n > 1 ? b->n / 2 | 1 : 0;

	while (n > 2 && b->p[n - 1] == '\n')
		n -= 2;
	return n;
}

static int fault_get(struct source *s, const struct asked *q, struct arena *a, struct blob *ret)
{
	long n = (long)shared->asked[q->q]++;
	bool hit = fault.on && fault.q == q->q && (fault.nth < 0 || fault.nth == n);
	struct blob b;
	int err;

	if (hit && fault.how != HALF)
		return fault.how;
	/* The checksums of an archive find it. */
	if (hit && !form_tells(q->q))
		return -EBADMSG;
	err = fault.inner->ops->get(fault.inner, q, a, &b);
	if (err)
		return err;
	*ret = hit ? (struct blob){ b.p, half(&b) } : b;
	return 0;
}

static void fault_close(struct source *s)
{
}

static const struct source_ops fault_ops = { .name = "fault", .saved = true, .get = fault_get, .close = fault_close };

int __wrap_source_archive(struct source **ret, const char *path, struct err *e)
{
	fault.source = (struct source){ &fault_ops, fault.inner->swapped };
	*ret = &fault.source;
	return 0;
}

static struct child run(char **argv)
{
	memset(shared->asked, 0, sizeof(shared->asked));
	__atomic_add_fetch(&shared->runs, 1, __ATOMIC_RELAXED);
	return child_run(argv, NULL, SECONDS);
}

static bool same(const struct child *a, const struct child *b, int i)
{
	return a->n[i] == b->n[i] && !memcmp(a->text[i], b->text[i], a->n[i]);
}

/* NULL: as it should be. */
static const char *judge(const struct child *base, const struct child *r, bool json, bool *silent)
{
	const char *wrong = child_fault(r);

	*silent = false;
	if (wrong)
		return wrong;
	if (json && !child_is_json(r))
		return "output that is not JSON";
	if (same(base, r, 0))
		return NULL;
	*silent = true;
	if (!r->status)
		return "other output with status 0";
	if (fault.how == HALF && strstr(base->text[1], "damaged"))
		return NULL;
	/* A failure may be the only output; the status of diff(1) for differences is not a failure. */
	if (r->status != base->status || !same(base, r, 1) || !strncmp(r->text[0], "{\"error\"", strlen("{\"error\"")))
		return NULL;
	return "other output, and nothing reported";
}

static const char *how_word(int how)
{
	return how == HALF    ? "half" :
	       how == -EPERM  ? "EPERM" :
	       how == -ENOENT ? "ENOENT" :
	       how == -EINVAL ? "EINVAL" :
				"ENOMEM";
}

static void complain(const char *path, char **argv, const char *why, unsigned *shown)
{
	if ((*shown)++ >= SHOWN)
		return;
	flockfile(stdout);
	printf("not ok - %s:", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	for (int i = 4; argv[i]; i++)
		printf(" %s", argv[i]);
	if (fault.on)
		printf(" [%s %s %s]", questions[fault.q].pattern, how_word(fault.how), fault.nth < 0 ? "all" : "one");
	printf(": %s\n", why);
	fflush(stdout);
	funlockfile(stdout);
}

/*
 * One fault in SHARE, different ones for each archive: every fault of every command is tried on some archives.
 * BPFLENS_SWEEP=all: every fault on every archive.
 */
static bool is_due(void)
{
	static unsigned long faults;

	return all || faults++ % SHARE == share;
}

static void try_fault(const char *path, char **argv, const struct child *base, bool json, unsigned *shown)
{
	struct child r = run(argv);
	bool silent;
	const char *why = judge(base, &r, json, &silent);

	if (why) {
		__atomic_add_fetch(silent ? &shared->silent : &shared->broken, 1, __ATOMIC_RELAXED);
		complain(path, argv, why, shown);
	}
	child_free(&r);
}

static void sweep_command(const char *path, char **argv, bool json, unsigned *shown)
{
	static const int ways[] = { -EPERM, -ENOENT, -EINVAL, -ENOMEM, HALF };
	unsigned asked[QUESTIONS];
	struct child base;

	fault.on = false;
	base = run(argv);
	if (child_fault(&base)) {
		__atomic_add_fetch(&shared->broken, 1, __ATOMIC_RELAXED);
		complain(path, argv, child_fault(&base), shown);
	}
	__atomic_add_fetch(&shared->commands, 1, __ATOMIC_RELAXED);
	memcpy(asked, shared->asked, sizeof(asked));
	fault.on = true;
	for (unsigned q = 0; q < QUESTIONS; q++) {
		for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]) && asked[q]; w++) {
			if (q == Q_FUNC && ways[w] == -ENOENT)
				continue; /* an answer: the file of a uprobe is gone */
			fault.q = (enum question)q;
			fault.how = ways[w];
			fault.nth = -1;
			if (is_due())
				try_fault(path, argv, &base, json, shown);
			fault.nth = asked[q] / 2;
			if (asked[q] > 1 && is_due())
				try_fault(path, argv, &base, json, shown);
		}
	}
	child_free(&base);
}

/*
 * @ is an id of the kind in the first word; several are tried. Reading commands that no line begins with run
 * alone, or on an object if they need one.
 */
/* clang-format off */
static const char *const commands[] = {
	"prog list -o +full_name,tag,pinned,pids", "-f prog show", "prog show id @", "prog dump xlated id @ linum", "prog dump xlated id @ --labels",
	"prog dump jited id @ linum", "prog annotate id @ linum", "prog annotate id @ visual", "report", "events", "events --syscalls", "report --folded", "report --html", "prog dump xlated id @ visual",
	"map list -o +entries,pinned,pids", "-f map show", "map show id @", "map dump id @", "map dump id @ --names", "map export id @",
	"link list -o +pinned,pids", "-f link show", "link show id @",
	"map lookup id @ key 0 0 0 0",
	"btf list", "btf show", "btf dump id @", "btf dump id @ format c", "btf layout list_head", "btf find member next", "btf find function bpf",
	"attach --list kprobe bpf", "attach --list raw_tracepoint s", "attach --list tracepoint sched", "btf diff id @ id 3",
	"pin list", "pin list --tree", "ls", "ls --tree", "why prog id @", "why map id @", "why link id @", "graph", "graph prog id @",
	"cgroup tree", "cgroup tree effective", "token show", "token list --all", "addr 0xffffffffc0000010", "prog show name count_exits", "top -b --interval 30",
};
/* clang-format on */
#define TRIED 3 /* objects of each kind */

static const char *const kind_words[OBJECT_KINDS] = { "prog", "map", "link", "btf" };

static unsigned kind_at(const char *words)
{
	unsigned kind = 0;

	while (kind < OBJECT_KINDS && strncmp(words, kind_words[kind], strlen(kind_words[kind])) != 0)
		kind++;
	return kind;
}

/* Ids spread over the list of the kind that the first word or the second is. */
static size_t pick(const char *words, uint32_t ret[TRIED])
{
	ARENA a = arena_new();
	struct blob b;
	size_t n, k = 0;
	unsigned kind = kind_at(words);

	if (kind == OBJECT_KINDS)
		kind = kind_at(words + strcspn(words, " ") + !!strchr(words, ' '));
	if (kind == OBJECT_KINDS ||
	    fault.inner->ops->get(fault.inner, &(const struct asked){ question_of(Q_IDS, (enum object_kind)kind) }, a,
				  &b))
		return 0;
	n = b.n / sizeof(uint32_t);
	for (size_t i = 0; i < TRIED && i < n; i++)
		memcpy(&ret[k++], b.p + sizeof(uint32_t) * (n <= TRIED ? i : i * (n - 1) / (TRIED - 1)),
		       sizeof(uint32_t));
	return k;
}

static void sweep_words(const char *path, const char *words, const char *id, bool json, unsigned *shown)
{
	char text[256], *argv[WORDS + 7] = { "bpflens", "--from", (char *)(uintptr_t)path, "--strict" }, *save = NULL;
	int n = 4;

	if (json)
		argv[n++] = "-j";
	snprintf(text, sizeof(text), "%s", words);
	for (char *w = strtok_r(text, " ", &save); w && n < WORDS + 5; w = strtok_r(NULL, " ", &save))
		argv[n++] = *w == '@' ? (char *)(uintptr_t)id : w;
	sweep_command(path, argv, json, shown);
}

static void sweep_line(const char *path, const char *words, unsigned *shown)
{
	uint32_t ids[TRIED] = { 0 };
	size_t n = strchr(words, '@') ? pick(words, ids) : 1;

	for (size_t k = 0; k < n; k++) {
		char id[12];

		snprintf(id, sizeof(id), "%u", ids[k]);
		sweep_words(path, words, id, false, shown);
		sweep_words(path, words, id, true, shown);
	}
}

/* `save` stores a refusal as an answer: the reader of the file reports it. */
static bool has_line(const char *name)
{
	size_t n = strlen(name);

	if (!strcmp(name, command_save.name))
		return true;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *words = commands[i] + (commands[i][0] == '-' ? strcspn(commands[i], " ") + 1 : 0);

		if (!strncmp(words, name, n) && (!words[n] || words[n] == ' '))
			return true;
	}
	return false;
}

/* A command of the table. Words that it needs in addition to an object are not guessed. */
static void sweep_verb(const char *path, const struct group *g, const struct command *c, unsigned *shown)
{
	char name[64], words[80];
	unsigned needs = 0, objects = 0;

	snprintf(name, sizeof(name), "%s%s%s", g->name, c == g->alone ? "" : " ", c == g->alone ? "" : c->name);
	if (!(c->flags & CMD_READ) || c->flags & CMD_NOSOURCE || has_line(name))
		return;
	for (size_t i = 0; i < c->nargs; i++) {
		needs += !!(c->args[i].flags & (ARG_REQUIRED | ARG_CHOICE));
		objects += c->args[i].flags & ARG_REQUIRED && c->args[i].type == ARG_OBJECT;
	}
	if (needs > objects || objects > 1) {
		printf("not ok - `%s` has no line in tests/sweep: words are missing that it needs\n", name);
		fflush(stdout); /* or the children print it again */
		__atomic_add_fetch(&shared->broken, 1, __ATOMIC_RELAXED);
		return;
	}
	snprintf(words, sizeof(words), "%s%s", name, objects ? " id @" : "");
	sweep_line(path, words, shown);
}

static void sweep_archive(const char *path)
{
	struct err e = { 0 };
	unsigned shown = 0;

	if (!child_open() || __real_source_archive(&fault.inner, path, &e))
		return; /* files that cannot be opened are tested elsewhere */
	shared->opened++;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		sweep_line(path, commands[i], &shown);
	for (const struct group *g = groups; g->name; g++) {
		const struct command *c;

		for (size_t i = 0; !g->raw && !g->files && (c = group_command(g, i)); i++)
			sweep_verb(path, g, c, &shown);
	}
	if (shown > SHOWN)
		printf("not ok - %s: %u more\n", path, shown - SHOWN);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int working = 0, status, failed = 0;

	all = getenv("BPFLENS_SWEEP") && !strcmp(getenv("BPFLENS_SWEEP"), "all");
	setenv("COLUMNS", "80", 1);
	setenv("TZ", "UTC", 1);
	setenv("PATH", "/", 1); /* without Graphviz: a picture for each answer takes long */
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	/* Counts of questions are of one worker: each has its own. */
	for (int i = 1; i < argc; i++) {
		if (working == cpus) {
			wait(&status);
			failed |= status;
			working--;
		}
		if (!fork()) {
			struct shared *sums = shared;

			shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
			if (shared == MAP_FAILED)
				_exit(1);
			share = (unsigned)i % SHARE;
			sweep_archive(argv[i]);
			__atomic_add_fetch(&sums->runs, shared->runs, __ATOMIC_RELAXED);
			__atomic_add_fetch(&sums->commands, shared->commands, __ATOMIC_RELAXED);
			__atomic_add_fetch(&sums->opened, shared->opened, __ATOMIC_RELAXED);
			__atomic_add_fetch(&sums->silent, shared->silent, __ATOMIC_RELAXED);
			__atomic_add_fetch(&sums->broken, shared->broken, __ATOMIC_RELAXED);
			_exit(0);
		}
		working++;
	}
	while (wait(&status) > 0)
		failed |= status;
	printf("%lu runs of %lu commands on %lu archives (%lu cannot be opened): %lu silent differences, %lu other faults\n",
	       shared->runs, shared->commands, shared->opened, (unsigned long)argc - 1 - shared->opened, shared->silent,
	       shared->broken);
	printf("sweep: %lu passed, %lu failed\n", shared->runs - shared->silent - shared->broken,
	       shared->silent + shared->broken + !!failed);
	return shared->silent || shared->broken || failed;
}
