import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { nextTurn, SystemClock, seededRandom } from '@slotwire/core'
import { createDeviceService } from '@slotwire/device'
import { defaultChassis } from '@slotwire/device/twin'
import { listen } from '@slotwire/edge'
import { VolatileMemory } from '@slotwire/twin'

/** Readers of one address: as many as one caller may have. */
const PER_ADDRESS = 16
/** Alerts are added in such bursts. */
const BURST_MS = 10
/** Enough records that the journal's memory is full before it is measured. */
const MAX_RECORDS_IN_MEMORY = 12_000
const BYTES_PER_MEGABYTE = 1_048_576
const MESSAGE = /^id: \d+-(\d+)\ndata: (?:\{"id"|(\{"kind":"gap".*\}$))/

export interface Flood {
  readonly readers: number
  readonly perSecond: number
  readonly seconds: number
}

/** One reader: checks that it gets each record or a gap that names it, in order. */
class Reader {
  /** Sequence of the record that must come next; undefined until the first. */
  next: number | undefined
  records = 0
  missing = 0
  problem: string | undefined
  readonly #socket: Socket
  #rest = ''

  constructor(port: number, localAddress: string, after: string) {
    this.#socket = connect({ host: '127.0.0.1', port, localAddress })
    this.#socket.setEncoding('latin1').on('data', (text: string) => this.#take(text))
    this.#socket.on('error', () => undefined)
    const path = `/slotwire/events?kinds=alert&after=${after}`
    this.#socket.write(`GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n`)
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split('\n\n')
    this.#rest = parts.pop() ?? ''
    for (const part of parts) this.#judge(part.replace(/^HTTP.*\r\n\r\n/s, ''))
  }

  #judge(message: string): void {
    const [, sequence, gap] = MESSAGE.exec(message) ?? []
    if (gap !== undefined) {
      const { from, to, missing } = JSON.parse(gap.slice(0)) as { from: string; to: string; missing: number }
      if (Number(from.split('-')[1]) !== this.next) this.problem ??= `a gap from ${from} instead of ${this.next}`
      this.next = Number(to.split('-')[1]) + 1
      this.missing += missing
    } else if (sequence !== undefined) {
      const number = Number(sequence)
      if (this.next !== undefined && number !== this.next) this.problem ??= `${number} instead of ${this.next}`
      this.next = number + 1
      this.records++
    }
  }
}

/** Adds alerts to a device on a twin while readers follow its stream. `grownMegabytes`: what stays in memory when they have gone. */
export async function flood({ readers: count, perSecond, seconds }: Flood) {
  const clock = new SystemClock()
  const chassis = defaultChassis({ clock, random: seededRandom(1), memory: () => new VolatileMemory() })
  await chassis.powerOn()
  const device = await createDeviceService({ backplane: chassis, clock, random: seededRandom(2) })
  await device.start()
  const door = await listen(device.service, { host: '127.0.0.1', port: 0 })
  const { journal } = device
  const add = () =>
    journal.add({ kind: 'alert', slot: 3, service: 'io', session: 'S'.repeat(64), pin: 1, alerts: ['high_current_alert'] })
  for (let index = 0; index < MAX_RECORDS_IN_MEMORY; index++) add()
  const { boot, sequence: begin } = journal.last
  const before = await heldMegabytes()
  const readers = Array.from({ length: count }, (_, index) => {
    return new Reader(door.address.port, `127.0.0.${2 + Math.floor(index / PER_ADDRESS)}`, `${boot}-${begin}`)
  })
  const startedMs = clock.now()
  let added = 0
  while (added < perSecond * seconds) {
    const due = Math.min(perSecond * seconds, ((clock.now() - startedMs) * perSecond) / 1000)
    for (; added < due; added++) add()
    await clock.sleep(BURST_MS)
  }
  const { sequence: end } = journal.last
  const isDone = () => readers.every(({ next }) => next === end + 1)
  for (let waited = 0; !isDone() && waited < 10_000; waited += BURST_MS) await clock.sleep(BURST_MS)
  const result = {
    added,
    problems: readers.flatMap(({ problem, next }) => problem ?? (next === end + 1 ? [] : [`ends before ${next}`])),
    fewest: Math.min(...readers.map(({ records }) => records)),
    /** Of every reader, records and reported losses together. */
    accounted: readers.map(({ records, missing }) => records + missing),
    missing: Math.max(...readers.map(({ missing }) => missing)),
  }
  for (const reader of readers) reader.close()
  await clock.sleep(1500)
  const grownMegabytes = (await heldMegabytes()) - before
  await device.close()
  chassis.powerOff()
  return { ...result, grownMegabytes }
}

/** Memory in use in this process after its garbage is collected. */
export async function heldMegabytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < 3; turn++) {
    await nextTurn()
    collect()
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / BYTES_PER_MEGABYTE
}
