import { benchEn, capitalized, ioEn, RAILS, systemEn, type Words } from './en-modules.ts'

// All texts of the console in English, with en-modules.ts. The other languages have the same type: a missing text is a type error.
const UNITS_MS = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 }

/** `12 s`, `4 min`, `3 h 20 min`, `5 d 2 h`; `day` is the letter for days. */
export function durationText(ms: number, day: string): string {
  const part = (of: number, unit: keyof typeof UNITS_MS): number => Math.floor(of / UNITS_MS[unit])
  if (ms < UNITS_MS.minute) return `${part(ms, 'second')} s`
  if (ms < UNITS_MS.hour) return `${part(ms, 'minute')} min`
  if (ms < UNITS_MS.day) return `${part(ms, 'hour')} h ${part(ms % UNITS_MS.hour, 'minute')} min`
  return `${part(ms, 'day')} ${day} ${part(ms % UNITS_MS.day, 'hour')} h`
}

const duration = (ms: number): string => durationText(ms, 'd')
const moduleIn = (service: string, slot: number): string => `The ${service} module in slot ${slot}`

const SERVICES: Words = { io: 'IO', power: 'Power', bmc: 'Mainboard' }

/** Words of the API that need another word for people. Others are shown as they are. */
const WORDS: Words = { true: 'On', false: 'Off', '5_volt': '5 V', '12_volt': '12 V', pwm: 'PWM' }
/** Names of fields of the API. Others are shown without their underscores. */
const FIELDS: Words = {
  threshold_millivolt: 'Threshold',
  debounce_time_milliseconds: 'Debounce time',
  current_milliampere: 'Current',
  fan_forced: 'Fixed speed',
  fan_mode: 'Speed',
  limit_3v3: '3.3 V limit',
  limit_5v0: '5 V limit',
  limit_12v: '12 V limit',
}

/** Sentences for records, by kind and event: `{field}` is a field of the record. */
const SENTENCES: Words = {
  'device restarting': 'The device restarts.',
  'device up': 'The device is up again.',
  'module arrived': 'The {service} module is usable. Serial number {serial_code}.',
  'module left': 'The {service} module is gone.',
  'module hung': 'The {service} module does not answer any more.',
  'module session': 'The {service} module has a new session: it is in its initial state.',
  alert: 'Pin {pin}: {alerts}',
  protection: '{counter}: the counter rose from {from} to {to}.',
  'power granted': 'The power configuration is granted and applied.',
  'power denied': 'The power configuration is denied. Missing: {missing}.',
  write: '{method} {path}{body} got {status}.',
  'usb hub': 'USB hub: {enabled} is saved. A reset of the hub applies it.',
  'usb port': 'USB port of slot {port_slot}: {enabled} is saved. A reset of the hub applies it.',
  'usb applied': 'The USB hub was reset: the saved settings are applied.',
  'usb bootloader': 'USB bootloader after the next reset: {enabled}.',
  'watchdog set': 'The watchdog is set to {timeout}.',
  'watchdog off': 'The watchdog is switched off.',
  'watchdog fed_late': 'The watchdog was fed late: after {after_milliseconds} of {timeout}.',
  'watchdog fired': 'The watchdog was not fed within {timeout}: it resets the device.',
  'lease granted': '{holder} drives {modules}.',
  'lease taken-over': '{holder} took {taken} over from {former}, and drives {modules}.',
  'lease given-back': '{holder} gave {modules} back.',
  'lease lapsed': 'The lease of {holder} for {modules} lapsed: {reason}.',
  'lease safe-state': 'Safe state after the lease of {holder}: {result}.',
}
/** Words in these sentences. */
const EVENT_WORDS: Words = {
  rail_3v3_milliwatt: '3.3 V',
  rail_5v0_milliwatt: '5 V',
  rail_12v_milliwatt: '12 V',
  true: 'on',
  false: 'off',
}

