import { servicePath } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import { collect, step } from '../check.ts'
import { basic, type Device, type ServiceName, serviceNames } from '../device.ts'
import { equal, hasShape, type Shape, that, Unjudged } from '../expect.ts'
import type { Answer } from '../wire.ts'
import { mode } from './io.ts'
import { highest } from './power.ts'
import { type Endpoint, eachService, fieldChecks, hardReset, keeps, RESET, refuse, renews, set } from './steps.ts'

const { list, section, add, read, write, disruptive } = collect()
const { body, ok } = fieldChecks(add)
const service = section('What the service does')
const root = section('Version and device list')
const descriptor = section('Device descriptor')
const success = section('Generic success body')
const generic = section('Generic endpoints')
const login = section('Authentication')
const errors = section('Errors')
const versions = section('Versioning')

const version: Shape = { major: 'uint', minor: 'uint', patch: 'uint' }
const listShape: Shape = {
  driver_session: 'text',
  version: { api: version, service: version, module_driver: version, kernel_driver: version },
  devices: { each: { slot_number: 'uint', sdbp_version: version, device_session: 'text' } },
}
const words = ['vendor_product_id', 'product_name', 'vendor_name', 'serial_code', 'bootloader_state']
const numbers = ['slot_number', 'max_frame_size', 'max_power_12v', 'max_power_5v0', 'max_power_3v3', 'max_sclk_speed']
const descriptorShape: Shape = {
  ...Object.fromEntries(words.map((name) => [name, 'text'] as const)),
  ...Object.fromEntries(numbers.map((name) => [name, 'uint'] as const)),
  fw_version: { stability: 'text', version },
  hw_version: version,
  protocol_version: version,
}
const eachModule = (does: string, run: (device: Device, path: string, slot: number, name: ServiceName) => Promise<void>) =>
  eachService(does, async (device, name) => {
    for (const slot of device.slots(name)) await run(device, `${device.base(name, slot)}/descriptor`, slot, name)
  })
const everyModule = (name: string, ...rest: Parameters<typeof eachModule>) => read(name, eachModule(...rest))
const everyService = (name: string, ...rest: Parameters<typeof eachService>) => read(name, eachService(...rest))
/** Some reads without effect, of every service. */
const reads = { io: ['input/values', 'input/values/current'], bmc: ['voltage', 'watchdog', 'usbhub'], power: ['stats', 'fan'] }
const isJson = ({ headers: { 'content-type': type } }: Answer, what: string) =>
  that(/^application\/json\b/.test(String(type)), `${what} as application/json`, type)
const readEach = (does: string, judge: (answer: Answer, what: string) => void) =>
  eachService(does, async (device, name) => {
    for (const path of reads[name]) judge(await device.get(`${name}:${path}`), path)
  })
/** An error with exactly the fields of the specification. */
function isError(answer: Answer, statuses: readonly number[], what: string): void {
  const { status, body: seen, text } = answer
  that(statuses.includes(status), `${what} to answer ${statuses.join(' or ')}`, status)
  isJson(answer, what)
  that(isRecord(seen), `${what} to answer a JSON object`, text)
  const { message, ...others } = seen
  equal(others, { status: 'error', code: status }, `error of ${what} without its message`)
  that(typeof message === 'string' && message !== '', `${what} to answer a message for people`, message)
}
const answersError = (what: string, statuses: readonly number[], send: (device: Device) => Promise<Answer>) =>
  step(`${what} answers ${statuses.join(' or ')} with this body`, async (device) => isError(await send(device), statuses, what))
const gets = (path: string) => (device: Device) => device.get(path)
const posts = (path: string, fields: object) => (device: Device) => device.post(path, fields)

service('base-paths', 'Each module type has its own base path below /api/')
read('answers', 'GET the base path of io, bmc and power answers 200', async (device) => {
  for (const name of serviceNames) equal((await device.get(`${servicePath(name)}/`)).status, 200, `GET ${servicePath(name)}/`)
})
service('json', 'Requests and responses are JSON')
read('type', readEach('every answer to a read is application/json', isJson))
write('no-json', 'a body that is no JSON object is refused with 400, 415 or 422', async (device) => {
  for (const text of ['{"mode":', '[]', '"text"', '', 'null', "{'mode':1}"]) {
    const { status } = await device.send('POST', 'bmc:buzzer', text)
    that([400, 415, 422].includes(status), `body ${text} to be refused`, status)
  }
})
service('names', 'JSON names are case sensitive')
write('reset', refuse('io:reset', {}, 'RESET', 'yes'))
service('slots', 'A module is addressed by its slot_number')
everyModule('same', 'the descriptor at a slot holds the number of that slot', async (device, path, slot) =>
  equal((await device.read(path))['slot_number'], slot, `slot_number of ${path}`),
)
everyModule('service', 'a module answers only below its own service', async (device, _path, slot, name) => {
  const other = serviceNames.find((one) => one !== name && device.slots(one).length > 0)
  if (other !== undefined)
    equal((await device.get(`${servicePath(other)}/${slot}/descriptor`)).status, 404, `${other} in slot ${slot}`)
})
service('one-writer', 'Only one application at a time may write', 'it is a rule for applications')
const slow = 'times depend on the network; no bound is given'
service('parallel', 'Parallel requests are not cached and lengthen the time of each', slow)
service('sequence', 'Clients check the version, reset before a write, and poll notification', 'it is a rule for clients')

