/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/quote.h"

#include "types/btf.h"
#include "types/value/plan.h"
#include "render/jsonw.h"

const char *quote_text(struct out *scratch, struct arena *a, const char *s, uint32_t *ret_len)
{
	struct jsonw w;

	scratch->n = 0;
	jsonw_init(&w, scratch, false);
	jsonw_str(&w, s);
	*ret_len = (uint32_t)scratch->n;
	return arena_str(a, scratch->buf, scratch->n);
}

static int word_cmp(const void *pa, const void *pb)
{
	const struct step_word *a = pa, *b = pb;

	/* Of equal values, the first enumerator gives the name. len is the index until the names are made. */
	return NUM_CMP(a->value, b->value) ?: NUM_CMP(a->len, b->len);
}

uint32_t quote_enum(struct out *scratch, struct arena *a, const struct btf_types *t, const struct btf_type *type,
		    const struct step_word **ret)
{
	struct step_word *w = arena_array(a, btf_vlen_of(type), sizeof(*w));
	bool wide = btf_kind_of(type) == BTF_KIND_ENUM64;
	uint32_t i, n = btf_vlen_of(type), index;

	for (i = 0; i < n; i++) {
		const struct btf_enum64 *e64 = btf_enums64_of(type) + i;

		w[i].len = i;
		w[i].value =
			wide ? (int64_t)((uint64_t)e64->val_hi32 << 32 | e64->val_lo32) : btf_enums_of(type)[i].val;
	}
	qsort(w, n, sizeof(*w), word_cmp);
	for (i = 0; i < n; i++) {
		index = w[i].len;
		w[i].text = quote_text(
			scratch, a,
			btf_str(t, wide ? btf_enums64_of(type)[index].name_off : btf_enums_of(type)[index].name_off),
			&w[i].len);
	}
	*ret = w;
	return n;
}
