/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"
#include "all/ls.h"
#include "audit/audit.h"
#include "cgroup/cgroup.h"
#include "cli/change.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "cli/doc/doc.h"
#include "cli/place.h"
#include "diff/diff.h"
#include "doctor/doctor.h"
#include "events/events.h"
#include "feature/feature.h"
#include "gen/gen.h"
#include "info/info.h"
#include "iter/iter.h"
#include "link/link.h"
#include "map/map.h"
#include "mem/mem.h"
#include "metrics/metrics.h"
#include "net/net.h"
#include "object/object.h"
#include "perf/perf.h"
#include "pin/pin.h"
#include "prog/addr/addr.h"
#include "prog/prog.h"
#include "recording/recording.h"
#include "relate/relate.h"
#include "struct_ops/struct_ops.h"
#include "token/token.h"
#include "top/top.h"
#include "types/btf.h"
#include "types/files.h"

int (*const base_btf_check)(const char *path, struct err *e) = btf_base_check;
bool (*const names_are_newer)(struct machine *m, const struct name_table *t, const char *word) = btf_has_word;

const struct names names_object_kind = { object_kind_names, OBJECT_KINDS };
const struct kind *const kinds[] = { &kind_prog, &kind_map, &kind_link, &kind_btf, NULL };

/*
 * place_link comes last, because it lists the links that no other place has listed. place_trace accepts every WHERE
 * that the places before it do not know.
 */
#define PLACES(X) \
	X(place_net) \
	X(place_socket) X(place_cgroup) X(place_map) X(place_trace) X(place_iter) X(place_struct_ops) X(place_link)

#define DECLARE(one) extern const struct place one;
#define PLACE(one) &one,
PLACES(DECLARE)
const struct place *const places[] = { PLACES(PLACE) NULL };

/*
 * First words, in the order in which bpftool looks them up: the first one that an abbreviation matches is used, so the
 * order is part of compatibility. Ours follow and never change the meaning of a word of bpftool's.
 */
