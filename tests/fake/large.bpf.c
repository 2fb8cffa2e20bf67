/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of 2 MB whose instructions hardly compress: it has no room in a ring of 1 MB, nor in a file of that size.
 */
#define SEC(name) __attribute__((section(name), used))

SEC("xdp") int large(void *ctx)
{
	int ret;

	asm volatile(
		".set n, 12345\n"
		".rept 260000\n"
		".set n, (n * 1103515245 + 12345) & 0x7fffffff\n"
		"r0 = n\n"
		".endr\n"
		"%0 = r0\n"
		: "=r"(ret)
		:
		: "r0");
	return ret;
}
char LICENSE[] SEC("license") = "GPL";
