import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Check, type Finding, failure, ok, warning } from './check.ts'
import { isThere } from './files.ts'

/** How long systemd may take to answer. */
const SYSTEMD_DEADLINE_MS = 2000
const PROPERTIES = 'Id,LoadState,ActiveState,SubState,Result,NRestarts,UnitFileState,WantedBy,RequiredBy'

export const unitsCheck: Check = {
  name: 'units',
  group: 'Program',
  isForHardware: true,
  subject: () => 'the units of systemd that begin with slotwire',
  run: async ({ roots }) => {
    if (!(await isThere(`${roots.run}/systemd/system`))) return [ok('systemd does not run here')]
    try {
      const words = ['show', '--no-pager', `--property=${PROPERTIES}`, 'slotwire*.service']
      const { stdout } = await promisify(execFile)('systemctl', words, { timeout: SYSTEMD_DEADLINE_MS, killSignal: 'SIGKILL' })
      return judgeUnits(stdout)
    } catch {
      return [warning('systemd does not answer', 'See what is the matter with it: systemctl status.')]
    }
  },
}

/** Judges what `systemctl show` says: a block of lines for each unit. */
export function judgeUnits(shown: string): readonly Finding[] {
  const units = shown.split('\n\n').map((block) => new Map(block.split('\n').map((line) => pairOf(line))))
  const loaded = units.filter((unit) => unit.get('LoadState') === 'loaded')
  if (loaded.length === 0) return [ok('none is loaded')]
  return loaded.map(judgeUnit)
}

function judgeUnit(unit: ReadonlyMap<string, string>): Finding {
  const of = (name: string): string => unit.get(name) ?? ''
  const [id, active, start, restarts] = [of('Id'), of('ActiveState'), of('UnitFileState'), Number(of('NRestarts'))]
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
    return wanting === ''
      ? warning('active, but not at the next start', `Have it start: systemctl enable ${id}.`, id)
      : ok(`active, started for ${wanting}`, id)
  }
  return ok(`${active}, ${start}`, id)
}

function pairOf(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}
