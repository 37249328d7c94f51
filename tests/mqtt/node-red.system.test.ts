import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { freePort } from '../program/free-port.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { bridge, Received, send, twins } from './bridges.testkit.ts'
import { mosquitto } from './mosquitto.testkit.ts'

const LIMIT_MS = 90_000
const FLOW = 'examples/node-red/flow.json'
/** No editor, and nothing that is sent to others. */
const SETTINGS =
  "module.exports = { httpAdminRoot: false, telemetry: { enabled: false }, logging: { console: { level: 'info' } } }\n"

/** Starts Node-RED with the flow on a broker. Resolves when the flow runs and is connected. */
async function nodeRed(program: string, brokerPort: number): Promise<() => string> {
  const folder = temporaryFolder()
  const flow = readFileSync(inRoot(FLOW), 'utf8').replace('"port": "1883"', `"port": "${brokerPort}"`)
  // What the flow shows is then on standard output.
  writeFileSync(join(folder, 'flow.json'), flow.replaceAll('"console": false', '"console": true'))
  writeFileSync(join(folder, 'settings.js'), SETTINGS)
  const child = spawn(program, ['--userDir', folder, '--port', String(await freePort()), 'flow.json'], { stdio: 'pipe' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await expect.poll(() => output, { timeout: 40_000 }).toContain('Connected to broker')
  return () => output
}

describeWith(['nodeRed', 'mosquitto'], FLOW, (program, mosquittoProgram) => {
  it('shows voltages and alerts, and switches an output on after an alert', { timeout: LIMIT_MS }, async () => {
    const broker = await mosquitto(mosquittoProgram)
    const { twins: devices } = await twins(1)
    const [device] = devices
    if (device === undefined) throw new Error('no twin')
    const config = Array.from({ length: 6 }, () => ({ rail: '5_volt', current_milliampere: 20 }))
    await send(device.url, '/api/io/1.0/5/power-management', { config })
    const received = await Received.of(await broker.client())
    bridge(broker.url, devices, '--every', '100ms', '--commands', 'expiring')
    await received.allOnline(devices)
    const output = await nodeRed(program, broker.port)
    await expect.poll(output, { timeout: 10_000 }).toMatch(/pin: 3,\s+volts: 3/)
    // Slot 5 has a clock signal at pin 4. The module restarts with its power, which takes a moment.
    const trigger = { pin: 4, threshold_millivolt: 1500, trigger: 'rising' }
    const set = (): Promise<unknown> => send(device.url, '/api/io/1.0/5/input/analog/threshold', trigger)
    await expect.poll(set, { timeout: 10_000, interval: 500 }).toEqual({ status: 'success' })
    const topic = `slotwire/${device.id}/io/5/pin/1/state`
    await received.until('pin 1 is high', () => received.texts.get(topic) === 'high')
    expect(received.texts.get(`slotwire/${device.id}/response/node-red`)).toBe('{"status":"success"}')
    expect(output()).toContain("alerts: [ 'custom_voltage_alert' ]")
  })
})
