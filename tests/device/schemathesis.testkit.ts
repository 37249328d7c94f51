import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const SEED = 1
const EXAMPLES_PER_OPERATION = 4
/** Of a request: a service never needs longer. */
const REQUEST_LIMIT_SECONDS = 40
/** Exit codes of a run that ended: without and with findings. */
const ENDED = [0, 1]

/** A check that failed for an answer. */
export interface Finding {
  readonly check: string
  readonly request: string
  readonly status: number | undefined
  /** `message` of an error body; otherwise the body. */
  readonly message: string
}

/** Slots that have a module of the type, so that most requests reach it. */
const SLOTS = { bmc: 0, power: 1, io: 5 }

/** One method that no operation has, and headers with which no write is refused: any session, and the secret of a lease. */
const configuration = (secret: string) =>
  [
    '[phases.coverage]\nunexpected-methods = ["DELETE"]\n',
    ...Object.entries(SLOTS).map(([tag, slot]) => {
      const parameters = `"path.slot" = ${slot}, "header.If-Match" = "*", "header.Slotwire-Lease" = "${secret}"`
      return `[[operations]]\ninclude-tag = "${tag}"\nparameters = { ${parameters} }\n`
    }),
  ].join('\n')

/** The secret of a lease of these slots. It outlasts the run. */
export async function leaseForRun(url: string): Promise<string> {
  const request = { slots: Object.values(SLOTS), holder: 'schemathesis', ttl_seconds: 3600, on_lapse: 'keep' }
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/slotwire/leases`, { method: 'POST', headers, body: JSON.stringify(request) })
  return ((await answer.json()) as { secret: string }).secret
}

interface Content {
  readonly $base64: string
}

/** The parts of an event in Schemathesis' report that are read here. */
interface Event {
  readonly ScenarioFinished?: {
    readonly recorder: {
      readonly cases?: Readonly<Record<string, unknown>>
      readonly checks?: Readonly<Record<string, readonly { readonly name: string; readonly status: string }[]>>
      readonly interactions?: Readonly<
        Record<
          string,
          {
            readonly request: { readonly method: string; readonly uri: string }
            readonly response?: { readonly status_code: number; readonly content?: Content | null } | null
          }
        >
      >
    }
  }
}

interface RunOptions {
  readonly url: string
  readonly folder: string
  readonly options: readonly string[]
  /** Of a lease, from `leaseForRun`. */
  readonly secret?: string
}

/** Runs all checks of Schemathesis against the document of a service. Throws if the run itself fails. */
export async function runSchemathesis(
  program: string,
  { url, folder, options, secret = '' }: RunOptions,
  document = '/slotwire/openapi.json',
): Promise<{ readonly cases: number; readonly findings: readonly Finding[] }> {
  const report = join(folder, 'report.ndjson')
  writeFileSync(join(folder, 'schemathesis.toml'), configuration(secret))
  const always = ['--checks', 'all', '--no-shrink', '--continue-on-failure', '--report', 'ndjson', '--report-ndjson-path', report]
  const limits = ['--max-examples', `${EXAMPLES_PER_OPERATION}`, '--request-timeout', `${REQUEST_LIMIT_SECONDS}`]
  const words = ['run', `${url}${document}`, '--seed', `${SEED}`, ...always, ...limits, ...options]
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>])
  const lines = readFileSync(report, 'utf8').trimEnd().split('\n')
  const broken = lines.some((line) => /^\{"\w*Error"/.test(line))
  if (broken || code === null || !ENDED.includes(code)) throw new Error(`Schemathesis ended with ${code}: ${output}`)
  const recorders = lines.flatMap((line) => (JSON.parse(line) as Event).ScenarioFinished?.recorder ?? [])
  return {
    cases: recorders.reduce((sum, { cases = {} }) => sum + Object.keys(cases).length, 0),
    findings: recorders.flatMap(({ checks = {}, interactions = {} }) =>
      Object.entries(checks).flatMap(([id, all]) => {
        const { request, response } = interactions[id] ?? {}
        const failed = all.filter(({ status }) => status === 'failure')
        return failed.map(({ name }) => ({
          check: name,
          request: `${request?.method} ${request?.uri}`,
          status: response?.status_code,
          message: messageOf(response?.content),
        }))
      }),
    ),
  }
}

function messageOf(content: Content | null | undefined): string {
  const body = Buffer.from(content?.$base64 ?? '', 'base64').toString()
  const [, message = body] = /"message":"((?:[^"\\]|\\.)*)"/.exec(body) ?? []
  return message
}
