/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "../test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/sign.h"

/* Keys of openssl(1), which also verifies the signatures. */
static char dir[] = "/tmp/bpflens-sign-XXXXXX";
static const char insns[64] = "what is signed";
static const struct loader loader = { .insns = insns, .insns_size = sizeof(insns) };

static const char *in(const char *name)
{
	static char path[2][64];
	static unsigned turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static int run(const char *fmt, const char *more)
{
	char command[400];

	snprintf(command, sizeof(command), "cd %s && openssl %s %s >/dev/null 2>&1", dir, fmt, more);
	return system(command);
}

static void put(const char *name, const void *p, size_t n)
{
	FILE *f = fopen(in(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	run("req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=lens", "-keyout key -out cert");
	run("req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other", "-keyout other -out other.cert");
	run("x509 -in cert -outform DER", "-out cert.der");
	run("pkcs8 -topk8 -in key -passout pass:secret", "-out locked");
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = {
		"key", "cert", "other", "other.cert", "cert.der", "locked", "cms", "insns"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(in(names[i]));
	return rmdir(dir);
}

static void need(void)
{
	if (!sign_built)
		skip_because("built without libcrypto");
	if (access(in("cert.der"), F_OK))
		skip_because("openssl(1) is not installed");
}

static void test_sign(void **state)
{
	static const char *const certs[] = { "cert", "cert.der" };
	static const char verify[] =
		"cms -verify -binary -inform DER -in cms -content insns -nointern -certfile cert -CAfile cert -purpose any";
	ARENA a = arena_new();
	struct err e = { 0 };

	(void)state;
	need();
	for (unsigned i = 0; i < 2; i++) {
		struct loader_signature s = { 0 };

		assert_int_equal(sign_loader(&s, &loader, in("key"), in(certs[i]), a, &e), 0);
		assert_memory_equal(s.hash, "\xfc\x91\xff\xeb\xf0\x30\xe4\x06", 8); /* SHA-256 */
		put("cms", s.cms, s.cms_size);
		put("insns", insns, sizeof(insns));
		assert_int_equal(run(verify, ""), 0);
		put("insns", "something else", 14);
		assert_int_not_equal(run(verify, ""), 0);
		put("insns", s.cert, s.cert_size);
		assert_int_equal(run("x509 -inform DER -in insns -noout", ""), 0);
		assert_true(s.cms_size > 256 && s.cms_size < 600); /* without a certificate */
	}
}

static void refuses(const char *key, const char *cert, int code, const char *says)
{
	ARENA a = arena_new();
	struct loader_signature s;
	struct err e = { 0 };

	assert_int_equal(sign_loader(&s, &loader, key, cert, a, &e), code);
	assert_non_null(strstr(e.msg, says));
}

static void test_refused(void **state)
{
	(void)state;
	need();
	refuses(in("none"), in("cert"), -ENOENT, "cannot read the private key");
	refuses(in("key"), in("none"), -ENOENT, "cannot read the certificate");
	refuses(in("cert"), in("cert"), -EKEYREJECTED, "cannot read the private key");
	refuses(in("locked"), in("cert"), -EKEYREJECTED, "cannot read the private key");
	refuses(in("key"), in("key"), -EKEYREJECTED, "cannot read the certificate");
	refuses(in("key"), in("other.cert"), -EKEYREJECTED, "perhaps they do not match");
}

static void test_without(void **state)
{
	(void)state;
	if (sign_built)
		skip_because("built with libcrypto");
	refuses("key", "cert", -ENOTSUP, "built without libcrypto");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sign),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_without),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
