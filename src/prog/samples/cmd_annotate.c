/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"

#include "cli/command.h"
#include "cli/select.h"
#include "host/pace.h"
#include "host/stop.h"
#include "kernel/clock.h"
#include "kernel/perf/sampling.h"
#include "code/rec.h"
#include "code/disasm.h"
#include "code/heat_xlated.h"
#include "code/hot.h"
#include "code/insn_heat.h"
#include "prog/samples/annotated.h"
#include "prog/samples/perf_samples.h"
#include "code/visual.h"
#include "record/field.h"
#include "render/doc.h"
#include "source/facts.h"
#include "source/source.h"

#define LOOK_MS 100 /* between two reads of the ring buffers */

struct annotate_opts {
	const char *file, *perf;
	struct object_ref prog;
	const char *seconds;
	uint32_t hz;
	bool opcodes, linum, visual, mermaid, collapse;
};

/* What was asked for, and the program that it is. */
struct annotation {
	const struct annotate_opts *o;
	struct annotated of;
};

static int samples_take(struct annotation *a, uint64_t ns, struct err *e)
{
	const uint32_t hz = a->o->hz ? a->o->hz : SAMPLING_HZ;
	struct sampling *sampling = NULL;
	STOP stop = { .fd = -1 };
	int err = stop_begin(&stop);

	if (err)
		return err_sys(e, err, "cannot wait");
	err = sampling_open(&sampling, hz);
	if (err)
		return sampling_error(err, e);
	samples_head_begin(&a->of.how, sampling, hz);
	env_waits(a->of.env, "sampling program %u%s%s", a->of.rec.info.id, *a->of.rec.name ? " " : "", a->of.rec.name);
	while (!stop_wait(&stop, -1, LOOK_MS) && (!ns || clock_ns(CLOCK_BOOTTIME) - a->of.how.from < ns))
		sampling_read(sampling, annotated_add, &a->of);
	sampling_read(sampling, annotated_add, &a->of);
	samples_head_end(&a->of.how, sampling);
	sampling_close(&sampling);
	return 0;
}

/* Lost samples may have been in this program. */
static void annotate_lost_report(const struct annotation *a)
{
	struct err why = { 0 };

	if (samples_lost_error(a->of.how.lost, &why))
		report_unread(a->of.env->report, &why);
}

static bool graph(const struct annotate_opts *o)
{
	return o->visual || o->mermaid;
}

/* Writes the machine code, or the BPF instructions if there is none. */
static void code_write(struct annotation *a, struct doc *d)
{
	struct jited_style jited = { .opcodes = a->o->opcodes, .linum = a->o->linum };
	struct xlated_style xlated = { .opcodes = a->o->opcodes, .linum = a->o->linum };
	struct env *env = a->of.env;
	struct disasm *disasm = NULL;
	struct err why = { 0 };

	if (!a->of.jited.image.p) {
		annotated_write_xlated(&a->of, &xlated, env->arena, d);
		return;
	}
	if (disasm_open(&disasm, jited_machine(env), &why))
		report_unread(env->report, &why);
	jited.disasm = disasm;
	heat_write(&a->of.heat, &jited, env->arena, d);
	disasm_close(&disasm);
}

static void annotation_print(struct annotation *a)
{
	struct env *env = a->of.env;
	struct doc d;

	env_doc(env, &d);
	doc_object(&d, NULL);
	doc_headline(&d, &schema_prog, &a->of.rec);
	code_write(a, &d);
	doc_end(&d);
	env_doc_end(env, &d);
}

static int graph_print(struct annotation *a, struct err *e)
{
	const struct xlated_style style = { .opcodes = a->o->opcodes, .linum = a->o->linum };
	struct env *env = a->of.env;
	struct insn_heat runs;

	insn_heat_read(&a->of.heat, &a->of.xlated, env->arena, &runs);
	if (!runs.lines) {
		err_set(e, -ENODATA, "program %u: the source lines of its samples are not known", a->of.rec.info.id);
		return err_hint(
			e,
			"its instructions have no lines, or its constants are blinded; without the graph, samples "
			"are shown with its machine code");
	}
	visual_write(&a->of.xlated, &style, a->o->collapse, a->o->mermaid ? &visual_mermaid : &visual_dot, &runs,
		     env->arena, env->report->out);
	return 0;
}

/* Reports what is missing and the remedy in one message. */
static void missing_say(struct annotation *a, const struct err *why, const char *instead)
{
	struct err full = { 0 };

	err_set(&full, why->code, "%s%s%s%s", why->msg, instead, why->hint[0] ? "; " : "", why->hint);
	report_unread(a->of.env->report, &full);
}

