import { commandClass, i16, list, MODULE_CLASS_IDENTIFIER, notificationMasks, u8 } from '@slotwire/sdbp'
import { CHANNEL_COUNT, thermometerLimits } from './limits.ts'

export const THERMOMETER_VENDOR_PRODUCT_ID = 'slotwire.example/thermometer'

/** Status of a refused command. */
export const ThermometerStatus = { failed: 1, tooWarm: 2 } as const
/** Temperatures on the bus are whole tenths of a degree. */
export const STEPS_PER_CELSIUS = 10

const { min, max } = thermometerLimits.celsius
const steps = i16({ min: min * STEPS_PER_CELSIUS, max: max * STEPS_PER_CELSIUS, unit: '0.1 °C' })
const channel = u8(thermometerLimits.channel)
const probes = commandClass({ classIdentifier: MODULE_CLASS_IDENTIFIER, class: 1, statuses: ThermometerStatus })

export const getTemperatures = probes.command('GET_TEMPERATURES', 2, { response: { temperatures: list(CHANNEL_COUNT, steps) } })
export const getLimit = probes.command('GET_LIMIT', 3, { request: { channel }, response: { limit: steps } })
export const setLimit = probes.command('SET_LIMIT', 4, { request: { channel, limit: steps } })

/** A notification has one byte per alert, bit 0 = channel 1. */
export const thermometerNotification = notificationMasks('highTemperatureAlert', 'selfTestAlert')
