/**
 * System calls that no tool needs: those that reach more of the kernel than most programs do, those that hold memory outside of
 * the limits (memfd_create, shmget, msgget), and those that look into other processes.
 */
const DENIED = {
  x64: [
    ...[101, 310, 311, 438], // ptrace, process_vm_readv, process_vm_writev, pidfd_getfd
    ...[319, 447, 29, 68], // memfd_create, memfd_secret, shmget, msgget
    ...[248, 249, 250], // add_key, request_key, keyctl
    ...[321, 323, 298, 425, 426, 427], // bpf, userfaultfd, perf_event_open, io_uring_*
    ...[165, 166, 155, 272, 308, 304], // mount, umount2, pivot_root, unshare, setns, open_by_handle_at
    ...[428, 429, 430, 431, 432, 433, 442], // open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr
    ...[175, 313, 176, 246, 320], // init_module, finit_module, delete_module, kexec_load, kexec_file_load
  ],
  arm64: [
    ...[117, 270, 271, 438],
    ...[279, 447, 194, 186],
    ...[217, 218, 219],
    ...[280, 282, 241, 425, 426, 427],
    ...[40, 39, 41, 97, 268, 265],
    ...[428, 429, 430, 431, 432, 433, 442],
    ...[105, 273, 106, 104, 294],
  ],
} as const

/** AUDIT_ARCH of each architecture: system calls of another have other numbers. */
const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const

/** From here, x86-64 has the same calls again under other numbers. */
const X32 = 0x40000000

const [LOAD, EQUALS, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06]
const ALLOW = 0x7fff0000
const EPERM = 0x00050001

const isKnown = (architecture: string): architecture is keyof typeof DENIED => architecture in DENIED

/**
 * The program of a filter of system calls (seccomp) for bubblewrap: a denied call fails with EPERM. Undefined for an architecture
 * whose numbers this file doesn't have.
 */
export function callFilter(architecture: string = process.arch): Buffer | undefined {
  if (!isKnown(architecture)) return undefined
  const denied = DENIED[architecture]
  const toDeny = (from: number) => denied.length + 4 - from
  const program: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
    [LOAD, 0, 0, 4],
    [EQUALS, 0, toDeny(1), ARCHITECTURES[architecture]],
    [LOAD, 0, 0, 0],
    [AT_LEAST, toDeny(3), 0, X32],
    ...denied.map((number, n): [number, number, number, number] => [EQUALS, toDeny(n + 4), 0, number]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, EPERM],
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [n, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, n * 8)
    bytes.writeUInt8(ifTrue, n * 8 + 2)
    bytes.writeUInt8(ifFalse, n * 8 + 3)
    bytes.writeUInt32LE(value, n * 8 + 4)
  }
  return bytes
}
