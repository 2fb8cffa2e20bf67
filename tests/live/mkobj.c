/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "held.h"
#include "mkobj.h"

/* Programs, maps and links begin their info with type and id, BTF with a pointer, a size and the id. */
int object_id(int fd)
{
	union {
		struct bpf_prog_info prog;
		struct bpf_btf_info btf;
		uint32_t u[64];
	} info;
	uint32_t len = sizeof(info);
	char path[64], what[64];
	ssize_t n;

	memset(&info, 0, sizeof(info));
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, what, sizeof(what) - 1);
	what[n > 0 ? n : 0] = '\0';
	return strstr(what, "btf") ? (int)info.btf.id : (int)info.prog.id;
}

int fact(const char *kind, const char *name, int fd, const char *fmt, ...)
{
	va_list ap;

	if (fd < 0) {
		fprintf(stderr, "skip %s %s: %s\n", kind, name, strerror(fd == -1 ? errno : -fd));
		return fd;
	}
	printf("%s %d %s fd=%d ", kind, object_id(fd), name, fd);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return fd;
}

void pin_fact(const struct place *p, const char *kind, const char *name, int fd)
{
	char path[512];

	if (!p->pins || fd < 0)
		return;
	snprintf(path, sizeof(path), "%s/%s", p->pins, name);
	if (bpf_obj_pin(fd, path))
		fprintf(stderr, "skip pin %s: %s\n", name, strerror(errno));
	else
		printf("pin %d %s object=%s path=%s\n", object_id(fd), name, kind, path);
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return getenv("MKOBJ_DEBUG") && level <= LIBBPF_INFO ? vfprintf(stderr, fmt, ap) : 0;
}

/* usage: mkobj OBJECTS [PINS [CGROUP]] or mkobj --files FILE...; lives until the end of standard input. */
int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct place place = { .cgroup = -1 };
	char buf[64];

	if (argc < 2) {
		fprintf(stderr, "usage: mkobj OBJECTS [PINS [CGROUP]]\n");
		return 2;
	}
	place.objects = argv[1];
	place.pins = argc > 2 && argv[2][0] ? argv[2] : NULL;
	if (argc > 3 && argv[3][0])
		place.cgroup = open(argv[3], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	libbpf_set_print(quiet);

	if (!strcmp(argv[1], "--files")) {
		for (int i = 2; i < argc; i++)
			make_file(argv[i], getenv("MKOBJ_LOGS"));
	} else {
		make_progs(&place);
		make_maps(&place);
		make_links(&place);
	}
	printf("ready %d mkobj\n", getpid());
	fflush(stdout);
	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
	held_close_all(); /* the files of packages have hundreds of programs */
	return 0;
}
