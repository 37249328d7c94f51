import { describe, expect, it } from 'vitest'
import { parseSettings } from './parse-settings.ts'
import { formatProblem } from './setting.ts'
import { DEFAULT_SETTINGS } from './settings.ts'
import { SOURCE } from './settings-text.testkit.ts'

const problemsIn = (text: string) => parseSettings(text, SOURCE).problems.map(formatProblem)
const settingsIn = (text: string) => {
  expect(problemsIn(text)).toEqual([])
  return parseSettings(text, SOURCE).settings
}

const EVERYTHING = `# what an operator wrote
host-name: press-4            # default: the system's
vendor: Example
names: [press-4.example.com, 10.1.2.3]
doors:
  port: 8080
  loopback-ports: [8001, 8002]
  loopback-hosts: [press-4.example.com]
  listen: [0.0.0.0, "::"]
  https-port: 443
  http-port: 80
  cors-origins: [https://app.example.com, "http://localhost:5173"]
proxies: [127.0.0.1]
events:
  streams: 64
paths:
  machine-id: /machine-id
  tls-ca: /ca.pem
discovery: auto
pins:
  3/1: { name: pump pressure, unit: bar, from: current, scale: [[4, 0], [20mA, 1e1]] }
  "5/6": { name: Lamp }
mqtt:
  broker: mqtts://broker.local
  user: press-4
  password: /etc/slotwire/password
  ca: /etc/slotwire/ca.pem
  cert: /etc/slotwire/cert.pem
  key: /etc/slotwire/key.pem
  commands: expiring
  payload: plain
  sparkplug-group: plant
  home-assistant: device
  discovery: homeassistant
  every-ms: 250
`

const PRESSURE = [
  [4, 0],
  [20, 10],
]

describe('parseSettings', () => {
  it('reads every setting', () => {
    expect(settingsIn(EVERYTHING)).toEqual({
      hostName: 'press-4',
      vendor: 'Example',
      names: ['press-4.example.com', '10.1.2.3'],
      loopbackPort: 8080,
      loopbackPorts: [8001, 8002],
      loopbackHosts: ['press-4.example.com'],
      listen: ['0.0.0.0', '::'],
      httpsPort: 443,
      httpPort: 80,
      corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
      proxies: ['127.0.0.1'],
      streams: 64,
      machineIdPath: '/machine-id',
      tlsCaPath: '/ca.pem',
      discovery: 'auto',
      pins: [
        { slot: 3, pin: 1, name: 'pump pressure', unit: 'bar', from: 'current', scale: PRESSURE },
        { slot: 5, pin: 6, name: 'Lamp' },
      ],
      mqttBroker: 'mqtts://broker.local',
      mqttUser: 'press-4',
      mqttPassword: '/etc/slotwire/password',
      mqttCa: '/etc/slotwire/ca.pem',
      mqttCert: '/etc/slotwire/cert.pem',
      mqttKey: '/etc/slotwire/key.pem',
      mqttCommands: 'expiring',
      mqttPayload: 'plain',
      mqttGroup: 'plant',
      mqttHomeAssistant: 'device',
      mqttDiscovery: 'homeassistant',
      mqttEveryMs: 250,
    })
    expect([...parseSettings(EVERYTHING, SOURCE).keys]).toHaveLength(28)
  })

  it('returns the defaults for an empty file', () => {
    const defaults = {
      hostName: undefined,
      vendor: 'Slotwire',
      names: [],
      loopbackPort: 8080,
      loopbackPorts: [],
      loopbackHosts: [],
      listen: [],
      httpsPort: 443,
      httpPort: undefined,
      corsOrigins: [],
      proxies: [],
      streams: 128,
      machineIdPath: '/machine-id',
      tlsCaPath: '/ca.pem',
      discovery: 'auto',
      pins: [],
      mqttBroker: undefined,
      mqttUser: undefined,
      mqttPassword: undefined,
      mqttCa: undefined,
      mqttCert: undefined,
      mqttKey: undefined,
      mqttCommands: 'off',
      mqttPayload: 'plain',
      mqttGroup: 'slotwire',
      mqttHomeAssistant: undefined,
      mqttDiscovery: 'homeassistant',
      mqttEveryMs: 1000,
    }
    expect(DEFAULT_SETTINGS).toEqual(defaults)
    for (const text of ['', '\n', '# nothing yet\n', '---\n', '{}', 'doors:\n#  https-port: 8443\n'])
      expect(settingsIn(text)).toEqual(defaults)
  })

  it("reads text literally, without YAML's types", () =>
    expect(
      settingsIn('host-name: 007\nvendor: yes\nnames: [1e3.example.com]\ndoors: {https-port: "8443", http-port: off}'),
    ).toMatchObject({
      hostName: '007',
      vendor: 'yes',
      names: ['1e3.example.com'],
      httpsPort: 8443,
      httpPort: undefined,
    }))

  it('normalizes names and addresses', () =>
    expect(
      settingsIn('names: [PRESS.Example.com, "2001:DB8:0::7"]\ndoors: {cors-origins: ["HTTP://LocalHost:80/"]}'),
    ).toMatchObject({
      names: ['press.example.com', '2001:db8::7'],
      corsOrigins: ['http://localhost'],
    }))

  it('accepts Windows line ends and a byte order mark', () =>
    expect(settingsIn('\ufeffvendor: A\r\ndoors:\r\n  https-port: 8443\r\n')).toMatchObject({ vendor: 'A', httpsPort: 8443 }))
})

