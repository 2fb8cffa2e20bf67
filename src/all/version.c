/* SPDX-License-Identifier: BSD-2-Clause */
#include "all/all.h"

#include "cli/command.h"
#include "host/http/http.h"
#include "host/sign.h"
#include "render/terminal.h"
#include "kernel/log.h"
#include "code/disasm.h"
#include "record/field.h"
#include "render/doc.h"

/* When called as bpftool: the version whose commands and output we reproduce. Scripts check it before they use them. */
#define AS_BPFTOOL "7.8.0"

/* bpftool's names, features that we lack are false; and ours, which are not there when called as bpftool. */
struct features {
	bool libbfd, llvm, crypto, skeletons, bootstrap;
	bool screen, http; /* ours */
	uint8_t has_ours;  /* enum avail */
};
#define FEATURES_FIELD(m, help) FIELD(features, m, #m, help)
static const struct field feature_fields[] = {
	FEATURES_FIELD(libbfd, "disassembly of machine code by libopcodes"),
	FEATURES_FIELD(llvm, "disassembly of machine code by LLVM"),
	FEATURES_FIELD(crypto, "signed programs"),
	FEATURES_FIELD(skeletons, "holders of objects, profiles"),
	FEATURES_FIELD(bootstrap, "a program used to build other programs only"),
	FIELD_IF(features, screen, has_ours, "screen", "the screen of top, by ncursesw"),
	FIELD_IF(features, http, has_ours, "http", "metrics over HTTP, by libmicrohttpd"),
};

/* The names of the features that are true. */
static size_t features_text(const void *row, char *buf, size_t size)
{
	char text[128] = "";
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(feature_fields) && n < sizeof(text); i++)
		if (*((const bool *)((const char *)row + feature_fields[i].off)))
			n += str_snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", feature_fields[i].name);
	return str_snprintf(buf, size, "%s", text);
}
static const struct schema schema_features =
	SCHEMA("version_features", features, feature_fields, .text = features_text);

struct version {
	const char *program, *version, *libbpf;
	const char *ours;	 /* NULL: version is ours */
	const char *libbpf_link; /* NULL: called as bpftool */
	const struct features *features;
	uint32_t nfeatures;
};

static size_t version_text(const void *rec, char *buf, size_t size)
{
	const struct version *v = rec;

	return str_snprintf(buf, size, "%s v%s", v->program, v->version);
}

static const struct field version_fields[] = {
	FIELD(version, version, "version", "version of this program", .plain = "%", .text = version_text),
	FIELD(version, libbpf, "libbpf_version", "of libbpf", .plain = "using libbpf v%", .line = 1),
	FIELD(version, libbpf_link, "libbpf_link", "how libbpf is linked: static or shared", .plain = " (%)", .line = 1,
	      .flags = FIELD_NONZERO),
	FIELD_ROWS(version, features, nfeatures, &schema_features, "features", "features that were built in",
		   .plain = "features: %", .line = 2, .flags = FIELD_SINGLE),
	FIELD(version, ours, "bpflens_version", "version of this program, when called as bpftool",
	      .plain = "bpflens v%", .line = 3, .flags = FIELD_NONZERO),
};
static const struct schema schema_version = SCHEMA("version", version, version_fields, .indent = "");

static int run_version(struct env *env, const void *opts, struct err *e)
{
	const bool ours = !env->opts->as_bpftool;
	const struct features features = {
		.libbfd = disasm_built,
		.crypto = sign_built,
		.skeletons = true,
		.screen = ours && terminal_built,
		.http = ours && http_built,
		.has_ours = ours ? AVAIL_YES : AVAIL_NO,
	};
	struct version v = {
		.program = "bpflens",
		.version = BPFLENS_VERSION,
		.libbpf = log_library(),
		.libbpf_link = LIBBPF_LINK,
		.features = &features,
		.nfeatures = 1,
	};
	struct doc d;

	if (env->opts->as_bpftool) {
		v.program = "bpftool";
		v.version = AS_BPFTOOL;
		v.ours = BPFLENS_VERSION;
		v.libbpf_link = NULL;
	}
	env_doc(env, &d);
	doc_record(&d, &schema_version, &v);
	return 0;
}

const struct command command_version = {
	.name = "version",
	.summary = "print versions of the program and its libraries",
	.example = "version",
	.schema = &schema_version,
	.flags = CMD_READ | CMD_NOSOURCE,
	.run = run_version,
};
