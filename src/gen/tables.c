/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/header.h"
#include "gen/ident.h"

static void map_put(struct header *h, const struct gen_map *m, size_t i, bool sub)
{
	out_fmt(h->out,
		"\n\tmap = (struct bpf_map_skeleton *)((char *)s->maps + %zu * s->map_skel_sz);\n\tmap->name = ", i);
	literal_string(h->out, sub && m->section ? m->section : m->name);
	out_fmt(h->out, ";\n\tmap->map = &obj->maps.%s;\n", m->ident);
	if (m->data && !sub)
		out_fmt(h->out, "\tmap->mmaped = (void **)&obj->%s;\n", m->data);
	if (m->struct_ops && !sub)
		out_fmt(h->out, "#ifdef BPF_SKEL_SUPPORTS_MAP_AUTO_ATTACH\n\tmap->link = &obj->links.%s;\n#endif\n",
			m->ident);
}

/*
 * libbpf before 1.5 ignores map_skel_sz, so entries have the length of its struct unless they need a link. There is
 * room for one more entry, so that the last one is also a complete struct to the compiler.
 */
void header_maps_fill(struct header *h, bool sub)
{
	const struct gen_object *o = h->o;

	if (!o->nmaps)
		return;
	out_fmt(h->out, "\n\ts->map_skel_sz = %s;\n",
		o->links_maps && !sub ? "sizeof(*map)" :
					"offsetof(struct bpf_map_skeleton, mmaped) + sizeof(map->mmaped)");
	out_fmt(h->out, "\ts->maps = (struct bpf_map_skeleton *)calloc(%zu, s->map_skel_sz);\n", o->nmaps + 1);
	out_fmt(h->out, "\tif (!s->maps)\n\t\treturn -ENOMEM;\n\ts->map_cnt = %zu;\n", o->nmaps);
	for (size_t i = 0; i < o->nmaps; i++)
		map_put(h, &o->maps[i], i, sub);
}

void header_progs_fill(struct header *h, bool sub)
{
	const struct gen_object *o = h->o;

	if (!o->nprogs)
		return;
	out_str(h->out, "\n\ts->prog_skel_sz = sizeof(*s->progs);\n");
	out_fmt(h->out, "\ts->progs = (struct bpf_prog_skeleton *)calloc(%zu, sizeof(*s->progs));\n", o->nprogs);
	out_fmt(h->out, "\tif (!s->progs)\n\t\treturn -ENOMEM;\n\ts->prog_cnt = %zu;\n", o->nprogs);
	for (size_t i = 0; i < o->nprogs; i++) {
		out_fmt(h->out, "\n\ts->progs[%zu].name = ", i);
		literal_string(h->out, o->progs[i].name);
		out_fmt(h->out, ";\n\ts->progs[%zu].prog = &obj->progs.%s;\n", i, o->progs[i].ident);
		if (!sub)
			out_fmt(h->out, "\ts->progs[%zu].link = &obj->links.%s;\n", i, o->progs[i].ident);
	}
}

void header_vars_fill(struct header *h)
{
	const struct gen_object *o = h->o;
	size_t n = 0;

	for (size_t i = 0; i < o->nmaps; i++)
		n += o->maps[i].nvars;
	if (!n)
		return;
	out_str(h->out, "\n\ts->var_skel_sz = sizeof(*s->vars);\n");
	out_fmt(h->out, "\ts->vars = (struct bpf_var_skeleton *)calloc(%zu, sizeof(*s->vars));\n", n);
	out_fmt(h->out, "\tif (!s->vars)\n\t\treturn -ENOMEM;\n\ts->var_cnt = %zu;\n", n);
	n = 0;
	for (size_t i = 0; i < o->nmaps; i++)
		for (size_t k = 0; k < o->maps[i].nvars; k++, n++) {
			const struct gen_map *m = &o->maps[i];

			out_fmt(h->out, "\n\ts->vars[%zu].name = ", n);
			literal_string(h->out, m->vars[k].name);
			out_fmt(h->out,
				";\n\ts->vars[%zu].map = &obj->maps.%s;\n\ts->vars[%zu].addr = (void **)&obj->%s.%s;\n",
				n, m->ident, n, m->data, m->vars[k].ident);
		}
}

/* libbpf before 1.4 does not give access to the values of struct_ops maps: NULL. */
static void shadows_set(struct header *h)
{
	for (size_t i = 0; i < h->o->nmaps; i++) {
		const char *ident = h->o->maps[i].ident;

		if (h->o->maps[i].ops_type)
			out_fmt(h->out,
				"\tobj->struct_ops.%s = (__typeof__(obj->struct_ops.%s))bpf_map__initial_value(obj->maps.%s, &size);\n",
				ident, ident, ident);
	}
}

void header_put_open(struct header *h, const char *create, const char *open)
{
	if (h->o->nops)
		out_str(h->out, "\tsize_t size;\n");
	out_str(h->out, "\tint err;\n\n\tif (!obj) {\n\t\terrno = ENOMEM;\n\t\treturn NULL;\n\t}\n");
	header_text(h, "\terr = $__create_");
	out_fmt(h->out, "%s;\n\tif (!err)\n\t\terr = bpf_object__open_%s;\n", create, open);
	header_text(h, "\tif (err) {\n\t\t$__destroy(obj);\n\t\terrno = -err;\n\t\treturn NULL;\n\t}\n");
	shadows_set(h);
}
