/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/clean.h"
#include "load/rejection.h"

/*
 * From the particular to the general: the first that fits is the cause. The sentences are those of kernel/bpf/verifier.c from
 * 5.10 on, whose wording changes; a part of them that does not is looked for.
 */
static const struct reject_cause causes[] = {
	{ "core_relocation", "a type or member that the program reads is not in this kernel",
	  "`bpflens btf layout` shows what the kernel has; test with bpf_core_field_exists() before reading it",
	  { "failed to resolve CO-RE relocation", "invalid CO-RE relocation", "unknown#195896080" }, true },
	{ "licence", "it calls a helper that is for programs under the GPL only", "declare char LICENSE[] SEC(\"license\") = \"GPL\"",
	  { "GPL-restricted", "GPL compatible" } },
	{ "helper_not_allowed", "programs of this type cannot call that function",
	  "`bpflens feature probe` lists the helpers of each type; another type or a newer kernel may have it",
	  { "cannot use helper", "unknown func ", "helper call is not allowed", "calling kernel function * is not allowed", "helper call might sleep",
	    "is not allowed in", "function calls are not allowed" } },
	{ "unknown_kfunc", "it calls a function of the kernel that is not there for programs",
	  "declare it __weak and test it with bpf_ksym_exists(), or use a kernel that has it",
	  { "(func ksym) * not found", "is not a kernel function", "kernel btf_id * is not", "invalid kernel function call" }, true },
	{ "unchecked_pointer", "a pointer that may be NULL is used", "compare it with NULL first, and use the very variable that was compared",
	  { "_or_null'", "=*_or_null expected", "Possibly NULL pointer", "pointer arithmetic on *_or_null", "is a pointer to * or NULL", "or_null_" } },
	{ "unreleased_reference", "something that was acquired is not given back on every way out",
	  "release it (bpf_ringbuf_submit() or _discard(), bpf_sk_release(), ...) before each return, also where an error is handled",
	  { "Unreleased reference", "reference leak", "reference has not been", "bpf_spin_unlock is missing", "is missing unlock",
	    "bpf_rcu_read_unlock is missing", "bpf_preempt_enable is missing", "bpf_local_irq_restore is missing" } },
	{ "infinite_loop", "a loop has no end that the verifier can see", "count up to a constant, or use bpf_loop() or an open-coded iterator",
	  { "infinite loop detected", "back-edge from insn" } },
	{ "too_many_instructions", "it would take too many steps to look at every way through the program",
	  "move parts into global functions, use bpf_loop(), or make branches that depend on each other fewer",
	  { "is too large. Processed", "jumps is too complex", "program is too large", "too many states", "is too complex" } },
	{ "stack", "the stack, which has 512 bytes, is read or written outside of its bounds", "keep what is large in a map, such as a per-CPU array",
	  { "combined stack size", "stack depth", "invalid write to stack", "invalid stack off", "stack frame", "exceeds stack",
	    "invalid zero-sized read", "write to variable-offset stack" } },
	{ "uninitialized", "something is read before it was written", "give it a value on every way that leads there; zero structs that a helper reads",
	  { "!read_ok", "invalid indirect read from stack", "invalid read from stack", "invalid indirect access to stack",
	    "uninitialized", "R0 !read", "not initialized", "off * size" } },
	{ "out_of_bounds", "memory may be read or written outside of its bounds",
	  "compare the offset or length with the bounds first: data + n > data_end for packets, i < N for arrays",
	  { "outside of the packet", "invalid access to packet", "invalid access to map", "invalid access to memory", "unbounded memory access",
	    "outside of the allowed", "min value is negative", "unbounded min value", "invalid variable-offset", "make sure to bounds check" } },
	{ "context_access", "the context is read where it has nothing for programs, or changed",
	  "read it by the members of its type, each in one piece, and do not add to the pointer before",
	  { "invalid bpf_context access", "dereference of modified ctx", "modified ctx", "invalid ctx access" } },
	{ "return_value", "it may return a number that its attach point does not take", "return one of those that the message names",
	  { "At program exit the register R0", "At async callback the register R0", "At callback return the register R0", "should have been in" } },
	{ "read_only", "memory that programs may only read is written", "copy it, or use a helper or kfunc that changes it",
	  { "read-only", "rdonly", "write into map forbidden", "cannot write into", "only read is supported", "writes into R", "write disallowed" } },
	{ "alignment", "memory is read or written across its alignment", "take members from structs that are not packed, or read byte by byte",
	  { "misaligned", "strict alignment" } },
	{ "pointer_leak", "an address of the kernel would get out", "return or store numbers; without CAP_PERFMON addresses must not be seen",
	  { "leaks addr", "leaks pointer", "pointer comparison prohibited", "partial copy of pointer" } },
	{ "pointer_arithmetic", "a pointer is calculated with in a way that is not allowed", "add numbers with known bounds to it and nothing else",
	  { "pointer arithmetic", "pointer operation", "arithmetic on", "pointer -= pointer", "tried to * from different", "bitwise operator" } },
	{ "wrong_type", "a function is given something of another type than it takes",
	  "look at the declaration of the function: which argument is a map, a pointer to the stack, a context",
	  { "type=* expected=", "expected pointer to", "arg#", "Expected * as", "must be a", "incorrect register type", "expects refcounted", "R* must" } },
	{ "not_a_pointer", "a number, or a pointer that the verifier knows nothing of, is used as an address",
	  "read memory of the kernel with bpf_probe_read_kernel() or BPF_CORE_READ(), and take packets from ctx->data each time",
	  { "invalid mem access 'scalar'", "invalid mem access 'inv'", "invalid mem access", "type unknown", "is not a pointer" } },
	{ "unreachable", "some code can never run", "delete it, or let the compiler do so (-O2)", { "unreachable insn" } },
	{ "locking", "a lock is held where it must not be, or not held where it must", "unlock before calling functions, and on every way out",
	  { "lock", "rcu", "preempt" } },
	{ "missing_target", "the function or type of the kernel that it is written for is not there",
	  "`bpflens btf find` looks for a function or type in this kernel", { "failed to find kernel BTF type ID", "failed to find BTF * for", "(var ksym) * not found",
	    "is not found in vmlinux BTF" }, true },
	{ "missing_btf", "type information that the kernel asks for is missing", "compile with -g, and use a kernel with CONFIG_DEBUG_INFO_BTF",
	  { "BTF", "btf" }, true },
};

/* Is @part, where "*" is any text, in @text? */
static bool says(const char *text, const char *part)
{
	char piece[64];

	while (*part) {
		size_t n = strcspn(part, "*");
		const char *at;

		if (n >= sizeof(piece))
			return false;
		memcpy(piece, part, n);
		piece[n] = '\0';
		at = strstr(text, piece);
		if (!at)
			return false;
		text = at + n;
		part += n + (part[n] == '*');
	}
	return true;
}

const struct reject_cause *reject_cause(const char *const *messages, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		for (size_t k = 0; k < ARRAY_SIZE(causes[i].says) && causes[i].says[k]; k++)
			for (size_t m = 0; m < n; m++)
				if (says(messages[m], causes[i].says[k]))
					return &causes[i];
	return NULL;
}