describe('parseSettings of an invalid file', () => {
  it('reports all problems with file, line, key and remedy, sorted by line', () => {
    const text = [
      'host-name: press_4',
      'vendor:',
      'doors:',
      '  https-port: 70000',
      '  htp-port: 80',
      'proxies: 10.0.0.1',
      'events:',
      '  streams: 0',
      'paths: {machine-id: /api/id, tls-ca: ca.pem}',
      'https-port: 443',
    ]
    expect(problemsIn(text.join('\n'))).toEqual([
      'settings.yaml:1: host-name is not allowed: a host name without domain: at most 63 letters, digits and inner hyphens, not "press_4"',
      'settings.yaml:2: vendor is missing: visible text in one line, 1…248 bytes',
      'settings.yaml:4: doors.https-port is out of range: 0…65535, not 70000',
      'settings.yaml:5: doors.htp-port is unknown: did you mean http-port?',
      'settings.yaml:6: proxies is a list: write [10.0.0.1]',
      'settings.yaml:8: events.streams is out of range: 1…1024, not 0',
      'settings.yaml:9: paths.machine-id is not allowed: a path, /… of letters, digits, - _ . ~, at most 200 characters, outside /api/ and /slotwire/, not "/api/id"',
      'settings.yaml:9: paths.tls-ca is not allowed: a path, /… of letters, digits, - _ . ~, at most 200 characters, outside /api/ and /slotwire/, not "ca.pem"',
      'settings.yaml:10: https-port is unknown: write it below doors:, indented, as https-port: …',
    ])
  })

  it.each([
    ['hostname: a', '1: hostname is unknown: did you mean host-name?'],
    ['doors.https-port: 1', '1: doors.https-port is unknown: write it below doors:, indented, as https-port: …'],
    ['vendor: A\nvendor: B', '2: vendor is there twice, first in line 1: remove one'],
    ['doors:\n  http-port: 1\n  http-port: 1', '3: http-port is there twice, first in line 2: remove one'],
    ['doors:\n  loopback-ports: [8001, 8001]', '2: doors.loopback-ports has "8001" twice: remove one'],
    ['doors: 8080', '1: doors is a group: write its settings below it, indented, as in port: …'],
    ['vendor: [a]', '1: vendor is a list: visible text in one line, 1…248 bytes'],
    ['vendor: {a: b}', '1: vendor is a group of settings: visible text in one line, 1…248 bytes'],
    ['names: [a, ~]', '1: names[1] is missing: a host name, as in press-4.example.com, or an IP address of one host'],
    ['names: [a, A]', '1: names has "a" twice: remove one'],
    [`names: [${Array.from({ length: 33 }, (_, n) => `n${n}`).join()}]`, '1: names has 33 items: at most 32'],
    ['discovery: Own', '1: discovery is not allowed: auto, avahi, own or off, not "Own"; did you mean own?'],
  ])('reports a problem in %j', (text, problem) => expect(problemsIn(text)).toEqual([`settings.yaml:${problem}`]))
})

