import { type Clock, LinkError } from '@slotwire/core'
import { Errno } from './errno.ts'
import { type FileContent, KernelFileError, type KernelFiles } from './kernel-files.ts'

/** While a descriptor is being updated its attributes cannot be read: so often they are tried, with that pause; wire-protocol.md section 3. */
export const ATTRIBUTE_ATTEMPTS = 20
export const ATTRIBUTE_PAUSE_MS = 100

/** The value of an attribute: what is before the NUL or the end of the line. */
export function attributeValue(content: string): string {
  return /^[^\0\n]*/.exec(content)?.[0] ?? ''
}

/**
 * Reads attributes of one slot, patiently. Rejects with `KernelFileError`, and with `LinkError` (`transfer-failed`) when the kernel has been
 * asking to come again for too long.
 */
export async function readAttributes(
  { files, clock }: { readonly files: KernelFiles; readonly clock: Clock },
  paths: readonly string[],
): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt++) {
    const contents = await files.read(paths)
    const failed = contents.find((content) => content instanceof KernelFileError)
    if (failed === undefined) return contents.map((content) => attributeValue(String(content)))
    if (!isBeingUpdated(failed)) throw failed
    if (attempt === ATTRIBUTE_ATTEMPTS) {
      throw new LinkError('transfer-failed', `${failed.message}, ${attempt} times, ${ATTRIBUTE_PAUSE_MS} ms apart`)
    }
    await clock.sleep(ATTRIBUTE_PAUSE_MS)
  }
}

function isBeingUpdated(content: FileContent): boolean {
  return content instanceof KernelFileError && (content.errno === Errno.EAGAIN || content.errno === Errno.EIO)
}