/* Falls back to the BPF instructions, and reports why. */
static int translated_read(struct annotation *a, const struct err *jited, struct err *e)
{
	const uint32_t id = a->of.rec.info.id;
	struct err full = { 0 };

	jited_read_places(a->of.env, id, &a->of.rec.info, &a->of.jited);
	if (xlated_read(a->of.env, id, &a->of.rec.info, &a->of.xlated, &full)) {
		*e = *jited;
		return e->code;
	}
	missing_say(a, jited, ": its translated code is shown");
	return 0;
}

static int code_read(struct annotation *a, struct err *e)
{
	const uint32_t id = a->of.rec.info.id;
	struct err why = { 0 };
	int err;

	if (jited_read(a->of.env, id, &a->of.rec.info, &a->of.jited, &why))
		err = translated_read(a, &why, e);
	else
		err = graph(a->o) ? xlated_read(a->of.env, id, &a->of.rec.info, &a->of.xlated, e) : 0;
	if (err)
		return err;
	annotated_begin(&a->of, a->o->linum);
	return 0;
}

/* Without addresses no sample can be assigned to the program. Its code is still useful, its graph is not. */
static int nowhere(struct annotation *a, struct err *why, struct err *e)
{
	if (graph(a->o)) {
		*e = *why;
		return e->code;
	}
	/* That a program is interpreted was already reported. */
	if (a->of.rec.info.jited_prog_len)
		missing_say(a, why, "");
	annotation_print(a);
	str_fit(a->of.env->report->note, sizeof(a->of.env->report->note), "its code is shown without samples");
	return 0;
}

/* Keeps the program loaded until the end. */
static int prog_hold(struct annotation *a, int *ret_fd, uint32_t *ret_id, struct err *e)
{
	if (machine_is_saved(a->of.env->machine))
		return select_one(a->of.env, &kind_prog, &a->o->prog, ret_id, e);
	*ret_fd = select_open(a->of.env, &kind_prog, &a->o->prog, ret_id, e);
	return *ret_fd < 0 ? *ret_fd : 0;
}

static int annotated_print(struct annotation *a, struct err *e)
{
	int err = 0;

	if (graph(a->o))
		err = graph_print(a, e);
	else
		annotation_print(a);
	if (!err && !a->of.heat.samples)
		str_fit(a->of.env->report->note, sizeof(a->of.env->report->note),
			"program %u has no samples: it did not run, or not for long enough", a->of.rec.info.id);
	annotate_lost_report(a);
	return err;
}

static int annotate(struct annotation *a, struct err *e)
{
	const bool saved = machine_is_saved(a->of.env->machine);
	uint64_t ns = 0;
	CLEAN_FD fd = -1;
	struct err why = { 0 };
	uint32_t id;
	int err = a->o->seconds ? pace_parse(a->o->seconds, &ns, e) : 0;

	if (!err && saved && (a->o->seconds || a->o->hz))
		err = err_usage(e,
				"the file already contains the samples: --seconds and -F are for the running kernel");
	if (!err && a->o->collapse && !graph(a->o))
		err = err_usage(e, "'--collapse' needs 'visual' or '--mermaid'");
	if (!err && graph(a->o) && a->of.env->opts->json)
		err = err_usage(e, "'%s' is not compatible with JSON output", a->o->mermaid ? "--mermaid" : "visual");
	if (!err)
		err = prog_hold(a, &fd, &id, e);
	if (!err)
		err = prog_read(a->of.env, a->of.env->arena, id, NEED_BTF, &a->of.rec, e);
	if (!err)
		err = code_read(a, e);
	if (err)
		return err;
	if (annotated_has_no_place(&a->of, &why))
		return nowhere(a, &why, e);
	source_idle(a->of.env->machine->src);
	err = saved ? annotated_read_samples(&a->of, a->o->perf, e) : samples_take(a, ns, e);
	return err ? err : annotated_print(a, e);
}

static int annotate_here(struct annotation *a, struct err *e)
{
	struct env *env = a->of.env;
	int err = 0;

	if (a->o->perf && !machine_is_saved(env->machine))
		err = err_usage(e, "'--perf' needs a recording");
	else if (a->o->perf)
		err = perf_samples_use(env, a->o->perf, e);
	return err ? err : annotate(a, e);
}

