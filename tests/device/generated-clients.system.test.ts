import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { inRoot } from '../../tools/setup/root.mjs'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'

/** Generating, compiling and running, on a busy machine. */
const LIMIT_MS = 120_000
/** What both programs print: a voltage of the bench, the answers to a change without and with power, and the pin afterwards. */
const PRINTED = {
  services: 3,
  volts: 5000,
  refused: [400, 'power-configuration-missing'],
  granted: 'success',
  high: 'success',
  pins: 6,
  unknown: [404, 'io modules are in slots 3 and 5'],
}
/** A source behind a resistor, and six pins with power. */
const SOURCE = { volts: 5, ohms: 100 }

const folder = temporaryFolder()
let run: SlotwireProcess
let url: string

beforeAll(async () => {
  run = new SlotwireProcess(['serve', '--json', '--port', '0', '--log-level', 'silent', '--state', join(folder, 'state')])
  url = String((JSON.parse(await run.firstLine()) as Announcement).urls[0])
  for (const [file, path] of [
    ['api.json', '/slotwire/openapi.json'],
    ['bench.json', '/slotwire/bench/openapi.json'],
  ] as const)
    writeFileSync(join(folder, file), await (await fetch(url + path)).text())
}, LIMIT_MS)

afterAll(async () => {
  await run.remove()
})

const TYPESCRIPT = `import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'
import type { paths as BenchPaths } from './bench.js'

const baseUrl = process.argv[2] ?? ''
const client = createClient<paths>({ baseUrl })
const bench = createClient<BenchPaths>({ baseUrl })
const path = { slot: 3 }
const at = { params: { path } }

await client.POST('/api/io/1.0/{slot}/reset', { ...at, body: { reset: 'yes' } })
const index = await (await fetch(baseUrl)).json() as { services: object }
await bench.POST('/slotwire/bench/connect', { body: { pin: '3/2', to: { source: ${JSON.stringify(SOURCE)} } } })
const read = await client.GET('/api/io/1.0/{slot}/input/values', { params: { path, header: { 'Cache-Control': 'no-cache' } } })
const values: components['schemas']['PinValue'][] = read.data?.pins ?? []
const drive = () => client.POST('/api/io/1.0/{slot}/output/state', { ...at, body: { pin: 1, state: 'high' } })
const refused = await drive()
const power: components['schemas']['PinPower'] = { rail: '5_volt', current_milliampere: 50 }
const decision = await client.POST('/api/io/1.0/{slot}/power-management', { ...at, body: { config: [power, power, power, power, power, power] } })
const high = await drive()
const unknown = await client.GET('/api/io/1.0/{slot}/input/values', { params: { path: { slot: 2 } } })
// @ts-expect-error: the document has no such state
const wrong: components['schemas']['IoSetOutputStateRequest'] = { pin: 1, state: 'hihg' }
console.log(JSON.stringify({
  services: Object.keys(index.services).length,
  volts: Math.round((values[1]?.value ?? 0) / 100) * 100,
  refused: [refused.error?.code, refused.response.headers.get('slotwire-error')],
  granted: decision.data?.status,
  high: high.data?.status,
  pins: values.length,
  unknown: [unknown.error?.code, unknown.response.headers.get('slotwire-hint')],
}))
`

describeWith('openapiTypescript', 'a client from openapi-typescript and openapi-fetch', (program) => {
  it(
    'compiles with strict types, and works against the twin',
    () => {
      const project = join(folder, 'typescript')
      mkdirSync(project)
      symlinkSync(dirname(dirname(program)), join(project, 'node_modules'))
      for (const name of ['api', 'bench'])
        execFileSync(program, [join(folder, `${name}.json`), '--output', join(project, `${name}.d.ts`)], { stdio: 'pipe' })
      writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }))
      writeFileSync(join(project, 'client.ts'), TYPESCRIPT)
      const compilerOptions = {
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        module: 'nodenext',
        target: 'es2023',
        types: ['node'],
        typeRoots: [inRoot('node_modules', '@types')],
      }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
      execFileSync(process.execPath, [inRoot('node_modules', 'typescript', 'bin', 'tsc'), '--project', project])
      const printed = execFileSync(process.execPath, [join(project, 'client.js'), url], { encoding: 'utf8' })
      expect(JSON.parse(printed)).toEqual(PRINTED)
    },
    LIMIT_MS,
  )
})

const PYTHON = `import json, sys
from io_client import Client
from io_client.api.io import io_get_input_values, io_list_devices, io_reset_module, io_set_output_state, io_set_power_configuration
from io_client.models import (
    IoSetOutputStateRequest, IoSetOutputStateRequestState, PinPower, PinPowerRail, PowerConfiguration, ResetRequest,
)
from bench_client import Client as BenchClient
from bench_client.api.bench import bench_connect
from bench_client.models import BenchConnectRequest

url = sys.argv[1]
client, bench = Client(base_url=url), BenchClient(base_url=url)
io_reset_module.sync(3, client=client, body=ResetRequest(reset="yes"))
devices = io_list_devices.sync(client=client).devices
bench_connect.sync(client=bench, body=BenchConnectRequest.from_dict({"pin": "3/2", "to": {"source": ${JSON.stringify(SOURCE)}}}))
pins = io_get_input_values.sync(3, client=client, cache_control="no-cache").pins
body = IoSetOutputStateRequest(pin=1, state=IoSetOutputStateRequestState.HIGH)
refused = io_set_output_state.sync_detailed(3, client=client, body=body)
power = PinPower(rail=PinPowerRail.VALUE_0, current_milliampere=50)
decision = io_set_power_configuration.sync(3, client=client, body=PowerConfiguration(config=[power] * 6))
high = io_set_output_state.sync(3, client=client, body=body)
unknown = io_get_input_values.sync_detailed(2, client=client)
print(json.dumps({
    "services": len(client.get_httpx_client().get("/").json()["services"]),
    "volts": round(pins[1].value, -2),
    "refused": [refused.parsed.code, refused.headers["slotwire-error"]],
    "granted": decision.status,
    "high": high.status,
    "pins": len(pins),
    "unknown": [unknown.parsed.code, unknown.headers["slotwire-hint"]],
}))
`

describeWith('openapiPythonClient', 'a client from openapi-python-client', (program) => {
  it(
    'is generated without warnings, compiles, and works against the twin',
    () => {
      const project = join(folder, 'python')
      const python = join(dirname(program), 'python')
      mkdirSync(project)
      const environment = { ...process.env, PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}` }
      for (const [file, output] of [
        ['api.json', 'io_client'],
        ['bench.json', 'bench_client'],
      ] as const) {
        const words = [
          'generate',
          '--meta',
          'none',
          '--fail-on-warning',
          '--path',
          join(folder, file),
          '--output-path',
          join(project, output),
        ]
        execFileSync(program, words, { env: environment, stdio: 'pipe' })
      }
      writeFileSync(join(project, 'client.py'), PYTHON)
      execFileSync(python, ['-m', 'compileall', '-q', project])
      const printed = execFileSync(python, [join(project, 'client.py'), url], { encoding: 'utf8' })
      expect(JSON.parse(printed)).toEqual(PRINTED)
    },
    LIMIT_MS,
  )
})
