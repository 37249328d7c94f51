import { servicePath } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import { collect } from '../check.ts'
import { basic, type ServiceName, serviceNames, type TestedDevice } from '../device.ts'
import { equal, hasShape, type Shape, that, Unjudged } from '../expect.ts'
import type { WireAnswer } from '../wire.ts'
import { all, hardReset, keeps, mode, refuse, renews, reset, set } from './steps.ts'

const { list, section, add, read, write, disruptive } = collect()
const service = section('What the service does')
const root = section('Version and device list')
const generic = section('Generic endpoints')
const login = section('Authentication')
const errors = section('Errors')
const versions = section('Versioning')

const version: Shape = all('uint', 'major', 'minor', 'patch')
const rootShape: Shape = {
  driver_session: 'text',
  version: { api: version, service: version, module_driver: version, kernel_driver: version },
  devices: { each: { slot_number: 'uint', sdbp_version: version, device_session: 'text' } },
}
const descriptorShape: Shape = {
  ...all('text', 'vendor_product_id', 'product_name', 'vendor_name', 'serial_code', 'bootloader_state'),
  ...all('uint', 'slot_number', 'max_frame_size', 'max_power_12v', 'max_power_5v0', 'max_power_3v3', 'max_sclk_speed'),
  fw_version: { stability: 'text', version },
  hw_version: version,
  protocol_version: version,
}
/** For each service that has a module, and for each module with the path of its descriptor. */
const everyService = (id: string, does: string, run: (device: TestedDevice, name: ServiceName) => Promise<unknown>) =>
  read(id, does, async (device) => {
    for (const name of serviceNames) if (device.slots(name).length > 0) await run(device, name)
  })
type Judge = (device: TestedDevice, path: string, slot: number, name: ServiceName) => Promise<void>
const everyModule = (name: string, does: string, judge: Judge) =>
  everyService(name, does, async (device, of) => {
    for (const slot of device.slots(of)) await judge(device, `${device.base(of, slot)}/descriptor`, slot, of)
  })
/** Some reads without effect, of every service. */
const reads = { io: ['input/values', 'input/values/current'], bmc: ['voltage', 'watchdog', 'usbhub'], power: ['stats', 'fan'] }
const readAll = (device: TestedDevice, name: ServiceName) => Promise.all(reads[name].map((path) => device.get(`${name}:${path}`)))
const isJson = ({ headers: { 'content-type': type } }: WireAnswer, what: string) =>
  that(/^application\/json\b/.test(String(type)), `${what} as application/json`, type)
/** An error with exactly the fields of the specification. */
function isError(answer: WireAnswer, statuses: readonly number[], what: string): void {
  const { status, body, text } = answer
  that(statuses.includes(status), `${what} to answer ${statuses.join(' or ')}`, status)
  isJson(answer, what)
  that(isRecord(body), `${what} to answer a JSON object`, text)
  const { message, ...others } = body
  equal(others, { status: 'error', code: status }, `error of ${what} without its message`)
  that(typeof message === 'string' && message !== '', `${what} to answer a message for people`, message)
}

service('base-paths', 'Each module type has its own base path below /api/')
for (const name of serviceNames)
  read(name, `GET ${servicePath(name)}/ answers 200`, async (device) =>
    equal((await device.get(`${servicePath(name)}/`)).status, 200, `GET ${servicePath(name)}/`),
  )
service('json', 'Requests and responses are JSON, with case sensitive names')
everyService('type', 'every answer to a read is application/json', async (device, name) =>
  (await readAll(device, name)).forEach((answer, index) => isJson(answer, String(reads[name][index]))),
)
write('case', refuse('io:reset', { RESET: 'yes' }))
service('slots', 'A module is addressed by its slot_number')
everyModule('same', 'the descriptor at a slot holds the number of that slot', async (device, path, slot) =>
  equal((await device.read(path))['slot_number'], slot, `slot_number of ${path}`),
)
everyModule('service', 'a module answers only below its own service', async (device, path, slot, name) => {
  const [other] = serviceNames.filter((one) => one !== name && device.slots(one).length > 0)
  const status = other === undefined ? 404 : (await device.get(path.replace(`/${name}/`, `/${other}/`))).status
  equal(status, 404, `status of ${other} in slot ${slot}`)
})
service('one-writer', 'Only one application at a time may write', 'it is a rule for applications')
service('parallel', 'Parallel requests are not cached and lengthen the time of each', 'no bound is given')
service('sequence', 'Clients check the version, reset before a write, and poll notification', 'it is a rule for clients')

root('root', 'GET / lists sessions, versions and usable devices')
everyService('fields', 'GET / has all fields with their types', async (device, name) =>
  hasShape(await device.read(`${servicePath(name)}/`), rootShape),
)
everyService('session-text', 'sessions are not empty, and differ from device to device', async (device, name) => {
  const { driver, slots } = await device.sessions(name)
  const sessions = [driver, ...slots.values()]
  that(sessions.every((one) => one !== '') && new Set(sessions).size === sessions.length, 'different sessions', sessions)
})
root('session-stays', 'The sessions identify driver and device: they stay while nothing restarts')
everyService('reads', 'sessions are the same after reads', (device, name) => keeps(name, (of) => readAll(of, name))(device))
write('writes-io', keeps('io', mode('digital', 1)))
write('writes-bmc', keeps('bmc', set('bmc:buzzer', { mode: 2, duration: 1 })))
write('writes-power', keeps('power', set('power:fan/rpm', { measurement_enabled: true })))