/** Errors of the API whose messages speak of requests, by name. */
const ERRORS: Words = {
  'watchdog-off': 'The watchdog is off: set a time first.',
  'usb-port-not-available': 'This USB port is not available.',
  'usb-hub-not-available': 'The USB hub is not available.',
  'emergency-mode': 'Nothing can be saved: the storage of the mainboard is corrupt and needs a factory reset.',
  'pin-not-analog': 'This pin is not an analog input: make it one first.',
  'pin-not-digital': 'This pin is not a digital input: make it one first.',
  'power-configuration-missing': 'This pin has no power: give it a current first, in the card',
  'limits-refused': 'The module did not accept all limits: the power page shows those in force.',
  'fan-refused': 'The module did not accept this: the values above are in force.',
  'fan-measurement-refused': 'The module did not switch the measurement: try again.',
  'power-module-not-usable': 'The power module does not answer, so the power budget is unknown: try again when it is back.',
  'slot-not-usable': 'This slot has no usable module now.',
  'session-changed': 'The module has a new session, nothing was done: check its settings, and try again.',
  leased: 'Another client drives this slot: wait, or press Drive to take over.',
  'lease-expired': 'You do not drive this slot any more, nothing was done: press Drive again.',
  'bench-slot-empty': 'This slot is empty: plug a module first.',
  'bench-slot-taken': 'This slot has a module: pull it first.',
  'bench-time-runs': 'Time is running: pause it first.',
  'bench-scenario-runs': 'A scenario is running: wait for its end, or stop it.',
  'bench-no-scenario-runs': 'No scenario is running.',
  'bench-no-trace': 'No trace is being recorded.',
  'bench-no-such-connection': 'This connection is gone.',
  'bench-no-such-fault': 'This fault has ended.',
}

