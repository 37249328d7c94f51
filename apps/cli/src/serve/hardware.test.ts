import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { hardwareOf } from './hardware.ts'

let sysRoot: string
beforeEach(() => (sysRoot = temporaryFolder()))

const asked = { hardware: 'auto', resetState: false } as const
const loadKernelDriver = (): void => void mkdirSync(join(sysRoot, 'class', 'sdbp'), { recursive: true })

describe('--hardware auto', () => {
  it('is a twin if there is no kernel driver', () => {
    expect(hardwareOf({ ...asked, sysRoot })).toBe('twin')
    expect(hardwareOf({ ...asked, sysRoot: join(sysRoot, 'nowhere') })).toBe('twin')
  })

  it('is this device if there is a kernel driver, even without modules', () => {
    loadKernelDriver()
    expect(hardwareOf({ ...asked, sysRoot })).toBe('kernel')
  })

  it('is a twin with --twins', () => {
    loadKernelDriver()
    expect(hardwareOf({ ...asked, sysRoot, twins: 3 })).toBe('twin')
  })

  it("throws if it cannot read the kernel driver's folder", () => {
    mkdirSync(join(sysRoot, 'class'))
    writeFileSync(join(sysRoot, 'class', 'sdbp'), '')
    expect(() => hardwareOf({ ...asked, sysRoot })).toThrow(
      new UsageError(
        `${sysRoot}/class/sdbp cannot be read (ENOTDIR): it lists the modules of a device; a virtual device is served with --hardware twin`,
      ),
    )
  })
})

describe.each(['auto', 'kernel'] as const)('options of a virtual device, with --hardware %s on a device', (hardware) => {
  beforeEach(loadKernelDriver)

  it.each([
    [{ bus: 'timed' }, '--bus'],
    [{ benchFrom: '192.0.2.7' }, '--bench-from'],
    [{ bus: 'instant' }, '--bus'],
    [{ resetState: true }, '--reset-state'],
  ] as const)('are refused: %j', (typed, option) => {
    expect(() => hardwareOf({ ...asked, sysRoot, hardware, ...typed })).toThrow(UsageError)
    expect(() => hardwareOf({ ...asked, sysRoot, hardware, ...typed })).toThrow(
      new RegExp(`^${option} cannot be used with .*: .*; a virtual device is served with --hardware twin$`),
    )
  })
})

it('--hardware kernel refuses --twins', () =>
  expect(() => hardwareOf({ ...asked, hardware: 'kernel', twins: 2 })).toThrow(
    '--twins cannot be used with --hardware kernel: there is only one real device; a virtual device is served with --hardware twin',
  ))

describe('--hardware twin', () => {
  it('is a twin, even on a device', () => {
    loadKernelDriver()
    expect(hardwareOf({ ...asked, hardware: 'twin', bus: 'timed', resetState: true })).toBe('twin')
  })

  it.each(['sysRoot', 'devRoot'] as const)('refuses %s', (root) =>
    expect(() => hardwareOf({ ...asked, hardware: 'twin', [root]: '/x' })).toThrow(
      /^--(sys|dev)-root cannot be used with --hardware twin: a twin has no kernel driver$/,
    ),
  )
})
