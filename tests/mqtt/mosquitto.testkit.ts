import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { SystemClock } from '@slotwire/core'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { onTestFinished } from 'vitest'
import { freePort } from '../program/free-port.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

/** Real programs take real time. */
export const clock = new SystemClock()
const PAUSE_MS = 50

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
    () => false,
  )
  socket.destroy()
  return isOpen
}

/** A real broker of one test, on a port of its own. */
export class Mosquitto {
  readonly #folder = temporaryFolder({ prefix: 'slotwire-' })
  #child: ChildProcess | undefined

  constructor(
    private readonly program: string,
    readonly port: number,
    lines: readonly string[],
  ) {
    const config = [`listener ${port} 127.0.0.1`, 'max_queued_messages 0', 'max_inflight_messages 0', 'log_type error', ...lines]
    writeFileSync(join(this.#folder, 'mosquitto.conf'), `${config.join('\n')}\n`)
    onTestFinished(async () => {
      await this.stop()
    })
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    this.#child = spawn(this.program, ['-c', join(this.#folder, 'mosquitto.conf')], { stdio: 'ignore' })
    while (!(await answers(this.port))) await clock.sleep(PAUSE_MS)
  }

  /** Ends it at once: no will, nothing stored. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** A client that ends with the test. */
  async client(options: IClientOptions = {}): Promise<MqttClient> {
    const client = await mqtt.connectAsync(this.url, { protocolVersion: 5, reconnectPeriod: PAUSE_MS, ...options })
    onTestFinished(() => {
      client.end(true)
    })
    return client
  }
}

/** Starts a broker. `lines`: more of its configuration; by default all clients may do everything. */
export async function mosquitto(program: string, lines: readonly string[] = ['allow_anonymous true']): Promise<Mosquitto> {
  const broker = new Mosquitto(program, await freePort(), lines)
  await broker.start()
  return broker
}
