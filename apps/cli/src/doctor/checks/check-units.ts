import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import { ownUnits, type UnitProperties } from '../units/systemd.ts'

const PROPERTIES = ['ActiveState', 'SubState', 'Result', 'NRestarts', 'UnitFileState', 'WantedBy', 'RequiredBy', 'Conflicts']

export const unitsCheck: Check = {
  name: 'units',
  group: 'Program',
  isForHardware: true,
  subject: () => 'the units of systemd that begin with slotwire',
  run: async (installation) => {
    try {
      const units = await ownUnits(installation, PROPERTIES)
      return units === undefined ? [ok('systemd does not run here')] : judgeUnits(units)
    } catch {
      return [warning('systemd does not answer', 'See what is the matter with it: systemctl status.')]
    }
  },
}

/** Those that neither run nor are to are left out. */
function judgeUnits(units: readonly UnitProperties[]): readonly Finding[] {
  const told = units.filter((unit) => isEnabled(unit) || unit.get('ActiveState') !== 'inactive')
  if (told.length === 0) return [ok(units.length === 0 ? 'none is installed' : 'none runs, and none is enabled')]
  return [...judgeRivals(units), ...told.map((unit) => judgeUnit(unit, enabledRivals(unit, units)))]
}

/** Of two that end each other one is started last with the device, whichever that is. */
function judgeRivals(units: readonly UnitProperties[]): readonly Finding[] {
  const enabled = units.filter(isEnabled)
  return enabled.flatMap((unit, index) =>
    enabledRivals(unit, enabled.slice(index + 1)).map((rival) => {
      const names = [nameOf(unit), nameOf(rival)]
      const remedy = `Keep one of them: ${names.map((name) => `systemctl disable ${name}`).join(', or ')}.`
      return failure(`${names.join(' and ')} are both enabled, and each ends the other: one alone runs after a start`, remedy)
    }),
  )
}

function judgeUnit(unit: UnitProperties, rivals: readonly UnitProperties[]): Finding {
  const of = (name: string): string => unit.get(name) ?? ''
  const [id, active, start, restarts] = [nameOf(unit), of('ActiveState'), of('UnitFileState'), Number(of('NRestarts'))]
  const look = `See why: journalctl -u ${id} -n 50`
  const again = `started again ${restarts === 1 ? 'once' : `${restarts} times`}`
  if (active === 'failed') return failure(`failed (${of('Result')})`, `${look}; then: systemctl restart ${id}.`, id)
  // Between an end and the next start systemd calls it activating.
  if (of('SubState') === 'auto-restart')
    return failure(`ended (${of('Result')}), waits for its next start; ${again} so far`, `${look}.`, id)
  if (restarts > 0 && active !== 'inactive')
    return warning(`${active}; it ended by itself and was ${again}`, `${look}; systemctl restart ${id} counts anew.`, id)
  const wanting = [of('WantedBy'), of('RequiredBy')].filter(Boolean).join(' ')
  if (active === 'active' && start === 'disabled') {
    if (wanting !== '') return ok(`active, started for ${wanting}`, id)
    return rivals.length === 0
      ? warning('active, but not at the next start', `Have it start: systemctl enable ${id}.`, id)
      : judgeReplaced(id, rivals.map(nameOf).join(' '))
  }
  return ok(`${active}, ${start}`, id)
}

function judgeReplaced(id: string, rivals: string): Finding {
  const remedy = `Keep it: systemctl disable ${rivals} && systemctl enable ${id}; or go back now: systemctl start ${rivals}.`
  return warning(`active, but the next start brings ${rivals} in its place`, remedy, id)
}

function enabledRivals(unit: UnitProperties, units: readonly UnitProperties[]): readonly UnitProperties[] {
  return units.filter((other) => isEnabled(other) && (isAgainst(unit, other) || isAgainst(other, unit)))
}

/** Either of them may say so. */
function isAgainst(unit: UnitProperties, other: UnitProperties): boolean {
  return unit.get('Conflicts')?.split(' ').includes(nameOf(other)) === true
}

function isEnabled(unit: UnitProperties): boolean {
  return unit.get('UnitFileState')?.startsWith('enabled') === true
}

function nameOf(unit: UnitProperties): string {
  return unit.get('Id') ?? ''
}
