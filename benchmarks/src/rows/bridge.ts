import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mqtt, { type MqttClient } from 'mqtt'
import { processorSeconds, residentMegabytes } from '../process-figures.ts'
import { runProgram } from '../program.ts'
import type { Instruments, Reading, Row } from '../row.ts'
import { startBridge, startTwinsAt } from '../server-process.ts'

const TWINS = 100
/** Twins whose pin raises 100 alerts a second each. */
const ALERTING = 20
const MS_PER_SECOND = 1000
const PERCENT = 100
const KILOBYTES_PER_MEGABYTE = 1000
const PAUSE_MS = 100
const PAYLOAD = JSON.stringify({
  id: '1-234567',
  at: '2026-11-24T20:00:00.000Z',
  kind: 'alert',
  slot: 5,
  pin: 4,
  alerts: ['custom_voltage_alert'],
})
/** Messages of the bare client that wait for their acknowledgement. */
const IN_FLIGHT = 100

/** What a bridge costs for each device, value and alert, with a real Mosquitto; and how many alerts a second it brings to the broker. */
export const bridgeRow: Row = {
  name: 'bridge',
  what: `\`slotwire bridge\` with ${TWINS} twins and Mosquitto`,
  against: 'the bridge with one twin, and a bare client of `mqtt`',
  goals: [
    { of: 'memory of each device', at: 'most', bound: 1500, unit: 'KB' },
    { of: 'processor at rest of each device, of one core', at: 'most', bound: 0.15, unit: '%' },
    { of: 'processor of each value', at: 'most', bound: 0.5, unit: 'ms' },
    { of: 'processor of each alert', at: 'most', bound: 1, unit: 'ms' },
    { of: `alerts in a second, of ${ALERTING} twins`, at: 'least', bound: 0.05, unit: '×' },
  ],
  measure: async (instruments) => {
    const broker = await startMosquitto()
    try {
      const one = await costOf(broker.port, 1, instruments)
      const many = await costOf(broker.port, TWINS, instruments)
      const bare = await bareRate(broker.port, instruments)
      const of = (text: string, comparison: string, figure: number): Reading => ({ measured: text, comparison, figure })
      const memory = ((many.megabytes - one.megabytes) / (TWINS - 1)) * KILOBYTES_PER_MEGABYTE
      const rest = (many.restPercent - one.restPercent) / (TWINS - 1)
      return [
        of(`${many.megabytes.toFixed(1)} MB`, `${one.megabytes.toFixed(1)} MB`, memory),
        of(`${many.restPercent.toFixed(1)} %`, `${one.restPercent.toFixed(1)} %`, rest),
        of(`${many.value.ms.toFixed(3)} ms at ${many.value.perSecond.toFixed(0)}/s`, 'nothing', many.value.ms),
        of(`${many.alert.ms.toFixed(3)} ms at ${many.alert.perSecond.toFixed(0)}/s`, 'nothing', many.alert.ms),
        of(`${many.alert.perSecond.toFixed(0)}/s`, `${bare.toFixed(0)}/s`, many.alert.perSecond / bare),
      ]
    } finally {
      await broker.stop()
    }
  },
}

async function costOf(port: number, count: number, instruments: Instruments) {
  const { clock, effort } = instruments
  const folder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const twins = await startTwinsAt(count)
  const subscriber = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 })
  const counts = { values: 0, alerts: 0 }
  const online = new Set<string>()
  subscriber.on('message', (topic, payload) => {
    if (topic.endsWith('/state')) counts.values++
    else if (topic.endsWith('/alert')) counts.alerts++
    else if (topic.endsWith('/status') && payload.includes('"online"')) online.add(topic)
  })
  try {
    await subscriber.subscribeAsync('slotwire/#', { qos: 1, rh: 2 })
    const file = join(folder, 'devices.txt')
    await writeFile(file, twins.urls.join('\n'))
    const options = ['--mqtt', `mqtt://127.0.0.1:${port}`, '--urls-file', file, '--log-level', 'warn']
    const run = async <T>(every: string, work: (pid: number) => Promise<T>): Promise<T> => {
      online.clear()
      const bridge = await startBridge([...options, '--every', every])
      try {
        while (online.size < count) await clock.sleep(PAUSE_MS)
        await clock.sleep(effort.twinSettleMs)
        return await work(bridge.pid)
      } finally {
        await bridge.stop()
      }
    }
    // Readings once an hour: nothing but the streams.
    const [megabytes, restPercent] = await run('6m', async (pid) => {
      const used = await during(pid, instruments, () => 0)
      return [residentMegabytes(pid), used.seconds * PERCENT] as const
    })
    const value = await run('50ms', async (pid) => perMessage(await during(pid, instruments, () => counts.values)))
    for (const url of twins.urls.slice(0, ALERTING)) await raiseAlerts(url)
    const alert = await run('6m', async (pid) => perMessage(await during(pid, instruments, () => counts.alerts)))
    return { megabytes, restPercent, value, alert }
  } finally {
    subscriber.end(true)
    await twins.stop()
    await rm(folder, { recursive: true })
  }
}

/** Processor seconds and messages in a second. */
async function during(pid: number, { clock, effort }: Instruments, count: () => number) {
  const [used, counted, begun] = [processorSeconds(pid), count(), clock.now()]
  await clock.sleep(effort.twinWatchMs)
  const seconds = (clock.now() - begun) / MS_PER_SECOND
  return { seconds: (processorSeconds(pid) - used) / seconds, messages: (count() - counted) / seconds }
}

const perMessage = ({ seconds, messages }: { readonly seconds: number; readonly messages: number }) => ({
  ms: (seconds / messages) * MS_PER_SECOND,
  perSecond: messages,
})

/** QoS 1 messages in a second of a client that does nothing else. */
async function bareRate(port: number, { clock, effort }: Instruments): Promise<number> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5 })
  const end = clock.now() + effort.twinWatchMs
  let sent = 0
  const publish = async (): Promise<void> => {
    for (; clock.now() < end; sent++) await client.publishAsync('bench/alert', PAYLOAD, { qos: 1 })
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, publish))
  client.end(true)
  return (sent / effort.twinWatchMs) * MS_PER_SECOND
}

/** The clock signal at pin 4 of slot 5 raises an alert whenever it rises. */
async function raiseAlerts(url: string): Promise<void> {
  const sent = request(new URL('/api/io/1.0/5/input/analog/threshold', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  })
  sent.end(JSON.stringify({ pin: 4, threshold_millivolt: 1500, trigger: 'rising' }))
  const [answer] = (await once(sent, 'response')) as [{ resume(): void; statusCode: number }]
  answer.resume()
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode} of ${url}`)
}

async function startMosquitto(): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const found = await runProgram('sh', ['-c', 'PATH=$PATH:/usr/sbin command -v mosquitto'])
  if (found.code !== 0) throw new Error('the row needs mosquitto: apt-get install mosquitto')
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const folder = await mkdtemp(join(tmpdir(), 'slotwire-benchmark-'))
  const config = join(folder, 'mosquitto.conf')
  await writeFile(config, `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\n`)
  const child = spawn(found.stdout.trim(), ['-c', config], { stdio: 'ignore' })
  const first: MqttClient = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: PAUSE_MS })
  first.end(true)
  return {
    port,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
