import { servicePath } from '@slotwire/contract'
import { isRecord, messageOf } from '@slotwire/core'
import { equal, Mismatch, that, Unjudged } from './expect.ts'
import { answerOf, type DeviceWire, type WireAnswer } from './wire.ts'

export type ServiceName = 'io' | 'bmc' | 'power'
export const serviceNames: readonly ServiceName[] = ['io', 'bmc', 'power']

/** A pin of an io module. */
export interface PinAddress {
  readonly slot: number
  readonly pin: number
}

export type JsonFields = Readonly<Record<string, unknown>>
type RequestHeaders = Readonly<Record<string, string>>
/** An action of the bench. */
export type Action = readonly [name: string, body: JsonFields]

export interface TestedDeviceOptions {
  /** Two pins that are wired together: the one to drive, and the one to watch. */
  readonly wired?: readonly [PinAddress, PinAddress] | undefined
  /** Whether the bench of a virtual device may be used: its time stands still, and waiting steps it. */
  readonly bench?: boolean
  readonly signal?: AbortSignal | undefined
}

const FRESH = { 'cache-control': 'no-cache' }
const BENCH = '/slotwire/bench'
const RESTART_MS = 60_000
/** From an event until its notification is readable, with room for a slow device. */
export const EVENT_MS = 150

/** The device under test. Paths are absolute, or begin with `io:`, `bmc:`, `power:` for its first modules, `drive:` or `watch:` for wired ones. */
export class TestedDevice {
  readonly isBench: boolean
  /** Ends the checks. Cleared, the device can be put back. */
  signal: AbortSignal | undefined
  /** Whether time ran on the bench before. */
  hadTime = false
  /** Every path to which something with an effect was sent. */
  readonly written = new Set<string>()
  readonly #wired: Readonly<Record<string, PinAddress | undefined>>
  readonly #slots = new Map<ServiceName, readonly number[]>()
  /** What sets the rails and the temperature of the bench as they were before. */
  #surroundings: readonly Action[] = []
  /** The actions of the bench that end what was done there, by name. */
  readonly #undo = new Map<string, Action>()

  constructor(
    readonly wire: DeviceWire,
    { wired, bench = false, signal }: TestedDeviceOptions = {},
  ) {
    this.isBench = bench
    this.signal = signal
    this.#wired = { drive: wired?.[0], watch: wired?.[1] }
  }