root('root', 'GET / lists sessions, versions and usable devices')
everyService('fields', 'GET / has all fields with their types', async (device, name) =>
  hasShape(await device.read(`${servicePath(name)}/`), listShape),
)
everyService('once', 'GET / lists a slot once', async (device, name) =>
  equal(new Set(device.slots(name)).size, device.slots(name).length, `number of different slots of ${name}`),
)
everyService('session-text', 'sessions are not empty, and differ from device to device', async (device, name) => {
  const { driver, slots } = await device.sessions(name)
  const all = [driver, ...slots.values()]
  that(all.every((one) => one !== '') && new Set(all).size === all.length, 'different sessions', all)
})
root('session-stays', 'The sessions identify driver and device: they stay while nothing restarts')
everyService('reads', 'sessions are the same after reads', async (device, name) => {
  await keeps(
    name,
    readEach('reads', () => undefined),
  )(device)
})
write(
  'writes',
  eachService('sessions are the same after writes', async (device, name) => {
    const buzz = set('bmc:buzzer', { mode: 2, duration: 1 })
    const each = { io: mode('digital', 1), bmc: buzz, power: set('power:fan/rpm', { measurement_enabled: true }) }
    await keeps(name, ...serviceNames.filter((one) => device.slots(one).length > 0).map((one) => each[one]))(device)
  }),
)

descriptor('descriptor', 'The descriptor has its fields')
everyModule('fields', 'GET descriptor has all fields with their types', async (device, path) =>
  hasShape(await device.read(path), descriptorShape),
)
everyModule('same', 'two reads of a descriptor are equal', async (device, path) =>
  equal(await device.read(path), await device.read(path), path),
)
success('ok', 'Writes answer {"status":"success"} unless another body is listed')
const reset: Endpoint = { effect: 'write', path: 'io:reset', body: RESET }
for (const [path, fields] of Object.entries({
  'io:reset': RESET,
  'io:input/mode': { pin: 6, mode: 'analog' },
  'io:input/analog/threshold': { pin: 6, threshold_millivolt: 1000, trigger: 'disabled' },
  'bmc:buzzer': { mode: 2, duration: 1 },
  'bmc:watchdog': { timeout: 0 },
  'power:limits': highest,
  'power:fan': { fan_forced: false, fan_mode: 0 },
  'power:fan/rpm': { measurement_enabled: false },
}))
  ok({ effect: 'write', path, body: fields })

generic('reset', 'POST reset takes the word yes alone')
body(reset)
write('word', refuse('io:reset', {}, 'reset', 'no', 'Yes', '', 'yes '))
generic('reset-module', 'POST reset brings a module to its initial state, and is no system reset')
const setReset = set('io:reset', RESET)
write('io', 'after reset every pin is an analog input', mode('digital', 1), mode('digital'), setReset, async (device) => {
  const { pins } = await device.read('io:input/values')
  hasShape(pins, { each: { pin_type: ['voltage_millivolt'] } }, 'pins')
})
write('others', keeps('power', setReset))
write('resets-one', 'a reset of one io module leaves the pins of another', async (device) => {
  const [first, second] = device.slots('io')
  if (first === undefined || second === undefined) throw new Unjudged('the device has no second io module')
  const base = device.base('io', second)
  await device.set(`${base}/input/mode`, { pin: 6, mode: 'digital' })
  await device.reset(device.base('io', first))
  equal((await device.pin({ base, pin: 6 }))['pin_type'], 'digital_input', 'pin of the other module')
})
generic('session-changes', 'A session changes when its device may have lost its state')
disruptive('hard-reset', renews(serviceNames, ...hardReset))
generic('client-rules', 'Clients check version.api, build URLs from slot_number and compare sessions', 'it is a rule for clients')

login('credentials', 'Remote requests carry Basic credentials: the user token and an access token')
for (const [name, does, authorization] of [
  ['none', 'a request without credentials is refused with 401 or 403', () => undefined],
  ['password', 'a request with a wrong token is refused with 401 or 403', () => basic('token', 'wrong')],
  ['user', 'a request with another user name is refused with 401 or 403', (token: string) => basic('admin', token)],
] as const)
  read(name, does, async ({ wire }) => {
    if (wire.token === undefined) throw new Unjudged('no token is given')
    const value = authorization(wire.token)
    const headers = value === undefined ? {} : { authorization: value }
    const { status } = await wire.request({ method: 'GET', path: '/api/io/', headers })
    that([401, 403].includes(status), 'a refusal with 401 or 403', status)
  })
