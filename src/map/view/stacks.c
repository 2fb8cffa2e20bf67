/* SPDX-License-Identifier: BSD-2-Clause */
#include "map/view/stacks.h"

#include <linux/bpf.h>

#include "base/bytes.h"
#include "record/field.h"
#include "host/elf/symbols.h"

#define FRAME_FIELD(m, name, help, ...) FIELD(stack_frame, m, name, help, .flags = FIELD_NONZERO, ##__VA_ARGS__)
static const struct field frame_fields[] = {
	FRAME_FIELD(address, "addr", "address of the code, the instruction or where it returns to", .unit = FU_ADDR),
	FRAME_FIELD(symbol, "symbol", "function, in the kernel or a BPF program"),
	FRAME_FIELD(module, "module", "kernel module that has it"),
	FRAME_FIELD(build_id, "build_id", "build id of the file, in hexadecimal"),
	FIELD_IF(stack_frame, offset, has_offset, "offset", "offset in bytes, from the symbol or in the file",
		 .unit = FU_HEX),
};

static size_t stack_frame_text(const void *row, char *buf, size_t size)
{
	const struct stack_frame *f = row;

	if (f->symbol || f->build_id)
		return str_snprintf(buf, size, "%s+0x%" PRIx64 "%s%s%s", f->symbol ? f->symbol : f->build_id, f->offset,
				    f->module ? " [" : "", f->module ? f->module : "", f->module ? "]" : "");
	return str_snprintf(buf, size, "0x%" PRIx64, f->address);
}
static const struct schema schema_frame = SCHEMA("frame", stack_frame, frame_fields, .text = stack_frame_text);

static const struct field stack_fields[] = {
	FIELD(stack_rec, id, "id", "number of the stack, its key in the map", .also = "stack_id", .plain = "stack %"),
	FIELD(stack_rec, count, "count", "count, from the map of counts; otherwise 1", .unit = FU_COUNTER,
	      .plain = "  count %", .col = 1),
	FIELD_ROWS(stack_rec, frames, nframes, &schema_frame, "frames", "its functions, innermost first", .plain = "%",
		   .line = 1, .flags = FIELD_EACH),
	FIELD(stack_rec, folded, "folded", "the same on one line for flame graphs, outermost first",
	      .flags = FIELD_NOPLAIN),
};
const struct schema schema_stack = SCHEMA("stack", stack_rec, stack_fields);

static bool build_id_read(struct stack_frame *f, const unsigned char *p, bool big, struct arena *a)
{
	struct bpf_stack_build_id id;
	char hex[2 * sizeof(id.build_id)];

	memcpy(&id, p, sizeof(id));
	id.status = (int32_t)load_uint(p, sizeof(id.status), big);
	id.ip = load_uint(p + offsetof(struct bpf_stack_build_id, ip), sizeof(id.ip), big);
	if (id.status == BPF_STACK_BUILD_ID_EMPTY)
		return false;
	if (id.status != BPF_STACK_BUILD_ID_VALID) {
		f->address = id.ip;
		return true;
	}
	for (size_t i = 0; i < sizeof(id.build_id); i++)
		memcpy(hex + 2 * i, num_hex2[id.build_id[i]], 2);
	f->build_id = arena_str(a, hex, sizeof(hex));
	f->offset = id.offset;
	f->has_offset = AVAIL_YES;
	return true;
}

static bool frame_read(struct stack_frame *f, const unsigned char *p, bool build_ids, bool big,
		       const struct symbols *symbols, struct arena *a)
{
	const struct symbol *s;

	*f = (struct stack_frame){ 0 };
	if (!build_ids)
		f->address = load_uint(p, sizeof(f->address), big);
	if (build_ids ? !build_id_read(f, p, big, a) : !f->address)
		return false;
	/* The lower half of the address space belongs to processes, and to the kernel's per-CPU symbols. */
	s = f->address >> 63 ? symbols_find(symbols, f->address) : NULL;
	if (s) {
		f->symbol = s->name;
		f->module = s->module;
		f->offset = f->address - s->addr;
		f->has_offset = AVAIL_YES;
	}
	return true;
}

void stack_add(struct stack_rec *rec, const unsigned char *value, size_t n, bool build_ids, bool big,
	       const struct symbols *symbols, struct arena *a)
{
	size_t step = build_ids ? sizeof(struct bpf_stack_build_id) : sizeof(uint64_t);
	struct stack_frame *frames = arena_array(a, rec->nframes + n / step, sizeof(*frames));
	uint32_t i;

	if (rec->nframes)
		memcpy(frames, rec->frames, rec->nframes * sizeof(*frames));
	for (i = 0; i < n / step && frame_read(&frames[rec->nframes + i], value + i * step, build_ids, big, symbols, a);
	     i++)
		;
	rec->frames = frames;
	rec->nframes += i;
}

void stack_fold(struct stack_rec *rec, struct arena *a)
{
	STR text = { 0 };
	uint32_t i;

	for (i = rec->nframes; i--;) {
		const struct stack_frame *f = &rec->frames[i];

		if (f->symbol)
			str_puts(&text, f->symbol);
		else if (f->build_id)
			str_fmt(&text, "%s+0x%" PRIx64, f->build_id, f->offset);
		else
			str_fmt(&text, "0x%" PRIx64, f->address);
		if (i)
			str_puts(&text, ";");
	}
	rec->folded = text.n ? arena_str(a, text.p, text.n) : "";
}
