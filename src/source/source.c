/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include "source/source.h"

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