static int samples_annotate_run(struct env *env, const void *opts, struct err *e)
{
	struct annotation a = { .o = opts, .of.env = env };
	struct env other;
	int err;

	if (!a.o->file) {
		err = env_open(env, e);
		return err ? err : annotate_here(&a, e);
	}
	if (env->opts->nfroms)
		return err_usage(e, "two files: name one, either with --from or without");
	err = env_other(env, a.o->file, &other, e);
	if (err)
		return err;
	a.of.env = &other;
	err = annotate_here(&a, e);
	env_other_end(&other);
	return err;
}

#define PROG_ARG OPERAND(NULL, ARG_OBJECT, struct annotate_opts, prog, "the program", .kind = &kind_prog)
#define STYLE_ARGS \
	ARG("visual", ARG_FLAG, struct annotate_opts, visual, \
	    "instead, the control flow of its BPF instructions as a graph for Graphviz, each block with its share of the samples"), \
		ARG("--mermaid", ARG_FLAG, struct annotate_opts, mermaid, \
		    "the same graph as a flowchart for Mermaid"), \
		ARG("--collapse", ARG_FLAG, struct annotate_opts, collapse, \
		    "in the graph, show only the source lines of code without a branch, or its first and last instruction"), \
		ARG("opcodes", ARG_FLAG, struct annotate_opts, opcodes, "the bytes of each instruction below it"), \
		ARG("linum", ARG_FLAG, struct annotate_opts, linum, "file, line and column after each source line")
#define SAMPLE_ARGS \
	ARG("--seconds", ARG_STR, struct annotate_opts, seconds, "duration; until interrupted by default", \
	    .metavar = "N"), \
		ARG("--frequency", ARG_U32, struct annotate_opts, hz, \
		    "samples per second of each CPU; 999 by default", .alias = "-F", .metavar = "HZ", \
		    .flags = ARG_NONZERO), \
		ARG("--perf", ARG_PATH, struct annotate_opts, perf, \
		    "for a recording: use the samples that `perf record -a` took meanwhile instead of its own", \
		    .metavar = "PERF.DATA"), \
		STYLE_ARGS
static const struct arg prog_annotate_args[] = { PROG_ARG, SAMPLE_ARGS };
static const struct arg annotate_args[] = {
	ARG("FILE", ARG_PATH, struct annotate_opts, file,
	    "a recording, or - for standard input; the running kernel by default", .flags = ARG_POSITIONAL),
	PROG_ARG,
	SAMPLE_ARGS,
};
static const struct schema *const annotate_records[] = {
	&schema_prog,	    &heat_schema,  &hot_insn_schema,  &hot_line_schema, &schema_func,
	&heat_count_schema, &schema_jited, &run_count_schema, &schema_xlated,	NULL,
};
static const char *const annotate_lists[] = { "hottest_insns", "hottest_lines", "funcs", "insns", "xlated", NULL };
static const struct nested annotate_nested = { annotate_records, annotate_lists };
static const struct schema *const annotate_parts[] = {
	&heat_schema,  &hot_insn_schema,  &hot_line_schema, &schema_func, &heat_count_schema,
	&schema_jited, &run_count_schema, &schema_xlated,   NULL,
};

const struct command prog_annotate = {
	.name = "annotate",
	.summary = "show which instructions of a program take the time",
	.help = "Samples all CPUs and prints the machine code of the program with the number of samples at each "
		"instruction and each source line, after a list of the hottest. Samples are taken by cycles of the "
		"CPU. If the CPU does not count cycles, as in most virtual machines, its clock is used, and an "
		"instruction then also has the samples of instructions before it that the clock could not interrupt. "
		"The kernel allows kernel.perf_event_max_sample_rate samples per second.\nIf the machine code may "
		"not be read, or is not in the file, the BPF instructions are shown instead, with the samples of "
		"each source line. The graph also has the samples of source lines; if a line is in several blocks, "
		"each has all of its samples, marked \"up to\".\nNothing is loaded or attached; the program stays "
		"loaded meanwhile. With --from, the samples are those of a recording.",
	.schema = &schema_prog,
	.parts = annotate_parts,
	.nested = &annotate_nested,
	ARGS(prog_annotate_args, struct annotate_opts),
	.flags = CMD_READ | CMD_OURS,
	.run = samples_annotate_run,
};

const struct command command_annotate = {
	.name = "annotate",
	.summary = "show which instructions of a program take the time, now or in a recording",
	.help = "Same as `prog annotate`. FILE is one that `record -F HZ` wrote, on any machine and without "
		"privileges, including programs that were unloaded before the recording ended.",
	.schema = &schema_prog,
	.parts = annotate_parts,
	.nested = &annotate_nested,
	ARGS(annotate_args, struct annotate_opts),
	.flags = CMD_READ | CMD_NOSOURCE,
	.run = samples_annotate_run,
};
