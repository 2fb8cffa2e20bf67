/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../machine.h"
#include "kernel/abi.h"

/* Programs 1, 2, ... of a recording, each with a function, "a", "b", ..., of PLACED_LEN bytes. */
#define PLACED_LEN 64
#define PLACED_MOST 5
struct placed {
	uint64_t at, loaded;
};

/* @lives: the answer to sys/lives. One machine at a time. */
static inline struct scripted *placed_new(const struct placed *progs, unsigned n, const char *lives)
{
	static const uint32_t len = PLACED_LEN;
	static uint32_t ids[PLACED_MOST];
	static struct scripted m;
	static char key[PLACED_MOST][3][32];
	static struct abi_prog_info infos[PLACED_MOST];

	assert_true(n <= PLACED_MOST);
	scripted_init(&m);
	scripted_saved(&m);
	scripted_says(&m, "prog/ids", 0, ids, n * sizeof(ids[0]));
	scripted_says(&m, "sys/lives", 0, lives, strlen(lives));
	for (unsigned i = 0; i < n; i++) {
		ids[i] = i + 1;
		infos[i] = (struct abi_prog_info){ .type = 1,
						   .id = ids[i],
						   .name = { (char)('a' + i) },
						   .jited_prog_len = len,
						   .nr_jited_ksyms = 1,
						   .nr_jited_func_lens = 1,
						   .load_time = progs[i].loaded };
		snprintf(key[i][0], sizeof(key[i][0]), "prog/%u/info", ids[i]);
		snprintf(key[i][1], sizeof(key[i][1]), "prog/%u/jited_ksyms", ids[i]);
		snprintf(key[i][2], sizeof(key[i][2]), "prog/%u/jited_func_lens", ids[i]);
		scripted_says(&m, key[i][0], 0, &infos[i], sizeof(infos[i]));
		scripted_says(&m, key[i][1], 0, &progs[i].at, sizeof(progs[i].at));
		scripted_says(&m, key[i][2], 0, &len, sizeof(len));
	}
	return &m;
}
