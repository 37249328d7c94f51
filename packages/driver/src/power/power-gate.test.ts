import { encodeRefusal, ModuleRefusal } from '@slotwire/sdbp'
import { describe, expect, it } from 'vitest'
import { RecordingLog } from '../rack/recording-log.testkit.ts'
import { EXCHANGE_DEADLINE_MS } from '../slot/bus.ts'
import { RELAY, setValue } from '../slot/fake-module.testkit.ts'
import { MAX_WAITING_JOBS } from '../slot/request-queue.ts'
import { bench, outcomeOf, readValue, started } from '../slot/slot.testkit.ts'
import { FALL_BACK_MS, MAX_RETRIES, type SlotApi } from '../slot/slot.ts'
import type { Exchange } from '../slot/slot-api.ts'
import type { PowerDecision, PowerManager, RailPower } from './power-budget.ts'
import { createPowerGate, POWER_MANAGER_DEADLINE_MS, POWER_TURN_DEADLINE_MS } from './power-gate.ts'

const need: RailPower = { power3v3: 100, power5v0: 200, power12v: 300 }
const nothing: RailPower = { power3v3: 0, power5v0: 0, power12v: 0 }
const granted: PowerDecision = { granted: true, missing: nothing }

/** Records requests and gives prepared answers. */
class FakeManager implements PowerManager {
  readonly calls: string[] = []
  decide: () => Promise<PowerDecision> = () => Promise.resolve(granted)
  confirm: (applied: boolean) => Promise<void> = () => Promise.resolve()

  request(slot: number): Promise<PowerDecision> {
    this.calls.push(`request ${slot}`)
    return this.decide()
  }

  done(slot: number, applied: boolean): Promise<void> {
    this.calls.push(`done ${slot} ${applied}`)
    return this.confirm(applied)
  }
}

async function withGate() {
  const made = await started()
  const manager = new FakeManager()
  const gateLog = new RecordingLog()
  const decisions: PowerDecision[] = []
  const onDecision = (_slot: SlotApi, decision: PowerDecision): number => decisions.push(decision)
  const gate = createPowerGate({ manager, clock: made.clock, log: gateLog, onDecision })
  return { ...made, manager, gate, gateLog, decisions }
}

async function configure(exchange: Exchange): Promise<void> {
  await exchange(setValue, { value: 1 })
}

const configuration = { need: () => need, configure }
const never = <Result>(): Promise<Result> => new Promise(() => undefined)
const RESTART = ['MODE_SUSPEND', 'UPDATE_DESCRIPTOR', 'MODE_RUN']

