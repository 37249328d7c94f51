import type { Device } from './device.ts'

/** What a check does to a device, from harmless to what only a virtual device may suffer. */
export const effects = ['read', 'write', 'disruptive', 'wired', 'bench'] as const
export type Effect = (typeof effects)[number]

/** One black-box check: what it sends, what must come, and its effect. */
export interface Check {
  /** Unique; begins with the id of its sentence. */
  readonly id: string
  readonly effect: Effect
  /** What it sends and what must come. */
  readonly does: string
  /** Throws `Mismatch` or `Unjudged`. */
  run(device: Device): Promise<void>
}

/** A normative sentence of the specification, in our words. Without a check it says why it cannot be seen from outside. */
export interface Sentence {
  readonly id: string
  readonly section: string
  readonly text: string
  readonly checks: readonly Check[]
  readonly unseen?: string
}

type Run = Check['run']
export type Draft = Omit<Check, 'id'> & { readonly name: string }

/** Collects the sentences of a page with their checks: `section(…)('id', 'text')`, then the checks of that sentence. */
export function collect() {
  const list: (Sentence & { readonly checks: Check[] })[] = []
  const add = (...drafts: readonly Draft[]): void => {
    const sentence = list.at(-1)
    for (const { name, ...check } of drafts) sentence?.checks.push({ id: `${sentence.id}/${name}`, ...check })
  }
  const of = (effect: Effect) => (name: string, does: string, run: Run) => add({ name, effect, does, run })
  /** Of a section: a sentence, or with a reason one that cannot be seen from outside. */
  const section =
    (name: string) =>
    (id: string, text: string, unseen?: string): void => {
      list.push({ id, section: name, text, checks: [], ...(unseen === undefined ? {} : { unseen }) })
    }
  const [read, write, disruptive, wired, bench] = [of('read'), of('write'), of('disruptive'), of('wired'), of('bench')]
  return { list: list as readonly Sentence[], section, add, read, write, disruptive, wired, bench }
}
