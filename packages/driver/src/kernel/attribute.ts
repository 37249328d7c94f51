import { type Clock, LinkError, type Version } from '@slotwire/core'
import { errnoName, KernelFileError, type KernelFiles } from './kernel-files.ts'

/** While a descriptor is updated, reading an attribute fails with one of these errors. Such reads are repeated; wire-protocol.md section 3. */
export const ATTRIBUTE_RETRY = { failures: ['EAGAIN', 'EIO'], attempts: 20, pauseMs: 100 } as const

/** The value of an attribute: the text before the NUL or the end of the line. */
export function attributeValue(content: string): string {
  return /^[^\0\n]*/.exec(content)?.[0] ?? ''
}

/** The version in the groups of a match; undefined without a match. */
export function parseVersion(parts: RegExpExecArray | null): Version | undefined {
  return parts === null ? undefined : { major: Number(parts[1]), minor: Number(parts[2]), patch: Number(parts[3] ?? 0) }
}

/**
 * Reads attributes of one slot, up to `attempts` times. Rejects with `KernelFileError`, and with `LinkError` (`transfer-failed`) if every
 * attempt fails with a transient error.
 */
export async function readAttributes(
  { files, clock }: { readonly files: KernelFiles; readonly clock: Clock },
  paths: readonly string[],
  attempts: number,
): Promise<readonly string[]> {
  const { pauseMs } = ATTRIBUTE_RETRY
  for (let attempt = 1; ; attempt++) {
    const contents = await files.read(paths)
    const failed = contents.find((content) => content instanceof KernelFileError)
    if (failed === undefined) return contents.map((content) => attributeValue(String(content)))
    if (!isTransient(errnoName(failed.errno))) throw failed
    if (attempt === attempts) {
      throw new LinkError('transfer-failed', `${failed.message}, ${attempt} times, ${pauseMs} ms apart`)
    }
    await clock.sleep(pauseMs)
  }
}

/** Whether a read that failed with this error (by name) may succeed later. */
export function isTransient(errno: string): boolean {
  return ATTRIBUTE_RETRY.failures.some((transient) => transient === errno)
}

/**
 * Wraps `read` so that at most one call runs at a time. Callers that arrive during a read share the next one, so a result is never older
 * than the call.
 */
export function coalescedRead<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined
  let next: Promise<Result> | undefined
  const get = (): Promise<Result> => {
    if (current === undefined) {
      current = read().finally(() => {
        current = undefined
      })
      return current
    }
    next ??= current.then(afterwards, afterwards)
    return next
  }
  const afterwards = (): Promise<Result> => {
    next = undefined
    return get()
  }
  return get
}