const struct group groups[] = {
	{ .name = "help", .help = "this summary, or the usage of one command", .alone = &command_help },
	{ .name = "batch", .help = "run commands from a file", .topic = TOPIC_CHANGE, .alone = &command_batch },
	{ .name = "prog", .help = "programs", .topic = TOPIC_SEE, .kind = &kind_prog },
	{ .name = "map", .help = "maps", .topic = TOPIC_SEE, .kind = &kind_map },
	{ .name = "link", .help = "links", .topic = TOPIC_SEE, .kind = &kind_link },
	{ .name = "cgroup",
	  .help = "programs attached to cgroups",
	  .topic = TOPIC_SEE,
	  .commands = cgroup_commands,
	  .schema = &cgroup_schema },
	{ .name = "net",
	  .help = "programs on the network",
	  .topic = TOPIC_SEE,
	  .commands = net_commands,
	  .schema = &schema_net },
	{ .name = "perf",
	  .help = "perf events and tracepoints that run programs",
	  .topic = TOPIC_SEE,
	  .commands = perf_commands,
	  .schema = &perf_schema },
	{ .name = "feature",
	  .help = "features of the kernel",
	  .topic = TOPIC_SEE,
	  .commands = feature_commands,
	  .schema = &feature_schema },
	{ .name = "btf", .help = "type information", .topic = TOPIC_TYPES, .kind = &kind_btf },
	{ .name = "gen",
	  .help = "headers, objects and types made of object files",
	  .topic = TOPIC_FILES,
	  .commands = gen_commands },
	{ .name = "struct_ops",
	  .help = "tables of operations that programs implement",
	  .topic = TOPIC_SEE,
	  .kind = &kind_struct_ops },
	{ .name = "iter",
	  .help = "programs that walk the kernel's objects",
	  .topic = TOPIC_SEE,
	  .commands = iter_commands,
	  .schema = &schema_iter },
	{ .name = "token",
	  .help = "mounts of bpffs that delegate rights",
	  .topic = TOPIC_SEE,
	  .commands = token_commands,
	  .schema = &token_schema },
	{ .name = "version", .help = "versions of the program and its libraries", .alone = &command_version },
	{ .name = "pin",
	  .help = "pinned objects and their paths",
	  .topic = TOPIC_SEE,
	  .commands = pin_commands,
	  .schema = &pin_schema,
	  .ours = true },
	{ .name = "object",
	  .help = "contents of an object file",
	  .topic = TOPIC_FILES,
	  .commands = object_commands,
	  .schema = &object_schema,
	  .ours = true,
	  .files = true },
	{ .name = "save",
	  .help = "the machine's BPF state as a file",
	  .topic = TOPIC_FILES,
	  .alone = &command_save,
	  .ours = true },
	{ .name = "info",
	  .help = "what such a file is: host, kernel, time, completeness",
	  .topic = TOPIC_FILES,
	  .alone = &command_info,
	  .schema = &info_schema,
	  .ours = true },
	{ .name = "record",
	  .help = "the same, with every program that is loaded meanwhile",
	  .topic = TOPIC_MEASURE,
	  .alone = &command_record,
	  .schema = &recorded_schema,
	  .ours = true },
	{ .name = "addr",
	  .help = "program and source line of an address, or of a trace's",
	  .topic = TOPIC_SEE,
	  .alone = &command_addr,
	  .schema = &schema_addr,
	  .ours = true },
	{ .name = "ls",
	  .help = "all attachments, in one list",
	  .topic = TOPIC_SEE,
	  .alone = &command_ls,
	  .schema = &ls_schema,
	  .ours = true },
	{ .name = "attach",
	  .help = "attach a program at a place",
	  .topic = TOPIC_CHANGE,
	  .alone = &command_attach,
	  .listing = &command_attach_list,
	  .schema = &change_schema,
	  .ours = true },
	{ .name = "detach",
	  .help = "detach a program from a place",
	  .topic = TOPIC_CHANGE,
	  .alone = &command_detach,
	  .schema = &change_schema,
	  .ours = true },
	{ .name = "unpin",
	  .help = "remove pins of any kind",
	  .topic = TOPIC_CHANGE,
	  .alone = &command_unpin,
	  .schema = &change_schema,
	  .ours = true },
	{ .name = "events",
	  .help = "BPF objects as they come and go",
	  .topic = TOPIC_MEASURE,
	  .alone = &command_events,
	  .schema = &events_schema,
	  .ours = true },
	{ .name = "report",
	  .help = "programs that took the time of a recording",
	  .topic = TOPIC_MEASURE,
	  .alone = &command_report,
	  .schema = &report_schema,
	  .ours = true },
	{ .name = "annotate",
	  .help = "instructions that took the time of a program",
	  .topic = TOPIC_MEASURE,
	  .alone = &command_annotate,
	  .ours = true },
	{ .name = "doctor",
	  .help = "why something is empty, slow or refused, and the remedy",
	  .topic = TOPIC_SEE,
	  .alone = &command_doctor,
	  .schema = &doctor_schema,
	  .ours = true },
	{ .name = "diff",
	  .help = "differences between two times or machines",
	  .topic = TOPIC_FILES,
	  .alone = &command_diff,
	  .schema = &diff_schema,
	  .ours = true },
	{ .name = "mem",
	  .help = "kernel memory of objects",
	  .topic = TOPIC_MEASURE,
	  .alone = &command_mem,
	  .schema = &mem_schema,
	  .ours = true },
	{ .name = "metrics",
	  .help = "counters and sizes of objects, for Prometheus",
	  .topic = TOPIC_MEASURE,
	  .alone = &command_metrics,
	  .schema = &metrics_schema,
	  .ours = true },
	{ .name = "top",
	  .help = "what programs cost now",
	  .topic = TOPIC_MEASURE,
	  .alone = &command_top,
	  .schema = &top_schema,
	  .ours = true },
	{ .name = "graph",
	  .help = "which objects hold which",
	  .topic = TOPIC_SEE,
	  .alone = &command_graph,
	  .schema = &graph_node_schema,
	  .ours = true },
	{ .name = "why",
	  .help = "why an object is still loaded",
	  .topic = TOPIC_SEE,
	  .alone = &command_why,
	  .schema = &why_schema,
	  .ours = true },
	{ .name = "orphans",
	  .help = "objects and attachments that may be unused",
	  .topic = TOPIC_SEE,
	  .alone = &command_orphans,
	  .schema = &orphan_schema,
	  .ours = true },
	{ .name = "audit",
	  .help = "whether all ways of listing objects agree",
	  .topic = TOPIC_SEE,
	  .alone = &command_audit,
	  .schema = &audit_schema,
	  .ours = true },
	{ .name = "schema",
	  .help = "keys of the JSON that each command prints",
	  .topic = TOPIC_TYPES,
	  .alone = &command_keys,
	  .ours = true },
	{ .name = "__complete", .alone = &command_complete, .ours = true, .raw = true },
	{ .name = "__doc", .alone = &command_doc, .ours = true, .raw = true },
	{ .name = NULL },
};
