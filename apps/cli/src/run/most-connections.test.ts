import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { descriptorRemedy, processLimits } from './descriptors.ts'
import { mostConnections } from './network-side.ts'

const limits = (open: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             400                  400                  processes
Max open files            ${open.padEnd(21)}${open.padEnd(21)}files
`

describe('the number of connections over all doors', () => {
  it.each([
    ['1048576', 10_000],
    ['8192', 8064],
    ['480', 352],
    ['100', 50],
    ['unlimited', 10_000],
  ])('leaves descriptors for files: with %s descriptors it is %i', (open, connections) =>
    expect(mostConnections(limits(open))).toBe(connections),
  )

  it('is the default of the service where the system shows no limits', () => expect(mostConnections(undefined)).toBe(10_000))

  it.each(['slotwire.service.d', 'slotwire-.service.d'])('is the documented one with LimitNOFILE of %s', (unit) => {
    const root = join(import.meta.dirname, '../../../..')
    const text = readFileSync(join(root, 'packaging/systemd', unit, '10-service.conf'), 'utf8')
    const [, open = ''] = /^LimitNOFILE=(\d+)$/m.exec(text) ?? []
    expect(readFileSync(join(root, 'docs/guide/device.md'), 'utf8')).toContain(
      `\`LimitNOFILE=${open}\` in the units allows ${mostConnections(limits(open))} connections over all doors`,
    )
  })

  it('is found from the limits of this process', () => expect(mostConnections(processLimits())).toBeGreaterThan(0))
})

it.each([
  ['48', 'ERR_MODULE_NOT_FOUND', 'this process may open 48 files, and needs 64: raise the limit (ulimit -n, LimitNOFILE)'],
  ['48', 'EMFILE', expect.stringContaining('needs 64')],
  ['48', 'ENOENT', undefined],
  ['64', 'ERR_MODULE_NOT_FOUND', undefined],
])('a process with %s descriptors and the error %s gets the remedy %j', (open, code, remedy) =>
  expect(descriptorRemedy(Object.assign(new Error(), { code }), limits(open))).toEqual(remedy),
)
