/* SPDX-License-Identifier: BSD-2-Clause */

#include "load/rejection.h"

/*
 * From the particular to the general: the first match is the cause. The texts are parts of the messages of
 * kernel/bpf/verifier.c since Linux 5.10 that stayed the same when the messages were reworded.
 */
/* clang-format off */
static const struct reject_cause causes[] = {
	{ "core_relocation", "a type or member that the program reads is not in this kernel",
	  "`bpflens btf layout` shows what the kernel has; test with bpf_core_field_exists() before reading it",
	  { "failed to resolve CO-RE relocation", "invalid CO-RE relocation", "unknown#195896080" }, true },
	{ "program_type", "the name of its section does not determine a program type",
	  "name sections as libbpf does (xdp, tc, sk_skb/stream_parser, kprobe/FUNCTION, ...), or give the type with 'type'",
	  { "missing BPF prog type" }, true },
	{ "attach_target", "it is written for a function that its section does not name, for example a function of another program",
	  "name it in the section, as in SEC(\"fentry/FUNCTION\"); a function of another program needs a loader that calls bpf_program__set_attach_target()",
	  { "no BTF-based attach target", "failed to prepare load attributes" }, true },
	{ "licence", "it calls a helper that only programs under the GPL may call", "declare char LICENSE[] SEC(\"license\") = \"GPL\"",
	  { "GPL-restricted", "GPL compatible" } },
	{ "map_not_allowed", "programs of this type cannot use a timer, lock, list or tree in a map",
	  "use a map without them, or a program of another type", { "progs cannot use bpf_" } },
	{ "helper_not_allowed", "programs of this type cannot call that function",
	  "`bpflens feature probe` lists the helpers of each type; another type or a newer kernel may have it",
	  { "cannot use helper", "unknown func ", "helper call is not allowed", "calling kernel function * is not allowed", "helper call might sleep",
	    "is not allowed in", "_iter is only allowed in", "cannot update sockmap in this context" } },
	{ "not_attachable", "programs of this type cannot be attached to that function or member",
	  "choose one that this kernel's configuration offers; a sleepable program needs a function that may sleep",
	  { "is not sleepable", "disabled hook", "attach to unsupported member" } },
	{ "special_member", "a lock, timer or other special member of a map's value is read or written as memory",
	  "use only the helpers and kfuncs for that member", { "cannot be accessed directly" } },
	{ "locking", "a lock is held where it must not be, or not held where it must", "unlock before calling functions, and on every path to an exit",
	  { "holding a lock", "function calls are not allowed", "must be held", "spin_lock", "spin_{lock", "spin_unlock", "rcu_read", "preempt",
	    "irq_restore", "is missing unlock" } },
	{ "kptr", "a pointer to a kernel object is stored in a map, or taken from it, in a way that is not allowed",
	  "exchange it with bpf_kptr_xchg(), at a constant offset, with exactly the type that the map declares", { "kptr" } },
	{ "unknown_kfunc", "it calls a kernel function that programs of this kernel cannot call",
	  "declare it __weak and test it with bpf_ksym_exists(), or use a kernel that has it",
	  { "(func ksym) * not found", "is not a kernel function", "kernel btf_id * is not", "invalid kernel function call" }, true },
	{ "unchecked_pointer", "a pointer that may be NULL is used", "compare it with NULL first, and use the same variable that was compared",
	  { "_or_null'", "=*_or_null expected", "Possibly NULL pointer", "pointer arithmetic on *_or_null", "is a pointer to * or NULL", "or_null_" } },
	{ "ownership", "a node or list is used without owning it, or in a callback of its tree",
	  "remove it with the lock held, and use the pointer that the call returned", { "non-owning", "rbtree cb" } },
	{ "unreleased_reference", "a reference that was acquired is not released on every path to an exit",
	  "release it (bpf_ringbuf_submit() or _discard(), bpf_sk_release(), ...) before each return, also after errors",
	  { "Unreleased reference", "reference leak", "reference has not been" } },
	{ "wrong_state", "a dynptr, iterator or reference is not in the state that the call needs",
	  "create it once, do not write to its memory, use it, and release it once",
	  { "xpected an initialized", "an uninitialized dynptr", "xpected uninitialized", "overwrite referenced dynptr", "write to dynptr",
	    "unacquired reference", "release unowned", "expects refcounted", "referenced when passed" } },
	{ "untrusted_pointer", "a kernel object may be freed when the function uses it",
	  "acquire it (bpf_task_acquire(), ...), or read and use the pointer between bpf_rcu_read_lock() and bpf_rcu_read_unlock()",
	  { "must be referenced", "must be a rcu pointer", "type=untrusted_ptr_ expected" } },
	{ "infinite_loop", "a loop does not end as far as the verifier can see", "count up to a constant, or use bpf_loop() or an open-coded iterator",
	  { "infinite loop detected", "back-edge from insn" } },
	{ "too_many_instructions", "the verifier needs too many steps to check every path through the program",
	  "move parts into global functions, use bpf_loop(), or use fewer branches",
	  { "is too large. Processed", "jumps is too complex", "program is too large", "too many states", "is too complex" } },
	{ "call_depth", "function calls are nested too deep", "nest at most 8; let the compiler inline some functions", { "frames is too deep" } },
	{ "zero_size", "a size may be zero where it must not", "test that it is at least 1 first", { "invalid zero-sized" } },
	{ "stack", "the stack of 512 bytes is read or written outside of its bounds", "keep large data in a map, such as a per-CPU array",
	  { "combined stack size", "stack depth", "invalid write to stack", "invalid stack off", "stack frame", "exceeds stack",
	    "indirect access to stack", "write to variable-offset stack" } },
	{ "uninitialized", "a register or stack slot is read before it is written", "set it on every path that leads there; zero structs that a helper reads",
	  { "!read_ok", "invalid indirect read from stack", "invalid read from stack", "invalid stack type",
	    "uninitialized", "R0 !read", "not initialized" } },
	{ "context_access", "the context or a socket is read at an offset that programs cannot read, or its pointer was changed",
	  "read complete members of its type, without adding to the pointer first",
	  { "invalid * access off=", "modified ctx", "invalid ctx access", "offset ctx ptr", "variable ctx access", "stores into R* ctx" } },
	{ "write_only", "a map is read that programs may only write", "create it without BPF_F_WRONLY_PROG", { "read from map forbidden" } },
	{ "alignment", "memory is read or written at an address that is not aligned", "take members from structs that are not packed, or read byte by byte",
	  { "misaligned", "strict alignment" } },
	{ "out_of_bounds", "memory may be read or written outside of its bounds",
	  "compare the offset or length with the bounds first: data + n > data_end for packets, i < N for arrays",
	  { "outside of the packet", "invalid access to *, ", "outside of the allowed", "unbounded m", "value is negative", "invalid variable-offset",
	    "pointer be out of bounds", "math between ", "pointer offset ", "access beyond", "invalid negative access",
	    "buffer access: off=" } },
	{ "return_value", "it may return a number that its attach point does not accept", "return a number from the range in the message",
	  { "At program exit the register R0", "At async callback the register R0", "At callback return the register R0", "should have been in" } },
	{ "read_only", "memory is written that programs may only read", "copy it, or use a helper or kfunc that changes it",
	  { "read-only", "type=rdonly", "write into map forbidden", "cannot write into", "only read", "is read only", "writes into R", "write disallowed",
	    "not allow writes", "may write into memory" } },
	{ "pointer_leak", "a kernel address would be leaked", "return or store numbers only; pointers need CAP_PERFMON",
	  { "leaks addr", "leaks pointer", "pointer comparison prohibited", "partial copy of pointer" } },
	{ "pointer_arithmetic", "the program does pointer arithmetic that is not allowed", "add only numbers with known bounds to pointers",
	  { "pointer arithmetic", "pointer operation", "arithmetic on", "= pointer prohibited", "tried to * from ", "bitwise operator", "subtraction from",
	    "dereference of modified", "variable * access", "negative offset" } },
	{ "map_type", "that function does not work on maps of this type", "see bpf-helpers(7) for the map types of each helper", { "cannot pass map_type" } },
	{ "not_a_map", "an instruction refers to a file descriptor that is not a map", "define the map in the object file, in section .maps",
	  { "is not pointing to valid bpf_map" } },
	{ "wrong_type", "a function gets an argument of the wrong type",
	  "compare each argument with the function's declaration: map, pointer to the stack, context",
	  { "type=* expected=", "expected pointer to", "arg#", "Expected * as", "must be a", "incorrect register type", "type ID argument", "Unsupported reg type",
	    "R* must" } },
	{ "not_a_pointer", "a number, or a pointer whose type the verifier does not know, is used as an address",
	  "read kernel memory with bpf_probe_read_kernel() or BPF_CORE_READ(), and take packet pointers from ctx->data each time",
	  { "invalid mem access 'scalar'", "invalid mem access 'inv'", "invalid mem access", "type unknown", "is not a pointer" } },
	{ "mixed_pointers", "one instruction uses pointers of different kinds", "use a separate instruction for each kind, in its own branch",
	  { "same insn cannot be used" } },
	{ "packet_pointer", "programs of this type cannot pass packet memory to that function", "copy it to the stack first",
	  { "access to the packet is not allowed" } },
	{ "unreachable", "some code can never run", "delete it, or let the compiler do so (-O2)", { "unreachable insn" } },
	{ "jump_outside", "a jump leaves the program", "check inline assembly: compilers do not generate such a jump", { "jump out of range" } },
	{ "division_by_zero", "a number is divided by the constant 0", "test the divisor first", { "div by zero" } },
	{ "missing_symbol", "a symbol of the kernel that it uses is not in this kernel",
	  "declare it __weak and test it with bpf_ksym_exists(), or use a kernel that has it",
	  { "(var ksym) * not found", "(ksym) * not found" }, true },
	{ "missing_target", "the kernel function or type that it attaches to is not in this kernel",
	  "`bpflens btf find` looks for a function or type in this kernel", { "failed to find kernel BTF type ID", "failed to find BTF * for",
	    "is not found in vmlinux BTF" }, true },
	{ "missing_btf", "type information that the kernel needs is missing", "compile with -g, and use a kernel with CONFIG_DEBUG_INFO_BTF",
	  { "BTF", "btf" }, true },
};
/* clang-format on */

/* Is @part, in which "*" stands for any text, in @text? */
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
