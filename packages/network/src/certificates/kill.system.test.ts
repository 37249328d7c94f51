import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/temporary-folder.testkit.ts'
import { bundleSources } from '../../../../tools/build/bundle-sources.mjs'
import { device, fingerprintOf, NOVEMBER_2026 } from './certificates.testkit.ts'
import { CertificateStore } from './stored-certificates.ts'

const { module: STORE } = await bundleSources({ module: 'packages/network/src/certificates/stored-certificates.ts' })
const names = { hosts: ['line-3'], addresses: [] }
/** More than the steps of any of these programs. */
const MAX_STEPS = 100

/**
 * Runs a service's start and a renewal in a process that is killed at its n-th disk operation: before it, or in the middle of a write.
 * Returns false if the program ended before.
 */
async function killedAt(folder: string, step: number): Promise<boolean> {
  const program = join(folder, '..', `kill-${process.pid}.mjs`)
  writeFileSync(
    program,
    `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    let left = ${step}
    for (const name of ['openSync', 'writeFileSync', 'fsyncSync', 'renameSync', 'mkdirSync']) {
      const original = fs[name]
      fs[name] = (...args) => {
        if (name === 'openSync' && args[1] !== 'w') return original(...args)
        if (--left === 0) {
          if (name === 'writeFileSync') original(args[0], args[1].slice(0, args[1].length / 2))
          process.kill(process.pid, 'SIGKILL')
        }
        return original(...args)
      }
    }
    syncBuiltinESMExports()
    const { CertificateStore } = await import(${JSON.stringify(STORE)})
    const store = new CertificateStore(${JSON.stringify(folder)})
    await store.open('line-3', ${NOVEMBER_2026})
    await store.renew(${NOVEMBER_2026}, ${JSON.stringify(names)})`,
  )
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  expect(signal ?? code).toBe(signal === null ? 0 : 'SIGKILL')
  return signal !== null
}

describe('a kill at any step', () => {
  it('during the first start leaves files that the next start can use', { timeout: 60_000 }, async () => {
    for (let step = 1; step < MAX_STEPS; step++) {
      const folder = join(temporaryFolder(), 'tls')
      const killed = await killedAt(folder, step)
      const stored = existsSync(folder) ? new CertificateStore(folder).read() : undefined
      const { certificates } = await device({ folder })
      // An authority that was published must stay.
      expect(stored?.authority.fingerprint256 ?? fingerprintOf(certificates)).toBe(fingerprintOf(certificates))
      const leaf = new X509Certificate((await certificates.use(names)).cert)
      expect(leaf.verify(new X509Certificate(certificates.authorityPem).publicKey)).toBe(true)
      if (!killed) return expect(step).toBeGreaterThan(10)
    }
    expect.fail('the program never came to its end')
  })

  it('during a renewal leaves the old pair or the new one', { timeout: 60_000 }, async () => {
    const folder = join(temporaryFolder(), 'tls')
    const store = new CertificateStore(folder)
    await store.open('line-3', NOVEMBER_2026)
    let before = await store.renew(NOVEMBER_2026, names)
    let renewals = 0
    for (let step = 1; step < MAX_STEPS; step++) {
      const killed = await killedAt(folder, step)
      const stored = store.read()
      expect(stored?.fault).toBeUndefined()
      if (stored?.presented === undefined) return expect.fail('neither old nor new')
      if (stored.presented.material.key !== before.material.key) renewals++
      before = stored.presented
      if (!killed) return expect([step > 5, renewals > 1]).toEqual([true, true])
    }
    expect.fail('the program never came to its end')
  })
})
