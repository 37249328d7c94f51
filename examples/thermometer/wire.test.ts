import { describe } from 'vitest'
import { commandsIn } from '../../packages/sdbp/src/hex.testkit.ts'
import { describeVectors, readVectors } from '../../packages/sdbp/src/vectors.testkit.ts'
import * as wire from './wire.ts'

describe('thermometer wire, golden bytes', () => {
  describeVectors(commandsIn(wire), readVectors(new URL('./vectors.json', import.meta.url)))
})
