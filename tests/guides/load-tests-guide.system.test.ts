import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inRoot } from '../../tools/setup/root.mjs'
import { blocksOf, patternOf, withoutSpace } from './examples.testkit.ts'

const PAGE = 'docs/guide/load-tests.md'
const MAIN = inRoot('apps', 'cli', 'dist', 'main.js')
const START = 'npm start -- '
const SERVE = 'npx slotwire '
/** The ports on the page. */
const PAGES_PORTS = ['8080', '8081', '8082']

const blocks = blocksOf(PAGE)
const examples = blocks.flatMap(({ language, line, text }, index) =>
  language === 'sh' ? [{ line, commands: text, answer: blocks[index + 1]?.text ?? '' }] : [],
)

/** Starts a server. Returns it with what it has printed up to `lastSign`. */
async function served(words: readonly string[], lastSign: string): Promise<{ server: ChildProcess; printed: string }> {
  const env = { ...process.env, NO_COLOR: '1' }
  const server = spawn(process.execPath, [MAIN, ...words, '--log-level', 'warn'], { stdio: ['ignore', 'pipe', 'inherit'], env })
  let printed = ''
  while (!printed.trimEnd().endsWith(lastSign)) {
    const [text] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string]
    printed += text
  }
  return { server, printed }
}

describe(PAGE, { timeout: 60_000 }, () => {
  const servers: ChildProcess[] = []
  let table: string
  let ports: readonly string[]
  beforeAll(async () => {
    const [first] = examples
    const words = first?.commands.slice(START.length).split(' ') ?? []
    const { server, printed } = await served(['serve', ...words, '--port', '0'], '  3')
    servers.push(server)
    ports = [...printed.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => String(port))
    table = printed
  })
  afterAll(async () => {
    for (const server of servers) {
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
    }
  })

  it('prints the table of the page when all devices are up', () => {
    expect(examples[0]?.commands.startsWith(START)).toBe(true)
    // A port of five digits makes its column wider.
    const bare = (text: string): string =>
      text.replaceAll(/127\.0\.0\.1:\d+|(?<=Slotwire )[\d.…]+/g, 'here').replaceAll(/ +/g, ' ')
    expect(bare(table).trimEnd()).toBe(bare(examples[0]?.answer ?? ''))
    expect(ports).toHaveLength(PAGES_PORTS.length)
  })

  it.each(examples.slice(1))('shows the answer to line $line: $commands', async ({ commands, answer }) => {
    if (commands.startsWith(SERVE)) {
      const { server, printed } = await served(commands.slice(SERVE.length).split(' '), '}')
      servers.push(server)
      expect(withoutSpace(printed)).toMatch(patternOf(answer))
      return
    }
    const here = PAGES_PORTS.reduce((text, port, index) => text.replaceAll(port, String(ports[index])), commands)
    const { stdout, status } = spawnSync('bash', ['-euo', 'pipefail', '-c', `curl() { command curl -sS "$@"; }\n${here}`], {
      encoding: 'utf8',
    })
    expect(withoutSpace(stdout)).toMatch(patternOf(answer))
    expect(status).toBe(0)
  })
})
