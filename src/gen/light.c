/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/light.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "gen/header.h"
#include "gen/ident.h"
#include "kernel/log.h"

#define PAGE 4096u

/* The loader only numbers the programs that it loads, so they come first. */
static void progs_order(struct gen_object *o, struct arena *a)
{
	struct gen_prog *progs = arena_array(a, o->nprogs, sizeof(*progs));
	size_t n = 0;

	for (int loaded = 1; loaded >= 0; loaded--)
		for (size_t i = 0; i < o->nprogs; i++)
			if (bpf_program__autoload(o->progs[i].prog) == loaded)
				progs[n++] = o->progs[i];
	o->progs = progs;
}

/* A loader looks a function up when it runs, if libbpf knows that there is one. */
static int targets_check(const struct gen_object *o, struct err *e)
{
	for (size_t i = 0; i < o->nprogs; i++) {
		const struct bpf_program *p = o->progs[i].prog;

		if (!load_target_is_ours(p))
			continue;
		err_set(e, -ENOTSUP,
			"program %s: libbpf %s does not know section %s, and its loader would not find the function",
			bpf_program__name(p), log_library(), bpf_program__section_name(p));
		return err_hint(e, "build this program with libbpf 1.7 or newer");
	}
	return 0;
}

int light_make(struct light *ret, const struct loader_opts *opts, struct gen_object *o, struct arena *a, struct err *e)
{
	int err;

	/* It also numbers maps, so none may be left out. */
	if (o->left_out)
		return err_set(e, -ENOTSUP, "map %s is made from an unknown section", o->left_out);
	err = targets_check(o, e);
	if (err)
		return err;
	err = loader_make(&ret->loader, &ret->signature, o->obj, opts, a, e);
	if (!err)
		progs_order(o, a);
	return err;
}

static void struct_put(struct header *h)
{
	header_text(h, "struct $ {\n\tstruct bpf_loader_ctx ctx;\n");
	header_maps(h, "struct bpf_map_desc ");
	header_progs(h, "struct bpf_prog_desc ", "", "progs");
	header_progs(h, "int ", "_fd", "links");
	out_str(h->out, h->light->signature ? "\t__s32 keyring_id;\n" : "");
	header_sections(h);
	out_str(h->out, "};\n");
}

/* Write the system call that attaches the program; false: one call is not enough, and the user of the header attaches
 * it. */
static bool attach_call(struct header *h, struct bpf_program *prog)
{
	const char *section = bpf_program__section_name(prog), *slash = strchr(section, '/');
	enum bpf_prog_type type = bpf_program__type(prog);

	if (type == BPF_PROG_TYPE_RAW_TRACEPOINT && slash) {
		out_str(h->out, "prog_fd <= 0 ? 0 : skel_raw_tracepoint_open(");
		literal_string(h->out, slash + 1);
		out_str(h->out, ", prog_fd)");
	} else if (type == BPF_PROG_TYPE_TRACING && bpf_program__expected_attach_type(prog) == BPF_TRACE_ITER) {
		out_str(h->out, "prog_fd <= 0 ? 0 : skel_link_create(prog_fd, 0, BPF_TRACE_ITER)");
	} else if (type == BPF_PROG_TYPE_TRACING || type == BPF_PROG_TYPE_LSM) {
		out_str(h->out, "prog_fd <= 0 ? 0 : skel_raw_tracepoint_open(NULL, prog_fd)");
	} else {
		out_str(h->out, "0; /* to be attached by other means */\n\n\t(void)prog_fd");
		return false;
	}
	return true;
}

/* Write the function that attaches one program. Programs that are not loaded have none. */
static void attach_one(struct header *h, const struct gen_prog *p)
{
	const char *name = h->o->name;

	out_fmt(h->out,
		"\nstatic inline int %s__%s__attach(struct %s *skel)\n{\n\tint prog_fd = skel->progs.%s.prog_fd;\n\tint fd = ",
		name, p->ident, name, p->ident);
	if (attach_call(h, p->prog))
		out_fmt(h->out, ";\n\n\tif (fd > 0)\n\t\tskel->links.%s_fd = fd", p->ident);
	out_str(h->out, ";\n\treturn fd;\n}\n");
}

