import type { Firmware, FirmwareContext, FirmwareDefinition, SettingFields } from '@slotwire/twin'
import { decimal, obey, on, Refusal, SettingValues, virtualDescriptor } from '@slotwire/twin'
import { CHANNEL_COUNT, thermometerLimits } from './limits.ts'
import {
  getLimit,
  getTemperatures,
  STEPS_PER_CELSIUS,
  setLimit,
  THERMOMETER_VENDOR_PRODUCT_ID,
  ThermometerStatus,
  thermometerNotification,
} from './wire.ts'

const OWN_DESCRIPTOR = {
  vendorProductId: THERMOMETER_VENDOR_PRODUCT_ID,
  productName: 'Virtual thermometer',
  maxPower3v3: 50,
  maxPower5v0: 0,
  maxPower12v: 0,
} as const

const probe = decimal({ ...thermometerLimits.celsius, unit: '°C', description: 'temperature at a probe', default: 21.5 })
/** Bench settings: the temperature at each probe. */
const settings = { probe1: probe, probe2: probe, probe3: probe, probe4: probe } as const satisfies SettingFields

/** Virtual thermometer. A reset sets the limits to their maximum; the temperatures stay. */
export const thermometerFirmware = {
  vendorProductId: THERMOMETER_VENDOR_PRODUCT_ID,
  settings,
  actions: ['test_button'],
  create: (context: FirmwareContext): Firmware => {
    const descriptor = virtualDescriptor(context, OWN_DESCRIPTOR)
    const probes = new SettingValues(settings, () => watch())
    const limits: number[] = []
    /** Channels above their limit, one bit each. An alert is raised only when a channel exceeds its limit. */
    let tooWarm = 0
    const stepsOf = (channel: number): number =>
      Math.round((Object.values(probes.now)[channel - 1] as number) * STEPS_PER_CELSIUS)
    const watch = (): void => {
      const before = tooWarm
      tooWarm = limits.reduce((mask, limit, index) => (stepsOf(index + 1) > limit ? mask | (1 << index) : mask), 0)
      const highTemperatureAlert = tooWarm & ~before
      if (highTemperatureAlert !== 0) context.notify(thermometerNotification.bytes({ highTemperatureAlert }))
    }
    return {
      descriptor: () => descriptor,
      settings: probes,
      handlers: [
        on(getTemperatures, () => ({ temperatures: channels.map(stepsOf) })),
        on(getLimit, ({ channel }) => ({ limit: limits[channel - 1] as number })),
        obey(setLimit, ({ channel, limit }) => {
          if (stepsOf(channel) > limit) throw new Refusal(ThermometerStatus.tooWarm)
          limits[channel - 1] = limit
        }),
      ],
      actions: { test_button: () => context.notify(thermometerNotification.bytes({ selfTestAlert: 2 ** CHANNEL_COUNT - 1 })) },
      observations: { lamp: () => (tooWarm === 0 ? 'green' : 'red') },
      reset: () => {
        for (const channel of channels) limits[channel - 1] = thermometerLimits.celsius.max * STEPS_PER_CELSIUS
        tooWarm = 0
      },
      powerDown: () => undefined,
    }
  },
} satisfies FirmwareDefinition

const channels = Array.from({ length: CHANNEL_COUNT }, (_, index) => index + 1)
