import type { Clock } from '@slotwire/core'
import { SERVICE_PORTS } from '@slotwire/device/names'
import { SLOT_STATES, type SlotState } from '@slotwire/driver'
import { type Check, type Finding, failure, ok, warning } from '../check.ts'
import { type Listener, listenerAt } from '../host/listeners.ts'
import { formatProcess, isOwnUnit } from '../host/processes.ts'
import type { Installation } from '../installation.ts'
import { settingsOf } from '../settings-of.ts'
import { ANSWER_DEADLINE_MS, type Answer, answerAt, isOurPort } from '../slotwire-answer.ts'

/** What is the matter with a slot whose module should be served, and is not. */
const TROUBLES: Partial<Record<SlotState, string>> = {
  failed: 'the module could not be started, and is tried again and again',
  hung: 'the module does not answer any more, and is tried again and again',
  lost: 'the link to the module broke, and is tried again and again',
  incompatible: 'the module is of another generation than this program',
}

/** What a Slotwire that runs says of itself: that it has the port is not yet that it serves. */
export const runningServiceCheck: Check = {
  name: 'running service',
  group: 'Ports',
  isForHardware: false,
  isPerService: true,
  subject: () => '/slotwire/readyz and /slotwire/metrics of the service that runs',
  run: async (installation, clock) => {
    const ports = portsOf(installation)
    if (ports.length === 0) return [ok('not asked: it picks any port')]
    const findings = (await Promise.all(ports.map((port) => judge(installation, port, clock)))).flat()
    return findings.length > 0 ? findings : [ok(`none answers at port ${ports.join(', ')}`)]
  },
}

/** Those at which the service may run: its own, and on a device those of the services of one module type. */
function portsOf(installation: Installation): readonly number[] {
  const { services, hardware } = installation
  const single = hardware === 'twin' ? [] : services.flatMap((service) => SERVICE_PORTS[service] ?? [])
  return [...new Set([settingsOf(installation).loopbackPort, ...single])].filter((port) => port > 0)
}

async function judge(installation: Installation, port: number, clock: Clock): Promise<readonly Finding[]> {
  const [listener, isServed] = await Promise.all([listenerAt(installation, port), isOurPort(port, clock)])
  const name = `service at port ${port}`
  if (!isServed) return listener?.isOurs === true ? standingStill(listener, name) : []
  const [ready, metrics] = await Promise.all([
    answerAt(port, '/slotwire/readyz', clock),
    answerAt(port, '/slotwire/metrics', clock),
  ])
  if (ready?.status !== 200) {
    return [
      warning(`not ready: ${reasonIn(ready)}`, `Look again in a minute; if it stays: ${logOf(installation, listener)}.`, name),
    ]
  }
  const states = statesIn(metrics?.text ?? '')
  const usable = states.filter(({ state }) => state === 'usable').length
  return [
    ok(`ready, ${usable === 1 ? '1 module' : `${usable} modules`} can be used`, name),
    ...states.flatMap(({ slot, state }) => {
      const trouble = TROUBLES[state]
      if (trouble === undefined) return []
      const remedy = `See why: ${logOf(installation, listener)}; if it stays, pull the module of slot ${slot} out and push it in again.`
      return [failure(trouble, remedy, `slot ${slot} at port ${port}`)]
    }),
  ]
}

function standingStill({ process }: Listener, name: string): readonly Finding[] {
  if (process === undefined) return []
  const found = `does not answer within ${ANSWER_DEADLINE_MS / 1000} s`
  const { pid, unit } = process
  const again = isOwnUnit(unit) ? `systemctl restart ${unit.name}` : `kill -KILL ${pid}, and start it as before`
  return [failure(`${found}: ${formatProcess(process)} has the port`, `Start it anew: ${again}.`, name)]
}

function logOf({ unit }: Installation, listener: Listener | undefined): string {
  const running = listener?.process?.unit
  const name = isOwnUnit(running) ? running.name : unit?.name
  return name === undefined ? 'its log, on standard error' : `journalctl -u ${name} -n 50`
}

/** What an error's body says. */
function reasonIn(answer: Answer | undefined): string {
  if (answer === undefined) return 'it does not say why'
  try {
    const body: unknown = JSON.parse(answer.text)
    if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message)
  } catch {
    // Whatever it is, its status says as much.
  }
  return `status ${answer.status}`
}

interface StateOfSlot {
  readonly slot: string
  readonly state: SlotState
}

function statesIn(metrics: string): readonly StateOfSlot[] {
  return [...metrics.matchAll(/^slotwire_slot_state\{slot="(\d)",state="(\w+)"\} 1$/gm)].flatMap(([, slot = '', word]) => {
    const state = SLOT_STATES.find((one) => one === word)
    return state === undefined ? [] : [{ slot, state }]
  })
}
