import fc from 'fast-check'

/** Name of the file, for `parseSettings`. */
export const SOURCE = 'settings.yaml'

const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
const word = fc.string({ unit: fc.constantFrom(...letters, ...Array.from('0123456789')), minLength: 1, maxLength: 12 })
const name = fc.tuple(fc.constantFrom(...letters), word).map(([first, rest]) => first + rest)
const port = fc.integer({ min: 1, max: 65_535 })
const address = fc.oneof(
  fc.ipV4().filter((ip) => ip !== '0.0.0.0'),
  fc.integer({ min: 1, max: 0xfff }).map((n) => `2001:db8::${n.toString(16)}`),
)
const several = (item: fc.Arbitrary<string>) => fc.uniqueArray(item, { minLength: 1, maxLength: 4 })
/** Ports that always differ between kinds. */
const portOf = (kind: number) => port.map((n) => `${1 + kind + 4 * (n % 15_000)}`)

/** Valid words for each key, also valid together. */
export const SETTABLE: Readonly<Record<string, fc.Arbitrary<readonly string[]>>> = {
  'host-name': name.map((text) => [text]),
  vendor: fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter(
      (text) => text.trim() !== '' && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text) && Buffer.byteLength(text) <= 248 && text !== 'default',
    )
    .map((text) => [text]),
  names: several(
    fc.oneof(
      name,
      name.map((text) => `${text}.example.com`),
      address,
    ),
  ),
  'doors.port': portOf(0).map((text) => [text]),
  'doors.loopback-ports': several(portOf(3)),
  'doors.loopback-hosts': several(name),
  'doors.listen': several(address),
  'doors.https-port': portOf(1).map((text) => [text]),
  'doors.http-port': fc.oneof(portOf(2), fc.constant('off')).map((text) => [text]),
  'doors.cors-origins': several(name.map((host) => `https://${host}`)),
  proxies: several(address),
  'events.streams': fc.integer({ min: 1, max: 1024 }).map((n) => [String(n)]),
  'paths.machine-id': name.map((text) => [`/id/${text}`]),
  'paths.tls-ca': name.map((text) => [`/ca/${text}.pem`]),
  discovery: fc.constantFrom('auto', 'avahi', 'own', 'off').map((text) => [text]),
  'mqtt.broker': name.map((host) => [`mqtts://${host}.local`]),
  'mqtt.user': name.map((text) => [text]),
  'mqtt.password': name.map((text) => [`/etc/${text}`]),
  'mqtt.commands': fc.constantFrom('off', 'expiring', 'all').map((text) => [text]),
  'mqtt.home-assistant': fc.constantFrom('components', 'device', 'off').map((text) => [text]),
  'mqtt.sparkplug-group': name.map((text) => [text]),
  'mqtt.every-ms': fc.integer({ min: 50, max: 3_600_000 }).map((n) => [String(n)]),
}

const LISTS = new Set([
  ...['names', 'doors.loopback-ports', 'doors.loopback-hosts', 'doors.listen', 'doors.cors-origins', 'proxies'],
])

/** Layout of a file; each decision takes the next number of `choices`. */
interface Layout {
  readonly choices: readonly number[]
  readonly newline: string
  readonly lastNewline: boolean
}

/** A settings file as people write it: with comments and empty lines, in flow or block style, with or without quotes. */
export const settingsText: fc.Arbitrary<string> = fc
  .tuple(
    fc.record(SETTABLE, { requiredKeys: [] }),
    fc.record({
      choices: fc.array(fc.nat({ max: 1000 }), { minLength: 40, maxLength: 60 }),
      newline: fc.constantFrom('\n', '\r\n'),
      lastNewline: fc.boolean(),
    }),
  )
  .map(([words, layout]) => write(words, layout))

function write(words: Readonly<Partial<Record<string, readonly string[]>>>, { choices, newline, lastNewline }: Layout): string {
  let drawn = 0
  let comments = 0
  const choose = (from: number) => (choices[drawn++ % choices.length] ?? 0) % from
  const comment = () => `# ${comments++} it’s "so": [a] {b}`
  const above = (indent: string) => [[], [], [''], [indent + comment()], [comment(), '']][choose(5)] ?? []
  const behind = () => (choose(3) === 0 ? `  ${comment()}` : '')
  const quoted = (text: string) => (/^[a-z\d/][\w./-]*$/.test(text) && choose(2) === 0 ? text : JSON.stringify(text))
  const single = (text: string) => (choose(4) === 0 ? `'${text.replaceAll("'", "''")}'` : quoted(text))

  const entry = (indent: string, key: string, values: readonly string[], list: boolean): string[] => {
    const items = values.map(single)
    if (!list) return [...above(indent), `${indent}${key}:${' '.repeat(1 + choose(3))}${items[0] ?? ''}${behind()}`]
    const deeper = `${indent}${['', '  ', '    '][choose(3)] ?? ''}`
    const layouts = [
      () => [`${indent}${key}: [${items.join(', ')}]${behind()}`],
      () => [
        `${indent}${key}: [${behind()}`,
        ...items.map((item) => `${indent}    ${item},${behind()}`),
        `${indent}  ]${behind()}`,
      ],
      () => [`${indent}${key}:${behind()}`, ...items.flatMap((item) => [...above(deeper), `${deeper}- ${item}${behind()}`])],
    ]
    return [...above(indent), ...(layouts[choose(3)] ?? (() => []))()]
  }

  const lines: string[] = [...above('')]
  const groups = new Map<string, [string, readonly string[]][]>()
  for (const [key, values] of Object.entries(words)) {
    if (values === undefined) continue
    const [group = '', inner = ''] = key.split('.')
    groups.set(group, [...(groups.get(group) ?? []), [inner, values]])
  }
  for (const [group, parts] of groups) {
    const [[inner, values] = ['', []]] = parts
    if (inner === '') lines.push(...entry('', group, values, LISTS.has(group)))
    else if (choose(4) === 0) {
      const written = parts.map(([key, [first = '']]) => [key, first] as const)
      const flow = written.map(
        ([key, first]) => `${key}: ${LISTS.has(`${group}.${key}`) ? `[${JSON.stringify(first)}]` : JSON.stringify(first)}`,
      )
      lines.push(...above(''), `${group}: { ${flow.join(', ')} }${behind()}`)
    } else {
      const indent = ' '.repeat(1 + choose(4))
      lines.push(...above(''), `${group}:${behind()}`)
      for (const [key, of] of parts) lines.push(...entry(indent, key, of, LISTS.has(`${group}.${key}`)))
    }
  }
  lines.push(...above(''))
  return lines.join(newline) + (lastNewline ? newline : '')
}

/** All comments in a text of `settingsText`. */
export function commentsOf(text: string): readonly string[] {
  return (text.match(/# \d+ it’s "so": \[a\] \{b\}/g) ?? []).sort()
}
