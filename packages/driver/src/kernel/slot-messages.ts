/** What a slot's process is asked: first byte of a message. slot-program.mjs has the same figures. */
export const SlotRequest = { open: 1, exchange: 2, close: 3 } as const
export type SlotRequest = (typeof SlotRequest)[keyof typeof SlotRequest]

/** How it went: first byte of the answer. What follows a failure is errno (u32), then the name of the system call. */
export const SlotReply = { ok: 0, failed: 1 } as const

/** Largest payload: what the kernel's buffer takes, in bytes; wire-protocol.md section 3. */
export const MAX_PAYLOAD = 4096
