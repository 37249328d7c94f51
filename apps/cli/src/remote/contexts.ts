import { join } from 'node:path'
import { isRecord, messageOf, orElse } from '@slotwire/core'
import { DurableFile } from '@slotwire/storage'
import type { CommandContext } from '../terminal/command-context.ts'
import { UsageError } from '../terminal/usage-error.ts'

/** How to reach a device, under a name of the user. */
export interface SavedContext {
  readonly url: string
  readonly token?: string | undefined
  /** PEM of the certificate authority. */
  readonly ca?: string | undefined
}

interface Saved {
  readonly current?: string | undefined
  readonly contexts: Readonly<Record<string, SavedContext>>
}

const NAME = /^[\w.-]{1,64}$/

/** The saved contexts of a user: one file, readable by its owner only, as it holds tokens. */
export class Contexts {
  readonly #file: DurableFile

  constructor({ environment, home }: Pick<CommandContext, 'environment' | 'home'>) {
    const folder = environment['XDG_CONFIG_HOME'] || orElse(undefined, () => join(home(), '.config'))
    if (folder === undefined)
      throw new UsageError('no home folder for the contexts: give the device with --url, or set XDG_CONFIG_HOME to a folder')
    this.#file = new DurableFile(join(folder, 'slotwire', 'contexts.json'), { writers: 'several' })
  }

  read(): Saved {
    const text = this.#withFile(() => this.#file.read())
    if (text === undefined) return { contexts: {} }
    const saved = orElse<unknown>(undefined, () => JSON.parse(text))
    const isContext = (one: unknown): boolean => isRecord(one) && typeof one['url'] === 'string'
    if (!isRecord(saved) || !isRecord(saved['contexts']) || !Object.values(saved['contexts']).every(isContext))
      throw new UsageError(`${this.#file.path} holds no contexts: move it away, and add them again`)
    return saved as unknown as Saved
  }

  /** Becomes the default if no context is. */
  add(name: string, context: SavedContext): void {
    if (!NAME.test(name)) throw new UsageError('the name of a context must be 1…64 letters, digits, dots, dashes or underscores')
    const { current = name, contexts } = this.read()
    if (Object.hasOwn(contexts, name))
      throw new UsageError(`there is a context ${name} already: remove it first, or use another name`)
    this.#write({ current, contexts: { ...contexts, [name]: context } })
  }

  use(name: string): void {
    this.find(name)
    this.#write({ ...this.read(), current: name })
  }

  remove(name: string): void {
    this.find(name)
    const { current, contexts } = this.read()
    const { [name]: _, ...others } = contexts
    this.#write({ current: current === name ? undefined : current, contexts: others })
  }

  find(name: string): SavedContext {
    const { contexts } = this.read()
    const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined
    if (context !== undefined) return context
    const names = Object.keys(contexts)
    const known = names.length === 0 ? 'add one with slotwire context add' : `there are ${names.join(', ')}`
    throw new UsageError(`there is no context ${JSON.stringify(name)}: ${known}`)
  }

  #write(saved: Saved): void {
    this.#withFile(() => this.#file.write(`${JSON.stringify(saved, null, 2)}\n`))
  }

  #withFile<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      throw new UsageError(`the contexts cannot be used: ${messageOf(cause)}: set XDG_CONFIG_HOME to a folder of yours`, {
        cause,
      })
    }
  }
}