describe('the power gate', () => {
  it('asks, restarts and configures the module, and reports, in this order', async () => {
    const { module, slot, manager, gate, decisions } = await withGate()
    const order: string[] = []
    manager.decide = () => {
      order.push(`asked after ${module.sent.length} exchanges`)
      return Promise.resolve(granted)
    }
    manager.confirm = () => {
      order.push(`done after ${module.sent.length} exchanges`)
      return Promise.resolve()
    }
    expect(await gate.apply(slot, configuration)).toEqual(granted)
    expect(module.names({ heartbeats: true })).toEqual([...RESTART, 'SET_VALUE', 'UPDATE_DESCRIPTOR'])
    expect(manager.calls).toEqual(['request 3', 'done 3 true'])
    expect(order).toEqual(['asked after 0 exchanges', 'done after 5 exchanges'])
    expect(decisions).toEqual([granted])
  })

  it('blocks other requests of its slot, except heartbeats, and keeps pending notifications', async () => {
    const { clock, module, slot, gate } = await withGate()
    module.exchangeMs = 60
    module.notify(1)
    const applied = gate.apply(slot, configuration)
    await clock.advance(10)
    const read = readValue(slot)
    await clock.advance(2000)
    await Promise.all([applied, read])
    expect(module.names()).toEqual(['MODE_SUSPEND', 'UPDATE_DESCRIPTOR', 'SET_VALUE', 'UPDATE_DESCRIPTOR', 'GET_VALUE'])
    expect(module.names({ heartbeats: true }).filter((name) => name === 'MODE_RUN').length).toBeGreaterThan(3)
    expect(slot.notifications.has(1)).toBe(true)
  })

  it('changes nothing when denied', async () => {
    const { module, slot, manager, gate, gateLog, events, decisions } = await withGate()
    const denied: PowerDecision = { granted: false, missing: { ...nothing, power12v: 7 } }
    manager.decide = () => Promise.resolve(denied)
    expect(await gate.apply(slot, configuration)).toEqual(denied)
    expect(module.sent).toEqual([])
    expect(manager.calls).toEqual(['request 3'])
    expect([events, decisions]).toEqual([[], [denied]])
    const fields = { slot: 3, missing: denied.missing }
    expect(gateLog.lines).toEqual([{ level: 'info', fields, message: 'power is denied' }])
  })

  it('suspends the module and gives the grant back when the module refuses the configuration', async () => {
    const { module, slot, manager, gate, decisions } = await withGate()
    module.misbehave(() => encodeRefusal(setValue, 3), { name: 'SET_VALUE' })
    await expect(gate.apply(slot, configuration)).rejects.toBeInstanceOf(ModuleRefusal)
    expect(decisions).toEqual([])
    expect(module.names({ heartbeats: true })).toEqual([...RESTART, 'SET_VALUE', ...RESTART])
    expect(manager.calls).toEqual(['request 3', 'done 3 false'])
  })

  it('gives up a module that it cannot suspend, and returns the grant when the module has fallen to SUSPEND', async () => {
    const { clock, module, slot, manager, gate, gateLog } = await withGate()
    module.fail('transfer-failed', { name: 'SET_VALUE', times: MAX_RETRIES + 1 })
    const outcome = outcomeOf(
      gate.apply(slot, {
        need: () => need,
        configure: async (exchange) => {
          module.fail('transfer-failed', { name: 'MODE_SUSPEND', times: MAX_RETRIES + 1 })
          await configure(exchange)
        },
      }),
    )
    await clock.advance(FALL_BACK_MS - 1)
    expect(slot.ended).toBe('hung')
    expect(module.closed).toBe(1)
    const sent = module.sent.length
    expect(manager.calls).toEqual(['request 3'])
    await clock.advance(1)
    expect(manager.calls).toEqual(['request 3', 'done 3 false'])
    expect(module.sent).toHaveLength(sent)
    expect(outcome.code).toBe('module-failed')
    expect(gateLog.linesOf('warn').map(({ message }) => message)).toEqual([
      'the module could not be suspended after a failed power configuration and is given up',
    ])
  })

  it('gives the grant back when the module is lost during the configuration', async () => {
    const { module, slot, manager, gate, gateLog } = await withGate()
    module.fail('gone', { name: 'SET_VALUE' })
    await expect(gate.apply(slot, configuration)).rejects.toMatchObject({ code: 'module-lost' })
    expect(manager.calls).toEqual(['request 3', 'done 3 false'])
    expect(gateLog.linesOf('warn')).toHaveLength(1)
    await expect(gate.apply(slot, configuration)).rejects.toMatchObject({ code: 'module-lost' })
    expect(manager.calls.slice(2)).toEqual([])
  })

  it('handles one power request at a time for the whole device', async () => {
    const { clock, module, slot, manager, gate } = await withGate()
    const other = bench()
    await other.slot.start()
    module.exchangeMs = 10
    const work = [gate.apply(slot, configuration), gate.apply(other.slot, configuration)]
    await clock.advance(20)
    expect(manager.calls).toEqual(['request 3'])
    await clock.advance(1000)
    await Promise.all(work)
    expect(manager.calls).toEqual(['request 3', 'done 3 true', 'request 3', 'done 3 true'])
  })

  it("continues with the next request after a failure, within the bound of the slot's queue", async () => {
    const { clock, slot, manager, gate } = await withGate()
    manager.decide = never
    const outcomes = Array.from({ length: MAX_WAITING_JOBS + 2 }, () => outcomeOf(gate.apply(slot, configuration)))
    await clock.advance(0)
    expect(outcomes.map((outcome) => outcome.code).filter((code) => code !== undefined)).toEqual(['queue-full'])
    manager.decide = () => Promise.resolve(granted)
    await clock.advance(POWER_MANAGER_DEADLINE_MS)
    expect(outcomes[0]?.code).toBe('power-manager-silent')
    expect(outcomes[1]?.value).toEqual(granted)
  })

  it('asks with the descriptor that is current when its turn comes', async () => {
    const { clock, slot, gate } = await withGate()
    const seen: string[] = []
    const busy = slot.write(async () => {
      await clock.sleep(100)
      seen.push('the write before')
    })
    const asked = gate.apply(slot, {
      need: (descriptor) => {
        seen.push(descriptor.vendorProductId)
        return need
      },
      configure,
    })
    await clock.advance(200)
    await Promise.all([busy, asked])
    expect(seen).toEqual(['the write before', RELAY])
  })
})

