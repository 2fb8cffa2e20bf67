/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/secname.h"

#include "kernel/abi.h"
#include "kernel/hooks.h"
#include "kernel/names.h"

static bool prefix_fits(const char *prefix, const char *section, const char **ret_target)
{
	size_t n = strlen(prefix);
	bool more = prefix[n - 1] == '+';

	n -= more;
	*ret_target = NULL;
	if (strncmp(section, prefix, n))
		return false;
	if (!section[n])
		return true;
	if (!more || section[n] != '/')
		return false;
	*ret_target = section + n + 1;
	return true;
}

static bool may_sleep(const struct hook *h, const char *section)
{
	return strstr(section, ".s+") || h->progs[0] == ABI_PROG_SYSCALL;
}

struct secname_guess secname_guess(const char *section)
{
	struct secname_guess ret = { .manual = *section == '?' };

	for (const struct hook *h = hooks; h < hooks + nhooks; h++)
		for (size_t i = 0; i < HOOK_SECTIONS && h->sections[i]; i++) {
			if (!prefix_fits(h->sections[i], section + ret.manual, &ret.target))
				continue;
			ret.hook = h;
			ret.sleepable = may_sleep(h, h->sections[i]);
			ret.attach_type = h->type < 0 || h->loaded_without ? 0 : (uint32_t)h->type;
			ret.flags = (ret.sleepable ? ABI_PROG_SLEEPABLE : 0) |
				    (strncmp(h->sections[i], "xdp.frags", 9) ? 0 : ABI_PROG_XDP_HAS_FRAGS);
			return ret;
		}
	return ret;
}

const char *secname_attach_type(const struct hook *h)
{
	return h->type < 0 || h->loaded_without ? NULL : names_of(&names_attach_type, (uint64_t)h->type);
}
