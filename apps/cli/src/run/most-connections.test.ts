import { describe, expect, it } from 'vitest'
import { mostConnections, processLimits } from './most-connections.ts'

const limits = (open: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             400                  400                  processes
Max open files            ${open.padEnd(21)}${open.padEnd(21)}files
`

describe('the number of connections over all doors', () => {
  it.each([
    ['1048576', 1, 10_000],
    ['8192', 1, 8064],
    ['8192', 2, 4032],
    ['480', 1, 352],
    ['100', 1, 50],
    ['unlimited', 1, 10_000],
  ])(
    'leaves descriptors for files: with %s descriptors, %i for each connection, it is %i',
    (open, perConnection, connections) => {
      expect(mostConnections(limits(open), perConnection)).toBe(connections)
    },
  )

  it('is the default of the service where the system shows no limits', () => {
    expect(mostConnections(undefined)).toBe(10_000)
  })

  it('is found from the limits of this process', () => {
    expect(mostConnections(processLimits())).toBeGreaterThan(0)
  })
})
