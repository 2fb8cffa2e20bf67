/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/perf/data.h"

#include "kernel/perf/data_file.h"

bool perf_data_is(const void *p, size_t n)
{
	return n >= sizeof(uint64_t) && !memcmp(p, &(uint64_t){ PERF_DATA_MAGIC }, sizeof(uint64_t));
}

bool perf_data_is_hold(const struct sideband_record *r)
{
	return r->kind == SIDEBAND_KSYMBOL && !strcmp(r->ksymbol.name, PERF_DATA_HOLD);
}

/* The next word of a section, which ends with NUL; NULL: there is none. */
static const char *section_word(const unsigned char **at, size_t *left)
{
	const char *word = (const char *)*at + sizeof(uint32_t);
	uint32_t n;

	if (*left < sizeof(n))
		return NULL;
	memcpy(&n, *at, sizeof(n));
	if (!n || n > *left - sizeof(n) || word[n - 1])
		return NULL;
	*at += sizeof(n) + n;
	*left -= sizeof(n) + n;
	return word;
}

const char *perf_data_text(const struct perf_data *d, enum perf_data_feature f, struct arena *a)
{
	size_t left = 0;
	const unsigned char *at = perf_data_section(d, f, &left);
	const char *word;
	uint32_t words = 1;
	STR text = { 0 };

	if (!at || left < sizeof(words))
		return NULL;
	if (f == PERF_DATA_COMMAND) {
		memcpy(&words, at, sizeof(words));
		at += sizeof(words);
		left -= sizeof(words);
	}
	while (words-- && (word = section_word(&at, &left)))
		str_fmt(&text, "%s%s", text.n ? " " : "", word);
	return text.n ? arena_str(a, text.p, text.n) : NULL;
}
