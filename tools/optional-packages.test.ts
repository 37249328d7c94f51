import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inRoot } from './setup/root.mjs'

it.each(['mqtt', 'sparkplug-payload'])('a run without tests does not install the optional package %s', (name) => {
  const lock = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, object>>
  }
  expect(lock.packages[`node_modules/${name}`]).toMatchObject({ dev: true })
})
