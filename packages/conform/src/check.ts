import type { TestedDevice } from './device.ts'

/** What a check does to a device, from harmless to what only a virtual device may suffer. */
export const effects = ['read', 'write', 'disruptive', 'wired', 'bench'] as const
export type Effect = (typeof effects)[number]

/** Sends something, and throws `Mismatch` or `Unjudged` unless what must come comes. `does` says both in words. */
export interface CheckStep {
  (device: TestedDevice): Promise<unknown>
  readonly does?: string
}
export const step = (does: string, run: (device: TestedDevice) => Promise<unknown>): CheckStep => Object.assign(run, { does })
export const wordsOf = (steps: readonly CheckStep[]): string => steps.map(({ does }) => does).join('; ')
export async function runAll(device: TestedDevice, steps: readonly CheckStep[]): Promise<void> {
  for (const each of steps) await each(device)
}

/** One black-box check: what it sends, what must come, and its effect. */
export interface ConformCheck {
  /** Unique; begins with the id of its sentence. */
  readonly id: string
  readonly effect: Effect
  readonly does: string
  readonly run: (device: TestedDevice) => Promise<void>
}

/** A normative sentence of the specification, in our words. Without a check it says why it cannot be seen from outside. */
export interface Sentence {
  readonly id: string
  readonly section: string
  readonly text: string
  readonly checks: readonly ConformCheck[]
  readonly unseen?: string
}

/** Collects the sentences of a page: `section(…)('id', 'text')`, then the checks of that sentence. A check is a text, if its steps lack one, and steps. */
export function collect() {
  const list: (Sentence & { readonly checks: ConformCheck[] })[] = []
  const of =
    (effect: Effect) =>
    (name: string, ...parts: readonly (string | CheckStep)[]): void => {
      const steps = parts.filter((part) => typeof part === 'function')
      const does = parts.find((part) => typeof part === 'string') ?? wordsOf(steps)
      const sentence = list.at(-1)
      sentence?.checks.push({ id: `${sentence.id}/${name}`, effect, does, run: (device) => runAll(device, steps) })
    }
  /** Of a section: a sentence, or with a reason one that cannot be seen from outside. */
  const section =
    (name: string) =>
    (id: string, text: string, unseen?: string): void => {
      list.push({ id, section: name, text, checks: [], ...(unseen === undefined ? {} : { unseen }) })
    }
  const add = { read: of('read'), write: of('write'), disruptive: of('disruptive'), wired: of('wired'), bench: of('bench') }
  return { list: list as readonly Sentence[], section, add, ...add }
}
