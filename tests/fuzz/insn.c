/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "code/insn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name of maximum length, for every second question. */
static bool name(const void *ctx, const struct insn *i, char *buf, size_t size)
{
	(void)ctx;
	memset(buf, 'n', size - 1);
	buf[size - 1] = '\0';
	return i->off & 1;
}

/* Any bytes as instructions, into a buffer of the size that the first byte gives. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct insn_names names = { .call = name };
	size_t slots, room;
	struct insn insn;
	char *buf;

	if (size < 1 + INSN_SIZE)
		return 0;
	room = data[0] == 0xff ? INSN_TEXT_MAX : (size_t)data[0] + 1;
	buf = malloc(room);
	if (!buf)
		return 0;
	data++;
	slots = (size - 1) / INSN_SIZE;
	for (size_t i = 0; i < slots; i += insn.slots) {
		insn_decode(&insn, data + i * INSN_SIZE, slots - i, false);
		if (insn.slots > slots - i)
			abort();
		memset(buf, 'x', room);
		size_t n = insn_text(&insn, &names, buf, room);
		if (strnlen(buf, room) != (n < room ? n : room - 1))
			abort();
	}
	free(buf);
	return 0;
}
