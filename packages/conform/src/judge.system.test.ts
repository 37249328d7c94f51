import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { effects, type Sentence } from './check.ts'
import { CorrectDevice } from './correct-device.testkit.ts'
import { type Fault, type Seen, seen } from './fault.testkit.ts'
import { faults } from './faults.testkit.ts'
import { judge, type Report } from './judge.ts'
import { sentences } from './sentences.ts'
import type { DeviceWire } from './wire.ts'

const wired = [
  { slot: 5, pin: 1 },
  { slot: 5, pin: 2 },
] as const
const run = (wire: DeviceWire, from: readonly Sentence[] = sentences) => judge(wire, { effects, wired, from })
const failed = ({ results }: Report) =>
  results.flatMap(({ outcome, check, reason }) => (outcome === 'failed' ? [`${check.id}: ${reason}`] : []))

/** What each check sends to a correct device. */
interface Traffic {
  readonly requests: Seen[]
  readonly raw: string[]
  names: number
}

describe('a judge', () => {
  let device: CorrectDevice
  const traffic = new Map<string, Traffic>()

  beforeAll(async () => {
    device = await CorrectDevice.start()
    let now: Traffic = { requests: [], raw: [], names: 0 }
    const recorded: DeviceWire = {
      ...device.wire,
      request: (request) => {
        now.requests.push(seen(request))
        return device.wire.request(request)
      },
      raw: (bytes) => {
        now.raw.push(bytes)
        return device.wire.raw(bytes)
      },
      browse: (type) => {
        now.names++
        return device.wire.browse(type)
      },
    }
    const report = await judge(recorded, {
      effects,
      wired,
      onProgress: (_done, _count, { id }) => {
        now = { requests: [], raw: [], names: 0 }
        traffic.set(id, now)
      },
    })
    expect(failed(report)).toEqual([])
    expect(report.results.filter(({ outcome }) => outcome === 'skipped').map(({ check }) => check.id)).toEqual([])
  })
  afterAll(() => device.twin.close())

  /**
   * The checks that a fault can reach: those that send what it changes. If the device itself does something else, also all that come later.
   * The others get the same answers from the same state as in the run without a fault.
   */
  const reached = ({ isInAnswersOnly, touches, touchesRaw, touchesNames }: Fault): readonly Sentence[] => {
    let isChanged = false
    return sentences.map((sentence) => ({
      ...sentence,
      checks: sentence.checks.filter(({ id }) => {
        const { requests = [], raw = [], names = 0 } = traffic.get(id) ?? {}
        const isTouched =
          requests.some(touches) || (touchesRaw !== undefined && raw.some(touchesRaw)) || (touchesNames === true && names > 0)
        if (isTouched && !isInAnswersOnly) isChanged = true
        return isTouched || isChanged
      }),
    }))
  }

  it('sends only GETs without effect in the checks that need no option', () => {
    const harmless = sentences.flatMap(({ checks }) => checks.filter(({ effect }) => effect === 'read'))
    const sent = harmless.flatMap(({ id }) => traffic.get(id)?.requests ?? [])
    expect(sent.length).toBeGreaterThan(100)
    expect(sent.filter(({ method, path }) => method !== 'GET' || /notification|watchdog\/(alive|save)/.test(path))).toEqual([])
    expect(harmless.flatMap(({ id }) => traffic.get(id)?.raw ?? []).filter((bytes) => bytes.startsWith('POST'))).toEqual([])
  })

  it('has at least 120 broken devices', () => expect(faults.length).toBeGreaterThanOrEqual(120))

  it.each(faults)('finds: %s', async (_name, mayFail, fault) => {
    const report = failed(await run(fault.over(device.wire), reached(fault)))
    const declared = (id: string) => mayFail.some((one) => (one.endsWith('*') ? id.startsWith(one.slice(0, -1)) : id === one))
    expect(report.filter((line) => !declared(line.split(': ')[0] ?? ''))).toEqual([])
    expect(report).not.toEqual([])
  })
})
