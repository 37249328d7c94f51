import { source } from '@slotwire/twin'
import { expect, test } from './vitest.ts'

test('matchers of a pin compare within a tolerance, and name both values', async ({ twin, device }) => {
  twin.bench.pin(3, 1).connect(source(5))
  const [bench, pin] = [twin.bench.pin(3, 1), device.io(3).pin(1)]
  expect(bench).toHaveVolts(5)
  expect(bench).not.toHaveVolts(4.98)
  expect(() => expect(bench).toHaveVolts(4, 0.5)).toThrow('the pin has 5 V, wanted: 4 ± 0.5 V')
  expect(() => expect(bench).not.toHaveVolts(4, 2)).toThrow('the pin has 5 V, not wanted: 4 ± 2 V')
  await expect(pin).toRead(5001, 1)
  await expect(expect(pin).toRead(4000)).rejects.toThrow('the pin reads 5000, wanted: 4000 ± 0')
})
