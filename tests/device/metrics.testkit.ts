import { expect } from 'vitest'
import { type ParsedFamily, parseExposition } from '../../packages/service/src/metrics/exposition.testkit.ts'
import type { Device } from './device.testkit.ts'

/** The page that Prometheus would get, with the clock stopped. */
export async function scrapeText(device: Device): Promise<string> {
  const { statusCode, body } = await device.service.inject('/slotwire/metrics')
  expect(statusCode).toBe(200)
  return body
}

export async function scrape(device: Device): Promise<readonly ParsedFamily[]> {
  return parseExposition(await scrapeText(device))
}

/** The samples of one family, by their labels: `slot=5,pin=3`. Empty if it is not served. */
export async function figures(device: Device, name: string): Promise<Readonly<Record<string, number>>> {
  const samples = (await scrape(device)).flatMap((family) => family.samples).filter((sample) => sample.name === name)
  return Object.fromEntries(
    samples.map(({ labels, value }) => {
      const pairs = Object.entries(labels).map((pair) => pair.join('='))
      return [pairs.join(','), value]
    }),
  )
}
