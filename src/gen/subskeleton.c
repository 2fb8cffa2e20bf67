/* SPDX-License-Identifier: BSD-2-Clause */
#include "gen/header.h"

static const char head[] =
	"struct $ {\n"
	"\tstruct bpf_object *obj;\n"
	"\tstruct bpf_object_subskeleton *subskel;\n";

static const char members[] =
	"\n"
	"#ifdef __cplusplus\n"
	"\tstatic inline struct $ *open(const struct bpf_object *src);\n"
	"\tstatic inline void destroy(struct $ *skel);\n"
	"#endif /* __cplusplus */\n"
	"};\n"
	"\n"
	"/* @skel may be NULL. The object stays open. */\n"
	"static inline void $__destroy(struct $ *skel)\n"
	"{\n"
	"\tif (!skel)\n"
	"\t\treturn;\n"
	"\tif (skel->subskel)\n"
	"\t\tbpf_object__destroy_subskeleton(skel->subskel);\n"
	"\tfree(skel);\n"
	"}\n"
	"\n"
	"/* Tells libbpf what to find in an object, and where to store it. Returns 0 or -errno; call $__destroy() in any case. */\n"
	"static inline int $__create_subskeleton(struct $ *obj, const struct bpf_object *src)\n"
	"{\n"
	"\tstruct bpf_object_subskeleton *s = (struct bpf_object_subskeleton *)calloc(1, sizeof(*s));\n";

static const char create[] =
	"\n"
	"\tif (!s)\n"
	"\t\treturn -ENOMEM;\n"
	"\tobj->subskel = s;\n"
	"\ts->sz = sizeof(*s);\n"
	"\ts->obj = src;\n"
	"\tobj->obj = (struct bpf_object *)src;\n";

static const char open[] =
	"\n"
	"\treturn 0;\n"
	"}\n"
	"\n"
	"/* Finds these in an object that the caller opened. Returns NULL and sets errno on failure. */\n"
	"static inline struct $ *$__open(const struct bpf_object *src)\n"
	"{\n"
	"\tstruct $ *obj = (struct $ *)calloc(1, sizeof(*obj));\n";

static const char tail[] =
	"\treturn obj;\n"
	"}\n"
	"\n"
	"#ifdef __cplusplus\n"
	"struct $ *$::open(const struct bpf_object *src) { return $__open(src); }\n"
	"void $::destroy(struct $ *skel) { $__destroy(skel); }\n"
	"#endif /* __cplusplus */\n";

void subskeleton_put(struct header *h)
{
	header_begin(h, "SUBSKEL");
	header_text(h, head);
	header_maps(h, "struct bpf_map *");
	header_shadows(h);
	header_progs(h, "struct bpf_program *", "", "progs");
	header_section_pointers(h);
	header_text(h, members);
	if (h->o->nmaps)
		out_str(h->out, "\tstruct bpf_map_skeleton *map;\n");
	header_text(h, create);
	header_maps_fill(h, true);
	header_progs_fill(h, true);
	header_vars_fill(h);
	header_text(h, open);
	header_put_open(h, "subskeleton(obj, src)", "subskeleton(obj->subskel)");
	header_text(h, tail);
	header_end(h, "SUBSKEL");
}
