/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/value/named.h"

#include "types/btf.h"

/* True if a word between underscores is @part, ignoring digits after it: "src_ip4" has ip. */
static bool has_part(const char *name, const char *part)
{
	const size_t n = strlen(part);

	for (const char *p = name; *p; p += strcspn(p, "_"), p += *p == '_')
		if (!strncmp(p, part, n) && strspn(p + n, "0123456789") == strcspn(p + n, "_"))
			return true;
	return false;
}

static bool is_address(const char *name)
{
	return strstr(name, "addr") || has_part(name, "ip") || has_part(name, "ipv");
}

/* What a number in network order is besides a length or a sequence number: an end of a connection, a router. */
static bool is_end(const char *name)
{
	static const char *const words[] = {
		"src", "dst", "source", "dest", "local", "remote", "peer", "gw", "gateway"
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (has_part(name, words[i]))
			return true;
	return false;
}

static bool is_mac(const char *name)
{
	return has_part(name, "mac") || has_part(name, "smac") || has_part(name, "dmac") || has_part(name, "eth") ||
	       !strcmp(name, "h_dest") || !strcmp(name, "h_source");
}

static bool is_of_flow(const char *name)
{
	const size_t n = strlen(name);

	return has_part(name, "proto") || has_part(name, "protocol") || (n >= 4 && !strcmp(name + n - 4, "port"));
}

bool named_is_flow(const struct btf_types *t, const struct btf_type *type)
{
	for (unsigned i = 0; i < btf_vlen_of(type); i++)
		if (is_of_flow(btf_str(t, btf_members_of(type)[i].name_off)))
			return true;
	return false;
}

static enum format typedef_format(const char *word, const char *name)
{
	enum format f;

	if (strncmp(word, "__", 2))
		return FORMAT_NONE;
	f = format_parse(word + 2, strlen(word + 2));
	if (!format_is_number(f))
		return FORMAT_NONE;
	return f == FORMAT_BE32 && (is_address(name) || is_end(name)) ? FORMAT_IP : f;
}

/* The format of a type that is not a typedef. */
static enum format base_format(const struct btf_types *t, const struct btf_type *type, const char *name, uint64_t size)
{
	const char *word = btf_str(t, type->name_off);

	if (btf_kind_of(type) == BTF_KIND_STRUCT && (!strcmp(word, "in_addr") || !strcmp(word, "in6_addr")))
		return FORMAT_IP;
	return btf_kind_of(type) == BTF_KIND_INT && type->size == 1 && size == 6 && is_mac(name) ? FORMAT_MAC :
												   FORMAT_NONE;
}

static bool is_unsigned(const struct btf_type *type)
{
	uint32_t word;

	memcpy(&word, type + 1, sizeof(word));
	return !BTF_INT_ENCODING(word);
}

#define CHAIN 32u /* of typedefs, in hostile BTF */
enum guess { NO_GUESS, GUESS, GUESS_IN_FLOW };

static enum format format_of(const struct btf_types *t, uint32_t id, const char *name, enum guess guess)
{
	uint64_t size = 0;

	for (unsigned i = 0; i < CHAIN; i++) {
		const struct btf_type *type = btf_type(t, id);
		enum format f;

		if (!type || (btf_kind_of(type) == BTF_KIND_ARRAY && btf_size(t, id, &size)))
			return FORMAT_NONE;
		switch (btf_kind_of(type)) {
		case BTF_KIND_TYPEDEF:
			f = guess ? FORMAT_NONE : typedef_format(btf_str(t, type->name_off), name);
			if (f)
				return f;
			/* fall through */
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = type->type;
			break;
		case BTF_KIND_ARRAY:
			id = btf_array_of(type)->type;
			break;
		default:
			if (!guess)
				return base_format(t, type, name, size);
			size = size ? size : type->size;
			return btf_kind_of(type) == BTF_KIND_INT && is_unsigned(type) && is_address(name) &&
					       (size == 16 || (size == 4 && guess == GUESS_IN_FLOW)) ?
				       FORMAT_IP :
				       FORMAT_NONE;
		}
	}
	return FORMAT_NONE;
}

enum format named_format(const struct btf_types *t, uint32_t type, const char *member)
{
	return format_of(t, type, member, NO_GUESS);
}

enum format named_guess(const struct btf_types *t, uint32_t type, const char *member, bool flow)
{
	return format_of(t, type, member, flow ? GUESS_IN_FLOW : GUESS);
}
