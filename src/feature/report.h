/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
/* Defined in commands.c, config.c, fields.c, macros.c and read.c. */

#include "base/base.h"

struct env;
/* A machine's features, in the sections of bpftool. Strings are in env->keep. */

struct feature_setting {      /* of the running kernel, or an option of its build */
	const char *key;      /* "bpf_jit_enable", "CONFIG_BPF" */
	const char *value;    /* JSON */
	const char *sentence; /* meaning of a setting; NULL: an option of the build */
};

struct feature {	   /* available, or not */
	const char *key;   /* "have_xdp_prog_type" */
	const char *macro; /* "XDP_PROG_TYPE" */
	const char *what;  /* "eBPF program_type xdp", with a question mark if it is unknown */
	bool have;
	uint8_t known;	    /* enum avail */
	int why;	    /* errno of a refusal; 0: none */
	const char *reason; /* text of the errno; NULL: none */
};

struct feature_helpers { /* of a program type */
	const char *key; /* "xdp_available_helpers" */
	const char *type;
	const char *const *names;
	uint32_t n;
	const bool *can;  /* by id, feature_report.nids of them */
	uint8_t known;	  /* enum avail */
	const char *none; /* why the list is empty; NULL: it is not, or that is unknown */
};

struct feature_reason {
	const char *key, *why;
};
struct feature_kfunc {
	const char *name;
};

struct feature_report {
	struct feature_setting *config;
	struct feature *syscalls, *progs, *maps, *attach, *misc;
	struct feature_helpers *helpers, *callable; /* callable: kfuncs, if they are asked for */
	const struct feature_kfunc *kfuncs;
	struct feature_reason *refused; /* features with a reason */
	uint32_t nconfig, nsyscalls, nprogs, nmaps, nattach, nmisc, nhelpers, ncallable, nkfuncs, nrefused;
	uint8_t has_config, has_probes, has_more, has_attach, has_kfuncs, has_callable,
		has_refused;	   /* enum avail; has_more: of sections that need bpf(2) */
	const char *const *helper; /* names of all helpers, by id; NULL: not shown */
	uint32_t nids;
};

/* What to probe. */
struct feature_ask {
	bool full, unprivileged;
	bool kfuncs;	 /* instead: which of them programs may call */
	const char *dev; /* NULL: the kernel itself */
};
int feature_read(struct env *env, const struct feature_ask *ask, struct feature_report *ret, struct err *e);

/* -EPERM with a message and a hint if the running kernel is probed without the capabilities that probing needs. */
int feature_caps_check(const struct env *env, struct err *e);
struct command;
extern const struct command feature_diff;

/* Settings and configuration of the kernel. */
void feature_config(struct env *env, struct feature_report *ret);

/* As text, as JSON, or as lines for the C preprocessor with @prefix before each name. */
void feature_print(struct env *env, const struct feature_report *r);
void feature_macros(struct env *env, const struct feature_report *r, const char *prefix);
