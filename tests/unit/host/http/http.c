/* SPDX-License-Identifier: BSD-2-Clause */
#include "../../test.h"

#include "host/http/http.h"

static const struct http_page page = {
	.type = { "text/plain; version=0.0.4", "application/openmetrics-text; version=1.0.0" }, .n = 2
};

static void test_choose(void **unused)
{
	static const char *const plain[] = {
		"",
		"*/*",
		"text/plain",
		"text/*",
		"image/png",
		"application/openmetrics-text;q=0",
		"application/openmetrics-text;q=0.4, text/plain;q=0.5",
		"application/openmetrics-text;version=1.0.0;q=0.4,*/*",
		"application/openmetrics-texts",
		"application/openmetrics",
		"application",
		"/",
		"*",
		",,;,;q=,",
		"application/openmetrics-text;q=",
		"q=1",
	};
	static const char *const open[] = {
		"application/openmetrics-text",
		"Application/OpenMetrics-Text ; version=1.0.0",
		"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		"text/plain;q=0.2 , application/*;q=0.3",
		"text/plain;q=0, */*",
		" text/plain;q=0.999,application/openmetrics-text;q=9999999999999",
		"text/plain;a=b;q=0.1,application/openmetrics-text; a=b; q=0.2",
	};

	(void)unused;
	assert_int_equal(http_choose(&page, NULL), 0);
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		if (http_choose(&page, plain[i]))
			fail_msg("%s", plain[i]);
	for (size_t i = 0; i < sizeof(open) / sizeof(*open); i++)
		if (http_choose(&page, open[i]) != 1)
			fail_msg("%s", open[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_choose) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
