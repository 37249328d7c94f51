import { TOKEN } from './correct-device.testkit.ts'
import { basic } from './device.ts'
import {
  accepts,
  answers,
  denies,
  descriptor,
  field,
  GET,
  ignores,
  names,
  ofService,
  post,
  type Row,
  raw,
  requests,
  type Seen,
  stateful,
  whole,
} from './fault.testkit.ts'
import { answerOf, type DnsAnswer } from './wire.ts'

const success: readonly Row[] = (
  ['io:reset', 'io:input/mode', 'bmc:buzzer', 'bmc:watchdog', 'power:limits', 'power:fan', 'power:fan/rpm'] as const
).map(
  (path): Row => [
    `${path} answers {"ok":true}`,
    [`ok/post/${path.replace(':', '/')}`, `post/${path.replace(':', '/')}/*`],
    answers(post(path), () => ({ ok: true })),
  ],
)

const isError = (request: Seen) => request.name !== ''
const errors: readonly Row[] = [
  ...(['status', 'code', 'message'] as const).map(
    (name): Row => [
      `errors have no ${name}`,
      ['error-body/*', 'not-found/*', 'buzzer-error/*'],
      whole(isError, (answer) =>
        answer.status < 400 || answer.status === 502 || typeof answer.body !== 'object'
          ? answer
          : answerOf(answer.status, answer.headers, JSON.stringify({ ...answer.body, [name]: undefined })),
      ),
    ],
  ),
  [
    'errors have one more field',
    ['error-body/*', 'not-found/*'],
    whole(isError, (answer) =>
      answer.status < 400 || typeof answer.body !== 'object'
        ? answer
        : answerOf(answer.status, answer.headers, JSON.stringify({ ...answer.body, trace: 'x' })),
    ),
  ],
  [
    'errors come with 200',
    ['error-body/path', 'not-found/*'],
    whole(
      (request) => request.path.endsWith('/nowhere'),
      (answer) => answerOf(200, answer.headers, answer.text),
    ),
  ],
  [
    'errors are HTML',
    ['error-body/*'],
    whole(
      (request) => /99\.0|nowhere/.test(request.path),
      (answer) => answerOf(answer.status, { ...answer.headers, 'content-type': 'text/html' }, answer.text),
    ),
  ],
  [
    'an unknown path says not found',
    ['not-found/*'],
    whole(
      (request) => /nowhere/.test(request.path),
      (answer) => answerOf(answer.status, answer.headers, answer.text.replace('Not Found', 'not found')),
    ),
  ],
  [
    'a duration out of range answers 400',
    ['buzzer-error/*'],
    whole(
      post('bmc:buzzer', (json) => Number(json['duration']) > 1000),
      (answer) => answerOf(400, answer.headers, answer.text.replace('422', '400')),
    ),
  ],
  [
    'a duration out of range says invalid',
    ['buzzer-error/*'],
    whole(
      post('bmc:buzzer', (json) => json['duration'] === 0),
      (answer) => answerOf(answer.status, answer.headers, answer.text.replace(/duration is out of range/, 'invalid')),
    ),
  ],
  [
    'reads are text/plain',
    ['json/type'],
    whole(`${GET}bmc:voltage`, (answer) =>
      answerOf(answer.status, { ...answer.headers, 'content-type': 'text/plain' }, answer.text),
    ),
  ],
  ['a body that is a list is accepted', ['error-body/list'], accepts((request) => request.body === '[]')],
  ...(['NONSENSE', 'bad header', 'Length: abc', 'chunked', 'X: x'] as const).map(
    (text, index): Row => [
      `the parser drops the body after ${text}`,
      [`error-body/parser-${['line', 'header', 'length', 'chunk', 'large'][index]}`],
      raw(
        (bytes) => bytes.includes(text),
        (answer) => `${answer.split('\r\n\r\n')[0]}\r\n\r\n`,
      ),
    ],
  ),
  [
    'the parser answers HTML',
    ['error-body/parser-*'],
    raw(
      () => true,
      (answer) => answer.replace(/application\/json/, 'text/html'),
    ),
  ],
  [
    'the parser answers another code',
    ['error-body/parser-*'],
    raw(
      () => true,
      (answer) => answer.replace(/"code":\d+/, '"code":500'),
    ),
  ],
]