  /** Reads which modules the device has, and the bench. Rejects if no service answers, or there is no bench. */
  async open(): Promise<void> {
    const problems: string[] = []
    for (const service of serviceNames)
      try {
        this.#slots.set(service, [...(await this.sessions(service)).slots.keys()])
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error
        problems.push(error.message)
      }
    if (serviceNames.every((service) => this.slots(service).length === 0))
      throw new Error(`no service lists a usable module: check address, token and authority: ${problems.join('; ')}`)
    for (const pin of Object.values(this.#wired))
      if (pin !== undefined && !this.slots('io').includes(pin.slot))
        throw new Error(`--wired: slot ${pin.slot} has no usable io module`)
    if (!this.isBench) return
    const { body } = await this.get(BENCH)
    if (!isRecord(body) || !isRecord(body['surroundings']) || !isRecord(body['time']))
      throw new Error(`--bench is for a virtual device alone: ${BENCH} does not answer. Leave it out`)
    const { ambient_celsius: celsius, rails } = body['surroundings']
    const before = (Array.isArray(rails) ? rails.filter(isRecord) : []).map(
      ({ rail, load_milliampere, offset_millivolt }): Action => ['rail', { rail, load_milliampere, offset_millivolt }],
    )
    this.#surroundings = [['ambient', { celsius }], ...before]
    this.hadTime = body['time']['pace'] !== 0
  }

  slots(service: ServiceName): readonly number[] {
    return this.#slots.get(service) ?? []
  }

  /** Path of a module: the first one of a service, or the one in a slot. Throws `Unjudged` without one. */
  base(service: ServiceName, slot = this.slots(service)[0]): string {
    if (slot === undefined) throw new Unjudged(`the device has no usable ${service} module`)
    return `${servicePath(service)}/${slot}`
  }

  /** One of two pins that are wired together. */
  wired(name: 'drive' | 'watch'): PinAddress {
    const pin = this.#wired[name]
    if (pin === undefined) throw new Unjudged('no pins are wired')
    return pin
  }

  async send(method: string, path: string, body?: string, headers: RequestHeaders = {}): Promise<WireAnswer> {
    this.signal?.throwIfAborted()
    const to = path.replace(/^(drive|watch):/, (_, name: 'drive' | 'watch') => `${this.base('io', this.wired(name).slot)}/`)
    const whole = to.replace(/^(io|bmc|power):/, (_, name: ServiceName) => `${this.base(name)}/`)
    if (method !== 'GET' || /watchdog\/(alive|save)$/.test(whole)) this.written.add(whole)
    const { token } = this.wire
    const credentials = token === undefined ? {} : { authorization: basic('token', token) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return this.wire.request({ method, path: whole, headers: { ...credentials, ...type, ...headers }, body })
  }

  get(path: string, headers: RequestHeaders = FRESH): Promise<WireAnswer> {
    return this.send('GET', path, undefined, headers)
  }

  post(path: string, body: unknown): Promise<WireAnswer> {
    return this.send('POST', path, JSON.stringify(body))
  }

  /** Body of a GET that must succeed. */
  async read(path: string, headers?: RequestHeaders): Promise<JsonFields> {
    const { status, body } = await this.get(path, headers)
    equal(status, 200, `GET ${path}`)
    that(isRecord(body), `GET ${path} to answer a JSON object`, body)
    return body
  }

  /** A POST that must succeed. */
  async set(path: string, body: unknown): Promise<JsonFields> {
    const answer = await this.post(path, body)
    equal(answer.status, 200, `POST ${path} ${JSON.stringify(body)}`)
    return isRecord(answer.body) ? answer.body : {}
  }

  /** A POST that must be refused, as a fault of the client. */
  async refuses(path: string, body: unknown, statuses: readonly number[] = [400, 422]): Promise<void> {
    const { status } = await this.post(path, body)
    that(statuses.includes(status), `POST ${path} ${JSON.stringify(body)} to be refused with ${statuses.join(' or ')}`, status)
  }

  /** Sends bytes; resolves with the first answer. */
  async raw(bytes: string): Promise<WireAnswer> {
    const [head = '', ...rest] = (await this.wire.raw(bytes)).split('\r\n\r\n')
    const [line = '', ...lines] = head.split('\r\n')
    const headers = lines.map((each) => [each.replace(/:.*$/s, '').toLowerCase(), each.replace(/^[^:]*: ?/, '')] as const)
    const text = Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString()
    return answerOf(Number(line.split(' ')[1]), Object.fromEntries<string>(headers), text)
  }

  /** What a service lists. */
  async listed(service: ServiceName): Promise<JsonFields & { readonly devices: readonly JsonFields[] }> {
    const body = await this.read(`${servicePath(service)}/`)
    return { ...body, devices: Array.isArray(body['devices']) ? body['devices'].filter(isRecord) : [] }
  }

  /** Session of the driver and of each device of a service. */
  async sessions(service: ServiceName): Promise<{ readonly driver: unknown; readonly slots: ReadonlyMap<number, unknown> }> {
    const { driver_session: driver, devices } = await this.listed(service)
    return { driver, slots: new Map(devices.map((one) => [Number(one['slot_number']), one['device_session']])) }
  }

  /** What a read of values has of a pin. `module` is the begin of a path, as `io:`. */
  async pin(
    module: string,
    pin: number,
    path = 'input/values',
    headers?: RequestHeaders,
  ): Promise<JsonFields & { value: number }> {
    const { pins } = await this.read(`${module}${path}`, headers)
    const pinValue: unknown = Array.isArray(pins) ? pins.find((one) => isRecord(one) && one['pin'] === pin) : undefined
    that(isRecord(pinValue) && typeof pinValue['value'] === 'number', `${path} to hold pin ${pin}`, pins)
    return pinValue as JsonFields & { value: number }
  }

  /** Lets time pass: the device's own where the bench can step it. */
  async wait(ms: number): Promise<void> {
    if (this.isBench) await this.bench('time/step', { ms })
    else await this.wire.sleep(ms, this.signal)
  }

  /** Waits until every module is listed again. */
  async restarted(): Promise<void> {
    const services = serviceNames.filter((service) => this.slots(service).length > 0)
    const isBack = async () => {
      const lists = await Promise.all(services.map((service) => this.listed(service)))
      return lists.every(({ devices }, index) => devices.length >= this.slots(services[index] ?? 'io').length)
    }
    for (let ms = 0, before = this.wire.now(); ms < RESTART_MS; ms += Math.max(500, this.wire.now() - before)) {
      before = this.wire.now()
      await this.wait(500)
      if (await isBack().catch(() => false)) return
    }
    that(false, `the device to be back within ${RESTART_MS / 1000} s`)
  }

  /** Does something on the bench of a virtual device. `end` ends it there, unless a check does. */
  async bench(name: string, body: JsonFields = {}, end?: Action): Promise<void> {
    this.signal?.throwIfAborted()
    if (end !== undefined) this.#undo.set(end[0], end)
    const text = Object.keys(body).length === 0 ? undefined : JSON.stringify(body)
    const answer = await this.send('POST', `${BENCH}/${name}`, text)
    const isDone = answer.status === 200
    this.#undo.delete(isDone ? name : (end?.[0] ?? ''))
    if (!isDone) throw new Unjudged(`the bench refuses ${name} ${JSON.stringify(body)}: ${answer.text}`)
  }

  /** Ends what was done on the bench, and returns what could not be ended. */
  async clearBench(): Promise<string[]> {
    const left: string[] = []
    const isChanged = ['ambient', 'rail'].some((name) => this.written.has(`${BENCH}/${name}`))
    for (const [name, body] of [...this.#undo.values(), ...(isChanged ? this.#surroundings : [])])
      await this.bench(name, body).catch((error: unknown) => left.push(`${name} of the bench: ${messageOf(error)}`))
    return left
  }
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
