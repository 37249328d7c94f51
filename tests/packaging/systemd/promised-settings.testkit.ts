import { SERVICE_NAMES } from '@slotwire/device/names'

const MEBIBYTE = 1024 * 1024

/** What systemd is to do for a service, by the names and in the words of `systemctl show`. */
type Settings = Readonly<Record<string, string>>

/** What is promised of every service; its watchdog is told of when it runs. */
export const PROMISED: Readonly<Record<string, Settings>> = {
  readiness: { Type: 'notify', NotifyAccess: 'all' },
  'to be started again, for ever': { Restart: 'always', RestartUSec: '2s', StartLimitIntervalUSec: '0' },
  'an end in order, and soon': {
    KillMode: 'mixed',
    TimeoutStartUSec: '30s',
    TimeoutStopUSec: '10s',
    TimeoutAbortUSec: '5s',
  },
  'bounds of what it takes': { TasksMax: '400', LimitNOFILE: '8192', LimitCORE: '0' },
  'a user without rights, and files for that user alone': {
    User: 'slotwire',
    Group: 'slotwire',
    UMask: '0077',
    StateDirectoryMode: '0700',
    NoNewPrivileges: 'yes',
    RestrictSUIDSGID: 'yes',
  },
  'a device policy that is closed but for the slots’ driver': {
    DevicePolicy: 'closed',
    // That the clock can be read comes with ProtectClock.
    DeviceAllow: 'char-rtc r, char-sdbp_class rw, char-serial_device_bus_protocol rw',
  },
  'a read-only system, and a private tmp': {
    ProtectSystem: 'strict',
    ProtectHome: 'yes',
    PrivateTmp: 'yes',
    PrivateMounts: 'yes',
    PrivateIPC: 'yes',
    RemoveIPC: 'yes',
  },
  'a kernel that it cannot change': {
    ProtectClock: 'yes',
    ProtectControlGroups: 'yes',
    ProtectHostname: 'yes',
    ProtectKernelLogs: 'yes',
    ProtectKernelModules: 'yes',
    ProtectKernelTunables: 'yes',
    LockPersonality: 'yes',
    RestrictRealtime: 'yes',
    RestrictNamespaces: 'yes',
  },
  'restricted address families': { RestrictAddressFamilies: 'AF_INET AF_INET6 AF_NETLINK AF_UNIX' },
  'memory that it may write and execute, for the runtime': { MemoryDenyWriteExecute: 'no' },
}

const LOOPBACK_ALONE: Settings = { IPAddressDeny: '0.0.0.0/0 ::/0', IPAddressAllow: '127.0.0.0/8 ::1/128' }
const NO_CAPABILITIES: Settings = { CapabilityBoundingSet: '', AmbientCapabilities: '', PrivateUsers: 'yes' }
const ONE_TYPE: Settings = { MemoryMax: String(256 * MEBIBYTE), ...LOOPBACK_ALONE, ...NO_CAPABILITIES }

/** What is promised of one of them: its memory, its powers, whom it reaches. */
export const PROMISED_OF: Readonly<Record<string, Settings>> = {
  'slotwire.service': {
    MemoryMax: String(320 * MEBIBYTE),
    CapabilityBoundingSet: 'cap_net_bind_service',
    AmbientCapabilities: 'cap_net_bind_service',
  },
  ...Object.fromEntries(SERVICE_NAMES.map((service) => [`slotwire-${service}.service`, ONE_TYPE])),
  'slotwire-power-manager.service': { ...ONE_TYPE, MemoryMax: String(128 * MEBIBYTE) },
}

/** System calls that a service has no use for, of each group that is left out. */
export const REFUSED_CALLS = ['mount', 'reboot', 'ptrace', 'init_module', 'settimeofday', 'chown', 'setpriority', 'bpf']
/** What it works with. */
export const NEEDED_CALLS = ['read', 'openat', 'execve', 'futex', 'socket', 'mprotect']

/** Of what `systemctl show` has printed, the settings of these names; words of a list, and lines of one setting, in alphabetical order. */
export function settingsOf(shown: string, names: readonly string[]): Settings {
  const lines = shown.split('\n').map((line) => /^(\w+)=(.*)$/.exec(line) ?? [])
  const valueOf = (name: string): string =>
    lines
      .flatMap(([, found, value = '']) => (found === name ? [value.split(' ').sort().join(' ')] : []))
      .sort()
      .join(', ')
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]))
}
