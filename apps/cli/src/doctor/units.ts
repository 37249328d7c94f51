import { existsSync } from 'node:fs'
import { SERVICE_NAMES } from '@slotwire/device/names'
import { type Finding, failure, ok, type Service, type Subject, type Unit, type Units, warning } from './check.ts'
import { outputOf } from './host.ts'

/** The unit that serves all modules. */
const SERVING_UNIT = 'slotwire.service'
/** Parent of the folders that `StateDirectory=` creates. */
const STATE_FOLDERS = '/var/lib'
/** The loopback door's URL in a unit's status text. */
const LOOPBACK_URL = /http:\/\/127\.0\.0\.1:(\d+)/
const OWN = 'slotwire*.service'
const PROPERTIES = [
  ...['Id', 'LoadState', 'ActiveState', 'SubState', 'Result', 'NRestarts', 'UnitFileState', 'StatusText', 'ExecStart'],
  ...['WantedBy', 'RequiredBy', 'StateDirectory', 'AmbientCapabilities'],
]

/** Reports the units of this program, loaded or only installed. `run` is `/run`. Never rejects. */
export async function installedUnits(run: string): Promise<Units> {
  if (!existsSync(`${run}/systemd/system`)) return 'absent'
  try {
    const listed = await outputOf('systemctl', 'list-unit-files', '--full', '--plain', '--no-legend', OWN)
    // systemd has no state of a template.
    const installed = [...listed.matchAll(/^\S+(?<!@)\.service(?=\s)/gm)].map(([name]) => name)
    const units = await propertiesOf(PROPERTIES, OWN, ...installed)
    return [...new Map(units.map((unit) => [unit['Id'], unit])).values()].filter((unit) => unit['LoadState'] === 'loaded')
  } catch {
    return 'silent'
  }
}

/** Output of `systemctl show`: a block of lines for each unit. Rejects if systemd does not answer. */
export async function propertiesOf(names: readonly string[], ...units: readonly string[]): Promise<readonly Unit[]> {
  const shown = await outputOf('systemctl', 'show', `--property=${names.join(',')}`, '--', ...units)
  const blocks = shown.split('\n\n').filter((block) => block.trim() !== '')
  return blocks.map((block) =>
    Object.fromEntries([...block.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value])),
  )
}

/** The service of `slotwire.service`, if installed. */
export function serviceOf(units: Units): Service | undefined {
  const unit = typeof units === 'string' ? undefined : units.find((one) => one['Id'] === SERVING_UNIT)
  if (unit === undefined) return undefined
  const reported = LOOPBACK_URL.exec(unit['StatusText'] ?? '')?.[1]
  return {
    state: `${STATE_FOLDERS}/${unit['StateDirectory']?.split(' ')[0] ?? ''}`,
    services: SERVICE_NAMES,
    port: reported === undefined ? undefined : Number(reported),
    unit,
  }
}

/** Ignores units that neither run nor are enabled. */
export function checkUnits({ units }: Subject): Finding | readonly Finding[] {
  if (units === 'absent') return ok('systemd does not run here')
  if (units === 'silent') return warning('systemd does not answer', 'Check its state: systemctl status.')
  const used = units.filter((unit) => unit['UnitFileState']?.startsWith('enabled') === true || unit['ActiveState'] !== 'inactive')
  if (used.length === 0) return ok(units.length === 0 ? 'none is installed' : 'none runs, and none is enabled')
  return used.map(judgeUnit)
}

function judgeUnit(unit: Unit): Finding {
  const of = (name: string): string => unit[name] ?? ''
  const [id, active, restarts] = [of('Id'), of('ActiveState'), Number(of('NRestarts'))]
  const look = `See why: journalctl -u ${id} -n 50`
  const again = `restarted ${restarts === 1 ? 'once' : `${restarts} times`}`
  if (active === 'failed') return failure(`failed (${of('Result')})`, `${look}; then: systemctl restart ${id}.`, id)
  if (of('SubState') === 'auto-restart')
    return failure(`ended (${of('Result')}), waits for its next start, ${again} so far`, `${look}.`, id)
  if (restarts > 0 && active !== 'inactive')
    return warning(`${active}; it ended unexpectedly and was ${again}`, `${look}; systemctl restart ${id} resets the count.`, id)
  if (active !== 'active' || of('UnitFileState') !== 'disabled') return ok(`${active}, ${of('UnitFileState')}`, id)
  const users = [of('WantedBy'), of('RequiredBy')].filter(Boolean).join(' ')
  if (users !== '') return ok(`active, started for ${users}`, id)
  return warning('active, but not enabled', `Start it with the system: systemctl enable ${id}.`, id)
}
