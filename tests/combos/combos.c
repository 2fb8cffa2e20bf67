/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random command lines from the tables of commands (line.h) on the recorded machines and object files of the tests.
 * Whatever the line, the program ends in time with a documented status, and with a message if that is not 0; it writes
 * valid JSON if that was asked for, and nothing that a terminal obeys; no sanitizer reports anything.
 *
 * usage: combos TESTS-DIRECTORY
 * BPFLENS_COMBOS is the number of lines. Line N is the same in each run; BPFLENS_COMBOS_SEED makes other lines, and
 * BPFLENS_COMBOS_LIVE=1 reads the running kernel. Lines that failed are printed for a shell in TESTS-DIRECTORY.
 */
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "../tools/child.h"
#include "audit/audit.h"
#include "line.h"

#define LINES 1500
#define SECONDS 20  /* of the CPU, for one line */
#define SHOWN 20    /* failures that are printed, by one worker */
#define CACHE 8192u /* completions */
#define NOBODY 65534

static struct shared { /* between the workers */
	unsigned long passed, done[6], completed, failed, shown;
} * shared;

static glob_t archives, files;
static bool live;

/* In the child: only out/ can be written. Live, the kernel may be read with all privileges. */
static void prepare(void)
{
	int null = open("/dev/null", O_RDONLY);
	bool ok = dup2(null, STDIN_FILENO) == STDIN_FILENO;

	if (ok && !geteuid() && live) {
		cap_t caps = cap_get_proc();

		ok = !cap_set_flag(caps, CAP_EFFECTIVE, 1, &(cap_value_t){ CAP_DAC_OVERRIDE }, CAP_CLEAR) &&
		     !cap_set_proc(caps);
	} else if (ok && !geteuid())
		ok = !syscall(SYS_setgroups, 0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
		     !setresuid(NOBODY, NOBODY, NOBODY) && !prctl(PR_SET_DUMPABLE, 1);
	if (!ok)
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return walk->level && remove(path);
}

static void print_word(const char *word)
{
	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%")]) {
		printf(" %s", word);
		return;
	}
	printf(" $'");
	for (; *word; word++)
		if (*word == '\'' || *word == '\\' || (unsigned char)*word < ' ' || (unsigned char)*word > '~')
			printf("\\x%02x", (unsigned char)*word);
		else
			putchar(*word);
	putchar('\'');
}

static void complain(char **argv, unsigned columns, const struct child *r, const char *why)
{
	const char *p = r->text[1];

	__atomic_add_fetch(&shared->failed, 1, __ATOMIC_RELAXED);
	if (__atomic_fetch_add(&shared->shown, 1, __ATOMIC_RELAXED) >= SHOWN)
		return;
	printf("not ok - %s (status %d): COLUMNS=%u", why, r->status, columns);
	for (; *argv; argv++)
		print_word(*argv);
	putchar('\n');
	for (int i = 0; i < 6 && *p; i++, p += strcspn(p, "\n"), p += *p == '\n')
		printf("  | %.*s\n", (int)strnlen(p, strcspn(p, "\n") < 200 ? strcspn(p, "\n") : 200), p);
	fflush(stdout);
}

static const char *json_fault(const struct line *l, const struct child *r)
{
	const char *p = r->text[0], *end = p + r->n[0];
	struct strict s;

	if (l->command->flags & CMD_TEXT && !l->command->schema)
		return NULL;
	if (!l->ndjson)
		return child_is_json(r) ? NULL : "output that is not JSON";
	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol || !strict_json(&s, p, (size_t)(eol - p), 0))
			return "a line that is not JSON";
		p = eol + 1;
	}
	return NULL;
}

/* UTF-8 without characters that a terminal obeys: names of a hostile machine are in it. Not for an archive (gzip). */
static bool is_plain(const char *p, size_t n)
{
	if (n > 1 && !memcmp(p, "\x1f\x8b", 2))
		return true;
	for (size_t len; n; p += len, n -= len) {
		len = str_utf8(p, n);
		if (!len || ((unsigned char)*p < ' ' && *p != '\n' && *p != '\t') || str_control(p, len))
			return false;
	}
	return true;
}

static bool has_word(const struct line *l, const char *word)
{
	for (int i = 0; i < l->argc; i++)
		if (!strcmp(l->argv[i], word))
			return true;
	return false;
}

static const char *judge(const struct line *l, const struct child *r)
{
	/* Status 1 is an answer, which needs no sentence. */
	bool found = r->status == 1 &&
		     (l->command->flags & CMD_DIFF || l->command == &command_audit || has_word(l, "--exit-status"));
	const char *why = found && !r->n[0] && !r->n[1] ? NULL : child_fault(r);

	if (!why && r->status && !found && !r->n[1] && !(l->json && strstr(r->text[0], "\"error\"")))
		return "a failure without a message";
	if (!why && !l->color && !(is_plain(r->text[0], r->n[0]) && is_plain(r->text[1], r->n[1])))
		why = "characters that a terminal obeys";
	if (!why && l->json)
		why = json_fault(l, r);
	return why;
}

static struct cached {
	char *key;
	char *text;
	const char **word;
} cache[CACHE];

