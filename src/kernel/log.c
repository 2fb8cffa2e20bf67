/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/log.h"

#include <bpf/libbpf.h>

#include "base/message.h"

static struct str text; /* libbpf's callback has no context */
static bool shown;	/* at once */

PRINTF(2, 0) static int log_collect(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level != LIBBPF_DEBUG && text.n < LOG_MAX)
		str_vfmt(&text, fmt, ap);
	return 0;
}

PRINTF(2, 0) static int log_show(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	STR s = { 0 };

	str_vfmt(&s, fmt, ap);
	message_lines(s.p);
	if (level != LIBBPF_DEBUG && text.n < LOG_MAX)
		str_puts(&text, s.p);
	return 0;
}

void log_start(bool debug)
{
	shown = debug;
	libbpf_set_print(debug ? log_show : log_collect);
}

const char *log_text(void)
{
	return text.p ? text.p : "";
}

const char *log_unseen(void)
{
	return shown ? "" : log_text();
}

void log_forget(void)
{
	str_release(&text);
}

void log_stop(void)
{
	libbpf_set_print(NULL);
	str_release(&text);
}

int log_error(int err)
{
	return err <= -__LIBBPF_ERRNO__START ? -ENOEXEC : err;
}

bool log_library_has(unsigned minor)
{
	return libbpf_major_version() > 1 || libbpf_minor_version() >= minor;
}

const char *log_library(void)
{
	const char *v = libbpf_version_string();

	return v[0] == 'v' ? v + 1 : v;
}