const sessions: readonly Row[] = [
  [
    'driver_session changes from request to request',
    ['session-stays/*', 'version-root/*', 'dead-module/*'],
    answers(ofService('io'), (body, request) => ({ ...body, driver_session: `${JSON.stringify(request.headers)}${counter++}` })),
  ],
  [
    'driver_session is missing',
    ['root/fields', 'session-text/*', 'version-root/*'],
    field(ofService('bmc'), 'driver_session', undefined),
  ],
  [
    'device_session is empty',
    ['root/session-text', 'session-changes/*', 'watchdog-expires/*', 'shutdown/*'],
    field(ofService('bmc'), 'devices.*.device_session', ''),
  ],
  [
    'device_session stays after a restart',
    ['session-changes/*', 'watchdog-expires/*', 'shutdown/*'],
    field(ofService('bmc'), 'devices.*.device_session', 'ALWAYS'),
  ],
  [
    'a dead module is listed with its old session',
    ['dead-module/*', 'session-changes/*'],
    stateful(ofService('io'), () => {
      let first: Record<string, unknown> | undefined
      return async (request, send) => {
        const answer = await send(request)
        if (answer.status !== 200) return answer
        first ??= answer.body as Record<string, unknown>
        return answerOf(200, answer.headers, JSON.stringify({ ...(answer.body as object), devices: first['devices'] }))
      }
    }),
  ],
  ['a version is a text', ['root/fields', 'version-api/*'], field(ofService('power'), 'version.service', '1.0.0')],
  ['version.api is of another major version', ['version-api/matches'], field(ofService('power'), 'version.api.major', 2)],
  [
    'sdbp_version is another',
    ['versions-agree/same'],
    field(ofService('power'), 'devices.*.sdbp_version', { major: 9, minor: 0, patch: 0 }),
  ],
  ['a descriptor has another slot', ['slots/same'], field(descriptor, 'slot_number', 7)],
  ['a descriptor lacks bootloader_state', ['descriptor/fields'], field(descriptor, 'bootloader_state', undefined)],
  ['a descriptor has no stability', ['descriptor/fields'], field(descriptor, 'fw_version.stability', undefined)],
  ['/1.1/ is unknown', ['version-root/at-1.1'], denies((request) => /\/1\.1\/$/.test(request.path), 404)],
  [
    'io modules answer below bmc',
    ['slots/service'],
    whole(
      (request) => /^\/api\/bmc\/1\.0\/[1-9]/.test(request.path),
      (answer) => answerOf(200, answer.headers, '{}'),
    ),
  ],
  ...(
    [
      ['none', (sent?: string) => sent === undefined],
      ['password', (sent?: string) => sent === basic('token', 'wrong')],
      ['user', (sent?: string) => sent === basic('admin', TOKEN)],
    ] as const
  ).map(
    ([name, holds]): Row => [
      `credentials: ${name} is enough`,
      [`credentials/${name}`],
      {
        ...requests(
          (request) => holds(request.headers['authorization']) && request.path.startsWith('/api'),
          () => ({ headers: { authorization: basic('token', TOKEN) } }),
        ),
        isInAnswersOnly: true,
      },
    ],
  ),
]
let counter = 0

const power: readonly Row[] = [
  [
    'the sum of the counters is wrong',
    ['protection-sum/*', 'protections/*'],
    field(`${GET}power:protectionlog`, 'opp_protection_cnt', (sum: unknown) => Number(sum) + 1),
  ],
  ['an efficiency is 101 percent', ['efficiency/5v0'], field(`${GET}power:source`, 'efficiency_factor_5v0', 101)],
  ['3V3 is at 3.2 V', ['voltage-limits/3v3', 'protections/*'], field(`${GET}power:stats`, 'voltage_3v3', 3200)],
  [
    'limits are not taken over',
    ['limits-set/*', 'protections/*'],
    ignores(post('power:limits', (json) => json['limit_3v3'] === 5900)),
  ],
  [
    'refused limits change one',
    ['limits-set/*'],
    answers(`${GET}power:stats`, (body) =>
      body['limit_3v3'] === 5900 && body['limit_12v'] === 2300 ? { ...body, limit_3v3: 5899 } : body,
    ),
  ],
  [
    'the fan shows another setting',
    ['fan-forced/setting'],
    field(`${GET}power:fan`, 'fan_setting_mode', (mode: unknown) => (mode === 40 ? 60 : mode)),
  ],
  ['the fan never gets there', ['fan-forced/applied', 'rpm-maximum/full'], field(`${GET}power:fan`, 'fan_current_mode', 20)],
  ['the fan stays forced', ['fan-automatic/reads'], field(`${GET}power:fan`, 'fan_forced', true)],
  [
    'the fan has a mode of 50',
    ['get/power/fan/fields', 'fan-forced/*', 'rpm-maximum/*'],
    field(`${GET}power:fan`, 'fan_current_mode', 50),
  ],
  ['the measurement stays on', ['rpm-enabled/reads'], field(`${GET}power:fan/rpm`, 'enabled', true)],
  ['the fan runs at 6000 rpm', ['rpm-maximum/full'], field(`${GET}power:fan/rpm`, 'rpm', 6000)],
]

