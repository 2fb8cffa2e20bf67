/* SPDX-License-Identifier: BSD-2-Clause */
#include "prog/prog.h"

#include "base/newfile.h"
#include "cli/command.h"
#include "cli/select.h"
#include "code/both.h"
#include "code/rec.h"
#include "code/disasm.h"
#include "code/jited.h"
#include "code/labels.h"
#include "code/visual.h"
#include "code/xlated.h"
#include "record/field.h"
#include "render/doc.h"

struct prog_dump_opts {
	int what;
	struct object_refs progs;
	bool opcodes, linum, visual, labels, mermaid, collapse, interleave, pair;
	const char *file;
};

enum code_form { XLATED, JITED };
static const char *const what_words[] = { [XLATED] = "xlated", [JITED] = "jited" };
static const struct names what_names = NAMES(what_words);

#define BOTH_REJECTS "file visual --mermaid --labels"

static const struct arg dump_args[] = {
	OPERAND("WHAT", ARG_WORD, struct prog_dump_opts, what,
		"xlated: the instructions as translated by the verifier; jited: machine code", .words = &what_names),
	ARG(NULL, ARG_OBJECT, struct prog_dump_opts, progs, "programs; all programs with the name or tag",
	    .flags = ARG_REQUIRED | ARG_POSITIONAL | ARG_REPEAT),
	ARG("file", ARG_PATH, struct prog_dump_opts, file, "write the bytes of one program to a file",
	    .metavar = "PATH", .output = true, .rejects = "opcodes visual linum --labels --mermaid"),
	ARG("opcodes", ARG_FLAG, struct prog_dump_opts, opcodes, "the bytes of each instruction below it"),
	ARG("visual", ARG_FLAG, struct prog_dump_opts, visual,
	    "the control flow of a program as a graph for Graphviz; BPF instructions only"),
	ARG("linum", ARG_FLAG, struct prog_dump_opts, linum, "file, line and column after each source line"),
	ARG("--labels", ARG_FLAG, struct prog_dump_opts, labels, "labels for the targets of jumps, and arrows to them"),
	ARG("--mermaid", ARG_FLAG, struct prog_dump_opts, mermaid, "the same graph as a flowchart for Mermaid"),
	ARG("--collapse", ARG_FLAG, struct prog_dump_opts, collapse,
	    "in the graph, show only the source lines of code without a branch, or its first and last instruction"),
	ARG("--interleave", ARG_FLAG, struct prog_dump_opts, interleave,
	    "for each source line the BPF instructions, and below them their machine code",
	    .rejects = BOTH_REJECTS " --side-by-side"),
	ARG("--side-by-side", ARG_FLAG, struct prog_dump_opts, pair, "the same in two columns",
	    .rejects = BOTH_REJECTS " opcodes"),
};

static bool graph(const struct prog_dump_opts *o)
{
	return o->visual || o->mermaid;
}

/* One command, and the disassembler, which is opened at most once. */
struct dump {
	struct env *env;
	const struct prog_dump_opts *o;
	struct doc doc;
	struct disasm *disasm;
	bool tried;
};

static void dump_end(struct dump *d)
{
	disasm_close(&d->disasm);
}

/* Reports what could not be read or done and the remedy in one message; the command continues. */
static void unread_report(struct env *env, const char *what, const struct err *why)
{
	struct err full = { 0 };

	err_set(&full, why->code, "%s%s%s%s", what, why->msg, why->hint[0] ? "; " : "", why->hint);
	report_unread(env->report, &full);
}

/* Without a disassembler, bytes are shown, and this is reported. */
static struct disasm *disasm_get(struct dump *d)
{
	struct err why = { 0 };

	if (d->tried)
		return d->disasm;
	d->tried = true;
	if (disasm_open(&d->disasm, jited_machine(d->env), &why))
		unread_report(d->env, "bytes are shown: ", &why);
	return d->disasm;
}

/*
 * The names of what instructions refer to, and source lines without repetition, are printed everywhere except where
 * scripts expect the output of bpftool: in its personality, and in text with linum. JSON has the names, but every line.
 */
