/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/ident.h"

#include "base/base.h"

static const char c_words[] =
	"auto break case char const continue default do double else enum extern float for goto if inline int long "
	"register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while";
/* Those that C does not have. */
static const char cpp_words[] =
	"alignas alignof and and_eq asm bitand bitor bool catch class compl constexpr const_cast decltype delete dynamic_cast explicit export "
	"false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast "
	"static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor xor_eq";
#define C_WORD_MAX 8u /* characters of the longest one */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool ident_is_cplusplus(const char *name)
{
	return str_has_word(cpp_words, name);
}

static bool is_reserved(const char *name, size_t n, enum ident_words words)
{
	if (words != IDENT_ANY && n <= C_WORD_MAX && str_has_word(c_words, name))
		return true;
	return words == IDENT_CPP && ident_is_cplusplus(name);
}

const char *ident_make(struct arena *a, const char *name, enum ident_words words)
{
	size_t n = 0;
	bool word;
	char *s;

	while (is_letter(name[n]) || is_digit(name[n]))
		n++;
	word = !name[n] && is_reserved(name, n, words);
	if (!*name || (!name[n] && !is_digit(*name) && !word))
		return name;
	s = arena_fmt(a, "%s%s%s", is_digit(*name) ? "_" : "", name, word ? "_" : "");
	for (char *p = s; *p; p++)
		if (!is_letter(*p) && !is_digit(*p))
			*p = '_';
	return s;
}
