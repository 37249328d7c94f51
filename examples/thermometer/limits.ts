/** Channels of the module, numbered from 1: one probe each. */
export const CHANNEL_COUNT = 4
/** Bounds, shared by several files. Temperatures are in °C. */
export const thermometerLimits = {
  channel: { min: 1, max: CHANNEL_COUNT },
  celsius: { min: -55, max: 125 },
} as const