static bool is_by_name(const struct dump *d)
{
	const struct prog_dump_opts *o = d->o;

	return !d->env->opts->as_bpftool &&
	       (!o->linum || o->labels || o->interleave || o->pair || graph(o) || d->env->opts->json);
}

static bool folded(const struct dump *d)
{
	return is_by_name(d) && (!d->env->opts->json || d->o->interleave || d->o->pair);
}

enum dump_turn { ALONE, FIRST, LATER };

/*
 * Writes a headline before the code of one of several programs. Returns the name of the list that follows; NULL for a
 * single program.
 */
static const char *code_start(struct dump *d, const struct prog_rec *rec, enum dump_turn place)
{
	if (place == ALONE)
		return NULL;
	if (place == LATER)
		doc_text(&d->doc, "\n");
	doc_object(&d->doc, NULL);
	doc_headline(&d->doc, &schema_prog, rec);
	return "insns";
}

static int xlated_dump(struct dump *d, const struct prog_rec *rec, enum dump_turn place, struct err *e)
{
	const struct prog_dump_opts *o = d->o;
	struct xlated_style style = { .opcodes = o->opcodes, .linum = o->linum };
	struct env *env = d->env;
	struct xlated x;
	struct labels labels;
	int err = xlated_read(env, rec->info.id, &rec->info, &x, e);

	if (err)
		return err;
	if (o->file)
		return newfile_write(o->file, x.image.p, x.image.n, e);
	if (is_by_name(d))
		xlated_refer(env, &x);
	if (folded(d))
		code_info_fold(&x.src, NULL, o->linum, env->arena);
	if (o->labels) {
		xlated_labels(&x, env->arena, &labels);
		style.labels = &labels;
	}
	if (graph(o)) {
		visual_write(&x, &style, o->collapse, o->mermaid ? &visual_mermaid : &visual_dot, NULL, env->arena,
			     env->report->out);
		return 0;
	}
	xlated_write(&x, &style, &d->doc, code_start(d, rec, place));
	return 0;
}

static int jited_dump(struct dump *d, const struct prog_rec *rec, enum dump_turn place, struct err *e)
{
	struct jited_style style = { .opcodes = d->o->opcodes, .linum = d->o->linum, .labels = d->o->labels };
	struct env *env = d->env;
	struct jited x;
	int err = jited_read(env, rec->info.id, &rec->info, &x, e);

	if (err)
		return err;
	if (d->o->file)
		return newfile_write(d->o->file, x.image.p, x.image.n, e);
	if (folded(d))
		code_info_fold(&x.src, &x.places, d->o->linum, env->arena);
	style.disasm = disasm_get(d);
	jited_write(&x, &style, &d->doc, code_start(d, rec, place));
	return 0;
}

/* Source, BPF instructions and machine code together. */
static int both_dump(struct dump *d, const struct prog_rec *rec, enum dump_turn place, struct err *e)
{
	struct xlated_style xlated = { .opcodes = d->o->opcodes, .linum = d->o->linum };
	struct jited_style jited = { .opcodes = d->o->opcodes, .linum = d->o->linum };
	struct env *env = d->env;
	struct both both = { .xlated = &xlated, .jited = &jited };
	struct xlated x;
	struct jited j;
	int err = xlated_read(env, rec->info.id, &rec->info, &x, e);

	if (!err)
		err = jited_read(env, rec->info.id, &rec->info, &j, e);
	if (err)
		return err;
	xlated_refer(env, &x);
	code_info_fold(&x.src, NULL, d->o->linum, env->arena);
	code_info_fold(&j.src, &j.places, d->o->linum, env->arena);
	both.x = &x;
	both.j = &j;
	both.columns = d->o->pair ? doc_columns(&d->doc) : 0;
	jited.disasm = disasm_get(d);
	both_write(&both, env->arena, &d->doc, code_start(d, rec, place));
	return 0;
}

