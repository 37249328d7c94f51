import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Check, type Finding, failure, ok, warning } from './check.ts'
import { isThere } from './files.ts'

/** How long systemd may take to answer. */
const SYSTEMD_DEADLINE_MS = 2000
const PROPERTIES = 'Id,LoadState,ActiveState,UnitFileState'

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
  return loaded.map((unit) => {
    const id = unit.get('Id') ?? ''
    const [active = '', start = ''] = [unit.get('ActiveState'), unit.get('UnitFileState')]
    if (active === 'failed') return failure('failed', `See why: journalctl -u ${id} -n 50; then: systemctl restart ${id}.`, id)
    if (active === 'active' && start === 'disabled')
      return warning('active, but not at the next start', `Have it start: systemctl enable ${id}.`, id)
    return ok(`${active}, ${start}`, id)
  })
}

function pairOf(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return [line.slice(0, at), line.slice(at + 1)]
}
