/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/file/contents.h"

#include "source/questions.h"
#include "source/file/tar.h"
#include "source/file/contents_put.h"
#include "source/file/archive.h"

#define ERRNO_MAX 4095

void contents_init(struct contents *c)
{
	*c = (struct contents){ .arena = arena_new(), .temp = INPUT_NONE };
	keys_init(&c->keys, c->arena);
}

void contents_free(struct contents *c)
{
	arena_free(c->arena);
	c->arena = NULL;
	input_close(&c->temp);
	for (int k = 0; k < OBJECT_KINDS; k++)
		str_release(&c->infos[k]);
}

int contents_errno(const void *p, size_t n)
{
	char text[8];
	uint32_t v;

	if (n && ((const char *)p)[n - 1] == '\n')
		n--;
	if (!n || n >= sizeof(text))
		return 0;
	memcpy(text, p, n);
	text[n] = '\0';
	return num_parse_u32(text, &v) || v > ERRNO_MAX ? 0 : -(int)v;
}

int contents_name(struct str *key, const char *name, bool *refused, struct err *e)
{
	size_t len = strlen(name);

	*refused = len > 6 && !strcmp(name + len - 6, ".errno");
	if (tar_name_key(key, name))
		return err_set(e, -EBADMSG, "damaged archive: member %.200s: wrong escape", name);
	if (*refused)
		key->p[key->n -= 6] = '\0';
	if (key->n > QUESTION_KEY_MAX)
		return err_set(e, -EBADMSG, "damaged archive: a name of %zu bytes", key->n);
	return 0;
}

/* KIND/ID/info */
static void note_info(struct contents *c, const char *key)
{
	char word[12];
	uint32_t id;

	for (int k = 0; k < OBJECT_KINDS; k++) {
		size_t n = strlen(object_kind_names[k]), digits;

		if (strncmp(key, object_kind_names[k], n) || key[n] != '/')
			continue;
		digits = strcspn(key + n + 1, "/");
		if (strcmp(key + n + 1 + digits, "/info") || digits >= sizeof(word))
			return;
		memcpy(word, key + n + 1, digits);
		word[digits] = '\0';
		if (!num_parse_u32(word, &id))
			str_add(&c->infos[k], &id, sizeof(id));
	}
}

int contents_put(struct contents *c, const char *key, const struct answer *w, struct err *e)
{
	void **slot = keys_put(&c->keys, key);

	if (!slot)
		return err_set(e, -EBADMSG, "damaged archive: its names are made to collide");
	if (++c->n > ARCHIVE_MEMBERS)
		return err_set(e, -EBADMSG, "damaged archive: too many members");
	if (!*slot)
		*slot = arena_room(c->arena, sizeof(*w));
	*(struct answer *)*slot = *w;
	if (!w->summed && !w->refused)
		note_info(c, key);
	return 0;
}