static int prog_dump_one(struct dump *d, uint32_t id, enum dump_turn place, struct err *e)
{
	struct prog_rec rec = { 0 };
	int err = prog_read(d->env, d->env->arena, id, place == ALONE ? 0 : NEED_BTF, &rec, e);

	if (err)
		return err;
	if (d->o->interleave || d->o->pair)
		err = both_dump(d, &rec, place, e);
	else
		err = d->o->what == JITED ? jited_dump(d, &rec, place, e) : xlated_dump(d, &rec, place, e);
	if (!err && place != ALONE)
		doc_end(&d->doc);
	return err;
}

/* Programs that were unloaded meanwhile are omitted; those that cannot be read are counted. */
static int prog_dump_several(struct dump *d, struct selection *sel, struct err *e)
{
	struct env *env = d->env;
	enum dump_turn place = FIRST;

	doc_list(&d->doc, NULL);
	for (size_t i = 0; i < sel->n && !doc_dead(&d->doc); i++) {
		ARENA_SCOPE(env->arena);
		struct err why = { 0 };
		int err = prog_dump_one(d, sel->ids[i], place, &why);

		if (!err)
			place = LATER;
		else if (err == -ENOENT)
			selection_note_gone(env, sel, sel->ids[i]);
		else
			unread_report(env, "", &why);
	}
	doc_end(&d->doc);
	return selection_end(sel, e);
}

static int graph_check(const struct env *env, const struct prog_dump_opts *o, struct err *e)
{
	if (o->collapse && !graph(o))
		return err_usage(e, "'--collapse' needs 'visual' or '--mermaid'");
	if (!graph(o) || (o->what == JITED && !o->mermaid && env->opts->as_bpftool))
		return 0;
	if (env->opts->json)
		return err_usage(e, "'%s' is not compatible with JSON output", o->mermaid ? "--mermaid" : "visual");
	if (o->what == XLATED)
		return 0;
	err_usage(e, "'%s' draws the control flow of BPF instructions", o->mermaid ? "--mermaid" : "visual");
	return err_hint(e, "use xlated, or --labels for arrows beside the machine code");
}

static int prog_dump_run(struct env *env, const void *opts, struct err *e)
{
	const struct prog_dump_opts *o = opts;
	__attribute__((cleanup(dump_end))) struct dump d = { .env = env, .o = o };
	bool single = o->file || (graph(o) && o->what == XLATED);
	struct selection sel;
	uint32_t one = 0;
	int err;

	if (o->file && !strcmp(o->file, "-"))
		return err_usage(e, "'file' writes raw bytes, which cannot go to standard output: name a file");
	err = graph_check(env, o, e);
	if (err)
		return err;
	if (single && o->progs.n > 1)
		return err_usage(e, "'%s' needs a single program",
				 o->file    ? "file" :
				 o->mermaid ? "--mermaid" :
					      "visual");
	if (single)
		err = select_one(env, &kind_prog, o->progs.v, &one, e);
	else
		err = selection_find(env, &kind_prog, &o->progs, &sel, e);
	if (err)
		return err;
	env_doc(env, &d.doc);
	if (single || !selection_several(&sel))
		err = prog_dump_one(&d, single ? one : sel.ids[0], ALONE, e);
	else
		err = prog_dump_several(&d, &sel, e);
	env_doc_end(env, &d.doc);
	return err;
}

static const struct schema *const dump_records[] = { &schema_prog, &schema_xlated, &schema_xlated_alone,
						     &schema_func, &schema_jited,  &schema_source,
						     NULL };
static const char *const dump_lists[] = { "insns", "groups", "xlated", "jited", NULL };
static const struct nested dump_nested = { dump_records, dump_lists };
static const struct schema *const dump_parts[] = { &schema_func, &schema_jited, NULL };

const struct command prog_dump = {
	.name = "dump",
	.summary = "print the instructions of a program",
	.schema = &schema_xlated,
	.parts = dump_parts,
	.nested = &dump_nested,
	.help = "Prints the code that runs: the BPF instructions as translated by the verifier, or the machine code "
		"that the kernel's compiler generated from them; with the signature of each function and the source "
		"line of the instructions, if the program has BTF. Calls are shown by name, maps by id and name.",
	.example = "prog dump xlated name count_exits linum",
	ARGS(dump_args, struct prog_dump_opts),
	.flags = CMD_READ,
	.run = prog_dump_run,
};
