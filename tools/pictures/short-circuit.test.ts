import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { inRoot } from '../setup/root.mjs'
import { drawShortCircuit } from './short-circuit.mjs'

it('docs/pictures/short-circuit.svg is what `npm run pictures` draws', async () =>
  expect(await drawShortCircuit()).toBe(readFileSync(inRoot('docs', 'pictures', 'short-circuit.svg'), 'utf8')))
