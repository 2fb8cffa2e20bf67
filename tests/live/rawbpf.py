# SPDX-License-Identifier: BSD-2-Clause
"""bpf(2) for tests that need many small programs and links, without object files and libraries."""
import ctypes
import os
import platform
import resource
import struct

_libc = ctypes.CDLL(None, use_errno=True)
_NR = {"x86_64": 321, "aarch64": 280, "riscv64": 280}.get(platform.machine(), 321)
PROG_LOAD, OBJ_PIN, OBJ_GET, PROG_ATTACH, PROG_DETACH, GET_INFO, RAW_TP_OPEN, LINK_CREATE, LINK_DETACH = 5, 6, 7, 8, 9, 15, 17, 28, 34
TEST_RUN, ENABLE_STATS = 10, 32
GET_FD_BY_ID, GET_NEXT_ID = {"prog": 13, "map": 14, "link": 30}, {"prog": 11, "map": 12, "link": 31}
MAP_CREATE, MAP_LOOKUP, MAP_UPDATE, MAP_DELETE, MAP_POP = 0, 1, 2, 3, 21
TYPES = {w: i for i, w in enumerate(
    "unspec socket_filter kprobe sched_cls sched_act tracepoint xdp perf_event cgroup_skb cgroup_sock lwt_in lwt_out lwt_xmit sock_ops "
    "sk_skb cgroup_device sk_msg raw_tracepoint cgroup_sock_addr lwt_seg6local lirc_mode2 sk_reuseport flow_dissector cgroup_sysctl "
    "raw_tracepoint_writable cgroup_sockopt tracing struct_ops ext lsm sk_lookup syscall netfilter".split())}

# Before Linux 5.11, programs and maps count against this limit.
try:
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
except (OSError, ValueError):
    pass


def try_bpf(cmd, attr):
    """A value >= 0 or -errno. Short attributes are padded with zeros."""
    size = max(len(attr), 160)
    ret = _libc.syscall(_NR, cmd, ctypes.create_string_buffer(attr.ljust(size, b"\0"), size), size)
    return ret if ret >= 0 else -ctypes.get_errno()


def bpf(cmd, attr):
    """A value >= 0; OSError otherwise."""
    buf = ctypes.create_string_buffer(attr, len(attr))
    ret = _libc.syscall(_NR, cmd, buf, len(attr))
    if ret < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return ret


def prog_load(kind, name, value=0, attach_type=0, additions=0, maps=(), calls=None):
    """Load a program that returns a value after so many additions, uses maps, and makes a tail call to the first element of @calls; return its descriptor."""
    code = b"" if calls is None else struct.pack("<BBhiBBhi", 0x18, 0x12, 0, calls, 0, 0, 0, 0) + struct.pack("<BBhiBBhi", 0xb7, 3, 0, 0, 0x85, 0, 0, 12)
    code += b"".join(struct.pack("<BBhiBBhi", 0x18, 0x16, 0, fd, 0, 0, 0, 0) for fd in maps)
    code += struct.pack("<BBhi", 0xb7, 0, 0, value) + struct.pack("<BBhi", 0x07, 0, 0, 1) * additions + struct.pack("<BBhi", 0x95, 0, 0, 0)
    return code_load(kind, name, code, attach_type)


def code_load(kind, name, code, attach_type=0):
    """Load a program of these instructions; return its descriptor."""
    insns, licence = ctypes.create_string_buffer(code, len(code)), ctypes.create_string_buffer(b"GPL")
    return bpf(PROG_LOAD, struct.pack("<IIQQIIQII16sII", TYPES[kind], len(code) // 8, ctypes.addressof(insns), ctypes.addressof(licence), 0, 0, 0, 0, 0,
                                      name.encode()[:15], 0, attach_type))


def map_create(kind, key_size, value_size, entries, name="", flags=0):
    return bpf(MAP_CREATE, struct.pack("<IIIIIII16s", kind, key_size, value_size, entries, flags, 0, 0, name.encode()[:15]))


