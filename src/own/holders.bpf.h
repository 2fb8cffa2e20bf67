/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef OWN_HOLDERS_BPF_H
#define OWN_HOLDERS_BPF_H

/*
 * What holders.bpf.c and host/holders.c tell each other. No system header: this is compiled for the BPF target too.
 * Kinds are those of enum object_kind.
 */
#define HOLDERS_KINDS 4

/* Offsets of members in bytes, from the kernel's BTF; the program's global variable. */
struct holders_state {
	unsigned file_f_op, file_private_data, fops_release;
	unsigned task_tgid, task_group_leader, task_comm;
	unsigned prog_aux;
	unsigned id[HOLDERS_KINDS];	/* in the object; for a program in its aux */
	unsigned link_type;
	unsigned has_cookie;		/* the three below are known */
	unsigned perf_link_link, perf_link_file, event_cookie;
	unsigned learning;		/* 1: fill release[] from the reader's own descriptors; 0: tell the others' */
	int fd[HOLDERS_KINDS];		/* of each kind, in the reading process */
	unsigned long long release[HOLDERS_KINDS];	/* file_operations.release of each kind; 0: not seen */
	/* What the program read last, for the next file is often alike: of these operations, of this process. */
	unsigned long long last_f_op, last_release;
	unsigned last_pid;
	char last_comm[16];
};

struct holders_entry {			/* struct holder_raw */
	unsigned kind, id, pid, pad;
	unsigned long long cookie;
	char comm[16];
};

#endif
