/* SPDX-License-Identifier: BSD-2-Clause */
#include "host/sign.h"

#ifdef WITH_CRYPTO

#include <dlfcn.h>
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/pem.h>

const bool sign_built = true;

/* clang-format off */
#define FUNCTIONS(F) \
	F(BIO_new_file) F(BIO_new_mem_buf) F(BIO_free) F(PEM_read_bio_PrivateKey) F(PEM_read_bio_X509) F(d2i_X509_bio) F(i2d_X509) \
	F(X509_free) F(EVP_PKEY_free) F(EVP_sha256) F(EVP_Digest) F(CMS_sign) F(CMS_add1_signer) F(CMS_final) F(i2d_CMS_ContentInfo) \
	F(CMS_ContentInfo_free) F(ERR_peek_last_error) F(ERR_reason_error_string) F(ERR_clear_error)
/* clang-format on */
#define MEMBER(name) __typeof__(name) *name;
struct crypto {
	void *library;
	FUNCTIONS(MEMBER)
	EVP_PKEY *key;
	X509 *cert;
	CMS_ContentInfo *cms;
};

static void crypto_close(struct crypto *c)
{
	if (c->CMS_ContentInfo_free) {
		c->CMS_ContentInfo_free(c->cms);
		c->X509_free(c->cert);
		c->EVP_PKEY_free(c->key);
	}
	if (c->library)
		dlclose(c->library);
}

static int crypto_open(struct crypto *c, struct err *e)
{
	bool all = true;

	c->library = dlopen(WITH_CRYPTO, RTLD_NOW | RTLD_LOCAL);
	if (!c->library) {
		err_set(e, -ENOTSUP, "cannot sign: %s is not installed", WITH_CRYPTO);
		return err_hint(e, "install OpenSSL's libcrypto, or rebuild with the installed version");
	}
#define FIND(name) all &= (c->name = (__typeof__(name) *)dlsym(c->library, #name)) != NULL;
	FUNCTIONS(FIND)
	if (all)
		return 0;
	c->CMS_ContentInfo_free = NULL;
	return err_set(e, -ENOTSUP, "cannot sign: the installed %s lacks functions", WITH_CRYPTO);
}

static int crypto_error(const struct crypto *c, const char *what, const char *path, struct err *e)
{
	const char *why = c->ERR_reason_error_string(c->ERR_peek_last_error());

	return err_set(e, -EKEYREJECTED, "cannot %s %s: %s", what, path, why ? why : "libcrypto gives no reason");
}

/* Do not ask on the terminal for the passphrase of a key. */
static int no_passphrase(char *buf, int size, int writes, void *arg)
{
	return 0;
}

static int key_read(struct crypto *c, const char *path, struct err *e)
{
	BIO *bio = c->BIO_new_file(path, "r");

	if (!bio)
		return err_sys(e, errno ? -errno : -EIO, "cannot read the private key %s", path);
	c->key = c->PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL);
	c->BIO_free(bio);
	return c->key ? 0 : crypto_error(c, "read the private key", path, e);
}

static int cert_read(struct crypto *c, const char *path, struct err *e)
{
	for (unsigned pem = 2; pem-- > 0 && !c->cert;) {
		BIO *bio = c->BIO_new_file(path, "r");

		if (!bio)
			return err_sys(e, errno ? -errno : -EIO, "cannot read the certificate %s", path);
		c->ERR_clear_error();
		c->cert = pem ? c->PEM_read_bio_X509(bio, NULL, no_passphrase, NULL) : c->d2i_X509_bio(bio, NULL);
		c->BIO_free(bio);
	}
	return c->cert ? 0 : crypto_error(c, "read the certificate", path, e);
}

static int cms_make(struct crypto *c, const struct loader *l, struct err *e)
{
	const unsigned flags = CMS_NOCERTS | CMS_BINARY | CMS_DETACHED | CMS_NOSMIMECAP | CMS_NOATTR;
	BIO *bio = c->BIO_new_mem_buf(l->insns, (int)l->insns_size);
	bool good;

	c->cms = bio ? c->CMS_sign(NULL, NULL, NULL, NULL, flags | CMS_PARTIAL | CMS_STREAM) : NULL;
	good = c->cms && c->CMS_add1_signer(c->cms, c->cert, c->key, c->EVP_sha256(), flags) &&
	       c->CMS_final(c->cms, bio, NULL, flags);
	c->BIO_free(bio);
	return good ? 0 : crypto_error(c, "sign with key and certificate:", "perhaps they do not match", e);
}

/* DER by a function of libcrypto that returns the length if the buffer is NULL. */
#define DER(a, f, thing, size) \
	({ \
		int n_ = (f)(thing, NULL); \
		unsigned char *p_ = n_ > 0 ? arena_alloc(a, (size_t)n_) : NULL, *end_ = p_; \
		*(size) = p_ ? (uint32_t)(f)(thing, &end_) : 0; \
		p_; \
	})

int sign_loader(struct loader_signature *ret, const struct loader *l, const char *key, const char *cert,
		struct arena *a, struct err *e)
{
	__attribute__((cleanup(crypto_close))) struct crypto c = { 0 };
	unsigned size = sizeof(ret->hash);
	int err = crypto_open(&c, e);

	if (!err)
		err = key_read(&c, key, e);
	if (!err)
		err = cert_read(&c, cert, e);
	if (!err)
		err = cms_make(&c, l, e);
	if (err)
		return err;
	ret->cms = DER(a, c.i2d_CMS_ContentInfo, c.cms, &ret->cms_size);
	ret->cert = DER(a, c.i2d_X509, c.cert, &ret->cert_size);
	if (!ret->cms || !ret->cert || !c.EVP_Digest(l->insns, l->insns_size, ret->hash, &size, c.EVP_sha256(), NULL))
		return crypto_error(&c, "sign with", key, e);
	return 0;
}

#else

const bool sign_built = false;

int sign_loader(struct loader_signature *ret, const struct loader *l, const char *key, const char *cert,
		struct arena *a, struct err *e)
{
	err_set(e, -ENOTSUP, "cannot sign: this program was built without libcrypto");
	return err_hint(e, "install libssl-dev (openssl-devel, openssl, openssl-dev) and build again");
}

#endif
