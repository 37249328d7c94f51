import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isThere } from '../host/files.ts'
import type { Installation } from '../installation.ts'

/** How long systemd may take to answer. */
const DEADLINE_MS = 2000

const OWN = 'slotwire*.service'

/** What systemd tells of a unit, by the names of its properties. */
export type UnitProperties = ReadonlyMap<string, string>

/** What `systemctl` prints; undefined: systemd does not run here. Rejects when it does not answer. */
export async function askSystemd(
  { roots }: Pick<Installation, 'roots'>,
  ...words: readonly string[]
): Promise<string | undefined> {
  if (!(await isThere(`${roots.run}/systemd/system`))) return undefined
  const options = { timeout: DEADLINE_MS, killSignal: 'SIGKILL' } as const
  const { stdout } = await promisify(execFile)('systemctl', ['--no-pager', ...words], options)
  return stdout
}

/**
 * What systemd tells of our services, be they loaded or only installed; undefined: systemd does not run here. Rejects when it does not answer.
 */
export async function ownUnits(
  installation: Pick<Installation, 'roots'>,
  properties: readonly string[],
): Promise<readonly UnitProperties[] | undefined> {
  const listed = await askSystemd(installation, 'list-unit-files', '--full', '--plain', '--no-legend', OWN)
  if (listed === undefined) return undefined
  // What is only a pattern for units cannot be asked about.
  const installed = listed.split('\n').flatMap((line) => /^\S+(?<!@)\.service(?=\s)/.exec(line)?.[0] ?? [])
  const shown = await askSystemd(installation, 'show', `--property=Id,LoadState,${properties.join(',')}`, OWN, ...installed)
  const byName = new Map(unitsOf(shown ?? '').map((unit) => [unit.get('Id'), unit]))
  return [...byName.values()].filter((unit) => unit.get('LoadState') === 'loaded')
}

/** What `systemctl show` says: a block of lines for each unit. */
export function unitsOf(shown: string): readonly UnitProperties[] {
  const blocks = shown.split('\n\n').filter((block) => block.trim() !== '')
  return blocks.map((block) => new Map(block.split('\n').map((line) => pairOf(line))))
}

function pairOf(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}
