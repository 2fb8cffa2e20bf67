/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/header.h"

#include <string.h>

#include "base/out.h"

void header_init(struct header *h, const struct gen_object *o, struct arena *a, struct out *out)
{
	*h = (struct header){ .o = o, .out = out };
	if (o->types)
		c_writer_init(&h->types, o->types, a, out);
}

void header_text(struct header *h, const char *template)
{
	for (;;) {
		size_t n = strcspn(template, "$");

		out_bytes(h->out, template, n);
		template += n;
		if (!*template++)
			return;
		out_str(h->out, h->o->name);
	}
}

void header_maps(struct header *h)
{
	if (!h->o->nmaps)
		return;
	out_str(h->out, "\tstruct {\n");
	for (size_t i = 0; i < h->o->nmaps; i++)
		out_fmt(h->out, "\t\tstruct bpf_map *%s;\n", h->o->maps[i].ident);
	out_str(h->out, "\t} maps;\n");
}

void header_progs(struct header *h)
{
	if (!h->o->nprogs)
		return;
	out_str(h->out, "\tstruct {\n");
	for (size_t i = 0; i < h->o->nprogs; i++)
		out_fmt(h->out, "\t\tstruct bpf_program *%s;\n", h->o->progs[i].ident);
	out_str(h->out, "\t} progs;\n");
}
