import { expect } from 'vitest'
import type { RawAnswer } from '../../packages/edge/src/door/socket.testkit.ts'
import { type Asking, askDoor, converseWith, type FrontDoor } from './proxy-client.testkit.ts'
import type { ProxyWorld } from './proxy-world.testkit.ts'

export const VALUES = '/api/io/1.0/5/input/values'
export const MODE = '/api/io/1.0/5/input/mode'
export const FEED = '/api/bmc/1.0/0/watchdog/alive'
export const SAVE = '/api/bmc/1.0/0/watchdog/save'
export const NOTE = '/api/io/1.0/5/notification/4'
/** A valid body for `MODE`. */
export const BODY = '{"pin":6,"mode":"digital"}'

/** What is in front of the device, and how to stop it. */
export interface DoorUnderTest extends FrontDoor {
  /** Everything that it logged; nothing for the built-in door. */
  written(): string
  close(): Promise<void>
}

export interface DoorTraits {
  /** Whether malformed requests get the same answer as from the service: its status, and the error body. */
  readonly parserLikeService: boolean
  /** Titles of shapes in which it finds the end of the request. */
  readonly understands?: readonly string[]
  /** Whether it runs in a separate process, and so outlives the service. */
  readonly isApart: boolean
}

/** The door, the services behind it, and a client with a new address in each test. */
export class DoorSession {
  #addresses = 0

  private constructor(
    readonly world: ProxyWorld,
    readonly door: DoorUnderTest,
    /** A token with full access. */ readonly full: string,
    readonly readOnly: string,
  ) {}

  static async open(world: ProxyWorld, open: (world: ProxyWorld) => Promise<DoorUnderTest>): Promise<DoorSession> {
    const make = async (name: string, readOnly: boolean): Promise<string> =>
      (await world.tokens.create({ name, readOnly, services: undefined, expires: undefined })).text
    return new DoorSession(world, await open(world), await make('line 3 PLC', false), await make('display', true))
  }

  /** Address of the client. */
  get address(): string {
    return `127.0.1.${this.#addresses}`
  }

  /** Changes to another client. */
  begin(): void {
    this.#addresses++
  }

  /** Makes a token that may write; its name is new in each test. */
  async token(
    name: string,
    { services, expires }: { readonly services?: string[]; readonly expires?: string } = {},
  ): Promise<string> {
    return (await this.world.tokens.create({ name: `${name} ${this.address}`, readOnly: false, services, expires })).text
  }

  /** The answer to a single request on a new connection. */
  ask(line: string, asking: Asking = {}): Promise<RawAnswer> {
    return askDoor(this.door, line, { from: this.address, ...asking })
  }

  async statusOf(line: string, token?: string, headers: readonly string[] = []): Promise<number> {
    return (await this.ask(line, { token, headers })).status
  }

  /** Writes to the io module. */
  post(token?: string, headers: readonly string[] = [], body = BODY): Promise<RawAnswer> {
    return this.ask(`POST ${MODE}`, { token, headers, body })
  }

  /** The whole answer to these bytes, until the door closes the connection. */
  converse(bytes: string): Promise<string> {
    return converseWith(this.door, bytes, { from: this.address })
  }

  /** Raises an event at the pin of `NOTE`. */
  async raiseNote(): Promise<void> {
    const { device } = this.world
    const io = device.module('io', 5)
    const threshold = { pin: 4, threshold_millivolt: 2500, trigger: 'rising' }
    await io.set('input/analog/threshold', threshold)
    await device.advance(500)
    await io.set('input/analog/threshold', { ...threshold, trigger: 'disabled' })
    await device.advance(50)
  }

  /** Whether the holder of this token sees an event at the pin of `NOTE`. */
  async note(token: string): Promise<unknown> {
    return (JSON.parse((await this.ask(`GET ${NOTE}`, { token })).body) as Record<string, unknown>)['custom_voltage_alert']
  }
}

/** The status of an answer that must have the error body. */
export function refusalOf({ status, headers, body }: RawAnswer): number {
  const parsed = JSON.parse(body) as Record<string, unknown>
  expect(Object.keys(parsed)).toEqual(['status', 'code', 'message'])
  expect(parsed).toMatchObject({ status: 'error', code: status })
  expect(body.endsWith('}\n')).toBe(true)
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  expect(headers['slotwire-error']).toMatch(/^[a-z]+(-[a-z]+)*$/)
  return status
}
