import { type Bench, type Connection, RAILS, snakeName, withSnakeNames } from '@slotwire/twin'

/** What the bench has built, as a rig: modules, connections with their names and settings, supply and USB devices. Without faults. */
export function rigText(bench: Bench): string {
  const { ambientCelsius, computerWatt, usb, slots, connections } = bench
  const modules = slots.flatMap(({ slot, moduleType }) => (moduleType === undefined ? [] : [`${slot}: ${moduleType}`]))
  const settings = slots.filter((slot) => Object.keys(slot.settings).length > 0)
  const actions: readonly (readonly [name: string, fields: object])[] = [
    ['ambient', { celsius: ambientCelsius }],
    ['computer', { watt: computerWatt }],
    ...RAILS.map((name) => {
      const { rail, loadMilliampere, offsetMillivolt } = bench.rail(name)
      return ['rail', { rail, load_milliampere: loadMilliampere, offset_millivolt: offsetMillivolt }] as const
    }),
    ...settings.map(({ slot, settings: values }) => ['set', { slot, ...(withSnakeNames(values) as object) }] as const),
    ['usb_host', { connected: usb.hostConnected }],
    ...usb.devices.map(({ slot, device }) => ['usb_attach', { slot, ...(withSnakeNames(device) as object) }] as const),
    ...connections.map((connection) => connected(connection, bench.nameOf(connection.id))),
  ]
  const lines = actions.map(([name, fields]) => `  - ${name}: ${JSON.stringify(fields)}`)
  return ['device: empty', `modules: { ${modules.join(', ')} }`, 'steps:', ...lines, ''].join('\n')
}

function connected({ kind, terminals, settings }: Connection, as: string): readonly [name: string, fields: object] {
  if (kind === 'wire') return ['wire', { pins: terminals, as }]
  const [pin, ...others] = terminals
  const contact = kind === 'relay' ? others.splice(-2) : undefined
  const [other] = others
  const ends = { ...(other === undefined ? {} : { other }), ...(contact === undefined ? {} : { contact }) }
  return ['connect', { pin, to: { [snakeName(kind)]: withSnakeNames(settings) }, ...ends, as }]
}
