/* SPDX-License-Identifier: BSD-2-Clause */
#include "link/fields.h"
#include "kernel/names.h"
#include "link/link.h"

static const struct field link_fields[] = {
	FIELD(link_rec, info.id, "id", "id of the link", .also = "link_id", .unit = FU_LINK,
	      .plain = "%: ", .flags = FIELD_DEFAULT | FIELD_KEY),
	FIELD(link_rec, type, "type", "type of the link", .among = &names_link_type, .role = ROLE_KIND,
	      .also = "link_type", .plain = "%  ", .flags = FIELD_DEFAULT),
	/* The struct_ops kind has no program and prints "map" in its place. */
	FIELD(link_rec, info.prog_id, "prog_id", "id of the program that it runs", .unit = FU_PROG, .plain = "prog %  ",
	      .flags = FIELD_DEFAULT | FIELD_PLAIN_NZ),
	FIELD_PINNED(link_rec, owners, .line = LINK_LINE_PINS),
	FIELD_IF(link_rec, bpf_cookie, has_bpf_cookie, "bpf_cookie",
		 "cookie of its perf event, found through a process that holds the link", .plain = "bpf_cookie %",
		 .need = NEED_HOLDERS, .line = LINK_LINE_PINS + 1),
	FIELD_PIDS(link_rec, owners, .line = LINK_LINE_PINS + 2),
	FIELD_IF(link_rec, prog_name, has_prog, "prog_name", "name of the program", .role = ROLE_NAME,
		 .need = NEED_PROG, .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_OURS, .line = LINK_LINE_PINS + 3),
	FIELD_IF(link_rec, prog_type, has_prog, "prog_type", "type of the program", .among = &names_prog_type,
		 .role = ROLE_KIND, .need = NEED_PROG, .flags = FIELD_NOPLAIN),
	FIELD(link_rec, attach_to, "attach_to", "where the program runs: device, cgroup, function, tracepoint",
	      .need = NEED_TARGET | NEED_SYMBOLS, .flags = FIELD_DEFAULT | FIELD_NONZERO | FIELD_OURS,
	      .line = LINK_LINE_PINS + 3, .col = 1, FIELD_ALSO_IS(link_rec, at.funcs, at.nfuncs)),
	FIELD_OBJECT_OWNER(link_rec, owners, .line = LINK_LINE_PINS + 2, .col = 1, .flags = FIELD_DEFAULT),
	FIELD_PLACES(link_rec, owners.places, .line = LINK_LINE_PINS + 2),
};

static const struct schema *link_more(const void *rec)
{
	const struct link_rec *r = rec;

	return r->kind ? &r->kind->part : NULL;
}

const struct schema link_schema =
	SCHEMA("link", link_rec, link_fields, .more = link_more, .info_off = offsetof(struct link_rec, info),
	       .info_size = sizeof(struct abi_link_info), .info_len = offsetof(struct link_rec, info_len));
