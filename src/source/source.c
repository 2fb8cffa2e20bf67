/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "source/source.h"

int source_get(struct source *s, struct arena *a, struct blob *ret, const char *keyfmt, ...)
{
	char key[SOURCE_KEY_MAX + 1];
	va_list ap;
	int n;

	va_start(ap, keyfmt);
	n = vsnprintf(key, sizeof(key), keyfmt, ap);
	va_end(ap);
	if (n < 0)
		return -EINVAL;
	if ((size_t)n >= sizeof(key))
		return -ENAMETOOLONG;
	return s->ops->get(s, key, a, ret);
}

void source_idle(struct source *s)
{
	if (s->ops->idle)
		s->ops->idle(s);
}

void source_close(struct source **s)
{
	if (*s)
		(*s)->ops->close(*s);
	*s = NULL;
}
