/**
 * `maxLatenessMs` of a system clock that virtual devices go by: a process that was stopped for longer, by a debugger or a busy machine, stops
 * them with it.
 */
export const STALL_MS = 200
