/* SPDX-License-Identifier: BSD-2-Clause */
/* The types of the kernel of the fake, where programs are recorded and calls are traced: what src/own/capture needs. */
typedef unsigned int __u32;
typedef unsigned long long __u64;

struct numbers {
	__u32 nr;
	void *ns;
};
struct pid {
	__u32 level;
	struct numbers numbers[1];
} pid;
struct thread_info {
	__u32 status;
};
struct seccomp_filter {
	void *prog;
} seccomp_filter;
struct seccomp {
	struct seccomp_filter *filter;
};
struct task_struct {
	struct thread_info thread_info;
	struct pid *thread_pid;
	struct task_struct *group_leader;
	struct files_struct *files;
	struct seccomp seccomp;
} task;
struct fdtable {
	__u32 max_fds;
	void **fd;
} fdtable;
struct files_struct {
	struct fdtable *fdt;
} files;
struct super_block {
	__u64 s_magic;
} super_block;
struct inode {
	struct super_block *i_sb;
} inode;
struct qstr {
	const char *name;
};
struct dentry {
	struct qstr d_name;
} dentry;
struct path {
	struct dentry *dentry;
};
struct file {
	void *f_op, *private_data;
	struct inode *f_inode;
	struct path f_path;
} file;
struct user_struct {
	__u32 uid;
} user;
struct btf {
	__u32 id, data_size;
	void *data;
} btf;
struct bpf_map {
	__u32 id, map_type, key_size, value_size, max_entries, map_flags, btf_key_type_id, btf_value_type_id;
	struct btf *btf;
	char name[16];
};
struct bpf_array {
	struct bpf_map map;
	char value[1];
} array;
struct bpf_prog;
struct bpf_prog_aux {
	__u32 id, func_cnt, nr_linfo, func_info_cnt, used_map_cnt, attach_btf_id, verified_insns;
	char name[16];
	void *linfo, *jited_linfo, *func_info, *offload;
	struct bpf_map **used_maps;
	struct bpf_prog **func, *dst_prog;
	struct btf *btf, *attach_btf;
	struct user_struct *user;
	__u64 load_time;
} aux;
struct bpf_prog {
	unsigned short pages;
	__u32 gpl_compatible : 1;
	__u32 type, len, jited_len;
	unsigned char tag[8];
	void *bpf_func;
	struct bpf_prog_aux *aux;
	__u64 insnsi[1];
} prog;
struct bpf_link {
	__u32 id;
	struct bpf_prog *prog;
} link;
struct sk_filter {
	struct bpf_prog *prog;
} sk_filter;
struct sock_reuseport {
	struct bpf_prog *prog;
} reuseport;
struct sock {
	struct sk_filter *sk_filter;
	struct sock_reuseport *sk_reuseport_cb;
} sock;
struct socket {
	struct sock *sk;
} socket;
struct pt_regs {
	__u64 di, si, dx, bx, cx, orig_ax;
} regs;

#define FUNCTION(name) \
	int name(struct bpf_prog *prog) \
	{ \
		return 0; \
	}
FUNCTION(perf_event_bpf_event)
FUNCTION(bpf_prog_kallsyms_add)
