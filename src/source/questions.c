/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/questions.h"

#include "source/live/live.h"

#define OF_EACH(first, pat, wht, hlp, sav, fn, ...) \
	[first + \
		OBJECT_PROG] = { "prog/#/" pat, wht " program #", hlp, ABOUT_PROG, sav, .text = fn, ##__VA_ARGS__ }, \
		[first + OBJECT_MAP] = { "map/#/" pat, wht " map #", hlp, ABOUT_MAP, sav, .text = fn, ##__VA_ARGS__ }, \
		[first + \
			OBJECT_LINK] = { "link/#/" pat, wht " link #", hlp, ABOUT_LINK, sav, .text = fn, ##__VA_ARGS__ }, \
		[first + OBJECT_BTF] = { "btf/#/" pat, wht " BTF object #", hlp,	  ABOUT_BTF, \
					 sav,	       .text = fn,	    ##__VA_ARGS__ }
#define IDS(kind, word, noun) \
	[Q_IDS + kind] = { word "/ids", \
			   "the list of " noun "s", \
			   "ids of all " noun "s: uint32_t[], ascending", \
			   ABOUT_MACHINE, \
			   SAVED_ALWAYS, \
			   .record = "I", \
			   .text = live_ids }
#define ARRAY(q, name, noun, ...) \
	[q] = { "prog/#/" name, noun " of program #", "array " name " of struct bpf_prog_info", \
		ABOUT_PROG,	SAVED_ALWAYS,	      .live = live_prog_array, \
		##__VA_ARGS__ }
#define MAP(q, name, sav, fn, wht, hlp, ...) \
	[q] = { "map/#/" name, wht " of map #", hlp, ABOUT_MAP, sav, .text = fn, ##__VA_ARGS__ }
#define NET(q, name, wht, hlp) \
	[q] = { "net/#/" name,	 wht " of network namespace #", hlp, ABOUT_PLACE, SAVED_READ, .swap = swap_netlink, \
		.text = live_net }
#define SYS(q, name, fn, wht, hlp, ...) \
	[q] = { "sys/" name, wht, hlp, ABOUT_MACHINE, SAVED_ALWAYS, .text = fn, ##__VA_ARGS__ }

/* clang-format off */
const struct question_row questions[QUESTIONS] = {
	IDS(OBJECT_PROG, "prog", "program"),
	IDS(OBJECT_MAP, "map", "map"),
	IDS(OBJECT_LINK, "link", "link"),
	IDS(OBJECT_BTF, "btf", "BTF object"),
	OF_EACH(Q_INFO, "info", "the info of", "struct bpf_*_info, as many bytes as the kernel returned, its pointers zero", SAVED_ALWAYS, live_info, .swap = swap_info),
	OF_EACH(Q_FDINFO, "fdinfo", "the fdinfo of", "text of /proc/self/fdinfo/FD", SAVED_READ, live_fdinfo),
	OF_EACH(Q_BUF, "buf/$", "strings and arrays of", "the buffers of the pointers in the info struct: for each, uint32_t bytes "
		"and the bytes", SAVED_READ, NULL, .live = live_buf, .swap = swap_buf),
	OF_EACH(Q_HOLDERS_OF, "holders", "the processes that hold", "struct holder_raw[] (own/holders.h)", SAVED_NEVER, live_holders_of, .record = "4IQ16s"),

	ARRAY(Q_PROG_XLATED, "xlated", "translated code"),
	ARRAY(Q_PROG_JITED, "jited", "machine code"),
	ARRAY(Q_PROG_MAP_IDS, "map_ids", "maps", .record = "I"),
	ARRAY(Q_PROG_JITED_KSYMS, "jited_ksyms", "addresses of functions", .record = "Q"),
	ARRAY(Q_PROG_JITED_FUNC_LENS, "jited_func_lens", "sizes of functions", .record = "I"),
	ARRAY(Q_PROG_FUNC_INFO, "func_info", "func_info", .record = "I"),
	ARRAY(Q_PROG_LINE_INFO, "line_info", "line_info", .record = "I"),
	ARRAY(Q_PROG_JITED_LINE_INFO, "jited_line_info", "jited_line_info", .record = "Q"),
	ARRAY(Q_PROG_PROG_TAGS, "prog_tags", "tags of functions"),

	MAP(Q_MAP_ELEMS, "elems/$", SAVED_DATA, NULL, "elements",
	    "a batch of elements (source/elems.h); TEXT is \"start\" or the cursor in the previous batch", .swap = swap_elems, .live = live_elems),
	MAP(Q_MAP_COUNT, "count", SAVED_READ, live_count, "the number of elements",
	    "\"N\\n\": found by walking, for maps that sys/map_counts does not have"),
	MAP(Q_MAP_RING, "ring", SAVED_READ, live_ring, "the positions",
	    "\"consumer_pos:\\tN\\nproducer_pos:\\tN\\n\": positions in a ring buffer, in bytes"),
	MAP(Q_MAP_STORAGE, "storage", SAVED_DATA, live_storage, "the local storage",
	    "values of local storage and their owners (source/storage.h)", .swap = swap_storage),
	MAP(Q_MAP_SLOTS, "slots", SAVED_ALWAYS, live_slots, "the programs in slots",
	    "\"KEY PROG\\n\": programs in a prog_array, devmap, devmap_hash or cpumap"),
	MAP(Q_MAP_INNER, "inner", SAVED_ALWAYS, live_inner, "the inner maps", "ids of the maps in a map of maps: uint32_t[], unordered", .record = "I"),
	[Q_MAP_PROGS] = { "map/#/progs", "the programs of map #", "answers of BPF_PROG_QUERY for the sockets of a sockmap or sockhash "
		"(kernel/query.h)", ABOUT_MAP, SAVED_ALWAYS, .swap = swap_queries, .text = live_map_progs },
	MAP(Q_MAP_STRUCT_OPS, "struct_ops", SAVED_ALWAYS, live_struct_ops, "the table of operations",
	    "the value of a struct_ops map: state, ids of its programs, and the members that its loader set"),
	MAP(Q_MAP_PAGES, "pages/@", SAVED_DATA, NULL, "pages", "the existing pages of an arena, from page N on (source/pages.h)", .swap = swap_pages, .live = live_pages),
	MAP(Q_MAP_SOCKETS, "sockets", SAVED_DATA, live_sockets, "the sockets",
	    "the sockets in a sockmap or sockhash, with their keys (source/storage.h)", .swap = swap_sockets),
	MAP(Q_MAP_XSK, "xsk", SAVED_DATA, live_xsk, "the AF_XDP sockets", "the AF_XDP sockets in an xskmap (source/xsk.h)", .record = "4IQ16s"),

	[Q_BTF_NAME] = { "btf/#/name", "the name of BTF object #", "its name, without NUL", ABOUT_BTF, SAVED_ALWAYS, .live = live_btf_name },
	[Q_BTF_DATA] = { "btf/#/data", "the types of BTF object #", "raw BTF", ABOUT_BTF, SAVED_ALWAYS, .live = live_btf_data },

	[Q_PIN] = { "pin/$", "the pin", "\"KIND ID\\n\": the object pinned at an absolute path", ABOUT_PLACE, SAVED_READ, .text = live_pin },
	[Q_FUNC] = { "func/#/*/$", "the function at a file's offset", "\"NAME[+0xOFF]\": the function at an offset in the file at an absolute "
		"path as process ID sees it, 0: as we see it; empty: no function", ABOUT_PLACE, SAVED_READ, .of_process = true, .none = { -ENOENT }, .text = live_func },
	[Q_TASK_CGROUP] = { "task/#/cgroup", "the cgroups of process #", "text of /proc/PID/cgroup", ABOUT_PLACE, SAVED_READ, .of_process = true, .none = { -ENOENT, -ESRCH },
		.text = live_task_cgroup },
	[Q_CGROUP_PROGS] = { "cgroup/#/progs", "the programs of cgroup #", "answers of BPF_PROG_QUERY (kernel/query.h) for all its hooks "
		"that have programs", ABOUT_PLACE, SAVED_READ, .swap = swap_queries, .text = live_cgroup },
	[Q_CGROUP_EFFECTIVE] = { "cgroup/#/effective", "the effective programs of cgroup #", "the same, with the programs inherited from the cgroups above",
		ABOUT_PLACE, SAVED_READ, .swap = swap_queries, .text = live_cgroup },
	[Q_CGROUP_AT] = { "cgroup_at/$", "the cgroup", "\"ID\\n\" of the directory; -EBADF: not a cgroup v2 directory", ABOUT_PLACE, SAVED_NEVER,
		.text = live_cgroup_at },
	NET(Q_NET_LINKS, "links", "the devices", "rtnetlink messages of RTM_GETLINK, the whole dump"),
	NET(Q_NET_QDISCS, "qdiscs", "the qdiscs", "the same of RTM_GETQDISC"),
	NET(Q_NET_ACTIONS, "actions", "the actions", "the same of RTM_GETACTION, kind bpf"),
	NET(Q_NET_CLASSES, "classes/@", "the classes of a device", "the same of RTM_GETTCLASS of one device"),
	NET(Q_NET_FILTERS, "filters/@/~", "the filters of a device", "the same of RTM_GETTFILTER of one device and parent"),
	[Q_NET_QUERY] = { "net/#/query/@/$", "the programs at a hook of a device of network namespace #", "BPF_PROG_QUERY (kernel/query.h) of the "
		"attach type TEXT on device N, 0: of the namespace; empty: the hook does not exist", ABOUT_PLACE, SAVED_READ,
		.swap = swap_queries, .none = { -EINVAL, -ENODEV, -EACCES }, .text = live_net },

	[Q_COUNTED] = { "sys/counted", "the ids of objects, by list and iterator", "\"WAY KIND ID\\n\" for objects and processes. listed: it is in the list of ids, or in /proc; "
	    "walked: an iterator of the kernel returned it, after the list was made; before: objects with a lower id existed before the list; "
	    "\"? WAY KIND ERRNO\\n\": refused", ABOUT_MACHINE, SAVED_READ, .text = live_counted },
	SYS(Q_PINS, "pins", live_pins, "the list of pins", "\"KIND ID PATH\\n\" for each pin in any mounted bpffs, PATH escaped as in /proc/mounts, in another mount namespace below /proc/PID/root; "
	    "\"? processes ERRNO\\n\": some other mount namespaces were not read; "
	    "\"? ERRNO PATH\\n\" for a path that could not be read"),
	SYS(Q_HOLDERS, "holders", live_holders, "the processes that hold objects", "struct holder_raw[] (own/holders.h)", .record = "4IQ16s"),
	[Q_MAP_COUNTS] = { "sys/map_counts", "the numbers of elements", "\"ID N\\n\" for each map whose elements the kernel counts "
	    "(own/counts.h)", ABOUT_MACHINE, SAVED_READ, .text = live_map_counts },
	SYS(Q_KALLSYMS, "kallsyms", live_kallsyms, "the kernel's symbols", "text of /proc/kallsyms"),
	[Q_KSYM] = { "sys/ksym/*", "a kernel symbol", "\"NAME+0xOFF/0xSIZE[ [MODULE]]\": the symbol at an address", ABOUT_PLACE, SAVED_NEVER,
		.text = live_ksym },
	[Q_CALL_BASE] = { "sys/ksym/__bpf_call_base", "the address of __bpf_call_base", "\"0xADDR\"", ABOUT_PLACE, SAVED_NEVER,
		.text = live_call_base },
	SYS(Q_IFACES, "ifaces", live_ifaces, "the names of network devices", "\"INDEX NAME\\n\" for each network device of our namespace"),
	SYS(Q_NETNS, "netns", live_netns, "our network namespace", "\"DEV INO\\n\" of our network namespace"),
	SYS(Q_NETNS_LIST, "netns_list", live_netns_list, "the list of network namespaces", "\"DEV INO PATH\\n\" for each network namespace that a "
	    "task, a mount or a descriptor holds, once, our own first; PATH opens it, escaped as in /proc/mounts; "
	    "\"? processes ERRNO\\n\", \"? sockets ERRNO\\n\": they were not read"),
	[Q_LINK_NETNS] = { "sys/link_netns", "the network namespaces of links", "\"LINK_ID INO\\n\" for links on devices and of "
	    "netfilter (own/link_netns.h)", ABOUT_MACHINE, SAVED_READ, .text = live_link_netns },
	SYS(Q_CLOCK, "clock", live_clock, "the time of boot", "\"NS\\n\": CLOCK_REALTIME minus CLOCK_BOOTTIME, rounded to milliseconds"),
	SYS(Q_CPUS, "cpus", live_cpus, "the number of CPUs", "\"N\\n\": possible CPUs; a line with their numbers if these have holes"),
	SYS(Q_CGROUPS, "cgroups", live_cgroups, "the list of cgroups", "\"ID PATH\\n\" for each cgroup v2 directory, once, parents before children; "
	    "PATH relative to its mount, whose root is \"/\" and comes before the cgroups below it; \"? ERRNO PATH\\n\": those below it were not read"),
	SYS(Q_CGROUP_MOUNTS, "cgroup_mounts", live_cgroup_mounts, "the cgroup mounts", "\"ID PATH\\n\" for each cgroup2 mount, ID that of its root, PATH "
	    "escaped as in /proc/mounts"),
	SYS(Q_UNAME, "uname", live_uname, "the kernel's release", "\"SYSNAME RELEASE MACHINE\\nHOST\\n\", HOST escaped as in /proc/mounts"),
	SYS(Q_LIMITS, "limits", live_limits, "settings of BPF", "\"NAME N\\n\" of kptr_restrict, bpf_jit_enable, bpf_jit_harden, "
	    "bpf_jit_kallsyms, bpf_jit_limit, unprivileged_bpf_disabled, bpf_stats_enabled and page_size; - if unreadable"),
	SYS(Q_ACCESS, "access", live_access, "what access to BPF depends on", "\"NAME VALUE\\n\": lockdown, lsm, caps_missing, token (in a user namespace), memlock, vmlinux, pids and "
	    "tracefs (host/access.h); - if unreadable"),
	SYS(Q_TASK_FDS, "task_fds", live_task_fds, "the perf events and raw tracepoints of processes", "struct task_fd_raw and names "
	    "(host/task_fds.h): descriptors that run a program", .swap = swap_task_fds),
	SYS(Q_SOCKET_FILTERS, "socket_filters", live_socket_filters, "the filters of sockets", "\"PID FD HOOK PROG COMM N[,CODE JT JF K]...\\n\" for each "
	    "socket of a process that has one: PROG 0: a classic filter, N: how many instructions it has, and these; ?: unknown; -: none; COMM escaped as in "
	    "/proc/mounts; \"? PID ERRNO\\n\": a process whose sockets were not read"),
	SYS(Q_PMUS, "pmus", live_pmus, "the names of perf event sources", "\"TYPE NAME\\n\" for each type of perf event that devices and modules add"),
	[Q_TRACEPOINTS] = { "sys/tracepoints", "the list of tracepoints", "\"CATEGORY:NAME\\n\" for each tracepoint that perf events can use",
		ABOUT_MACHINE, SAVED_READ, .text = live_tracepoints },
	[Q_TRACEPOINT_FORMAT] = { "sys/tracepoint/$", "the format of tracepoint", "text of the format file of CATEGORY:NAME in tracefs", ABOUT_PLACE, SAVED_READ,
		.text = live_tracepoint_format },
	[Q_VMLINUX] = { "sys/vmlinux", "the kernel's types", "the kernel's BTF from /sys/kernel/btf, for kernels where it has no id (before Linux 5.11)",
		ABOUT_MACHINE, SAVED_READ, .text = live_vmlinux },
	SYS(Q_KCONFIG, "kconfig", live_kconfig, "the kernel's configuration", "text of /boot/config-RELEASE or /proc/config.gz"),
	[Q_FEATURES] = { "sys/features/#/@", "what the kernel can do", "\"bpf|prog|helpers|kfuncs|map|misc ...\\n\" for each probe (own/probe/probe.h); ID is "
		"FEATURES_FULL, FEATURES_UNPRIVILEGED, FEATURES_KFUNCS (source/questions.h), N a network device", ABOUT_MACHINE, SAVED_READ, .text = live_features },

	SYS(Q_BPFFS, "bpffs", live_bpffs, "the mounts of bpffs", "\"INO PID LINE\\n\" for each mount in each mount namespace, our own first: the namespace, "
	    "a process in it, 0: ours, and the line of its mountinfo; \"? processes ERRNO\\n\": some namespaces were not read"),
	[Q_SAMPLING] = { "sys/sampling", "how samples were taken", "\"EVENT HZ FROM TO LOST\\n\" of a recording with samples: HZ samples per second "
		"and CPU, times in ns since boot, TO 0: the recorder was killed", ABOUT_MACHINE, SAVED_RECORDED },
	[Q_SAMPLES] = { "samples/#", "samples, piece #,", "a piece of the samples of a recording, numbered from 0: struct sample_raw and return addresses, "
		"uint64_t[] (source/samples.h)", ABOUT_PLACE, SAVED_RECORDED, .swap = swap_samples },
	[Q_SAMPLED_TASKS] = { "sys/sampled_tasks", "the names of sampled threads", "\"TID PID COMM\\n\" for each thread in samples, COMM escaped as in "
		"/proc/mounts", ABOUT_MACHINE, SAVED_RECORDED },
	[Q_COUNTERS] = { "counters/#", "counters, piece #,", "the counters of programs in a recording at some moments, a second apart, numbered from 0: numbers of 7 bits a byte "
		"(source/counters.h)", ABOUT_PLACE, SAVED_RECORDED },
	[Q_LISTED] = { "listed/#", "the lists of objects, piece #,", "which maps, links and BTF objects came and went in a recording (source/lives.h), pieces numbered from 0, one for each "
		"look at the kernel's lists at which something had changed: \"at TIME SINCE\\n\", in ns since boot, SINCE: the look before, 0: none, then \"+ KIND ID\\n\": it is there, and was not at the look before, or "
		"\"- KIND ID\\n\": it has gone; piece 0 has all that is there when the file begins", ABOUT_PLACE, SAVED_RECORDED },
	[Q_LIVES] = { "sys/lives", "the lives of programs", "of a recording (source/lives.h): \"recorded FROM TO\\n\", then for each program \"ID LOADED "
		"GONE PID UID HOW MISSING COMM\\n\", times in ns since boot, TO 0: the recorder was killed; GONE -: not gone; ?: unknown; HOW before, "
		"copied, asked or missed; COMM escaped as in /proc/mounts", ABOUT_MACHINE, SAVED_RECORDED },

	[Q_CODES] = { "sys/code", "the code that belongs to no program", "of a recording (source/codes.h): \"ADDRESS BYTES FROM GONE PROG PID CODE COMM NAME\\n\" "
		"for each piece of machine code that belongs to no program in it, in the order recorded; FROM ?: before the recording; GONE -: not gone; "
		"PROG: id of its program, which is missing; CODE: code/CODE has the bytes; ?: unknown; -: none; COMM and NAME escaped as in /proc/mounts",
		ABOUT_MACHINE, SAVED_RECORDED },
	[Q_CODE] = { "code/#", "machine code, piece #,", "the bytes of a piece of code that belongs to no program", ABOUT_PLACE, SAVED_RECORDED },

	[Q_POKES] = { "pokes/#", "the changes of machine code, piece #,", "how machine code changed in a recording (source/codes.h), pieces numbered from 0: \"announced\\n\", "
		"or \"silent\\n\": the kernel does not announce changes; \"poke TIME ADDR OLD NEW\\n\": announced, bytes in hexadecimal; \"found TIME SINCE ADDR OLD NEW\\n\": "
		"found at TIME, and not there at SINCE; \"code TIME ADDR\\n\": code appeared where other code had been changed; \"lost TIME\\n\": announcements were lost",
		ABOUT_PLACE, SAVED_RECORDED },
	[Q_CALLS] = { "sys/map_calls", "the calls on a map", "of a recording with calls of bpf(2) on one map (source/file/map_calls.h): \"MAP LOST\\n\": its id, and "
		"how many calls were lost", ABOUT_MACHINE, SAVED_RECORDED },
	[Q_CALL] = { "map_calls/#", "calls on a map, piece #,", "a piece of these calls, numbered from 0: \"BEGIN END RESULT PID TID COMMAND SIZE MADE "
		"OBJECT OBJECT OBJECT OBJECT ATTR TEXT KEY VALUE COMM\\n\", times in ns since boot; MADE: the object that it returned, KIND:ID, OBJECT: those of "
		"its descriptors; ATTR (union bpf_attr after the call), TEXT, KEY and VALUE in hexadecimal digits; -: none; COMM escaped as in /proc/mounts",
		ABOUT_PLACE, SAVED_RECORDED },

	[Q_META] = { "meta", "the description of the archive", "\"NAME VALUE\\n\": program that made the archive, time, byte order, parts that were left out",
		ABOUT_PLACE, SAVED_NEVER },
};
/* clang-format on */

bool question_was_none(enum question q, int why)
{
	const struct question_row *row = &questions[q];

	for (size_t i = 0; i < ARRAY_SIZE(row->none); i++)
		if (why && row->none[i] == why)
			return true;
	return false;
}

static void part_print(char c, const struct asked *q, struct str *ret)
{
	switch (c) {
	case '#':
		str_fmt(ret, "%llu", llu(q->id));
		break;
	case '@':
		str_fmt(ret, "%llu", llu(q->index));
		break;
	case '*':
		str_fmt(ret, "0x%llx", llu(q->index));
		break;
	case '~':
		str_fmt(ret, "%llu", llu(q->sub));
		break;
	case '$':
		str_puts(ret, q->text ? q->text : "");
		break;
	default:
		str_add(ret, &c, 1);
	}
}

int question_key(const struct asked *q, struct str *ret)
{
	size_t start = ret->n;

	for (const char *p = questions[q->q].pattern; *p; p++)
		part_print(*p, q, ret);
	if (ret->n - start <= QUESTION_KEY_MAX)
		return 0;
	ret->n = start;
	ret->p[start] = '\0';
	return -ENAMETOOLONG;
}

const char *question_what(const struct asked *q, struct arena *a)
{
	const char *what = questions[q->q].what, *mark = strchr(what, '#');

	if (mark)
		return arena_fmt(a, "%.*s%llu%s", (int)(mark - what), what, llu(q->id), mark + 1);
	return q->text ? arena_fmt(a, "%s %s", what, q->text) : what;
}
