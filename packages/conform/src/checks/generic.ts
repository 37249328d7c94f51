import { servicePath } from '@slotwire/contract'
import { isRecord } from '@slotwire/core'
import { collect } from '../check.ts'
import { basic, type Device, type ServiceName, serviceNames } from '../device.ts'
import { equal, hasShape, Mismatch, type Shape, that, Unjudged } from '../expect.ts'
import type { Answer } from '../wire.ts'
import { bodyChecks, okBody } from './bodies.ts'

export const version: Shape = { major: 'uint', minor: 'uint', patch: 'uint' }
const resetBody = { reset: 'yes' }

/** Runs for each module of each service. */
const eachModule = (run: (device: Device, service: ServiceName, slot: number) => Promise<void>) => async (device: Device) => {
  for (const service of serviceNames) for (const slot of device.slots(service)) await run(device, service, slot)
}
const eachService = (run: (device: Device, service: ServiceName) => Promise<void>) => async (device: Device) => {
  for (const service of serviceNames) if (device.slots(service).length > 0) await run(device, service)
}
/** Some reads without effect, of every service. */
const reads = [
  'io:input/values',
  'io:input/values/current',
  'bmc:voltage',
  'bmc:watchdog',
  'bmc:usbhub',
  'power:stats',
  'power:fan',
]
const readAll = async (device: Device, judge: (answer: Answer, path: string) => void) => {
  for (const path of reads) if (device.slots(path.split(':')[0] as ServiceName).length > 0) judge(await device.get(path), path)
}

/** An error with exactly the fields of the specification. */
function isError({ status, body, text, headers }: Answer, statuses: readonly number[], what: string): void {
  that(statuses.includes(status), `${what} to answer ${statuses.join(' or ')}`, status)
  that(
    /^application\/json\b/.test(String(headers['content-type'])),
    `${what} to answer application/json`,
    headers['content-type'],
  )
  that(isRecord(body), `${what} to answer a JSON object`, text)
  equal(Object.keys(body).sort(), ['code', 'message', 'status'], `fields of the error of ${what}`)
  equal(body['status'], 'error', `status in the error of ${what}`)
  equal(body['code'], status, `code in the error of ${what}`)
  that(typeof body['message'] === 'string' && body['message'] !== '', `${what} to answer a message for people`, body['message'])
}

const { list, section, add, read, write, disruptive } = collect()
const everyModule = (name: string, does: string, run: Parameters<typeof eachModule>[0]) => read(name, does, eachModule(run))
const everyService = (name: string, does: string, run: Parameters<typeof eachService>[0]) => read(name, does, eachService(run))
const service = section('What the service does')
const root = section('Version and device list')
const descriptor = section('Device descriptor')
const success = section('Generic success body')
const generic = section('Generic endpoints')
const login = section('Authentication')
const errors = section('Errors')
const versions = section('Versioning')

