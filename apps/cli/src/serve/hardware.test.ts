import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../terminal/usage-error.ts'
import { hardwareOf } from './hardware.ts'

let sysRoot: string
beforeEach(() => {
  sysRoot = mkdtempSync(join(tmpdir(), 'slotwire hardware '))
})
afterEach(() => rmSync(sysRoot, { recursive: true }))

const asked = { hardware: 'auto', resetState: false } as const
const loadKernelDriver = (): void => void mkdirSync(join(sysRoot, 'class', 'sdbp'), { recursive: true })

describe('--hardware auto', () => {
  it('is a twin where there is no kernel driver', () => {
    expect(hardwareOf({ ...asked, sysRoot })).toBe('twin')
    expect(hardwareOf({ ...asked, sysRoot: join(sysRoot, 'nowhere') })).toBe('twin')
  })

  it('is this device where there is one, also without modules', () => {
    loadKernelDriver()
    expect(hardwareOf({ ...asked, sysRoot })).toBe('kernel')
  })

  it('is twins for whoever wants many', () => {
    loadKernelDriver()
    expect(hardwareOf({ ...asked, sysRoot, twins: 3 })).toBe('twin')
  })

  it('is neither where nobody knows', () => {
    mkdirSync(join(sysRoot, 'class'))
    writeFileSync(join(sysRoot, 'class', 'sdbp'), '')
    expect(() => hardwareOf({ ...asked, sysRoot })).toThrow(
      new UsageError(
        `${sysRoot}/class/sdbp cannot be read (ENOTDIR): the modules of a device are found there; a virtual device is served with --hardware twin`,
      ),
    )
  })
})

describe.each(['auto', 'kernel'] as const)('what only a virtual device has, with --hardware %s on a device', (hardware) => {
  beforeEach(loadKernelDriver)

  it.each([
    [{ bus: 'timed' }, '--bus'],
    [{ bus: 'instant' }, '--bus'],
    [{ resetState: true }, '--reset-state'],
  ] as const)('is refused: %j', (typed, option) => {
    expect(() => hardwareOf({ ...asked, sysRoot, hardware, ...typed })).toThrow(UsageError)
    expect(() => hardwareOf({ ...asked, sysRoot, hardware, ...typed })).toThrow(
      new RegExp(`^${option} does not go with .*: .*; a virtual device is served with --hardware twin$`),
    )
  })
})

describe('--hardware kernel', () => {
  it('does not go with many devices', () => {
    expect(() => hardwareOf({ ...asked, hardware: 'kernel', twins: 2 })).toThrow(
      '--twins does not go with --hardware kernel: there is one device here; a virtual device is served with --hardware twin',
    )
  })
})

describe('--hardware twin', () => {
  it('is a twin on a device as well', () => {
    loadKernelDriver()
    expect(hardwareOf({ ...asked, hardware: 'twin', bus: 'timed', resetState: true })).toBe('twin')
  })

  it.each(['sysRoot', 'devRoot'] as const)('takes no %s', (root) => {
    expect(() => hardwareOf({ ...asked, hardware: 'twin', [root]: '/x' })).toThrow(
      /^--(sys|dev)-root does not go with --hardware twin: a twin has no kernel driver$/,
    )
  })
})
