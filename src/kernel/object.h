/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The kinds of BPF objects that the kernel numbers, each with its own ids. */
enum object_kind { OBJECT_PROG, OBJECT_MAP, OBJECT_LINK, OBJECT_BTF, OBJECT_KINDS };
extern const char *const object_kind_names[OBJECT_KINDS]; /* "prog", "map", "link", "btf" */
int object_kind_parse(const char *word);		  /* -1: none */
