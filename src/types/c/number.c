/* SPDX-License-Identifier: BSD-2-Clause */
#include "types/c/writer.h"

/* The words of a name, in any order: "long unsigned int" is "unsigned long". */
static bool words_are(const char *name, const char *words)
{
	char word[16];
	size_t n;

	for (; *name; name += n + (name[n] == ' ')) {
		n = strcspn(name, " ");
		if (!n || n >= sizeof(word))
			return false;
		memcpy(word, name, n);
		word[n] = '\0';
		if (!str_has_word(words, word))
			return false;
	}
	return true;
}

/* Does C know an integer type of that name, with that size? */
static bool int_known(const char *name, uint32_t size, uint32_t size_of_long)
{
	static const char sign[] = "signed unsigned int";

	switch (size) {
	case 1:
		return !strcmp(name, "_Bool") || (strstr(name, "char") && words_are(name, "signed unsigned char"));
	case 2:
		return strstr(name, "short") && words_are(name, "signed unsigned int short");
	case 16:
		return strstr(name, "__int128") && words_are(name, "signed unsigned __int128");
	default:
		break;
	}
	if (size == 4 && words_are(name, sign))
		return true;
	if (!strstr(name, "long") || !words_are(name, "signed unsigned int long"))
		return false;
	return strstr(name, "long long") ? size == 8 : size == size_of_long;
}

static const char *int_type(const struct btf_type *type)
{
	uint32_t word;
	bool is_signed;

	memcpy(&word, type + 1, sizeof(word));
	is_signed = BTF_INT_ENCODING(word) & BTF_INT_SIGNED;
	switch (type->size) {
	case 1:
		return BTF_INT_ENCODING(word) & BTF_INT_BOOL ? "_Bool" : is_signed ? "signed char" : "unsigned char";
	case 2:
		return is_signed ? "short" : "unsigned short";
	case 4:
		return is_signed ? "int" : "unsigned int";
	case 8:
		return is_signed ? "long long" : "unsigned long long";
	case 16:
		return is_signed ? "__int128" : "unsigned __int128";
	default:
		return NULL;
	}
}

const char *c_number(const struct btf_type *type, const char *name, uint32_t size_of_long)
{
	if (btf_kind_of(type) == BTF_KIND_INT)
		return int_known(name, type->size, size_of_long) ? NULL : int_type(type);
	/* Names that C does not have, but compilers: _Float128, __bf16. */
	if (!strcmp(name, "float") || !strcmp(name, "double") || !strcmp(name, "long double") || *name == '_')
		return NULL;
	return type->size == sizeof(float) ? "float" : type->size == sizeof(double) ? "double" : NULL;
}