describe('parseSettings of pins', () => {
  const scaled = (scale: string, rest = 'name: a, unit: V, from: voltage') => `pins: { 3/1: { ${rest}, scale: ${scale} } }`
  const POINTS = 'pins.3/1.scale must have two points of two numbers: write [[4, 0], [20, 10]]'
  const FORM = 'visible text in one line with a letter, 1…64 characters, as in pump pressure'
  const TOGETHER = 'unit, from and scale belong together'

  it.each([
    ['pins: [3/1]', '1: pins is a map: write "3/1": { name: … } below it'],
    ['pins: {\n  8/1: { name: a },\n  3/7: { name: b } }', '2: pins is not allowed: a pin as slot/pin, as in 3/1, not "8/1"'],
    ['pins: { 3/1: { nam: a } }', '1: pins.3/1.nam is unknown: did you mean name?'],
    ['pins:\n  3/1: a', `2: pins.3/1.name is missing: ${FORM}`],
    ['pins: { 3/1: { name: 3/1 } }', `1: pins.3/1.name is not allowed: ${FORM}, not "3/1"`],
    [`pins: { 3/1: { name: ${'a'.repeat(65)} } }`, `1: pins.3/1.name is not allowed: ${FORM}, not "${'a'.repeat(40)}…"`],
    ['pins: { 3/1: { name: "a\\u0007" } }', `1: pins.3/1.name is not allowed: ${FORM}, not "a\\u{7}"`],
    [
      'pins:\n  3/1: { name: A }\n  3/2:\n    name: a',
      '4: pins.3/2.name is the name of 3/1, too: choose another for one of them',
    ],
    ['pins: { 3/1: { name: a, unit: V } }', `1: pins.3/1 needs from, too: ${TOGETHER}`],
    ['pins: { 3/1: { name: a, from: current, scale: [[0, 0], [1, 1]] } }', `1: pins.3/1 needs unit, too: ${TOGETHER}`],
    [
      scaled('[[0, 0], [1, 1]]', `name: a, unit: ${'m'.repeat(17)}, from: voltage`),
      `1: pins.3/1.unit is not allowed: visible text in one line, 1…16 bytes, not "${'m'.repeat(17)}"`,
    ],
    [
      scaled('[[0, 0], [1, 1]]', 'name: a, unit: V, from: level'),
      '1: pins.3/1.from is not allowed: voltage, current or frequency, not "level"',
    ],
    [scaled('[[4, 0]]'), `1: ${POINTS}`],
    [scaled('[[4, 0], [20]]'), `1: ${POINTS}`],
    [scaled('4'), `1: ${POINTS}`],
    [scaled('[[4, 0], [4, 10]]'), '1: pins.3/1.scale has one reading at both points: give two different ones'],
    [scaled('[[4, 5], [20, 5]]'), '1: pins.3/1.scale has one quantity at both points: give two different ones'],
    [scaled('[[4, 0], [.inf, 10]]'), '1: pins.3/1.scale[1][0] must be a number, not ".inf": -1000000000…1000000000 mV'],
    [scaled('[[4, 0], [20mA, 10]]'), '1: pins.3/1.scale[1][0] must be a number, not "20mA": -1000000000…1000000000 mV'],
    [scaled('[[4, 1e400], [20, 10]]'), '1: pins.3/1.scale[0][1] is out of range: -1000000000…1000000000 V, not Infinity'],
  ] as const)('reports the mistake in %j', (text, problem) => expect(problemsIn(text)[0]).toBe(`settings.yaml:${problem}`))

  it('takes a quantity of the reading’s kind for its number, and nothing for no pins', () => {
    expect(settingsIn(scaled('[[1V, 0], [5V, 10V]]')).pins[0]?.scale).toEqual([
      [1000, 0],
      [5000, 10],
    ])
    expect(settingsIn('pins:\n').pins).toEqual([])
  })
})

