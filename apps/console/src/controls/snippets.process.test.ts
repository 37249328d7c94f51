import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { shellQuoted, snippetsOf } from './snippets.ts'

const ADDRESS = 'https://press-4.local'
const TEXTS = [
  'plain',
  'two words',
  "it's",
  '"double"',
  'line\nbreak',
  '$HOME $(id)',
  '`id`',
  '\\ back\\slash',
  '!history',
  '<img onerror>',
]
const write = (body: unknown, typescript?: string) => ({ request: { method: 'POST', path: '/api/io/1.0/3/x', body }, typescript })
const evaluated = (text: string): unknown => structuredClone(runInNewContext(text) as unknown)

describe('snippets', () => {
  it.each(TEXTS)('keep a text as it is in a shell: %j', (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellQuoted(text)}`], { encoding: 'utf8' })).toBe(text)
  })

  it.each(TEXTS)('send a name as it is with curl, fetch and Python: %j', (text) => {
    const {
      curl,
      TypeScript: typescript,
      Python: python,
    } = snippetsOf(write({ name: text, list: [1, null, true] }), ADDRESS, true)
    const sent = execFileSync('sh', ['-c', curl.replace('curl ', 'printf "%s\\n" ')], { encoding: 'utf8', env: { TOKEN: 't' } })
    expect(sent).toContain(JSON.stringify({ name: text, list: [1, null, true] }))
    const body = /JSON\.stringify\((.*)\),$/m.exec(typescript)?.[1] ?? ''
    expect(evaluated(`(${body})`)).toEqual({ name: text, list: [1, null, true] })
    const literal = /json=(.*),$/m.exec(python)?.[1] ?? ''
    expect(literal).toContain(', True]')
    expect(evaluated(`(${literal.replace('None', 'null').replace('True', 'true')})`)).toEqual({
      name: text,
      list: [1, null, true],
    })
  })

  it.each([
    ['curl', 'Authorization: Bearer $TOKEN', '--cacert "$CA"'],
    ['TypeScript', 'process.env.TOKEN', 'NODE_EXTRA_CA_CERTS="$CA"'],
    ['Python', 'os.environ["TOKEN"]', 'verify=os.environ["CA"]'],
  ] as const)('take token and authority from the environment in %s, only where they are needed', (language, token, authority) => {
    for (const call of [undefined, 'io(3).reset()']) {
      expect(snippetsOf(write({ a: 1 }, call), ADDRESS, true)[language]).toContain(token)
      expect(snippetsOf(write({ a: 1 }, call), ADDRESS, false)[language]).not.toMatch(/TOKEN|Authorization/)
      expect(snippetsOf(write({ a: 1 }, call), ADDRESS, false)[language]).toContain(authority)
      expect(snippetsOf(write({ a: 1 }, call), 'http://press-4.local', true)[language]).not.toContain('CA')
    }
  })

  it.each([
    ['GET', undefined, "curl 'https://press-4.local/p'"],
    ['POST', undefined, "curl -X POST 'https://press-4.local/p'"],
    ['POST', {}, "curl 'https://press-4.local/p'"],
    ['DELETE', undefined, "curl -X DELETE 'https://press-4.local/p'"],
  ])('name the method that curl does not choose itself: %s %j', (method, body, expected) => {
    const request = { method, path: '/p', ...(body === undefined ? {} : { body }) }
    expect(snippetsOf({ request, typescript: undefined }, ADDRESS, false).curl.split(' \\')[0]).toBe(expected)
  })

  it('call the client where it has the call', () => {
    const { TypeScript: typescript } = snippetsOf(write({}, "io(3).setOutputState({ state: 'high' })"), ADDRESS, false)
    expect(typescript).toContain(
      "const device = await connect('https://press-4.local')\nawait device.io(3).setOutputState({ state: 'high' })\n",
    )
  })
})
