import { describe } from 'vitest'
import { describeVectors, readVectors } from '../../packages/sdbp/src/vectors.testkit.ts'
import { thermometerCommands } from './wire.ts'

describe('thermometer wire, golden bytes', () => {
  describeVectors(thermometerCommands, readVectors(new URL('./vectors.json', import.meta.url)))
})