describe('parseSettings of contradicting settings', () => {
  it.each([
    ['doors:\n  http-port: 443', '2: doors.http-port: 443 is doors.https-port too: choose another for one of them'],
    ['doors:\n  loopback-ports: [8001, 8080]', '2: doors.loopback-ports: 8080 is doors.port too: remove one of them'],
    ['paths:\n  tls-ca: /machine-id', '2: paths.tls-ca: /machine-id is paths.machine-id too: choose another for one of them'],
    ['doors:\n  listen: [10.0.0.1, 0.0.0.0]', '2: doors.listen: 10.0.0.1 is in 0.0.0.0 already: remove one of them'],
    [
      'doors:\n  listen: ["::"]\n  https-port: 8080',
      '3: doors.https-port: 8080 is doors.port too, and doors.listen has a loopback address: choose another for one of them',
    ],
    [
      'doors:\n  listen: ["::"]\n  http-port: 8001\n  loopback-ports: [8001]',
      '3: doors.http-port: 8001 is doors.loopback-ports too, and doors.listen has a loopback address: choose another for one of them',
    ],
    [
      'doors:\n  listen: [127.0.0.1]\n  port: 443',
      '3: doors.port: 443 is doors.https-port too, and doors.listen has a loopback address: choose another for one of them',
    ],
    [
      'mqtt:\n  payload: sparkplug\n  home-assistant: device',
      '3: mqtt.home-assistant: Home Assistant needs plain topics: set mqtt.payload to plain, or this to off',
    ],
    ['mqtt:\n  key: /a.key', '2: mqtt.key: a client certificate needs both files: set mqtt.cert too'],
    ['mqtt:\n  broker: mqtt://a\n  ca: /ca.pem', '2: mqtt.broker: mqtt.ca needs TLS: begin the address with mqtts://'],
  ])('reports the contradiction in %j', (text, problem) => expect(problemsIn(text)).toEqual([`settings.yaml:${problem}`]))

  it.each([
    'doors: {listen: [10.0.0.1], https-port: 8080}',
    'doors: {listen: [0.0.0.0, "2001:db8::7"]}',
    'doors: {http-port: 0, https-port: 0, port: 0, listen: [0.0.0.0]}',
    'paths: {machine-id: /ca.pem, tls-ca: /machine-id}',
  ])('accepts %j', (text) => expect(problemsIn(text)).toEqual([]))
})

describe('parseSettings of a file that is not YAML', () => {
  it.each([
    ['doors:\n\thttps-port: 443', '2: a tab is used where spaces are needed: indent with spaces'],
    ['vendor: A: B', '1: a value contains a colon and a space: put the value in quotes'],
    [
      'vendor Example\nnames: []',
      '1: something is missing: write key: value with a space behind the colon, and - before each item of a list',
    ],
    [
      'names:\n- a\n-b',
      '3: something is missing: write key: value with a space behind the colon, and - before each item of a list',
    ],
    ['vendor: "A\nnames: []\n', '1: a quote is not closed: write it at both ends of the value'],
    ['vendor: @a', '1: the value begins with a character that YAML keeps for itself: put it in quotes'],
    [
      'doors:\n  http-port: 1\n https-port: 2',
      '3: the indentation does not match any line above: indent all keys of a group equally, with spaces',
    ],
    [
      'names: [a, b',
      '1: a bracket or brace is not closed, or its lines are not indented: write [a, b] in one line, or - a in a line each',
    ],
    ['- vendor: a', '1: this is not a list of settings: write key: value in each line'],
    ['vendor', '1: this is not a list of settings: write key: value in each line'],
    ['? [a]\n: b', '1: this is not a key: write key: value'],
    ['vendor: a\n---\nvendor: b', '2: a second document (---) has no meaning here: write each in a separate file'],
    ['%YAML 1.1\n---\nvendor: a', '1: a % directive has no meaning here: remove it'],
    ['vendor: &a A', '1: anchors and aliases (& and *) are not used here: write the value out'],
    ['vendor: !!str A', '1: tags (!) are not used here: write the value alone'],
    ['vendor: a\nnames: [\0]', '2: a control character is not allowed here: remove it'],
  ])('reports the fault in %j', (text, problem) => expect(problemsIn(text)).toEqual([`settings.yaml:${problem}`]))

  it('reports problems up to the first fault', () =>
    expect(problemsIn('vendr: A\nvendor: "B\nnams: C')).toEqual([
      'settings.yaml:1: vendr is unknown: did you mean vendor?',
      'settings.yaml:2: a quote is not closed: write it at both ends of the value',
    ]))

  it('limits time and memory for malicious files', () => {
    const laughs = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...Array.from('bcdefghi').map((key) => `${key}: &${key} [${'*a, '.repeat(9)}]`),
    ]
    expect(problemsIn(laughs.join('\n'))[0]).toMatch(/^settings.yaml:1: /)
    for (const nested of ['[', '{', '- ', '? ', '[a: ', 'a: ']) {
      expect(problemsIn(nested.repeat(5000))[0]).toMatch(/nested too deeply|is out of|something|colon/)
    }
    expect(problemsIn(`vendor: ${'a'.repeat(32_768)}`)).toEqual(['settings.yaml: is too large: at most 32768 bytes'])
    expect(problemsIn('a: 1\n'.repeat(6000))).toHaveLength(30)
  })
})
