/* SPDX-License-Identifier: BSD-2-Clause */
#include "record/change.h"

#include "record/field.h"

#define CHANGE_FIELD(m, name, help, ...) \
	FIELD(change_rec, m, name, help, .flags = FIELD_NOPLAIN | FIELD_NONZERO, ##__VA_ARGS__)
#define CHANGE_FIELD_ELEMENT(m, help) FIELD_AS(change_rec, m, FT_JSON, #m, help, .flags = FIELD_NOPLAIN | FIELD_NONZERO)
#define CHANGE_FIELD_COUNT(m, help, avail) FIELD_IF(change_rec, m, avail, #m, help, .flags = FIELD_NOPLAIN)
static const struct field keys[] = {
	CHANGE_FIELD(action, "action", "what was done, or would be"),
	CHANGE_FIELD(kind, "kind", "kind (of the object)"),
	CHANGE_FIELD(id, "id", "its id"),
	CHANGE_FIELD(prog_id, "prog_id", "id of the program", .unit = FU_PROG),
	CHANGE_FIELD(struct_ops, "kernel_struct_ops", "the kernel's struct"),
	CHANGE_FIELD(type, "type", "type of the object"),
	CHANGE_FIELD(name, "name", "name of the program or map"),
	CHANGE_FIELD(map_id, "map_id", "id of the map", .unit = FU_MAP),
	CHANGE_FIELD(path, "path", "the pin"),
	CHANGE_FIELD(where, "where", "place"),
	CHANGE_FIELD(what, "what", "hook at the place"),
	CHANGE_FIELD(nfuncs, "func_cnt", "places it is attached to, if there are several"),
	CHANGE_FIELD(link_id, "link_id", "id of the link", .unit = FU_LINK),
	CHANGE_FIELD(verified_insns, "verified_insns", "instructions that the verifier processed"),
	CHANGE_FIELD(replaced, "replaced", "program or map that was replaced"),
	CHANGE_FIELD(replaced_name, "replaced_name", "name of what was replaced"),
	CHANGE_FIELD(replaced_map, "replaced_map_id", "map that was replaced, or that a struct_ops link had before",
		     .unit = FU_MAP),
	CHANGE_FIELD(how, "how", "how the attachment was replaced, or why the map was"),
	CHANGE_FIELD_ELEMENT(before, "previous value (of the element), if it can be read"),
	CHANGE_FIELD_ELEMENT(after, "new value (of the element)"),
	CHANGE_FIELD_COUNT(written, "elements written", has_elements),
	CHANGE_FIELD_COUNT(deleted, "elements deleted", has_deleted),
	FIELD_IF(change_rec, failed, has_elements, "failed", "elements that could not be written",
		 .flags = FIELD_NOPLAIN | FIELD_PLAIN_NZ),
	CHANGE_FIELD_COUNT(last, "position of the last element tried", has_elements),
	FIELD_LIST(change_rec, pins, npins, FT_STR, "pins", "pins that were made or removed",
		   .flags = FIELD_NOPLAIN | FIELD_NONZERO),
	FIELD(change_rec, dry_run, "dry_run", "nothing was changed", .flags = FIELD_NOPLAIN),
};

#define SENTENCE(words) SCHEMA_WORDS("change", change_rec, words)

static const struct wording place_words[] = {
	{ "action", "%" },
	{ "prog_id", " program %" },
	{ "name", " (%)" },
	{ "map_id", " map %" },
	{ "where", " at %" },
	{ "what", " %" },
	{ "func_cnt", ", % functions" },
	{ "link_id", ", link %" },
	{ "replaced", ", in place of %" },
	{ "replaced_name", " (%)" },
	{ "pins", ", pin %" },
};
static const struct schema place_schema = SENTENCE(place_words);

static const struct wording registered_words[] = {
	{ "action", "%" },
	{ "kernel_struct_ops", " %" },
	{ "name", " %" },
	{ "map_id", " id %" },
};
static const struct schema registered_schema = SENTENCE(registered_words);

static const struct wording linked_words[] = {
	{ "action", "%" },	   { "kernel_struct_ops", " %" }, { "name", " %" },
	{ "map_id", " map id %" }, { "link_id", " link id %" },	  { "replaced", " in place of map id %" },
	{ "pins", " pin %" },
};
static const struct schema linked_schema = SENTENCE(linked_words);

static const struct wording unpin_words[] = {
	{ "action", "%" },
	{ "path", " %" },
	{ "kind", ", a pin of %" },
	{ "id", " %" },
};
static const struct schema unpin_schema = SENTENCE(unpin_words);

static const struct wording object_words[] = { { "action", "%" }, { "kind", " %" }, { "id", " %" } };
static const struct schema object_schema = SENTENCE(object_words);

static const struct wording create_words[] = {
	{ "action", "%" },
	{ "kind", " a %" },
	{ "type", " of type %" },
	{ "path", " and pin it to %" },
};
static const struct schema create_schema = SENTENCE(create_words);

static const struct wording element_words[] = { { "action", "%" }, { "kind", " %" }, { "id", " %:" } };
static const struct schema element_schema = SENTENCE(element_words);

static const struct wording elements_words[] = {
	{ "written", "wrote % element(s)" },
	{ "deleted", ", deleted %" },
	{ "failed", ", % failed" },
};
static const struct schema elements_schema = SENTENCE(elements_words);
static const struct wording would_words[] = {
	{ "written", "would write % element(s)" },
	{ "deleted", ", delete %" },
	{ "failed", ", % failed" },
};
static const struct schema would_schema = SENTENCE(would_words);

static const struct wording load_words[] = {
	{ "action", "%" },
	{ "name", " %" },
	{ "prog_id", ", program %" },
	{ "type", " of type %" },
	{ "verified_insns", ", % instructions verified" },
	{ "link_id", ", link %" },
	{ "replaced", ", in place of %" },
	{ "pins", ", pin %" },
};
static const struct schema load_schema = SENTENCE(load_words);

static const struct wording replace_words[] = {
	{ "action", "%" },     { "name", " %" }, { "prog_id", ", program %" }, { "map_id", ", map %" },
	{ "where", " at %" },  { "what", " %" }, { "link_id", ", link %" },    { "replaced", ", in place of %" },
	{ "pins", ", pin %" }, { "how", ": %" },
};
static const struct schema replace_schema = SENTENCE(replace_words);

static const struct schema *const sentences[SENTENCES] = {
	[SENTENCE_PLACE] = &place_schema,	[SENTENCE_STRUCT_OPS] = &registered_schema,
	[SENTENCE_UNPIN] = &unpin_schema,	[SENTENCE_OBJECT] = &object_schema,
	[SENTENCE_CREATE] = &create_schema,	[SENTENCE_ELEMENT] = &element_schema,
	[SENTENCE_ELEMENTS] = &elements_schema, [SENTENCE_LOAD] = &load_schema,
	[SENTENCE_REPLACE] = &replace_schema,
};

static const struct schema *sentence_of(const void *rec)
{
	const struct change_rec *c = rec;

	if (c->sentence == SENTENCE_STRUCT_OPS && c->link_id)
		return &linked_schema;
	if (c->sentence == SENTENCE_ELEMENTS && c->dry_run)
		return &would_schema;
	return sentences[c->sentence];
}

const struct schema change_schema = SCHEMA("change", change_rec, keys, .more = sentence_of);

void change_complete(struct change_rec *c)
{
	const bool is_map = c->kind ? !strcmp(c->kind, "map") : !c->prog_id && c->sentence != SENTENCE_LOAD;

	c->replaced_map = is_map ? c->replaced : 0;
	if (c->kind && !strcmp(c->kind, "prog"))
		c->prog_id = c->id;
	if (c->kind && !strcmp(c->kind, "map"))
		c->map_id = c->id;
	if (c->kind && !strcmp(c->kind, "link"))
		c->link_id = c->id;
	c->has_elements = c->sentence == SENTENCE_ELEMENTS ? AVAIL_YES : AVAIL_NO;
	c->has_deleted = c->deletes ? c->has_elements : AVAIL_NO;
}
