/* SPDX-License-Identifier: BSD-2-Clause */

#include "base/base.h"

/* clang-format off */
#define ERRNO_NAMES(X) \
	X(EPERM) X(ENOENT) X(ESRCH) X(EINTR) X(EIO) X(ENXIO) X(E2BIG) X(ENOEXEC) X(EBADF) X(ECHILD) X(EAGAIN) \
	X(ENOMEM) X(EACCES) X(EFAULT) X(ENOTBLK) X(EBUSY) X(EEXIST) X(EXDEV) X(ENODEV) X(ENOTDIR) X(EISDIR) \
	X(EINVAL) X(ENFILE) X(EMFILE) X(ENOTTY) X(ETXTBSY) X(EFBIG) X(ENOSPC) X(ESPIPE) X(EROFS) X(EMLINK) \
	X(EPIPE) X(EDOM) X(ERANGE) X(EDEADLK) X(ENAMETOOLONG) X(ENOLCK) X(ENOSYS) X(ENOTEMPTY) X(ELOOP) \
	X(ENOMSG) X(EIDRM) X(ECHRNG) X(EL2NSYNC) X(EL3HLT) X(EL3RST) X(ELNRNG) X(EUNATCH) X(ENOCSI) X(EL2HLT) \
	X(EBADE) X(EBADR) X(EXFULL) X(ENOANO) X(EBADRQC) X(EBADSLT) X(EBFONT) X(ENOSTR) X(ENODATA) X(ETIME) \
	X(ENOSR) X(ENONET) X(ENOPKG) X(EREMOTE) X(ENOLINK) X(EADV) X(ESRMNT) X(ECOMM) X(EPROTO) X(EMULTIHOP) \
	X(EDOTDOT) X(EBADMSG) X(EOVERFLOW) X(ENOTUNIQ) X(EBADFD) X(EREMCHG) X(ELIBACC) X(ELIBBAD) X(ELIBSCN) \
	X(ELIBMAX) X(ELIBEXEC) X(EILSEQ) X(ERESTART) X(ESTRPIPE) X(EUSERS) X(ENOTSOCK) X(EDESTADDRREQ) \
	X(EMSGSIZE) X(EPROTOTYPE) X(ENOPROTOOPT) X(EPROTONOSUPPORT) X(ESOCKTNOSUPPORT) X(EOPNOTSUPP) \
	X(EPFNOSUPPORT) X(EAFNOSUPPORT) X(EADDRINUSE) X(EADDRNOTAVAIL) X(ENETDOWN) X(ENETUNREACH) \
	X(ENETRESET) X(ECONNABORTED) X(ECONNRESET) X(ENOBUFS) X(EISCONN) X(ENOTCONN) X(ESHUTDOWN) \
	X(ETOOMANYREFS) X(ETIMEDOUT) X(ECONNREFUSED) X(EHOSTDOWN) X(EHOSTUNREACH) X(EALREADY) X(EINPROGRESS) \
	X(ESTALE) X(EUCLEAN) X(ENOTNAM) X(ENAVAIL) X(EISNAM) X(EREMOTEIO) X(EDQUOT) X(ENOMEDIUM) \
	X(EMEDIUMTYPE) X(ECANCELED) X(ENOKEY) X(EKEYEXPIRED) X(EKEYREVOKED) X(EKEYREJECTED) X(EOWNERDEAD) \
	X(ENOTRECOVERABLE) X(ERFKILL) X(EHWPOISON) X(ENOTSUPP)
/* clang-format on */

#define REASON_MAX 64 /* bytes reserved for ": " and the text of strerror() */

/* The positive errno; computed unsigned, because any int may come from outside. */
static int err_positive(int code)
{
	return code < 0 ? (int)(0 - (unsigned)code) : code;
}

const char *err_name(int code)
{
#define NAME_CASE(name) \
	case name: \
		return #name;
	switch (err_positive(code)) {
		ERRNO_NAMES(NAME_CASE)
	case 0:
		return "0";
	default:
		return "unknown errno";
	}
#undef NAME_CASE
}

const char *err_text(int code)
{
	return code == -ENOTSUPP ? "Not supported by the kernel" : strerror(err_positive(code));
}

/* A caller's mistake (0, or a positive errno) must not turn a failure into success. */
static int err_normal(int code)
{
	return code < 0 ? code : code > 0 ? -code : -EIO;
}

/* @why: append what the code means. */
PRINTF(4, 0) static int err_vset(struct err *e, int code, bool why, const char *fmt, va_list ap)
{
	size_t n;

	code = err_normal(code);
	if (!e)
		return code;
	if (e->code)
		return e->code;
	e->code = code;
	str_vfit(e->msg, sizeof(e->msg) - (why ? REASON_MAX : 0), fmt, ap);
	n = strlen(e->msg);
	if (why)
		str_fit(e->msg + n, sizeof(e->msg) - n, ": %s", err_text(code));
	return code;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	code = err_vset(e, code, false, fmt, ap);
	va_end(ap);
	return code;
}

int err_sys(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	code = err_vset(e, code, true, fmt, ap);
	va_end(ap);
	return code;
}

int err_usage(struct err *e, const char *fmt, ...)
{
	bool first = e && !e->code;
	va_list ap;
	int code;

	va_start(ap, fmt);
	code = err_vset(e, -EINVAL, false, fmt, ap);
	va_end(ap);
	if (first)
		e->status = EXIT_USAGE;
	return code;
}

int err_in(struct err *e, const char *fmt, ...)
{
	char msg[sizeof(e->msg)];
	size_t n;
	va_list ap;

	if (!e)
		return -EIO;
	if (!e->code)
		return 0;
	memcpy(msg, e->msg, sizeof(msg));
	va_start(ap, fmt);
	str_vfit(e->msg, sizeof(e->msg) / 2, fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	str_fit(e->msg + n, sizeof(e->msg) - n, ": %s", msg);
	return e->code;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -EIO;
	if (!e->hint[0]) {
		va_start(ap, fmt);
		str_vfit(e->hint, sizeof(e->hint), fmt, ap);
		va_end(ap);
	}
	return e->code;
}

int err_hint_word(struct err *e, const char *before, const char *word, const char *after)
{
	STR text = { 0 };

	if (!e)
		return -EIO;
	if (*word != '-' && str_shell(&text, word) && strlen(before) + text.n + strlen(after) < sizeof(e->hint))
		err_hint(e, "%s%s%s", before, text.p, after);
	return e->code;
}

void err_clear(struct err *e)
{
	e->code = 0;
	e->status = 0;
	e->msg[0] = '\0';
	e->hint[0] = '\0';
}

enum exit_status err_exit_status(const struct err *e)
{
	if (e->status)
		return e->status;
	switch (err_positive(e->code)) {
	case 0:
		return EXIT_OK;
	case ENOENT:
	case ESRCH:
	case ENODEV:
		return EXIT_NOT_FOUND;
	case EPERM:
	case EACCES:
		return EXIT_PERMISSION;
	default:
		return EXIT_FAILED;
	}
}
