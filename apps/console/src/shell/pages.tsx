import type { ComponentType } from 'preact'
import { DevicePage } from '../device/device-page.tsx'

type Page = ComponentType<{ readonly slot: number }>

/** The page that is part of the first load. */
export const FIRST_PAGES: Readonly<Record<string, Page>> = { device: DevicePage }

/** The others are loaded when they are opened. To add one: a line here, and for pages without a slot one in `Navigation`. */
export const LATER_PAGES: Readonly<Record<string, () => Promise<Page>>> = {
  io: async () => (await import('../io/io-page.tsx')).IoPage,
  power: async () => (await import('../system/power-page.tsx')).PowerPage,
  bmc: async () => (await import('../system/bmc-page.tsx')).BmcPage,
  events: async () => (await import('../events/events-page.tsx')).EventsPage,
  about: async () => (await import('./about-page.tsx')).AboutPage,
  bench: async () => (await import('../bench/bench-page.tsx')).BenchPage,
}
