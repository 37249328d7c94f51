import { benchEn } from './bench-en.ts'
import { eventsEn } from './events-en.ts'
import { ioEn } from './io-en.ts'
import { systemEn } from './system-en.ts'

// All texts of the console in English. The other languages have the same type: a missing text is a type error.
const MS_PER_SECOND = 1000
const MS_PER_MINUTE = 60_000
const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 86_400_000

/** `12 s`, `4 min`, `3 h 20 min`, `5 d 2 h`. */
function duration(ms: number): string {
  if (ms < MS_PER_MINUTE) return `${Math.floor(ms / MS_PER_SECOND)} s`
  if (ms < MS_PER_HOUR) return `${Math.floor(ms / MS_PER_MINUTE)} min`
  if (ms < MS_PER_DAY) return `${Math.floor(ms / MS_PER_HOUR)} h ${Math.floor((ms % MS_PER_HOUR) / MS_PER_MINUTE)} min`
  return `${Math.floor(ms / MS_PER_DAY)} d ${Math.floor((ms % MS_PER_DAY) / MS_PER_HOUR)} h`
}

const SERVICES: Readonly<Record<string, string>> = { io: 'IO', power: 'Power', bmc: 'Mainboard' }

/** Words of the API that need another word for people. Others are shown as they are. */
const WORDS: Readonly<Record<string, string>> = { true: 'On', false: 'Off', '5_volt': '5 V', '12_volt': '12 V', pwm: 'PWM' }
/** Names of fields of the API. Others are shown without their underscores. */
const FIELDS: Readonly<Record<string, string>> = {
  threshold_millivolt: 'Threshold',
  debounce_time_milliseconds: 'Debounce time',
  current_milliampere: 'Current',
  fan_forced: 'Fixed speed',
  fan_mode: 'Speed',
  limit_3v3: '3.3 V limit',
  limit_5v0: '5 V limit',
  limit_12v: '12 V limit',
}

