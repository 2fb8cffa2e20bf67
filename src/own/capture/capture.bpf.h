/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

#include "own/numbers.h"

/*
 * What the programs of this folder send to capture.c through the ring. The copy of a program is CAPTURE_META, then the
 * other records in any order, then CAPTURE_END; data that is too large for one record comes in pieces. Records of two
 * copies may alternate: each record has the program's id, and the CPU and time of the copy.
 */
enum capture_record {
	CAPTURE_META,  /* struct capture_meta */
	CAPTURE_FUNC,  /* struct capture_func; index: which */
	CAPTURE_JITED, /* machine code of function index */
	CAPTURE_XLATED,
	CAPTURE_FUNC_INFO,
	CAPTURE_LINE_INFO,
	CAPTURE_JITED_LINE_INFO,
	CAPTURE_MAP, /* struct capture_map; index: which */
	CAPTURE_BTF,
	CAPTURE_END,  /* struct capture_end */
	CAPTURE_BIND, /* not part of a copy: uint32_t id of a map that was bound to the program */
	CAPTURE_RECORDS
};
struct capture_head {
	uint32_t id, cpu; /* program */
	uint64_t time;	  /* ns since boot, when the copy began */
	uint32_t record, index;
	uint32_t at;	/* offset of this piece */
	uint32_t batch; /* CAPTURE_META, CAPTURE_BIND: capture_state.batch when the copy began */
};

#define CAPTURE_PIECE (32u << 10) /* bytes without the head */
#define CAPTURE_BLOCK 32u	  /* pieces that one of our functions sends */
#define CAPTURE_BLOCKS 64u
#define CAPTURE_BYTES_MAX (CAPTURE_PIECE * CAPTURE_BLOCK * CAPTURE_BLOCKS)
#define CAPTURE_FUNCS 512u
#define CAPTURE_MAPS 64u
struct capture_piece {
	struct capture_head head;
	unsigned char data[CAPTURE_PIECE];
	/* Not sent: bytes of the block, and of all, that are left, and lost pieces of the block. In registers, the
	 * verifier would follow what each round makes of them through the rounds after it. */
	uint32_t of_block, of_all, lost;
};

struct capture_meta {
	uint32_t type, len, jited_len, pages;
	uint8_t tag[8];
	uint64_t load_time, bpf_func;
	uint32_t funcs, nr_line_info, nr_func_info, nr_maps;
	uint32_t uid;					 /* of the program */
	uint32_t gpl_compatible, jited_lines, offloaded; /* 0 or not */
	uint32_t verified_insns, attach_btf_id, attach_btf_obj_id;
	uint32_t btf_id, btf_size, btf_sent; /* sent 0: in an earlier copy */
	/* Of the loader; CAPTURE_CLOSED: of the process that closed it. pid is its number in the reader's process
	 * namespace, 0: it is not in it; tid is the one in the initial namespace. */
	uint32_t pid, tid;
	uint32_t loader_uid, way; /* enum capture_way */
	char name[16], comm[16];
};
/* How the program was noticed; the last three are classic filters, which have no id. */
enum capture_way {
	CAPTURE_LOADED,
	CAPTURE_SCANNED,
	CAPTURE_CLOSED,
	CAPTURE_SOCKET,
	CAPTURE_REUSEPORT,
	CAPTURE_SECCOMP
};
struct capture_func {
	uint64_t addr;
	uint32_t jited_len, pad;
	uint8_t tag[8];
};
struct capture_map {
	uint64_t addr, value; /* addr: of struct bpf_map; value: of an array's elements, 0: another map type */
	uint32_t id, type, key_size, value_size, max_entries, flags;
	uint32_t btf_id, btf_key_type_id, btf_value_type_id, pad;
	char name[16];
};
struct capture_sent {
	uint32_t btf, batch;
}; /* key: a BTF object that was sent with a copy of that batch */
struct capture_seen {
	uint32_t batch, way; /* of the last copy */
	uint64_t time;	     /* of the first one: what is known if nothing of it had room */
	uint8_t tag[8];
	uint32_t pid;  /* of the loader, as in capture_meta; 0: also if it is not known */
	uint32_t lost; /* 1: of one of its copies, records were lost */
};
struct capture_end {
	uint32_t lost;	  /* records without room in the ring, or whose memory could not be read */
	uint32_t changed; /* 1: the program was freed during the copy */
};

/* How the kernel runs a program at a tracepoint of system calls; 0: not known. */
enum capture_runs {
	CAPTURE_ALONE = 1, /* with preemption disabled */
	CAPTURE_PREEMPTED, /* only migration is disabled */
};

#define CAPTURE_LINK (1ull << 32)      /* see capture_exit.bpf.c */
struct capture_state {		       /* the variables of each hook's program */
	uint64_t prog_fops, link_fops; /* file_operations of program and link descriptors; 0: not learned */
	struct numbers numbers;
	uint32_t batch;	  /* number of the batch; each batch sends all BTF objects again */
	uint32_t runs;	  /* enum capture_runs; of the program at the exit of system calls */
	uint64_t lost;	  /* copies with lost records */
	uint64_t classic; /* classic filters that were attached */
};
