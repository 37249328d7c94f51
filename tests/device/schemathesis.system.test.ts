import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { describeWith } from '../../tools/setup/describe-with.mjs'
import { type Announcement, SlotwireProcess } from '../program/slotwire-process.testkit.ts'
import { temporaryFolder } from '../temporary-folder.testkit.ts'
import { type Finding, leaseForRun, runSchemathesis } from './schemathesis.testkit.ts'

/** Real programs, and thousands of requests. */
const LIMIT_MS = 240_000
const BENCH = '/slotwire/bench/openapi.json'
/** Operations that stop the device's time, so they have a run of their own. */
const TIME = '^bench\\.(setPace|pause|step)$'
/** Pace of twin time: a restart of the device takes some milliseconds. With hundreds of parts on a few pins, as here on the bench, it is slower. */
const [PACE, BENCH_PACE] = [50, 4]

interface Exception extends Pick<Finding, 'check' | 'status'> {
  readonly message: RegExp
  readonly request?: RegExp
  readonly reason: string
}

/** Findings that are no faults, each with its reason. */
const exceptions: readonly Exception[] = [
  {
    check: 'positive_data_acceptance',
    status: 400,
    message: /^(?!the HTTP request is malformed|the body is not JSON|API version )/,
    reason: 'the body is valid; the present state of the device refuses it (docs/errors.md)',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: /^(time_on|period) is out of range/,
    reason: 'the bounds are products of other fields, which JSON Schema cannot express',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message:
      /^(low_volts is \S+, above high_volts|release_volts is \S+, not below pull_in_volts|contact is pin \S+ twice|open has no contact)\b/,
    reason: 'JSON Schema cannot compare two fields',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: /^(pins is pin \S+ twice|other is pin \S+ itself: )/,
    reason: 'JSON Schema cannot compare a pin with another field',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: /^csv has /,
    reason: 'the text is CSV with a grammar of its own',
  },
  {
    check: 'negative_data_rejection',
    status: 413,
    message: /^the body is too large: /,
    reason: 'a text that is too long for its field can be too long for a body, too',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: /^pins is empty: /,
    reason: 'in our schemas a list has a fixed length or any',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: /^it changes nothing: /,
    reason: 'our schemas do not count fields',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: /^text (is not a scenario|needs slotwire scenario run|asks for another device)/,
    reason: 'the text is YAML with a grammar of its own',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: /^(action|defect) is not allowed: /,
    reason: 'the names depend on the module in the slot',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: / has no \w+ to set|is unknown: |is out of range: /,
    reason: 'the settings and their bounds depend on the connected element or the module in the slot',
  },
  {
    check: 'positive_data_acceptance',
    status: 422,
    message: /^(since|kinds|slots|count|watch|the slot of watch)\b/,
    request: /\/slotwire\/(history|past)\?/,
    reason: 'ids, dates, times, paths and lists in the query have a grammar of their own',
  },
  {
    check: 'unsupported_method',
    status: 404,
    message: /^(slot \d+ holds no usable|\w+ \d+ does not exist: )/,
    reason: 'the slot and the item are checked before the method (behaviour.md)',
  },
  {
    check: 'negative_data_rejection',
    status: 200,
    message: /^\{/,
    request: /\/5\/notification\/2$|\/0\/usbhub\/slot\/4$/,
    reason: 'the path is valid: the configured slot has replaced the invalid one',
  },
  {
    check: 'unsupported_method',
    status: 502,
    message: /^the device is restarting/,
    reason: 'the run restarts the device, and a restart is checked before the method',
  },
  {
    check: 'not_a_server_error',
    status: 502,
    message: /^the device is restarting/,
    reason: 'the run restarts the device',
  },
  {
    check: 'not_a_server_error',
    status: 500,
    message: /^(the module (in slot \d+ |could not save))/,
    reason: 'the run injects faults',
  },
]

const isKnown = (found: Finding) =>
  exceptions.some(
    ({ check, status, message, request = /^/ }) =>
      check === found.check && status === found.status && message.test(found.message) && request.test(found.request),
  )

describeWith('schemathesis', 'the API document', (program) => {
  let folder: string
  beforeEach(() => (folder = temporaryFolder()))

  it.each([
    {
      title: 'hundreds of generated requests to modules',
      document: '/slotwire/openapi.json',
      // The stream has no end.
      options: ['--exclude-path', '/slotwire/events'],
      atLeast: 500,
    },
    {
      title: 'hundreds of generated requests to the bench',
      document: BENCH,
      options: ['--exclude-operation-id-regex', TIME],
      atLeast: 500,
      pace: BENCH_PACE,
    },
    { title: 'requests that stop the time', document: BENCH, options: ['--include-operation-id-regex', TIME], atLeast: 50 },
  ])(
    'describes every answer to $title',
    async ({ document, options, atLeast, pace = PACE }) => {
      const run = new SlotwireProcess([
        'serve',
        '--json',
        '--port',
        '0',
        '--log-level',
        'silent',
        '--state',
        join(folder, 'state'),
      ])
      try {
        const { urls } = JSON.parse(await run.firstLine()) as Announcement
        const url = String(urls[0])
        const headers = { 'content-type': 'application/json' }
        await fetch(`${url}/slotwire/bench/time/pace`, { method: 'POST', headers, body: JSON.stringify({ pace }) })
        const { cases, findings } = await runSchemathesis(
          program,
          { url, folder, options, secret: await leaseForRun(url) },
          document,
        )
        expect(findings.filter((finding) => !isKnown(finding))).toEqual([])
        expect(cases).toBeGreaterThan(atLeast)
      } finally {
        await run.remove()
      }
    },
    LIMIT_MS,
  )

  it(
    'fails for an answer that it does not describe',
    async () => {
      const paths = { '/teapot': { get: { responses: { 200: { description: 'Done' } } } } }
      const server = createServer((request, response) => {
        const isDocument = request.url === '/slotwire/openapi.json'
        response.writeHead(isDocument ? 200 : 418, { 'content-type': 'application/json' })
        response.end(
          isDocument ? JSON.stringify({ openapi: '3.1.0', info: { title: 'Tea', version: '1' }, paths }) : '{"message":"tea"}',
        )
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { findings } = await runSchemathesis(program, { url, folder, options: [] })
      expect(findings.filter((finding) => !isKnown(finding))).toContainEqual({
        check: 'status_code_conformance',
        request: `GET ${url}/teapot`,
        status: 418,
        message: 'tea',
      })
      server.close()
    },
    LIMIT_MS,
  )
})