describe('a power configuration among other requests', () => {
  it('keeps its place in the queue of its slot, however long the manager takes', async () => {
    const { clock, module, slot, manager, gate } = await withGate()
    manager.decide = () => clock.sleep(500).then(() => granted)
    const before = slot.write((exchange) => exchange(setValue, { value: 0 }))
    const applied = gate.apply(slot, configuration)
    const after = readValue(slot)
    await clock.advance(1000)
    await Promise.all([before, applied, after])
    expect(module.names()).toEqual('SET_VALUE MODE_SUSPEND UPDATE_DESCRIPTOR SET_VALUE UPDATE_DESCRIPTOR GET_VALUE'.split(' '))
  })

  it('delays only power configurations in other slots', async () => {
    const { clock, slot, manager, gate } = await withGate()
    const other = bench()
    await other.slot.start()
    manager.decide = () => clock.sleep(500).then(() => granted)
    const applied = gate.apply(slot, configuration)
    const read = outcomeOf(readValue(other.slot))
    await clock.advance(1)
    expect(read.value).toBe(1)
    await clock.advance(1000)
    await applied
  })

  it('is refused, and changes nothing, when another module holds the turn for too long', async () => {
    const { clock, module, slot, manager, gate } = await withGate()
    const other = bench()
    await other.slot.start()
    const held = gate.apply(other.slot, { need: () => need, configure: () => clock.sleep(POWER_TURN_DEADLINE_MS + 1000) })
    await clock.advance(1)
    const outcome = outcomeOf(gate.apply(slot, configuration))
    const next = outcomeOf(readValue(slot))
    await clock.advance(POWER_TURN_DEADLINE_MS)
    expect(outcome.error).toMatchObject({ status: 503, code: 'power-turn-late' })
    expect(module.names()).toEqual(['GET_VALUE'])
    expect(next.value).toBe(1)
    await clock.advance(2000)
    await held
    expect(manager.calls).toEqual(['request 3', 'done 3 true'])
    // The late turn was passed on.
    expect(await gate.apply(slot, configuration)).toEqual(granted)
  })

  it('waits only until another module that hangs during its configuration is given up', async () => {
    const { clock, module, slot, manager, gate } = await withGate()
    const other = bench()
    await other.slot.start()
    other.module.hang()
    const hung = outcomeOf(gate.apply(other.slot, configuration))
    await clock.advance(1)
    const outcome = outcomeOf(gate.apply(slot, configuration))
    await other.clock.advance(EXCHANGE_DEADLINE_MS)
    await clock.advance(0)
    expect(hung.code).toBe('module-hung')
    expect(outcome.value).toEqual(granted)
    expect(module.count('SET_VALUE')).toBe(1)
    expect(manager.calls).toEqual(['request 3', 'done 3 false', 'request 3', 'done 3 true'])
  })
})

describe('the power gate, with a failing power manager', () => {
  it('fails with a clear 500 and changes nothing if no answer comes', async () => {
    const { clock, module, slot, manager, gate } = await withGate()
    manager.decide = never
    const outcome = outcomeOf(gate.apply(slot, configuration))
    await clock.advance(POWER_MANAGER_DEADLINE_MS)
    expect(outcome.error).toMatchObject({ status: 500, message: 'the power manager did not decide within 1000 ms' })
    expect(module.names()).toEqual([])
  })

  it('hides details for the log from the client', async () => {
    const { slot, manager, gate } = await withGate()
    const secret = new Error('ENOENT /etc/secret')
    manager.confirm = (applied) => (applied ? Promise.reject(secret) : Promise.resolve())
    await expect(gate.apply(slot, configuration)).rejects.toMatchObject({
      message: expect.stringMatching(/^internal error: the log has the details; the module has been suspended/) as string,
      cause: secret,
    })
    expect(manager.calls).toEqual(['request 3', 'done 3 true', 'done 3 false'])
  })

  it('gives a grant back that comes too late', async () => {
    const { clock, slot, manager, gate } = await withGate()
    manager.decide = () => clock.sleep(1500).then(() => granted)
    outcomeOf(gate.apply(slot, configuration))
    await clock.advance(2000)
    expect(manager.calls).toEqual(['request 3', 'done 3 false'])
  })

  it('suspends the module and gives the grant back if its report is not answered', async () => {
    const { clock, module, slot, manager, gate } = await withGate()
    manager.confirm = (applied) => (applied ? never() : Promise.resolve())
    const outcome = outcomeOf(gate.apply(slot, configuration))
    await clock.advance(POWER_MANAGER_DEADLINE_MS)
    expect(outcome.error).toMatchObject({
      status: 500,
      code: 'power-not-confirmed',
      message:
        'the power manager did not decide within 1000 ms; the module has been suspended and its outputs are off: configure it again',
    })
    expect(module.names().slice(-2)).toEqual(['MODE_SUSPEND', 'UPDATE_DESCRIPTOR'])
    expect(manager.calls).toEqual(['request 3', 'done 3 true', 'done 3 false'])
  })
})
