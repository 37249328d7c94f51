import { inWordsOf } from '@slotwire/client'
import { extensionPaths, type Position } from '@slotwire/contract'
import { type Clock, isRecord, messageOf, visible } from '@slotwire/core'
import {
  changesOf,
  inRealTime,
  mistakesElsewhere,
  runScenario,
  type Scenario,
  type ScenarioWorld,
  type WorldRecord,
} from '@slotwire/scenario'
import { ClientError, type Device } from '../client.ts'
import { confirm, type ReachOptions, reachOf, remedies, withDevice } from '../remote/with-device.ts'
import { type InapplicableOptions, refuseOptions } from '../serve/hardware.ts'
import { USAGE_EXIT_CODE } from '../terminal/usage-error.ts'
import {
  checkedOptions,
  FAILED_EXIT_CODE,
  printMistakes,
  type RunFilesOptions,
  runOnce,
  type ScenarioContext,
} from './run-command.ts'
import { type ReadFiles, readScenarios } from './scenario-files.ts'
import type { RunOne } from './scenario-run.ts'

export interface DeviceRunOptions extends RunFilesOptions, ReachOptions {
  readonly yes: boolean
}

const NOT_ON_A_DEVICE: InapplicableOptions<'watch' | 'record' | 'trace'> = {
  watch: ['--watch', 'each change of a file would drive its pins'],
  record: ['--record', 'it does not show the frames of its bus'],
  trace: ['--trace', 'it does not show the voltages of its pins'],
}

/** Runs scenarios on a device that runs already. Whatever cannot run there is refused before the first step. */
export async function runOnDevice(paths: readonly string[], options: DeviceRunOptions, context: ScenarioContext): Promise<void> {
  refuseOptions(options, NOT_ON_A_DEVICE, 'a device that runs already')
  const checked = checkedOptions(options)
  const read = await readScenarios(paths, options)
  if (isRefused(read, true, context)) return
  await withDevice(options, context, async (device, signal) => {
    if (isRefused(read, device.extensions, context)) return
    const changes = read.scenarios.map(changesOf)
    const slots = device.modules.filter(({ slot }) => changes.some((each) => each.slots.includes(slot))).map(({ slot }) => slot)
    if (changes.some(({ any }) => any)) {
      const what = slots.length === 0 ? 'settings' : `slot ${slots.join(', ')}`
      await confirm(`This drives pins or changes settings: ${what} of ${reachOf(options, context).url}.`, options.yes, context)
    }
    const lost = new AbortController()
    if (slots.length > 0 && device.extensions && options.lease === undefined) {
      const lease = await device.lease(slots, { holder: 'slotwire scenario run', onLapse: 'safe', signal })
      void lease.lost.then((reason) => lost.abort(reason))
    }
    const failed = { reset: false }
    const run = runOn(device, (error, slot) => {
      failed.reset = true
      const why = error instanceof ClientError ? inWordsOf(remedies, error) : messageOf(error)
      context.hint(`slotwire: slot ${slot} is not reset: ${visible(why)}\n`)
    })
    const runUntilLost: RunOne = (scenario, one) => run(scenario, { ...one, signal: AbortSignal.any([one.signal, lost.signal]) })
    await runOnce(read, checked, context, () => signal, runUntilLost)
    if (failed.reset && !signal.aborted) context.setExitCode(FAILED_EXIT_CODE)
  })
}

/** Prints what cannot run there, and sets the exit code. */
function isRefused({ scenarios, mistakes: inFiles }: ReadFiles, hasJournal: boolean, context: ScenarioContext): boolean {
  const mistakes = [...inFiles, ...scenarios.flatMap((scenario) => mistakesElsewhere(scenario, { hasJournal }))]
  if (mistakes.length === 0) return false
  printMistakes({ mistakes }, context)
  context.setExitCode(USAGE_EXIT_CODE)
  return true
}

/** Runs one scenario, and resets the io modules that it changed, also after a failure or a stop. */
function runOn(device: Device, onFailedReset: (error: unknown, slot: number) => void): RunOne {
  return async (scenario, { clock, progress, number, count, signal }) => {
    const fromMs = clock.now()
    const passedMs = (): number => clock.now() - fromMs
    progress.follow({ scenario, number, count, atMs: passedMs })
    const used = ioModulesOf(scenario, device)
    try {
      const result = await runScenario(scenario, await worldOf(device, clock, signal), { pacer: inRealTime(clock), signal })
      return { ...result, realMs: passedMs() }
    } finally {
      progress.erase()
      const reset = async (slot: number): Promise<void> => device.module('io', slot).reset()
      await Promise.all(used.map((slot) => reset(slot).catch((error: unknown) => onFailedReset(error, slot))))
    }
  }
}

function ioModulesOf(scenario: Scenario, { modules }: Device): readonly number[] {
  const { slots } = changesOf(scenario)
  return modules.filter(({ slot, service }) => service === 'io' && slots.includes(slot)).map(({ slot }) => slot)
}

/** The device as a scenario sees it, over HTTP. */
async function worldOf(device: Device, clock: Clock, signal: AbortSignal): Promise<ScenarioWorld> {
  const { http, secrets, leaseSecret } = device.context
  const secret = [...new Set(secrets.values())].join() || leaseSecret
  const lease: Record<string, string> = secret === undefined ? {} : { 'slotwire-lease': secret }
  const refuse = () => Promise.reject(new RangeError('the service of this device cannot be killed'))
  return {
    clock,
    bench: undefined,
    get slots() {
      return device.modules.map(({ slot, service }) => ({ slot, moduleType: service }))
    },
    journal: await journalOf(device, signal),
    request: (request) => http.answer({ ...request, headers: { ...lease, ...request.headers }, signal }),
    killService: refuse,
    startService: refuse,
  }
}

/** Most records that a run keeps: older ones are dropped. */
const MAX_RECORDS = 10_000

/** The journal from now on, read when it is asked for. Empty on a server without one. */
async function journalOf(device: Device, signal: AbortSignal): Promise<ScenarioWorld['journal']> {
  const none: Position = { boot: 0, sequence: 0 }
  if (!device.extensions) return { last: none, read: () => ({ records: [] }) }
  const page = async (after: string) => {
    const query = after === '' ? '' : `?after=${after}`
    const accepts = (answer: unknown): boolean => isRecord(answer) && Array.isArray(answer['messages'])
    const headers = { accept: 'application/json' }
    const call = { method: 'GET', path: `${extensionPaths.events}${query}`, headers, safe: true, signal, accepts }
    return (await device.context.http.request(call)) as { readonly messages: readonly WorldRecord[]; readonly next: string }
  }
  let { next } = await page('')
  const records: WorldRecord[] = []
  return {
    last: none,
    read: async (_all, wants) => {
      for (let isMore = true; isMore; ) {
        const { messages, next: following } = await page(next)
        isMore = following !== next && messages.length > 0
        next = following
        records.push(...messages.filter(({ id }) => id !== undefined))
        records.splice(0, records.length - MAX_RECORDS)
      }
      return { records: records.filter(wants) }
    },
  }
}