def map_update(fd, key, value):
    k, v = ctypes.create_string_buffer(key, len(key)), ctypes.create_string_buffer(value, len(value))
    bpf(MAP_UPDATE, struct.pack("<IIQQQ", fd, 0, ctypes.addressof(k) if key else 0, ctypes.addressof(v), 0))


def map_lookup(fd, key, size, cmd=MAP_LOOKUP):
    """The value; None: no such element."""
    k, v = ctypes.create_string_buffer(key, len(key)), ctypes.create_string_buffer(size)
    if try_bpf(cmd, struct.pack("<IIQQQ", fd, 0, ctypes.addressof(k) if key else 0, ctypes.addressof(v), 0)):
        return None
    return v.raw


def map_delete(fd, key):
    """0 or -errno."""
    k = ctypes.create_string_buffer(key, len(key))
    return try_bpf(MAP_DELETE, struct.pack("<IIQQQ", fd, 0, ctypes.addressof(k), 0, 0))


def object_id(fd):
    """Id of a program, map or link."""
    buf = ctypes.create_string_buffer(256)
    bpf(GET_INFO, struct.pack("<IIQ", fd, 256, ctypes.addressof(buf)))
    return struct.unpack_from("<I", buf, 4)[0]


def by_id(kind, ident):
    """Descriptor of a program, map or link; negative: -errno."""
    return try_bpf(GET_FD_BY_ID[kind], struct.pack("<I", ident))


def opens(kind, ident):
    """Is there a program, map or link of this id?"""
    fd = by_id(kind, ident)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def test_run(fd, times=1, data=ctypes.create_string_buffer(64)):
    """Runs a program that takes packets; its descriptor may be closed."""
    try_bpf(TEST_RUN, struct.pack("<IIIIQQII", fd, 0, len(data), 0, ctypes.addressof(data), 0, times, 0))


def counted(fd):
    """What the kernel counted of a program: runs, and their nanoseconds."""
    info = ctypes.create_string_buffer(232)
    bpf(GET_INFO, struct.pack("<IIQ", fd, len(info), ctypes.addressof(info)))
    ns, runs = struct.unpack_from("<QQ", info, 192)  # struct bpf_prog_info
    return runs, ns


def newest_ids():
    """Return {kind: highest id of its objects}."""
    ids = {}
    for kind, cmd in GET_NEXT_ID.items():
        attr = ctypes.create_string_buffer(160)
        while not _libc.syscall(_NR, cmd, attr, 160):
            attr[0:4] = attr[4:8]
        ids[kind] = struct.unpack_from("<I", attr)[0]
    return ids


def prog_code(fd):
    """The machine code and the instructions of a program, from the kernel; None: there are too many."""
    def info(*wish):
        buf = ctypes.create_string_buffer(struct.pack("<16xIIQQ", *wish), 256)
        bpf(GET_INFO, struct.pack("<IIQ", fd, 256, ctypes.addressof(buf)))
        return struct.unpack_from("<II", buf, 16)
    jited, xlated = (ctypes.create_string_buffer(n) for n in info(0, 0, 0, 0))
    info(len(jited), 0, ctypes.addressof(jited), 0)
    try:
        info(0, len(xlated), 0, ctypes.addressof(xlated))
    except OSError:
        xlated = None
    return jited.raw, xlated and xlated.raw


def link_create(prog, target, attach_type, flags=0):
    return bpf(LINK_CREATE, struct.pack("<IIIIQQ", prog, target, attach_type, flags, 0, 0))


def link_detach(fd):
    bpf(LINK_DETACH, struct.pack("<I", fd))


def prog_attach(prog, target, attach_type, flags=0):
    bpf(PROG_ATTACH, struct.pack("<IIIII", target, prog, attach_type, flags, 0))


def pin(fd, path):
    text = ctypes.create_string_buffer(path.encode())
    bpf(OBJ_PIN, struct.pack("<QI", ctypes.addressof(text), fd))


def pinned(path):
    text = ctypes.create_string_buffer(path.encode())
    return bpf(OBJ_GET, struct.pack("<QI", ctypes.addressof(text), 0))
