const RAILS: Readonly<Record<string, string>> = { '3v3': '3.3 V', '5v0': '5 V', '12v': '12 V' }
const COUNTERS: Readonly<Record<string, string>> = {
  ovp: 'Over voltage',
  uvp: 'Under voltage',
  ocp: 'Over current',
  pmc_temperature: 'Controller too hot',
  total_power_overload: 'Total power too high',
}

/** Texts of the pages power and bmc. */
export const systemEn = {
  limits: 'Current limits',
  limitsHint: 'A rail that exceeds its limit is switched off. Modules on it lose power; the whole device can restart.',
  limitTooLow: (rail: string, now: string, limit: string) =>
    `${rail}: ${now} flows now. The limit of ${limit} switches this rail off at once.`,
  limitsAsk: 'Set a limit below the present current?',
  fanControl: 'Control',
  fanControls: { automatic: 'By temperature', forced: 'Fixed' },
  fanNow: 'Now',
  fanDelay: (target: string) => `Changes to ${target} within 10 s.`,
  fanSpeed: 'Speed',
  fanMeasure: 'Measure the speed',
  protection: 'Protection log',
  protectionHint: 'The counters survive restarts. Only a factory reset clears them.',
  cause: 'Cause',
  count: 'Count',
  lastRise: 'When: in the journal',
  counter: (name: string) => {
    const [cause = '', rail] = name.split('_cnt_')
    return rail === undefined ? (COUNTERS[name] ?? name) : `${COUNTERS[cause] ?? cause} ${RAILS[rail] ?? rail}`
  },
  mainboard: 'Mainboard',
  voltage_1v8: '1.8 V rail',
  voltage_rtc: 'Clock battery',
  timeLeft: 'Time left',
  watchdogIdle: 'The watchdog is off. Set a time: then the device restarts if no client feeds the watchdog within it.',
  watchdogEnds: (time: string) =>
    `At 0 (${time}) the mainboard hard-resets the whole device: programs are killed, all outputs go off.`,
  watchdogOver: 'The time is over: the mainboard resets the whole device.',
  watchdogAsk: 'Set the watchdog?',
  watchdogWill: (time: string) =>
    `If no client feeds the watchdog within ${time}, the whole device is hard reset: programs are killed, all outputs go off. This page does not feed it by itself.`,
  watchdogTime: 'Time',
  arm: 'Set',
  feed: 'Feed',
  disarm: 'Switch off',
  save: 'Save for restarts',
  shutdown: 'Shutdown and reset',
  shutdownTime: 'Longest time of a shutdown',
  startShutdown: 'Shut down',
  shutdownAsk: 'Shut the device down?',
  shutdownWill: (time: string) =>
    `The computer shuts down. It has ${time}; then the mainboard resets the device. All sessions and settings of the modules are lost.`,
  hardReset: 'Hard reset',
  hardResetAsk: 'Reset the whole device?',
  hardResetWill:
    'The device restarts at once: running programs are killed, files that are open can be damaged, all outputs go off. This page waits until the device is back; then all modules must be set up again.',
  buzzer: 'Buzzer',
  buzzerMode: 'Sound',
  buzzerModes: ['Own sounds off', 'Own sounds on', 'Sound 1', 'Sound 2', 'Sound 3', 'Sound 4'],
  buzzerTime: 'Duration',
  buzzerSend: 'Play',
  usb: 'USB hub',
  usbPort: 'Port',
  usbHub: 'Hub',
  usbApplied: 'Now',
  usbSaved: 'Saved',
  usbDevices: 'Devices found',
  usbPending: (count: number) => `${count === 1 ? '1 change is' : `${count} changes are`} saved, but not applied: reset the hub.`,
  usbHint: 'Changes are saved at once. A reset of the hub, or a restart of the device, applies them.',
  usbReset: 'Reset the hub',
  usbResetAsk: 'Reset the USB hub?',
  usbResetWill: (count: number) =>
    `All USB devices (${count} now) are disconnected, and the saved settings are applied. Disks that are written to can lose data.`,
  bootloader: 'USB bootloader',
  bootloaderStates: { armed: 'armed', off: 'off', unknown: 'not known' },
  bootloaderHint:
    'For a new system of the computer. After the next reset the computer waits 90 s for a USB host, then starts normally.',
  bootloaderTime: 'Longest time with a host (0: no limit)',
  bootloaderArm: 'Arm',
  bootloaderDisarm: 'Disarm',
  bootloaderAsk: 'Arm the USB bootloader?',
  bootloaderWill:
    'Nothing happens now. After the next reset the computer waits for a USB host in place of its normal start: without one its programs come back 90 s later.',
}
