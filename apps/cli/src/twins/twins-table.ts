import Table from 'cli-table3'
import { type Colors as AllColors, colors as ownColors } from '../terminal/colors.ts'

/** What a program or a person wants to know of many twins that have just come up. */
export interface AnnouncedTwins {
  readonly version: string
  /** Of each of them. */
  readonly services: readonly string[]
  /** Numbered from 1; the seed decides on serial codes and what else differs from device to device. */
  readonly twins: readonly { readonly twin: number; readonly url: string; readonly seed: number }[]
}

const HEAD = ['TWIN', 'URL', 'SEED']

/** The announcement for people: a line for each. */
export function formatTwins({ version, services, twins }: AnnouncedTwins, colors: Pick<AllColors, 'bold'> = ownColors): string {
  const table = new Table({ head: HEAD, style: { head: [], border: [] } })
  for (const { twin, url, seed } of twins) table.push([twin, url, seed])
  const devices = twins.length === 1 ? '1 virtual device' : `${twins.length} virtual devices`
  return `${colors.bold(`Slotwire ${version}`)} serves ${devices}, each with ${services.join(', ')}\n${table.toString()}\n`
}
