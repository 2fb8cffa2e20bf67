/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/header.h"
#include "gen/ident.h"

static const char head[] =
	"struct $ {\n"
	"\tstruct bpf_object_skeleton *skeleton;\n"
	"\tstruct bpf_object *obj;\n";

static const char members[] =
	"\n"
	"#ifdef __cplusplus\n"
	"\tstatic inline struct $ *open(const struct bpf_object_open_opts *opts = NULL);\n"
	"\tstatic inline struct $ *open_and_load();\n"
	"\tstatic inline int load(struct $ *skel);\n"
	"\tstatic inline int attach(struct $ *skel);\n"
	"\tstatic inline void detach(struct $ *skel);\n"
	"\tstatic inline void destroy(struct $ *skel);\n"
	"\tstatic inline const void *elf_bytes(size_t *sz);\n"
	"#endif /* __cplusplus */\n"
	"};\n"
	"\n"
	"/* The object file, and its size in bytes. */\n"
	"static inline const void *$__elf_bytes(size_t *sz);\n"
	"\n"
	"/* @obj may be NULL. */\n"
	"static inline void $__destroy(struct $ *obj)\n"
	"{\n"
	"\tif (!obj)\n"
	"\t\treturn;\n"
	"\tif (obj->skeleton)\n"
	"\t\tbpf_object__destroy_skeleton(obj->skeleton);\n"
	"\tfree(obj);\n"
	"}\n"
	"\n"
	"/* Describes the object to libbpf, and where to store handles. Returns 0 or -errno; call $__destroy() in any case. */\n"
	"static inline int $__create_skeleton(struct $ *obj)\n"
	"{\n"
	"\tstruct bpf_object_skeleton *s = (struct bpf_object_skeleton *)calloc(1, sizeof(*s));\n";

static const char create[] =
	"\n"
	"\tif (!s)\n"
	"\t\treturn -ENOMEM;\n"
	"\tobj->skeleton = s;\n"
	"\ts->sz = sizeof(*s);\n"
	"\ts->name = \"$\";\n"
	"\ts->obj = &obj->obj;\n"
	"\ts->data = $__elf_bytes(&s->data_sz);\n";

static const char open_opts[] =
	"\n"
	"\treturn 0;\n"
	"}\n"
	"\n"
	"/* @opts may be NULL. Returns NULL and sets errno on failure, like $__open_and_load(). */\n"
	"static inline struct $ *$__open_opts(const struct bpf_object_open_opts *opts)\n"
	"{\n"
	"\tstruct $ *obj = (struct $ *)calloc(1, sizeof(*obj));\n";

static const char functions[] =
	"\treturn obj;\n"
	"}\n"
	"\n"
	"static inline struct $ *$__open(void)\n"
	"{\n"
	"\treturn $__open_opts(NULL);\n"
	"}\n"
	"\n"
	"/* Returns 0 or -errno, like $__attach(). */\n"
	"static inline int $__load(struct $ *obj)\n"
	"{\n"
	"\treturn bpf_object__load_skeleton(obj->skeleton);\n"
	"}\n"
	"\n"
	"static inline struct $ *$__open_and_load(void)\n"
	"{\n"
	"\tstruct $ *obj = $__open();\n"
	"\tint err = obj ? $__load(obj) : 0;\n"
	"\n"
	"\tif (!err)\n"
	"\t\treturn obj;\n"
	"\t$__destroy(obj);\n"
	"\terrno = -err;\n"
	"\treturn NULL;\n"
	"}\n"
	"\n"
	"static inline int $__attach(struct $ *obj)\n"
	"{\n"
	"\treturn bpf_object__attach_skeleton(obj->skeleton);\n"
	"}\n"
	"\n"
	"static inline void $__detach(struct $ *obj)\n"
	"{\n"
	"\tbpf_object__detach_skeleton(obj->skeleton);\n"
	"}\n";

static const char cplusplus[] =
	"}\n"
	"\n"
	"#ifdef __cplusplus\n"
	"struct $ *$::open(const struct bpf_object_open_opts *opts) { return $__open_opts(opts); }\n"
	"struct $ *$::open_and_load() { return $__open_and_load(); }\n"
	"int $::load(struct $ *skel) { return $__load(skel); }\n"
	"int $::attach(struct $ *skel) { return $__attach(skel); }\n"
	"void $::detach(struct $ *skel) { $__detach(skel); }\n"
	"void $::destroy(struct $ *skel) { $__destroy(skel); }\n"
	"const void *$::elf_bytes(size_t *sz) { return $__elf_bytes(sz); }\n"
	"#endif /* __cplusplus */\n";

/* Write the object's bytes, or a directive for the assembler to read them. */
static void bytes_put(struct header *h)
{
	if (h->incbin) {
		header_text(h, "\n__asm__(\".pushsection .rodata\\n.balign 8\\n$__elf_begin:\\n.incbin \\\"");
		out_str(h->out, h->incbin);
		header_text(
			h,
			"\\\"\\n$__elf_end:\\n.popsection\\n\");\n"
			"extern const char $__elf_begin[] __asm__(\"$__elf_begin\") __attribute__((visibility(\"hidden\")));\n"
			"extern const char $__elf_end[] __asm__(\"$__elf_end\") __attribute__((visibility(\"hidden\")));\n");
	}
	header_text(h, "\nstatic inline const void *$__elf_bytes(size_t *sz)\n{\n");
	if (h->incbin) {
		header_text(h, "\t*sz = (size_t)($__elf_end - $__elf_begin);\n\treturn $__elf_begin;\n");
		return;
	}
	out_str(h->out, "\tstatic const char data[] __attribute__((__aligned__(8))) =");
	literal_put(h->out, h->o->elf.p, h->o->elf.n, "\t\t");
	out_str(h->out, ";\n\n\t*sz = sizeof(data) - 1;\n\treturn data;\n");
}

static void links_put(struct header *h)
{
	const struct gen_object *o = h->o;

	if (!o->nprogs && !o->links_maps)
		return;
	out_str(h->out, "\tstruct {\n");
	for (size_t i = 0; i < o->nprogs; i++)
		out_fmt(h->out, "\t\tstruct bpf_link *%s;\n", o->progs[i].ident);
	for (size_t i = 0; i < o->nmaps; i++)
		if (o->maps[i].struct_ops)
			out_fmt(h->out, "\t\tstruct bpf_link *%s;\n", o->maps[i].ident);
	out_str(h->out, "\t} links;\n");
}

void skeleton_put(struct header *h)
{
	header_begin(h, "SKEL");
	header_text(h, head);
	header_maps(h, "struct bpf_map *");
	header_shadows(h);
	header_progs(h, "struct bpf_program *", "", "progs");
	links_put(h);
	header_sections(h);
	header_text(h, members);
	if (h->o->nmaps)
		out_str(h->out, "\tstruct bpf_map_skeleton *map;\n");
	header_text(h, create);
	header_maps_fill(h, false);
	header_progs_fill(h, false);
	header_text(h, open_opts);
	header_put_open(h, "skeleton(obj)", "skeleton(obj->skeleton, opts)");
	header_text(h, functions);
	bytes_put(h);
	header_text(h, cplusplus);
	header_asserts(h);
	header_end(h, "SKEL");
}