static void attach_put(struct header *h)
{
	const struct gen_object *o = h->o;

	for (size_t i = 0; i < o->nprogs; i++)
		attach_one(h, &o->progs[i]);
	header_text(
		h,
		"\n/* Returns 0, or the error of the first program that could not be attached. */\nstatic inline int $__attach(struct $ *skel)\n{\n\tint ret = 0;\n\n\t(void)skel;\n");
	for (size_t i = 0; i < o->nprogs; i++)
		out_fmt(h->out, "\tret = ret < 0 ? ret : %s__%s__attach(skel);\n", o->name, o->progs[i].ident);
	header_text(
		h,
		"\treturn ret < 0 ? ret : 0;\n}\n\nstatic inline void $__detach(struct $ *skel)\n{\n\t(void)skel;\n");
	for (size_t i = 0; i < o->nprogs; i++)
		out_fmt(h->out, "\tskel_closenz(skel->links.%s_fd);\n\tskel->links.%s_fd = 0;\n", o->progs[i].ident,
			o->progs[i].ident);
	out_str(h->out, "}\n");
}

static size_t mapped_size(const struct gen_map *m)
{
	size_t size = 0;

	bpf_map__initial_value(m->map, &size);
	return (size + PAGE - 1) / PAGE * PAGE;
}

static void destroy_put(struct header *h)
{
	const struct gen_object *o = h->o;

	header_text(
		h,
		"\n/* @skel may be NULL. */\nstatic inline void $__destroy(struct $ *skel)\n{\n\tif (!skel)\n\t\treturn;\n\t$__detach(skel);\n");
	for (size_t i = 0; i < o->nprogs; i++)
		out_fmt(h->out, "\tskel_closenz(skel->progs.%s.prog_fd);\n", o->progs[i].ident);
	for (size_t i = 0; i < o->nmaps; i++) {
		const struct gen_map *m = &o->maps[i];

		if (m->data)
			out_fmt(h->out,
				"\tif (skel->%s)\n\t\tskel_free_map_data(skel->%s, skel->maps.%s.initial_value, %zu);\n",
				m->data, m->data, m->ident, mapped_size(m));
		out_fmt(h->out, "\tskel_closenz(skel->maps.%s.map_fd);\n", m->ident);
	}
	out_str(h->out, "\tskel_free(skel);\n}\n");
}

/* The array has one more byte than the data, like the string literal that initializes it. */
static void data_put(struct header *h, const char *bytes, size_t n)
{
	out_str(h->out, "\t\tstatic const char data[");
	if (!*bytes && !memcmp(bytes, bytes + 1, n - 1)) {
		out_fmt(h->out, "%zu] __attribute__((__aligned__(8))) = \"\"", n + 1);
	} else {
		out_str(h->out, "] __attribute__((__aligned__(8))) =");
		literal_put(h->out, bytes, n, "\t\t\t");
	}
	out_str(h->out, ";\n\n");
}

static void open_put(struct header *h)
{
	const struct gen_object *o = h->o;

	header_text(
		h,
		"\nstatic inline struct $ *$__open(void)\n{\n\tstruct $ *skel = (struct $ *)skel_alloc(sizeof(*skel));\n\n"
		"\tif (!skel)\n\t\treturn NULL;\n");
	out_fmt(h->out, "\tskel->ctx.sz = sizeof(skel->ctx)%s%s;\n", o->nmaps ? " + sizeof(skel->maps)" : "",
		o->nprogs ? " + sizeof(skel->progs)" : "");
	for (size_t i = 0; i < o->nmaps; i++) {
		const struct gen_map *m = &o->maps[i];
		size_t size = 0;
		const void *p = m->data ? bpf_map__initial_value(m->map, &size) : NULL;

		if (!p || !size)
			continue;
		out_str(h->out, "\t{\n");
		data_put(h, p, size);
		out_fmt(h->out,
			"\t\tskel->%s = (__typeof__(skel->%s))skel_prep_map_data(data, %zu, sizeof(data) - 1);\n\t}\n",
			m->data, m->data, mapped_size(m));
		out_fmt(h->out,
			"\tif (!skel->%s) {\n\t\t%s__destroy(skel);\n\t\treturn NULL;\n\t}\n\tskel->maps.%s.initial_value = (__u64)(long)skel->%s;\n",
			m->data, o->name, m->ident, m->data);
	}
	out_str(h->out, "\treturn skel;\n}\n");
}

