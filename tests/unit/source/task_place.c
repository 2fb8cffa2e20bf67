/* SPDX-License-Identifier: BSD-2-Clause */
#include "../test.h"

#include <string.h>

#include "base/base.h"
#include "source/task_place.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void assert_text(const char *got, const char *want)
{
	assert_int_equal(!got, !want);
	if (got)
		assert_string_equal(got, want);
}

static void places(void **state)
{
	static const struct {
		const char *text, *cgroup, *unit, *container, *service, *user;
	} cases[] = {
		{ "", NULL, NULL, NULL },
		{ "nonsense\n0:\n::\n", NULL, NULL, NULL },
		{ "0::/\n", "/", NULL, NULL },
		{ "0::/system.slice/ssh.service\n", "/system.slice/ssh.service", "ssh.service", NULL, "ssh.service" },
		{ "0::/user.slice/user-0.slice/session-1.scope\n", "/user.slice/user-0.slice/session-1.scope",
		  "session-1.scope", NULL },
		{ "0::/a.slice/b.slice\n", "/a.slice/b.slice", "b.slice", NULL },
		{ "0::/x.service/.slice/inner\n", "/x.service/.slice/inner", "x.service", NULL, "x.service" },
		{ "0::/x.service/y.slice\n", "/x.service/y.slice", "x.service", NULL, "x.service" },
		{ "0::/user@1.service/app.slice/f.service", "/user@1.service/app.slice/f.service",
		  "user@1.service/f.service", NULL, "f.service", "1" },
		{ "12:pids:/pids\n1:name=systemd:/system.slice/a.service\n0::/\n", "/system.slice/a.service",
		  "a.service", NULL, "a.service" },
		{ "12:pids:/pids\n1:name=systemd:/\n0::/b.service\n", "/b.service", "b.service", NULL, "b.service" },
		{ "0::/system.slice/docker-" ID ".scope\n", "/system.slice/docker-" ID ".scope", "docker-" ID ".scope",
		  ID },
		{ "0::/docker/" ID "\n", "/docker/" ID, NULL, ID },
		{ "0::/kubepods/pod1/cri-containerd:" ID "\n", "/kubepods/pod1/cri-containerd:" ID, NULL, ID },
		{ "0::/docker/" ID "/init.scope\n", "/docker/" ID "/init.scope", ID "/init.scope", ID },
		{ "0::/" ID "0\n", "/" ID "0", NULL, NULL },
		{ "0::/x" ID "\n", "/x" ID, NULL, NULL },
		{ "0::/lxc.payload.web/system.slice/nginx.service\n", "/lxc.payload.web/system.slice/nginx.service",
		  "lxc.payload.web/nginx.service", "web" },
		{ "0::/machine.slice/systemd-nspawn@m1.service/payload\n",
		  "/machine.slice/systemd-nspawn@m1.service/payload", "systemd-nspawn@m1.service", "m1" },
	/* Users and containers name their cgroups as they like. */
#define USER "/user.slice/user-1000.slice/user@1000.service"
		{ "0::" USER "/app.slice/ssh.service\n", USER "/app.slice/ssh.service", "user@1000.service/ssh.service",
		  NULL, "ssh.service", "1000" },
		{ "0::" USER "/x/system.slice/ssh.service\n", USER "/x/system.slice/ssh.service", "user@1000.service",
		  NULL, NULL, "1000" },
		{ "0::" USER "/user@0.service/ssh.service\n", USER "/user@0.service/ssh.service",
		  "user@1000.service/user@0.service", NULL, "user@0.service", "1000" },
		{ "0::/machine.slice/machine-web.scope/payload/system.slice/ssh.service\n",
		  "/machine.slice/machine-web.scope/payload/system.slice/ssh.service", "machine-web.scope", NULL },
		{ "0::/system.slice/podman-web.service/container/system.slice/ssh.service\n",
		  "/system.slice/podman-web.service/container/system.slice/ssh.service", "podman-web.service", NULL,
		  "podman-web.service" },
		{ "0::/system.slice/user@x.service/ssh.service\n", "/system.slice/user@x.service/ssh.service",
		  "user@x.service", NULL, "user@x.service" },
		{ "0::" USER "/app.slice/*.service\n", USER "/app.slice/*.service", "user@1000.service/app.slice", NULL,
		  NULL, "1000" },
		{ "0::/system.slice/a b.service\n", "/system.slice/a b.service", "system.slice", NULL },
		{ "0::/system.slice/dev-a\\x2db.service\n", "/system.slice/dev-a\\x2db.service", "dev-a\\x2db.service",
		  NULL, "dev-a\\x2db.service" },
		{ "0::/system.slice/_memory.service\n", "/system.slice/_memory.service", "memory.service", NULL,
		  "memory.service" },
		{ "0::/lxc.payload.\n", "/lxc.payload.", NULL, NULL },
		{ "0::/a:b/c\n", "/a:b/c", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *a = arena_new();
		struct task_place p;

		task_place_parse(arena_str(a, cases[i].text, strlen(cases[i].text)), a, &p);
		assert_text(p.cgroup, cases[i].cgroup);
		assert_text(p.unit, cases[i].unit);
		assert_text(p.container, cases[i].container);
		assert_text(p.service, cases[i].service);
		assert_text(p.user, cases[i].user);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(places) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