export const en = {
  duration,
  service: (name: string) => SERVICES[name] ?? name,
  word: (word: string) => WORDS[word] ?? word,
  /** By its name; other texts as they are. */
  error: (reason: string) => ERRORS[reason] ?? reason,
  field: (name: string) => FIELDS[name] ?? name.replaceAll('_', ' '),
  old: (ms: number) => `${duration(ms)} old`,
  cancel: 'Cancel',
  close: 'Close',
  slot: (slot: number) => `Slot ${slot}`,
  pin: (pin: number) => `Pin ${pin}`,
  set: 'Set',
  zeroOr: (range: string) => `0, or ${range}`,
  wholeNumber: 'whole number, ',
  shell: {
    state: { skip: 'Skip to the content', loading: 'Loading …', noPage: 'There is no such page.' },
    places: { pages: 'Pages', device: 'Device', events: 'Events', bench: 'Bench', reference: 'API reference' },
    menu: { settings: 'Settings', language: 'Language', theme: 'Colors', signOut: 'Sign out', about: 'About this device' },
    themes: { auto: 'Like the system', light: 'Light', dark: 'Dark' },
    version: (version: string) => `Slotwire ${version}`,
    virtual: 'virtual',
    paused: 'Time paused',
    pageFailed: (reason: string) => `This page could not be loaded: ${reason}`,
  },
  access: {
    connecting: 'Connecting to the device …',
    unusable: 'This page cannot use the device',
    title: 'Sign in',
    token: 'Access token',
    hint: 'An administrator of the device makes one with “slotwire token create”. The page keeps it in memory only: a reload asks again.',
    unknown: 'The device does not accept this token: check it, it may have expired.',
    refused: (reason: string) => `The token was not accepted: ${reason}`,
  },
  link: {
    live: 'Live',
    lost: (time: string, ms: number) => `No connection since ${time} (${duration(ms)})`,
    why: (reason: string) => `Reason: ${reason}`,
  },
  health: {
    well: 'All is well',
    unknown: 'Reading the device …',
    problems: (count: number) => (count === 1 ? '1 thing needs attention' : `${count} things need attention`),
    lost: 'The device cannot be reached. All values are old.',
    restarting: 'The device restarts.',
    left: (service: string, slot: number) => `${moduleIn(service, slot)} is gone.`,
    hung: (service: string, slot: number) => `${moduleIn(service, slot)} does not answer: unplug it, or restart the device.`,
    unreadable: (service: string, slot: number, reason: string) => `${moduleIn(service, slot)} cannot be read: ${reason}`,
    newSession: (service: string, slot: number) => `${moduleIn(service, slot)} has a new session: it is in its initial state.`,
    alerts: (slot: number, pin: number, alerts: string, count: number) =>
      `Slot ${slot}, pin ${pin}: ${alerts} ${count} alert${count === 1 ? '' : 's'} in the last minutes.`,
    watchdog: (ms: number) => `The watchdog restarts the device in ${duration(ms)}.`,
    protection: (counter: string, count: number) => `The power protection acted in the last minutes: ${counter}, ${count}×.`,
    railLimit: (rail: string) => `The ${rail} rail supplies more than its limit.`,
    hot: (sensor: string, celsius: number) => `${sensor}: ${celsius} °C is too hot.`,
    railOff: (rail: string) => `The ${rail} rail has no voltage.`,
    hidden: (services: string) => `Your access token does not show modules of these types: ${services}.`,
    dismiss: 'Seen',
    dismissAll: 'Seen all',
  },
  drive: {
    start: 'Drive',
    stop: 'Stop driving',
    readOnly: 'Read-only',
    you: (holder: string) => `${holder} (you)`,
    driving: (holder: string) => `${holder} drives`,
    title: 'Drive this device',
    explain: 'While you drive, only this page can change the modules. All others see your name.',
    name: 'Your name',
    takeOver: 'Take over',
    heldBy: (holder: string, slots: string) => `${holder} drives slot ${slots} now. Taking over ends that at once.`,
    hidden: 'You do not drive any more: this page was hidden for a minute.',
    lost: 'You do not drive any more: another client took over, or the connection was lost too long.',
    takenOver: (holder: string) => `You do not drive any more: ${holder} took over.`,
    needed: 'Read-only: press Drive first',
    neededFor: (slots: string) => `Slot ${slots} is not yours: press Drive again`,
    other: (holder: string) => `${holder} drives this slot`,
  },
  request: {
    dialog: { show: 'The request', title: 'The request of this control', copy: 'Copy', copied: 'Copied' },
    languages: { curl: 'curl', typescript: 'TypeScript', python: 'Python' },
    token: 'Set TOKEN to your access token first.',
    authority: 'Set CA to the file of the device’s authority first: “About this device” has it to download.',
    leased: (holder: string) => `${holder} drives: the command is refused until that ends.`,
    invalid: (problem: string) => `Not possible: ${problem}`,
    steps: { sending: 'Sending …', done: 'Done', ask: 'Do you want this?', confirm: 'Yes, do it' },
    noConnection: 'No connection to the device',
    danger: (_endpoint: string, english: string) => english,
  },
  chart: {
    window: 'Time shown',
    pause: 'Pause',
    resume: 'Continue',
    line: (name: string, value: string) => `${name}: ${value}. Use the arrow keys to move it.`,
  },
  device: {
    title: 'Device',
    slots: 'Slots',
    empty: 'empty',
    emptyOrHidden: 'empty, or not shown',
    gone: 'Gone',
    alert: 'alert',
    serial: 'Serial number',
    power: 'Power',
    rails: RAILS,
    electric: { rail: 'Rail', voltage: 'Voltage', current: 'Current', limit: 'Limit' },
    budget: { drawn: 'Drawn', granted: 'Granted', left: 'Left', available: 'Available', total: 'Total' },
    fan: 'Fan',
    fanForced: 'fixed',
    fanAutomatic: 'automatic',
    rpmOff: 'speed not measured',
    sensors: { on_board_temp: 'Power supply', pmc_temp: 'Power controller', ntc_0: 'Processor', ntc_1: 'Ambient' },
    watchdog: 'Watchdog',
    watchdogOff: 'off',
    watchdogLeft: (seconds: string, of: string) => `${seconds} of ${of} left`,
    states: { up: 'Running', restarting: 'Restarting', unknown: 'Not known' },
    shutdown: 'Longest shutdown',
    share: 'Drawn and granted',
    shareOf: (drawn: string, granted: string, available: string) => `${drawn} drawn, ${granted} granted, of ${available}`,
    totalHint: 'The total counts what the supply loses on the way to the rails, as the device does when it grants power.',
    more: 'Details',
    unit: { modules: 'Modules', module: 'Module', product: 'Name', firmware: 'Firmware', session: 'Session' },
    slotColumn: 'Slot',
    hung: (service: string) => `${service} does not answer`,
    lostSession: 'new session',
    modes: { analog: 'analog', digital: 'digital', output: 'output', pwm: 'PWM', unknown: 'unknown' },
    emergency: 'The storage of the mainboard is corrupt: nothing can be saved.',
  },
  io: ioEn,
  about: {
    connection: 'Connection',
    address: 'Address',
    encrypted: 'Encryption',
    tls: 'HTTPS',
    plain: 'none: use this address only on this device or in a protected network',
    withToken: 'in the memory of this page',
    withoutToken: 'not needed at this address',
    version: 'Version',
    warnings: 'What an operator must check',
    noWarnings: 'The server reports nothing.',
    certificates: 'Certificates',
    noCertificates: 'This device has no certificates: it has no door to the network, or one without HTTPS.',
    authority: 'Authority: what clients must trust',
    server: 'Server: what this device presents',
    subject: 'Subject',
    names: 'Valid for',
    until: 'Valid until',
    ends: (date: string, days: number) => (days < 0 ? `${date} (expired)` : `${date} (${days} days left)`),
    fingerprint: 'SHA-256',
    download: 'Download the authority',
    compare:
      'Compare the fingerprint with the output of “slotwire cert show” on the device before you trust it: this page could come from an attacker. A system that trusts the authority trusts this device for every name.',
    systems: 'How to trust it',
    steps: {
      'Programs, curl': 'curl --cacert FILE, or the option ca of slotwire/client. Nothing else on the computer trusts it then.',
      Firefox: 'Settings → Privacy & Security → View Certificates → Authorities → Import → trust for websites.',
      Windows: 'Open the file → Install Certificate → Current User → Trusted Root Certification Authorities.',
      macOS: 'Open the file in Keychain Access → its entry → Trust → Always Trust. For Safari and Chrome.',
      'Debian, Ubuntu': 'Copy it to /usr/local/share/ca-certificates, run sudo update-ca-certificates. Chrome: import it, too.',
      'iPhone, iPad': 'Open it → Settings → Profile Downloaded → Install. Then General → About → Certificate Trust Settings.',
      Android: 'Settings → Security → Encryption & credentials → Install a certificate → CA certificate.',
    } as Words,
  },
  page: {
    left: (service: string, slot: number) => `Slot ${slot} has no ${service} module now. This page continues when it is back.`,
  },
  bench: benchEn,
  system: systemEn,
  events: {
    sentence: (key: string): string | undefined => SENTENCES[key],
    word: (word: string) => EVENT_WORDS[word] ?? word,
    kind: (kind: string) => (kind === 'usb' ? 'USB' : capitalized(kind)),
    filters: { kinds: 'Kinds (none chosen: all)', allSlots: 'All slots', text: 'Text' },
    paused: (count: number) => `Paused: ${count} newer`,
    shown: (shown: number, of: number) => `${shown} of ${of} shown`,
    lines: {
      list: 'Journal',
      empty: 'Nothing in the journal fits.',
      earlier: 'Older',
      end: 'This is the beginning of the history.',
    },
    kept: 'Of earlier times the device keeps alerts, protection, power, watchdog, modules and restarts. Writes, leases and USB settings are kept in memory only.',
    gap: (count: number | undefined) =>
      count === undefined ? 'Entries are missing here.' : `Missing here: at most ${count} entries.`,
    by: (who: string) => `by ${who}`,
    slots: (slots: readonly number[]) => `${slots.length === 1 ? 'slot' : 'slots'} ${slots.join(', ')}`,
    doors: { loopback: 'loopback door', network: 'network door' },
    token: (name: string) => `token ${name}`,
    times: (count: number) => `${count} times`,
  },
}

export type Texts = typeof en
