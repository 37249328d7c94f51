import { type Clock, LinkError, type Version } from '@slotwire/core'
import { errnoName } from './errno.ts'
import { KernelFileError, type KernelFiles } from './kernel-files.ts'

/** While a descriptor is being updated its attributes fail with one of these: so often they are tried, with that pause; wire-protocol.md section 3. */
export const ATTRIBUTE_PATIENCE = { failures: ['EAGAIN', 'EIO'], attempts: 20, pauseMs: 100 } as const

/** The value of an attribute: what is before the NUL or the end of the line. */
export function attributeValue(content: string): string {
  return /^[^\0\n]*/.exec(content)?.[0] ?? ''
}

/** The version whose parts a pattern has found; undefined: it has not. */
export function versionIn(parts: RegExpExecArray | null): Version | undefined {
  return parts === null ? undefined : { major: Number(parts[1]), minor: Number(parts[2]), patch: Number(parts[3] ?? 0) }
}

/**
 * Reads attributes of one slot, patiently: up to `attempts` times. Rejects with `KernelFileError`, and with `LinkError` (`transfer-failed`) when
 * the kernel has been asking to come again for too long.
 */
export async function readAttributes(
  { files, clock }: { readonly files: KernelFiles; readonly clock: Clock },
  paths: readonly string[],
  attempts: number,
): Promise<readonly string[]> {
  const { pauseMs } = ATTRIBUTE_PATIENCE
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

/** Whether it may be read in a moment what now fails with that error, by name. */
export function isTransient(errno: string): boolean {
  return ATTRIBUTE_PATIENCE.failures.some((transient) => transient === errno)
}