static void load_put(struct header *h)
{
	const struct gen_object *o = h->o;
	const struct loader *l = &h->light->loader;
	const struct loader_signature *s = h->light->signature;

	header_text(
		h,
		"\n/* Runs the loader, a program that creates maps and loads programs in the kernel. Returns 0 or -errno. */\n"
		"static inline int $__load(struct $ *skel)\n{\n\tstatic const char data[] __attribute__((__aligned__(8))) =");
	literal_put(h->out, l->data, l->data_size, "\t\t");
	out_str(h->out, ";\n\tstatic const char insns[] __attribute__((__aligned__(8))) =");
	literal_put(h->out, l->insns, l->insns_size, "\t\t");
	if (s) {
		out_str(h->out, ";\n\tstatic const char signature[] __attribute__((__aligned__(8))) =");
		literal_put(h->out, s->cms, s->cms_size, "\t\t");
		out_str(h->out, ";\n\tstatic const char hash[] __attribute__((__aligned__(8))) =");
		literal_put(h->out, (const char *)s->hash, sizeof(s->hash), "\t\t");
	}
	out_str(h->out,
		";\n\tstruct bpf_load_and_run_opts opts;\n\tint err;\n\n\tmemset(&opts, 0, sizeof(opts));\n\topts.ctx = &skel->ctx;\n"
		"\topts.data = (void *)data;\n\topts.data_sz = sizeof(data) - 1;\n\topts.insns = (void *)insns;\n\topts.insns_sz = sizeof(insns) - 1;\n");
	if (s)
		out_str(h->out,
			"\topts.signature = (void *)signature;\n\topts.signature_sz = sizeof(signature) - 1;\n\topts.excl_prog_hash = (void *)hash;\n"
			"\topts.excl_prog_hash_sz = sizeof(hash) - 1;\n\topts.keyring_id = skel->keyring_id;\n");
	out_str(h->out, "\terr = bpf_load_and_run(&opts);\n\tif (err < 0)\n\t\treturn err;\n");
	for (size_t i = 0; i < o->nmaps; i++) {
		const struct gen_map *m = &o->maps[i];

		if (m->data)
			out_fmt(h->out,
				"\tskel->%s = (__typeof__(skel->%s))skel_finalize_map_data(&skel->maps.%s.initial_value,\n\t\t%zu, %s, skel->maps.%s.map_fd);\n"
				"\tif (!skel->%s)\n\t\treturn -ENOMEM;\n",
				m->data, m->data, m->ident, mapped_size(m),
				bpf_map__map_flags(m->map) & BPF_F_RDONLY_PROG ? "PROT_READ" : "PROT_READ | PROT_WRITE",
				m->ident, m->data);
	}
	header_text(
		h,
		"\treturn 0;\n}\n\nstatic inline struct $ *$__open_and_load(void)\n{\n\tstruct $ *skel = $__open();\n\n"
		"\tif (!skel || !$__load(skel))\n\t\treturn skel;\n\t$__destroy(skel);\n\treturn NULL;\n}\n");
}

void light_put(struct header *h)
{
	header_begin(h, "SKEL");
	struct_put(h);
	attach_put(h);
	destroy_put(h);
	open_put(h);
	load_put(h);
	header_asserts(h);
	header_end(h, "SKEL");
}