/** An error that every service answers, by what causes it. */
const refusals: readonly (readonly [
  name: string,
  does: string,
  statuses: readonly number[],
  send: (device: Device) => Promise<Answer>,
])[] = [
  ['path', 'GET of an unknown path', [404], (device) => device.get('io:nowhere')],
  ['slot', 'GET of a slot without a module', [404], (device) => device.get(`${servicePath('io')}/99/descriptor`)],
  ['pin', 'GET notification/7', [400, 404, 422], (device) => device.get('io:notification/7')],
  ['method', 'POST of a resource that is only read', [404, 405], (device) => device.post('bmc:voltage', {})],
  ['version', 'GET with the version 99.0', [400, 404], (device) => device.get('/api/io/99.0/')],
]
const parser: readonly (readonly [name: string, does: string, bytes: string])[] = [
  ['line', 'an invalid request line', 'NONSENSE\r\n\r\n'],
  ['header', 'an invalid header', 'GET /api/io/ HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n'],
  ['length', 'an invalid Content-Length', 'POST /api/io/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n'],
  [
    'chunk',
    'an invalid chunk',
    'POST /api/io/1.0/3/reset HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n',
  ],
  ['large', 'headers of 100 KB', `GET /api/io/ HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
]
const badBodies = ['{"mode":', '[]', '"text"', '', 'null', "{'mode':1}"]
service('base-paths', 'Each module type has its own base path below /api/')
read('answers', 'GET the base path of io, bmc and power answers 200', async (device) => {
  for (const name of serviceNames) equal((await device.get(`${servicePath(name)}/`)).status, 200, `GET ${servicePath(name)}/`)
})

service('json', 'Requests and responses are JSON')
read('type', 'every answer is application/json', (device) =>
  readAll(device, ({ headers }, path) =>
    that(/^application\/json\b/.test(String(headers['content-type'])), `${path} as application/json`, headers['content-type']),
  ),
)
write('no-json', 'a body that is no JSON object is refused with 400, 415 or 422', async (device) => {
  for (const text of badBodies) {
    const { status } = await device.send('POST', 'bmc:buzzer', text)
    that([400, 415, 422].includes(status), `body ${text} to be refused`, status)
  }
})

service('names', 'JSON names are case sensitive')
write('reset', 'POST reset with RESET is refused', (device) => device.refuses('io:reset', { RESET: 'yes' }))

service('slots', 'A module is addressed by its slot_number')
everyModule('same', 'the descriptor at a slot holds the number of that slot', async (device, name, slot) => {
  equal((await device.read(`${device.base(name, slot)}/descriptor`))['slot_number'], slot, `slot_number of ${name} ${slot}`)
})
everyModule('service', 'a module answers only below its own service', async (device, name, slot) => {
  const other = serviceNames.find((one) => one !== name && device.slots(one).length > 0)
  if (other !== undefined)
    equal((await device.get(`${servicePath(other)}/${slot}/descriptor`)).status, 404, `${other} in slot ${slot}`)
})

service('one-writer', 'Only one application at a time may write', 'it is a rule for applications')

service(
  'parallel',
  'Parallel requests are not cached and lengthen the time of each',
  'times depend on the network; no bound is given',
)

service('sequence', 'Clients check the version, reset before a write, and poll notification', 'it is a rule for clients')

root('root', 'GET / lists sessions, versions and usable devices')
everyService('fields', 'GET / has all fields with their types', async (device, name) =>
  hasShape(await device.read(`${servicePath(name)}/`), {
    driver_session: 'text',
    version: { api: version, service: version, module_driver: version, kernel_driver: version },
    devices: { each: { slot_number: 'uint', sdbp_version: version, device_session: 'text' } },
  }),
)
everyService('once', 'GET / lists a slot once', async (device, name) => {
  const slots = device.slots(name)
  equal(new Set(slots).size, slots.length, `number of different slots in ${slots.join(', ')}`)
})
everyService('session-text', 'sessions are not empty, and differ from device to device', async (device, name) => {
  const { driver, slots } = await device.sessions(name)
  const all = [driver, ...slots.values()]
  that(all.every((one) => one !== '') && new Set(all).size === all.length, 'different sessions', all)
})

root('session-stays', 'The sessions identify driver and device: they stay while nothing restarts')
everyService('reads', 'sessions are the same after reads, and from request to request', async (device, name) => {
  const before = await device.sessions(name)
  await readAll(device, () => undefined)
  equal(await device.sessions(name), before, `sessions of ${name}`)
})
write(
  'writes',
  'sessions are the same after writes and refusals',
  eachService(async (device, name) => {
    const before = await device.sessions(name)
    if (device.slots('io').length > 0) await device.post('io:input/mode', { pin: 1, mode: 'digital' })
    if (device.slots('bmc').length > 0) await device.post('bmc:buzzer', { mode: 2, duration: 0 })
    if (device.slots('power').length > 0) await device.post('power:fan/rpm', { measurement_enabled: true })
    equal(await device.sessions(name), before, `sessions of ${name}`)
  }),
)

descriptor('descriptor', 'The descriptor has its fields')
everyModule('fields', 'GET descriptor has all fields with their types', async (device, name, slot) =>
  hasShape(await device.read(`${device.base(name, slot)}/descriptor`), {
    slot_number: 'uint',
    vendor_product_id: 'text',
    product_name: 'text',
    vendor_name: 'text',
    serial_code: 'text',
    fw_version: { stability: 'text', version },
    hw_version: version,
    protocol_version: version,
    bootloader_state: 'text',
    max_frame_size: 'uint',
    max_power_12v: 'uint',
    max_power_5v0: 'uint',
    max_power_3v3: 'uint',
    max_sclk_speed: 'uint',
  }),
)
everyModule('same', 'two reads of a descriptor are equal', async (device, name, slot) => {
  const path = `${device.base(name, slot)}/descriptor`
  equal(await device.read(path), await device.read(path), path)
})

success('ok', 'Writes answer {"status":"success"} unless another body is listed')
add(okBody('write', 'reset', () => ({ path: 'io:reset', body: resetBody })))
add(okBody('write', 'input/mode', () => ({ path: 'io:input/mode', body: { pin: 6, mode: 'analog' } })))
add(
  okBody('write', 'input/analog/threshold', () => ({
    path: 'io:input/analog/threshold',
    body: { pin: 6, threshold_millivolt: 1000, trigger: 'disabled' },
  })),
)
add(okBody('write', 'buzzer', () => ({ path: 'bmc:buzzer', body: { mode: 2, duration: 1 } })))
add(okBody('write', 'watchdog', () => ({ path: 'bmc:watchdog', body: { timeout: 0 } })))
add(okBody('write', 'limits', () => ({ path: 'power:limits', body: { limit_3v3: 5949, limit_5v0: 4949, limit_12v: 2399 } })))
add(okBody('write', 'fan', () => ({ path: 'power:fan', body: { fan_forced: false, fan_mode: 0 } })))
add(okBody('write', 'fan/rpm', () => ({ path: 'power:fan/rpm', body: { measurement_enabled: false } })))

generic('reset', 'POST reset takes the word yes alone')
add(...bodyChecks('write', 'reset', () => ({ path: 'io:reset', body: resetBody })))
write('word', 'POST reset with no, Yes or an empty text is refused', async (device) => {
  for (const reset of ['no', 'Yes', '', 'yes ']) await device.refuses('io:reset', { reset })
})

generic('reset-module', 'POST reset brings a module to its initial state, and is no system reset')
write('io', 'after reset every pin is an analog input', async (device) => {
  for (const pin of [1, 6]) await device.set('io:input/mode', { pin, mode: 'digital' })
  await device.set('io:reset', resetBody)
  const { pins } = await device.read('io:input/values')
  equal(
    (pins as { pin_type: unknown }[]).map((one) => one.pin_type),
    Array(6).fill('voltage_millivolt'),
    'types of the pins',
  )
})
write('others', 'a reset of one io module leaves the sessions of the other modules', async (device) => {
  const before = await device.sessions('power')
  await device.set('io:reset', resetBody)
  equal(await device.sessions('power'), before, 'sessions of power')
})
write('resets-one', 'a reset of one io module leaves the pins of another', async (device) => {
  const [first, second] = device.slots('io')
  if (first === undefined || second === undefined) throw new Unjudged('the device has no second io module')
  await device.set(`${device.base('io', second)}/input/mode`, { pin: 6, mode: 'digital' })
  await device.reset(device.base('io', first))
  equal((await device.pin({ base: device.base('io', second), pin: 6 }))['pin_type'], 'digital_input', 'pin of the other module')
})

generic('session-changes', 'A session changes when its device may have lost its state')
disruptive('hard-reset', 'after POST hard_reset every device_session is new', async (device) => {
  const before = await Promise.all(serviceNames.map((name) => device.sessions(name)))
  await device.set('bmc:hard_reset', resetBody)
  await device.restarted()
  for (const [index, name] of serviceNames.entries())
    for (const [slot, session] of (await device.sessions(name)).slots)
      that(session !== before[index]?.slots.get(slot), `a new session of slot ${slot}`, session)
})

generic('client-rules', 'Clients check version.api, build URLs from slot_number and compare sessions', 'it is a rule for clients')

login('credentials', 'Remote requests carry Basic credentials: the user token and an access token')
for (const [name, does, headers] of [
  ['none', 'a request without credentials is refused with 401 or 403', {}],
  ['password', 'a request with a wrong token is refused with 401 or 403', { authorization: basic('token', 'wrong') }],
  ['user', 'a request with another user name is refused with 401 or 403', 'user'],
] as const)
  read(name, does, async ({ wire }) => {
    const { token } = wire
    if (token === undefined) throw new Unjudged('no token is given')
    const sent = headers === 'user' ? { authorization: basic('admin', token) } : headers
    const { status } = await wire.request({ method: 'GET', path: '/api/io/', headers: sent })
    that([401, 403].includes(status), 'a refusal with 401 or 403', status)
  })
read('right', 'a request with the credentials succeeds', async (device) => {
  equal((await device.get('/api/io/')).status, 200, 'GET /api/io/')
})

login(
  'https',
  'HTTPS is recommended, and clients trust the authority from then on',
  'it is a recommendation; conform trusts the authority that its user names',
)

login(
  'certificate',
  'The certificate is valid for the announced name',
  'the connection itself fails for another name, and no check can begin',
)

login('refusal', 'Status and body without credentials', 'the specification does not show them')

errors('error-body', 'All errors have one body: status error, code of the HTTP status, a message')
for (const [name, does, statuses, send] of refusals)
  (name === 'method' || name === 'pin' ? write : read)(
    name,
    `${does} answers ${statuses.join(' or ')} with this body`,
    async (device) => isError(await send(device), statuses, does),
  )
write('body', 'POST without a JSON body answers 400, 415 or 422 with this body', async (device) =>
  isError(await device.send('POST', 'bmc:buzzer', '{'), [400, 415, 422], 'half a body'),
)
write('field', 'POST with a wrong field answers 400 or 422 with this body', async (device) =>
  isError(await device.post('io:input/mode', { pin: 1, mode: 'x' }), [400, 422], 'a wrong field'),
)
for (const [name, does, bytes] of parser)
  (bytes.startsWith('POST') ? write : read)(`parser-${name}`, `${does} answers 4xx with this body`, async (device) => {
    const answer = await device.raw(bytes)
    isError(answer, [400, 404, 408, 413, 414, 431, 401, 405, 415], does)
    equal(Number(answer.headers['content-length']), Buffer.byteLength(answer.text), `Content-Length of the answer to ${does}`)
  })

errors('not-found', 'An unknown path answers 404 with the message Not Found')
for (const [index, path] of (['/api/io/1.0/nowhere', 'io:nowhere', 'io:input/nowhere', '/nowhere-at-all'] as const).entries())
  read(`path-${index + 1}`, `GET ${path.replace(':', ' ')} answers exactly this body`, async (device) => {
    const { status, body } = await device.get(path)
    equal({ status, body }, { status: 404, body: { status: 'error', code: 404, message: 'Not Found' } }, `GET ${path}`)
  })

errors('status', 'The HTTP status carries the result')
read('errors', 'no error comes with a status below 400', async (device) => {
  for (const [, does, , send] of refusals.filter(([name]) => name !== 'method' && name !== 'pin')) {
    const { status } = await send(device)
    if (status < 400) throw new Mismatch(`${does}: expected a status from 400, got ${status}`)
  }
})

errors('bad-gateway', 'Clients handle 500 and 502', 'a healthy device sends none; clients must handle them')

versions('version-root', 'The version root lists the versions at /, /1.0, /1.1 …')
for (const part of ['', '1.0/', '1.1/'])
  everyService(
    `at-${part.replace('/', '') || 'root'}`,
    `GET /api/<service>/${part} answers the same sessions`,
    async (device, name) => {
      const seen = await device.read(`/api/${name}/${part}`)
      equal(seen['driver_session'], (await device.sessions(name)).driver, `driver_session at ${part}`)
    },
  )

versions('version-api', 'The API version is a segment of every path')
everyService('matches', 'version.api has the major version of the path', async (device, name) => {
  const { version: seen } = await device.read(`${servicePath(name)}/`)
  equal((seen as { api?: { major?: unknown } }).api?.major, 1, 'version.api.major')
})

versions('versions-agree', 'Each device reports sdbp_version, and its descriptor protocol_version')
everyModule('same', 'both are equal', async (device, name, slot) => {
  const { devices } = await device.read(`${servicePath(name)}/`)
  const listed = (devices as { slot_number: number; sdbp_version: unknown }[]).find((one) => one.slot_number === slot)
  equal(
    (await device.read(`${device.base(name, slot)}/descriptor`))['protocol_version'],
    listed?.sdbp_version,
    `protocol_version of slot ${slot}`,
  )
})

versions('compatibility', 'Compatibility rules between versions', 'the specification does not show them')
export const genericSentences = list
