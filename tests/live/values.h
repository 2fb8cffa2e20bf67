/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of the typed maps, shared by the BPF objects and the program that fills them. */
#pragma once

enum color { RED, GREEN = 5, BLUE };
struct inner {
	long x;
	unsigned char flag : 3;
	unsigned char rest : 5;
};
typedef struct {
	unsigned short port;
	unsigned char addr[4];
} endpoint_t;
struct value {
	int a;
	char comm[16];
	unsigned char raw[4];
	struct inner in;
	enum color col;
	void *ptr;
	_Bool ok;
	char c;
	unsigned short us;
	signed char sc;
	__int128 wide;
	union {
		int u1;
		char u2[4];
	};
	endpoint_t peers[2];
	int grid[2][3];
	int neg : 4;
	unsigned int pos : 28;
	long long big;
	const volatile unsigned long long *cv;
};
struct lpm_key {
	unsigned int plen;
	unsigned char addr[4];
};
struct with_float {
	int before;
	float f;
	double d;
	int after;
};
