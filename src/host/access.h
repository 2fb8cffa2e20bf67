/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HOST_ACCESS_H
#define HOST_ACCESS_H

struct str;
/*
 * What access to BPF depends on beside the settings of the kernel, "NAME VALUE\n" each; -: it cannot be read:
 *	lockdown	text of /sys/kernel/security/lockdown
 *	lsm		text of /sys/kernel/security/lsm: security modules, by commas
 *			of both: none: the kernel has no such thing; unmounted: securityfs is not mounted
 *	caps_missing	CAP_...: which of those for BPF we do not have, by commas, or none
 *	memlock		RLIMIT_MEMLOCK in bytes, or unlimited
 *	vmlinux		path of the kernel's type information, or none
 *	tracefs		path where it is mounted, or none; escaped as in /proc/mounts
 */
void access_collect(struct str *ret);

#endif
