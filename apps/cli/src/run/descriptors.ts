import { readFileSync } from 'node:fs'
import { codeOf, orElse } from '@slotwire/core'

/** File descriptors that a start needs: it reads some fifty files at once. */
const MIN_DESCRIPTORS = 64
/** With fewer Node.js cannot load the program. */
const MIN_DESCRIPTORS_TO_LOAD = 48
/** Node.js reports a module that it could not open as missing. */
const CODES = ['EMFILE', 'ERR_MODULE_NOT_FOUND']

/** Limits of this process as Linux shows them; undefined on another system. */
export function processLimits(): string | undefined {
  return orElse(undefined, () => readFileSync('/proc/self/limits', 'utf8'))
}

/** How many files the process may open, from the text of `processLimits`; undefined: not limited. */
export function mostDescriptors(limits: string | undefined): number | undefined {
  const [, limit] = /^Max open files +(\d+)/m.exec(limits ?? '') ?? []
  return limit === undefined ? undefined : Number(limit)
}

/** What to do about an error that too few descriptors cause; undefined for other errors. */
export function descriptorRemedy(error: unknown, limits: string | undefined): string | undefined {
  return CODES.includes(codeOf(error) ?? '') ? remedyBelow(MIN_DESCRIPTORS, limits) : undefined
}

/** What to do before the program is loaded; undefined if that can work. */
export function loadRemedy(limits: string | undefined): string | undefined {
  return remedyBelow(MIN_DESCRIPTORS_TO_LOAD, limits)
}

function remedyBelow(least: number, limits: string | undefined): string | undefined {
  const most = mostDescriptors(limits)
  if (most === undefined || most >= least) return undefined
  return `this process may open ${most} files, and needs ${MIN_DESCRIPTORS}: raise the limit (ulimit -n, LimitNOFILE)`
}