section('Device descriptor')('descriptor', 'The descriptor has its fields')
everyModule('fields', 'GET descriptor has all fields with their types', async (device, path) =>
  hasShape(await device.read(path), descriptorShape),
)
generic('reset-module', 'POST reset brings a module to its initial state, and is no system reset')
write('io', 'after reset every pin is an analog input', mode('digital', 1), mode('digital'), reset, async (device) => {
  const { pins } = await device.read('io:input/values')
  hasShape(pins, { each: { pin_type: ['voltage_millivolt'] } }, 'pins')
})
write('others', keeps('power', reset))
generic('session-changes', 'A session changes when its device may have lost its state')
disruptive('hard-reset', renews(serviceNames, ...hardReset))
generic('client-rules', 'Clients check version.api, build URLs from slot_number and compare sessions', 'it is a rule for clients')

login('credentials', 'Remote requests carry Basic credentials: the user token and an access token')
for (const [name, does, user, password] of [
  ['none', 'without credentials', '', ''],
  ['password', 'with a wrong token', 'token', 'wrong'],
  ['user', 'with another user name', 'admin', undefined],
] as const)
  read(name, `a request ${does} is refused with 401 or 403`, async ({ wire }) => {
    if (wire.token === undefined) throw new Unjudged('no token is given')
    const headers: Readonly<Record<string, string>> = user === '' ? {} : { authorization: basic(user, password ?? wire.token) }
    const { status } = await wire.request({ method: 'GET', path: '/api/io/', headers })
    that([401, 403].includes(status), 'a refusal with 401 or 403', status)
  })
login('https', 'HTTPS is recommended, and clients trust the authority', 'it is a recommendation')
login('certificate', 'The certificate is valid for the announced name', 'no check can begin without')
login('refusal', 'Status and body without credentials', 'the specification does not show them')

errors('error-body', 'All errors have one body: status error, code of the HTTP status, a message')
for (const [effect, name, method, path, text, ...statuses] of [
  ['read', 'path', 'GET', 'io:nowhere', undefined, 404],
  ['read', 'slot', 'GET', `${servicePath('io')}/99/descriptor`, undefined, 404],
  ['read', 'version', 'GET', '/api/io/99.0/', undefined, 400, 404],
  ['write', 'pin', 'GET', 'io:notification/7', undefined, 400, 404, 422],
  ['write', 'method', 'POST', 'bmc:voltage', '{}', 404, 405],
  ['write', 'half', 'POST', 'bmc:buzzer', '{"mode":', 400, 415, 422],
  ['write', 'list', 'POST', 'bmc:buzzer', '[]', 400, 415, 422],
  ['write', 'null', 'POST', 'bmc:buzzer', 'null', 400, 415, 422],
  ['write', 'field', 'POST', 'io:input/mode', '{"pin":1,"mode":"x"}', 400, 422],
] as const) {
  const what = `${method} ${path} ${text ?? ''}`.trim()
  add[effect](name, `${what} answers ${statuses.join(' or ')} with this body`, async (device) =>
    isError(await device.send(method, path, text), statuses, what),
  )
}
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
    const { status, body } = await device.get(path)
    equal({ status, body }, { status: 404, body: { status: 'error', code: 404, message: 'Not Found' } }, `GET ${path}`)
  })
errors('status-first', 'Clients do not rely on the body alone: proxies may change it', 'it is a duty of clients')
errors('bad-gateway', 'Clients handle 500 and 502', 'a healthy device sends none; clients must handle them')

versions('version-root', 'The version root lists the versions at /, /1.0, /1.1 …')
for (const [name, part] of Object.entries({ 'at-root': '', 'at-1.0': '1.0/', 'at-1.1': '1.1/' }))
  everyService(name, `GET /api/<service>/${part} answers the same sessions`, async (device, of) => {
    const { driver_session: session } = await device.read(`/api/${of}/${part}`)
    equal(session, (await device.sessions(of)).driver, `driver_session at ${part}`)
  })
versions('version-api', 'The API version is a segment of every path')
everyService('matches', 'version.api has the major version of the path', async (device, name) =>
  hasShape(await device.read(`${servicePath(name)}/`), { version: { api: { major: [1] } } }),
)
versions('versions-agree', 'Each device reports sdbp_version, and its descriptor protocol_version')
everyModule('same', 'both are equal', async (device, path, slot, name) => {
  const listed = (await device.listed(name)).devices.find((one) => one['slot_number'] === slot)
  equal((await device.read(path))['protocol_version'], listed?.['sdbp_version'], `protocol_version of slot ${slot}`)
})
versions('compatibility', 'Compatibility rules between versions', 'the specification does not show them')

export const genericSentences = list