export const en = {
  duration,
  service: (name: string) => SERVICES[name] ?? name,
  word: (word: string) => WORDS[word] ?? word,
  field: (name: string) => FIELDS[name] ?? name.replaceAll('_', ' '),
  ago: (ms: number) => `${duration(ms)} ago`,
  old: (ms: number) => `${duration(ms)} old`,
  noValue: 'no value yet',
  cancel: 'Cancel',
  close: 'Close',
  slot: (slot: number) => `Slot ${slot}`,
  pin: (pin: number) => `Pin ${pin}`,
  values: 'Values',
  set: 'Set',
  shell: {
    skip: 'Skip to the content',
    pages: 'Pages',
    device: 'Device',
    events: 'Events',
    bench: 'Bench',
    reference: 'API reference',
    settings: 'Settings',
    about: 'About this device',
    language: 'Language',
    theme: 'Colors',
    themes: { auto: 'Like the system', light: 'Light', dark: 'Dark' },
    signOut: 'Sign out',
    version: (version: string) => `Slotwire ${version}`,
    virtual: 'virtual',
    paused: 'Time paused',
    loading: 'Loading …',
    pageFailed: (reason: string) => `This page could not be loaded: ${reason}`,
    noPage: 'There is no such page.',
  },
  access: {
    connecting: 'Connecting to the device …',
    unusable: 'This page cannot use the device',
    title: 'Sign in',
    token: 'Access token',
    hint: 'An administrator of the device makes one with “slotwire token create”. The page keeps it in memory only: a reload asks again.',
    unknown: 'The device does not accept this token: check it, it may have expired.',
    refused: (reason: string) => `The token was not accepted: ${reason}`,
    submit: 'Sign in',
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
    left: (service: string, slot: number) => `The ${service} module in slot ${slot} is gone.`,
    hung: (service: string, slot: number) =>
      `The ${service} module in slot ${slot} does not answer: unplug it, or restart the device.`,
    unreadable: (service: string, slot: number, reason: string) =>
      `The ${service} module in slot ${slot} cannot be read: ${reason}`,
    newSession: (service: string, slot: number) =>
      `The ${service} module in slot ${slot} has a new session. Its settings are lost: set it up again.`,
    alerts: (slot: number, pin: number, count: number) =>
      `Slot ${slot}, pin ${pin}: ${count} alert${count === 1 ? '' : 's'} in the last minutes.`,
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
    take: 'Drive',
    takeOver: 'Take over',
    heldBy: (holder: string, slots: string) => `${holder} drives slot ${slots} now. Taking over ends that at once.`,
    hidden: 'You do not drive any more: this page was hidden for a minute.',
    lost: 'You do not drive any more: another client took over, or the connection was lost too long.',
    takenOver: (holder: string) => `You do not drive any more: ${holder} took over.`,
    gateway:
      'This address belongs to a gateway: each service is a process of its own, and only that process can give the right to write. So this page stays read-only here. To drive, open the console of the service itself, or run all services in one process with “slotwire serve”.',
    elsewhere: (slots: string) => `Not slot ${slots}: another process drives it. Open the console of its service.`,
    needed: 'Read-only: press Drive first',
    neededFor: (slots: string) => `Slot ${slots} is not yours: press Drive again`,
    other: (holder: string) => `${holder} drives this slot`,
  },
  request: {
    show: 'The request',
    title: 'The request of this control',
    copy: 'Copy',
    copied: 'Copied',
    languages: { curl: 'curl', typescript: 'TypeScript', python: 'Python' },
    token: 'Set TOKEN to your access token first.',
    authority: 'Set CA to the file of the device’s authority first: “About this device” has it to download.',
    leased: (holder: string) => `${holder} drives: the command is refused until that ends.`,
    invalid: (problem: string) => `Not possible: ${problem}`,
    sending: 'Sending …',
    done: 'Done',
    failed: (message: string) => message,
    ask: 'Do you want this?',
    confirm: 'Yes, do it',
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
    serial: 'Serial number',
    firmware: 'Firmware',
    session: 'Session',
    power: 'Power',
    rails: { '3v3': '3.3 V', '5v0': '5 V', '12v': '12 V' },
    rail: 'Rail',
    voltage: 'Voltage',
    drawn: 'Drawn',
    granted: 'Granted',
    left: 'Left',
    limit: 'Limit',
    available: 'Available',
    total: 'Total',
    fan: 'Fan',
    fanForced: 'fixed',
    fanAutomatic: 'automatic',
    rpmOff: 'speed not measured',
    sensors: { on_board_temp: 'Power supply', pmc_temp: 'Power controller', ntc_0: 'Processor', ntc_1: 'Ambient' },
    watchdog: 'Watchdog',
    watchdogOff: 'off',
    watchdogLeft: (seconds: string, of: string) => `${seconds} of ${of} left`,
    up: 'Running',
    restarting: 'Restarting',
    unknown: 'Not known',
    shutdown: 'Longest shutdown',
    current: 'Current',
    share: 'Drawn and granted',
    shareOf: (drawn: string, granted: string, available: string) => `${drawn} drawn, ${granted} granted, of ${available}`,
    totalHint: 'The total counts what the supply loses on the way to the rails, as the device does when it grants power.',
    more: 'Details',
    modules: 'Modules',
    slotColumn: 'Slot',
    module: 'Module',
    product: 'Name',
    hung: (service: string) => `${service} does not answer`,
    lostSession: 'new session: settings lost',
    modes: { analog: 'analog', digital: 'digital', output: 'output', pwm: 'pwm', unknown: 'unknown' },
    emergency: 'The storage of the mainboard is corrupt: nothing can be saved.',
  },
  io: ioEn,
  about: {
    title: 'About this device',
    connection: 'Connection',
    address: 'Address',
    encrypted: 'Encryption',
    tls: 'HTTPS',
    plain: 'none: use this address only on this device or in a protected network',
    signedIn: 'Access token',
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
      Windows:
        'Open the file → Install Certificate → Current User → Trusted Root Certification Authorities. For Edge and Chrome.',
      macOS: 'Open the file in Keychain Access → its entry → Trust → Always Trust. For Safari and Chrome.',
      'Debian, Ubuntu':
        'Copy it to /usr/local/share/ca-certificates/ and run sudo update-ca-certificates. Chrome: Settings → Certificates → Import.',
      'iPhone, iPad':
        'Open the file → Settings → Profile Downloaded → Install. Then General → About → Certificate Trust Settings.',
      Android: 'Settings → Security → Encryption & credentials → Install a certificate → CA certificate.',
    } as Readonly<Record<string, string>>,
  },
  page: {
    left: (service: string, slot: number) => `Slot ${slot} has no ${service} module now. This page continues when it is back.`,
  },
  bench: benchEn,
  system: systemEn,
  events: eventsEn,
}

export type Texts = typeof en