const mainboard: readonly Row[] = [
  [
    'timeout_left is the timeout',
    ['watchdog-enabled/*', 'watchdog-alive/*'],
    answers(`${GET}bmc:watchdog`, (body) => ({ ...body, timeout_left: body['timeout'] })),
  ],
  ['alive does nothing', ['watchdog-alive/restarts', 'watchdog-expires/fed'], ignores(`${GET}bmc:watchdog/alive`)],
  [
    'alive answers an empty object',
    ['watchdog-alive/*', 'watchdog-expires/fed'],
    answers(`${GET}bmc:watchdog/alive`, () => ({})),
  ],
  ['save does nothing', ['watchdog-save/stored'], ignores(`${GET}bmc:watchdog/save`)],
  [
    'a watchdog cannot be disabled',
    ['watchdog-off/*', 'watchdog-save/*'],
    ignores(post('bmc:watchdog', (json) => json['timeout'] === 0)),
  ],
  [
    'a watchdog of 1000 ms never expires',
    ['watchdog-expires/restarts'],
    requests(
      post('bmc:watchdog', (json) => json['timeout'] === 1000),
      () => ({ body: '{"timeout":600000}' }),
    ),
  ],
  [
    'hard_reset does nothing',
    ['session-changes/*', 'watchdog-unsaved/*', 'bootloader/window'],
    ignores(post('bmc:hard_reset', (json) => json['reset'] === 'yes')),
  ],
  [
    'a shutdown does nothing',
    ['shutdown/restarts'],
    ignores(post('bmc:watchdog/shutdown', (json) => json['shutdown'] === 'start')),
  ],
  [
    'shutdown_timeout is not stored',
    ['shutdown-timeout/*', 'shutdown/*'],
    ignores(post('bmc:watchdog/sw_shutdown_timeout', (json) => json['timeout'] === 54_321)),
  ],
  [
    'usbhub applies at once',
    ['usb-applied/*'],
    stateful(
      post('bmc:usbhub', (json) => typeof json['state'] === 'boolean'),
      () => async (request, send) => {
        const answer = await send(request)
        await send({ ...request, path: `${request.path}/reset`, body: '{"reset":"yes"}' })
        return answer
      },
    ),
  ],
  [
    'usbhub/slot does nothing',
    ['usb-applied/port_slot_4'],
    ignores(post('bmc:usbhub/slot/4', (json) => typeof json['state'] === 'boolean')),
  ],
  [
    'usb devices have no slot',
    ['get/bmc/usbhub/devices/fields', 'usb-applied/attached'],
    field(`${GET}bmc:usbhub/devices`, 'devices.*.slot', undefined),
  ],
  [
    'the bootloader is never armed',
    ['bootloader/window'],
    ignores(post('bmc:usb_bootloader', (json) => json['timeout'] === 60_000 && json['enabled'] === true)),
  ],
]

const txt = (type: string, change: (texts: readonly string[]) => readonly string[]) =>
  names((records, of) =>
    records.map(
      (one): DnsAnswer =>
        one.type === 'TXT' && of.startsWith(type) ? { ...one, data: change([one.data].flat().map(String)) as string[] } : one,
    ),
  )
const types = ['_http._tcp', '_https._tcp'] as const
const discovery: readonly Row[] = types.flatMap((type): Row[] => [
  [
    `${type} is not announced`,
    [`${type}/service`, ...(type === '_https._tcp' ? ['machine-id/*', 'tls-ca/*'] : [])],
    names((records, of) => (of.startsWith(type) ? [] : records)),
  ],
  [
    `${type} has port 8080`,
    [`${type}/port`],
    names((records, of) =>
      records.map((one) => (one.type === 'SRV' && of.startsWith(type) ? { ...one, data: { ...one.data, port: 8080 } } : one)),
    ),
  ],
  ...(['vendor', 'path', 'service', 'machine-id', 'tls-ca'] as const).map(
    (key): Row => [
      `${type} lacks ${key}`,
      [`${type}/*`, 'machine-id/*', 'tls-ca/*'],
      txt(type, (texts) => texts.filter((text) => !text.startsWith(`${key}=`))),
    ],
  ),
  [`${type} has another path`, [`${type}/path`], txt(type, (texts) => texts.map((text) => text.replace('/api/', '/rest/')))],
])
const resources: readonly Row[] = [
  [
    'the machine id is JSON',
    ['machine-id/answers'],
    whole(
      (request) => request.path === '/machine-id',
      () => answerOf(200, { 'content-type': 'application/json' }, '{}'),
    ),
  ],
  [
    'the authority is no certificate',
    ['tls-ca/answers'],
    whole(
      (request) => request.path === '/ca.pem',
      () => answerOf(200, {}, 'none'),
    ),
  ],
  [
    'the authority needs a login',
    ['tls-ca/answers'],
    whole(
      (request) => request.path === '/ca.pem',
      () => answerOf(401, {}, ''),
    ),
  ],
]

export const answerFaults: readonly Row[] = [
  ...success,
  ...errors,
  ...sessions,
  ...power,
  ...mainboard,
  ...discovery,
  ...resources,
]