static const char *const *split(struct cached *c)
{
	size_t n = 0;

	for (const char *p = c->text; *p; p++)
		n += *p == '\n';
	free(c->word);
	c->word = calloc(n + 1, sizeof(*c->word));
	n = 0;
	for (char *p = c->text, *end; (end = strchr(p, '\n')); p = end + 1) {
		*end = '\0';
		c->word[n++] = p;
		p[strcspn(p, "\t")] = '\0';
	}
	return c->word;
}

static const char *const *complete(char **argv)
{
	struct cached *c;
	struct child r;
	struct out key;
	uint32_t hash = 2166136261u;

	out_init(&key, -1);
	for (char **w = argv; *w; w++)
		out_fmt(&key, "%s\n", *w);
	out_char(&key, '\0');
	for (const char *p = key.buf; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619u;
	c = &cache[hash % CACHE];
	if (c->key && !strcmp(c->key, key.buf)) {
		out_close(&key, NULL);
		return c->word;
	}
	r = child_run(argv, prepare, SECONDS);
	if (child_fault(&r))
		complain(argv, 80, &r, child_fault(&r));
	__atomic_add_fetch(&shared->completed, 1, __ATOMIC_RELAXED);
	free(c->key);
	free(c->text);
	c->key = strdup(key.buf);
	out_close(&key, NULL);
	c->text = r.text[0];
	free(r.text[1]);
	return split(c);
}

static void try_line(struct supply *s)
{
	struct line l;
	struct child r;
	const char *why;
	char columns[8];

	line_make(s, &l);
	snprintf(columns, sizeof(columns), "%u", l.columns);
	setenv("COLUMNS", columns, 1);
	r = child_run(l.argv, prepare, SECONDS);
	why = judge(&l, &r);
	if (why)
		complain(l.argv, l.columns, &r, why);
	else {
		__atomic_add_fetch(&shared->passed, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&shared->done[r.status], 1, __ATOMIC_RELAXED);
	}
	child_free(&r);
	nftw("out", remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

/* A folder of its own that nobody can write to, but for out/ in it. */
static void enter(const char *folder, uint64_t worker)
{
	char *own = NULL;
	bool ok = asprintf(&own, "%s/%llu", folder, (unsigned long long)worker) > 0 && !mkdir(own, 0755) &&
		  !chdir(own) && !symlink("../archives", "archives") && !symlink("../objects", "objects") &&
		  !mkdir("out", 0755);

	if (ok && !geteuid() && !live)
		ok = !chown("out", NOBODY, NOBODY);
	if (!ok || chmod(".", 0555) || !child_open())
		abort();
	free(own);
}

static void work(const char *folder, uint64_t worker, uint64_t workers)
{
	uint64_t lines = number("BPFLENS_COMBOS", LINES), seed = number("BPFLENS_COMBOS_SEED", 1);
	struct supply s = { .live = live,
			    .archives = (const char *const *)archives.gl_pathv,
			    .narchives = archives.gl_pathc,
			    .files = (const char *const *)files.gl_pathv,
			    .nfiles = files.gl_pathc,
			    .complete = complete };

	enter(folder, worker);
	for (uint64_t i = worker; i < lines; i += workers) {
		s.arena = arena_new();
		s.random = (seed << 40 | (i + 1)) * 0x9e3779b97f4a7c15u;
		try_line(&s);
		arena_free(s.arena);
	}
}

static int by_size(const void *a, const void *b)
{
	struct stat one = { 0 }, other = { 0 };

	stat(*(const char *const *)a, &one);
	stat(*(const char *const *)b, &other);
	return (one.st_size > other.st_size) - (one.st_size < other.st_size);
}

static bool find_files(const char *folder)
{
	static const char *const others[] = { "out/x",	  "out/y",   "out",	  "out/no/x",
					      "archives", "objects", "/dev/null", "-" };

	if (chdir(folder) || glob("archives/*", 0, NULL, &archives) || glob("objects/*", 0, NULL, &files))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (glob(others[i], GLOB_NOCHECK | GLOB_APPEND, NULL, &files))
			return false;
	qsort(archives.gl_pathv, archives.gl_pathc, sizeof(char *), by_size);
	return true;
}

int main(int argc, char **argv)
{
	const uint64_t workers = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	int status, died = 0;

	live = getenv("BPFLENS_COMBOS_LIVE");
	unsetenv("BPFLENS_FROM");
	setenv("TZ", "UTC", 1);
	setenv("PATH", "/", 1); /* no pager, no Graphviz, no command */
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc != 2 || shared == MAP_FAILED || !find_files(argv[1]))
		return 1;
	for (uint64_t i = 0; i < workers; i++)
		if (!fork()) {
			work(argv[1], i, workers);
			_exit(0);
		}
	while (wait(&status) > 0)
		died += status != 0;
	printf("%lu completions; lines by status:", shared->completed);
	for (size_t i = 0; i < ARRAY_SIZE(shared->done); i++)
		printf(" %lu", shared->done[i]);
	printf("\ncombos: %lu passed, %lu failed\n", shared->passed, shared->failed + died);
	return shared->failed || died;
}
