import type { Rig } from '@slotwire/device/twin'
import { UsageError } from '../terminal/usage-error.ts'
import type { ServeOptions } from './serve-options.ts'

/** The rig that the user named. Loaded only if needed. Throws `UsageError` with all mistakes in the file. */
export async function rigOf({ rig }: Pick<ServeOptions, 'rig'>): Promise<{ readonly rig?: Rig }> {
  if (rig === undefined) return {}
  const { readRig } = await import('../scenario/scenario-files.ts')
  const { found, mistakes } = await readRig(rig)
  if (found === undefined) throw new UsageError(`the rig is not usable:\n${mistakes.join('\n')}`)
  return { rig: found }
}
