/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct str;
/*
 * Append what access to BPF depends on in addition to the kernel's settings, as "NAME VALUE\n"; VALUE is - if
 *unreadable: lockdown	text of /sys/kernel/security/lockdown
 *	lsm		text of /sys/kernel/security/lsm: security modules, separated by commas
 *			both may be none: not supported by the kernel; unmounted: securityfs is not mounted
 *	caps_missing	CAP_...: those for BPF that we do not have, separated by commas, or none
 *	memlock		RLIMIT_MEMLOCK in bytes, or unlimited
 *	vmlinux		path of the kernel's type information, or none
 *	pids		initial, or other: is our process namespace the one whose numbers BPF programs see?
 *	tracefs		its mount point, or none; escaped as in /proc/mounts
 */
void access_collect(struct str *ret);