read('right', 'a request with the credentials succeeds', (device) => device.read('/api/io/'))
const recommended = 'it is a recommendation; conform trusts the authority that its user names'
login('https', 'HTTPS is recommended, and clients trust the authority from then on', recommended)
const unreachable = 'the connection itself fails for another name, and no check can begin'
login('certificate', 'The certificate is valid for the announced name', unreachable)
login('refusal', 'Status and body without credentials', 'the specification does not show them')

errors('error-body', 'All errors have one body: status error, code of the HTTP status, a message')
const harmless = {
  path: answersError('GET of an unknown path', [404], gets('io:nowhere')),
  slot: answersError('GET of a slot without a module', [404], gets(`${servicePath('io')}/99/descriptor`)),
  version: answersError('GET with the version 99.0', [400, 404], gets('/api/io/99.0/')),
}
for (const [name, refusal] of Object.entries(harmless)) read(name, refusal)
write('pin', answersError('GET notification/7', [400, 404, 422], gets('io:notification/7')))
write('method', answersError('POST of a resource that is only read', [404, 405], posts('bmc:voltage', {})))
write(
  'body',
  answersError('POST of half a body', [400, 415, 422], (device) => device.send('POST', 'bmc:buzzer', '{')),
)
write('field', answersError('POST with a wrong field', [400, 422], posts('io:input/mode', { pin: 1, mode: 'x' })))
const GET = 'GET /api/io/ HTTP/1.1\r\nHost: localhost\r\n'
const POST = 'HTTP/1.1\r\nHost: localhost\r\n'
for (const [name, does, bytes] of [
  ['line', 'an invalid request line', 'NONSENSE\r\n\r\n'],
  ['header', 'an invalid header', `${GET}bad header\r\n\r\n`],
  ['length', 'an invalid Content-Length', `POST /api/io/ ${POST}Content-Length: abc\r\n\r\n`],
  ['chunk', 'an invalid chunk', `POST /api/io/1.0/3/reset ${POST}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`],
  ['large', 'headers of 100 KB', `${GET}X: ${'x'.repeat(100_000)}\r\n\r\n`],
] as const)
  (bytes.startsWith('POST') ? write : read)(`parser-${name}`, `${does} answers 4xx with this body`, async (device) => {
    const answer = await device.raw(bytes)
    isError(answer, [400, 401, 404, 405, 408, 413, 414, 415, 431], does)
    equal(Number(answer.headers['content-length']), Buffer.byteLength(answer.text), `Content-Length of the answer to ${does}`)
  })
errors('not-found', 'An unknown path answers 404 with the message Not Found')
for (const [index, path] of ['/api/io/1.0/nowhere', 'io:nowhere', 'io:input/nowhere', '/nowhere-at-all'].entries())
  read(`path-${index + 1}`, `GET ${path} answers exactly this body`, async (device) => {
    const { status, body: seen } = await device.get(path)
    equal({ status, body: seen }, { status: 404, body: { status: 'error', code: 404, message: 'Not Found' } }, `GET ${path}`)
  })
errors('status', 'The HTTP status carries the result')
read('errors', 'no error comes with a status below 400', async (device) => {
  for (const path of ['io:nowhere', `${servicePath('io')}/99/descriptor`, '/api/io/99.0/'])
    that((await device.get(path)).status >= 400, `GET ${path} to answer a status from 400`)
})
errors('bad-gateway', 'Clients handle 500 and 502', 'a healthy device sends none; clients must handle them')

versions('version-root', 'The version root lists the versions at /, /1.0, /1.1 …')
for (const part of ['', '1.0/', '1.1/'])
  read(
    `at-${part.slice(0, -1) || 'root'}`,
    eachService(`GET /api/<service>/${part} answers the same sessions`, async (device, name) => {
      const { driver_session: session } = await device.read(`/api/${name}/${part}`)
      equal(session, (await device.sessions(name)).driver, `driver_session at ${part}`)
    }),
  )
versions('version-api', 'The API version is a segment of every path')
everyService('matches', 'version.api has the major version of the path', async (device, name) =>
  hasShape(await device.read(`${servicePath(name)}/`), { version: { api: { major: [1] } } }),
)
versions('versions-agree', 'Each device reports sdbp_version, and its descriptor protocol_version')
everyModule('same', 'both are equal', async (device, path, slot, name) => {
  const { devices } = await device.read(`${servicePath(name)}/`)
  const listed = (devices as { slot_number: number; sdbp_version: unknown }[]).find((one) => one.slot_number === slot)
  equal((await device.read(path))['protocol_version'], listed?.sdbp_version, `protocol_version of slot ${slot}`)
})
versions('compatibility', 'Compatibility rules between versions', 'the specification does not show them')

export const genericSentences = list
