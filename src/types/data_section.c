/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/data_section.h"

#include <bpf/btf.h>

#include "types/library.h"

/* The id of the first type of @ids that failed, or the last. */
static int counters_add(struct btf *btf, const char *section, const char *name, uint32_t n)
{
	const uint32_t size = n * (uint32_t)sizeof(uint64_t);
	const int number = btf__add_int(btf, "unsigned long long", sizeof(uint64_t), 0);
	const int index = number < 0 ? number : btf__add_int(btf, "__ARRAY_SIZE_TYPE__", sizeof(uint32_t), 0);
	const int array = index < 0 ? index : btf__add_array(btf, index, number, n);
	const int var = array < 0 ? array : btf__add_var(btf, name, BTF_VAR_STATIC, array);
	const int data = var < 0 ? var : btf__add_datasec(btf, section, size);

	return data < 0 ? data : btf__add_datasec_var_info(btf, var, 0, size);
}

int btf_add_counters(const struct btf_types *t, const char *section, const char *name, uint32_t n, struct arena *a,
		     const void **ret, size_t *ret_n, struct err *e)
{
	LIBRARY lib = { 0 };
	int err = library_load(&lib, t, e);
	uint32_t size = 0;
	const void *p;

	if (err)
		return err;
	err = counters_add(lib.btf, section, name, n);
	p = err ? NULL : btf__raw_data(lib.btf, &size);
	if (!p)
		return err_sys(e, err ? err : -ENOMEM, "cannot add types");
	*ret = arena_dup(a, p, size);
	*ret_n = size;
	return 0;
}
