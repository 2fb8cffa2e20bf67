/* SPDX-License-Identifier: BSD-2-Clause */
#include "doctor/doctor.h"

#include "cli/command.h"
#include "cli/records.h"
#include "doctor/check.h"
#include "record/field.h"

static const char *const state_words[CHECK_STATES] = { "ok", "limited", "missing", "unknown" };
static const struct names states = NAMES(state_words);

#define CHECK_FIELD(m, name, help, ...) FIELD(check_rec, m, name, help, .flags = FIELD_DEFAULT, ##__VA_ARGS__)
static const struct field fields[] = {
	FIELD_AS(check_rec, state, FT_ENUM, "state", "state: ok, limited (works in part), missing or unknown",
		 .names = &states, .role = ROLE_LIMITED, .flags = FIELD_DEFAULT, .plain = "%", .width = 8),
	FIELD(check_rec, check, "check", "what was checked", .flags = FIELD_DEFAULT | FIELD_ANSWER, .plain = "  %",
	      .col = 1),
	CHECK_FIELD(fact, "fact", "its value", .plain = ": %", .col = 2),
	FIELD(check_rec, consequence, "consequence", "effect of the state", .plain = "%", .line = 1),
	FIELD(check_rec, remedy, "remedy", "command or setting that changes it", .plain = "remedy: %", .line = 2),
};
const struct schema doctor_schema = SCHEMA("check", check_rec, fields, .indent = "          ");

struct doctor_opts {
	struct records_opts records;
};

static int checks_collect(struct env *env, const void *opts, struct records *ret, struct err *e)
{
	struct doctor d = { .env = env, .checks = ret };
	char *text;

	d.access = ask_lines(env->machine, env->keep, &text, Q_ACCESS) ? NULL : text;
	checks_settings(&d);
	checks_places(&d);
	checks_rights(&d);
	checks_kernel(&d);
	checks_maps(&d);
	return 0;
}

static int doctor_run(struct env *env, const void *opts, struct err *e)
{
	const struct doctor_opts *o = opts;

	return o->records.columns ? records_run(env, &o->records, o, checks_collect, e) :
				    records_show(env, &o->records, o, checks_collect, e);
}

static const struct arg doctor_args[] = { RECORDS_ARGS(struct doctor_opts, records) };

const struct command command_doctor = {
	.name = "doctor",
	.summary = "explain why something is empty, slow or refused on this machine",
	.help = "Checks what the other commands depend on: the JIT compiler, settings of the kernel, type information, file systems, capabilities, "
		"lockdown, security modules, the program types that this kernel supports, and maps that do not connect programs and processes. Each check has a state, a value, its effect, and a "
		"remedy. Nothing is changed; programs for testing are rejected by the verifier, as with `feature probe`.",
	.example = "doctor -Q 'state != ok'",
	.schema = &doctor_schema,
	ARGS(doctor_args, struct doctor_opts),
	.flags = CMD_READ | CMD_OURS,
	.run = doctor_run,
};
