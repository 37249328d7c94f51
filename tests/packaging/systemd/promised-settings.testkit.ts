const MEBIBYTE = 1024 * 1024

/** Settings of a unit, by the names and in the format of `systemctl show`. */
type Settings = Readonly<Record<string, string>>

/** Promises for every service. The watchdog is checked while it runs. */
export const PROMISED: Readonly<Record<string, Settings>> = {
  readiness: { Type: 'notify', NotifyAccess: 'all' },
  'a restart after every end': { Restart: 'always', RestartUSec: '2s', StartLimitIntervalUSec: '0' },
  'an orderly and quick end': {
    KillMode: 'mixed',
    TimeoutStartUSec: '30s',
    TimeoutStopUSec: '10s',
    TimeoutAbortUSec: '5s',
  },
  'limits of resources': { TasksMax: '400', LimitNOFILE: '8192', LimitCORE: '0' },
  'a user without rights, and private files': {
    User: 'slotwire',
    Group: 'slotwire',
    UMask: '0077',
    StateDirectoryMode: '0700',
    NoNewPrivileges: 'yes',
    RestrictSUIDSGID: 'yes',
  },
  'a device policy that allows only slots': {
    DevicePolicy: 'closed',
    // ProtectClock adds access to the clock.
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
  'a protected kernel': {
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
  'writable and executable memory, for Node.js': { MemoryDenyWriteExecute: 'no' },
}

/** Promises for one service: memory, capabilities, reachable addresses. */
export const PROMISED_OF: Readonly<Record<string, Settings>> = {
  'slotwire.service': {
    MemoryMax: String(320 * MEBIBYTE),
    CapabilityBoundingSet: 'cap_net_bind_service',
    AmbientCapabilities: 'cap_net_bind_service',
  },
  'slotwire-power-manager.service': {
    MemoryMax: String(128 * MEBIBYTE),
    IPAddressDeny: '0.0.0.0/0 ::/0',
    IPAddressAllow: '127.0.0.0/8 ::1/128',
    CapabilityBoundingSet: '',
    AmbientCapabilities: '',
    PrivateUsers: 'yes',
  },
}

/** System calls that a service does not need, one from each blocked group. */
export const REFUSED_CALLS = ['mount', 'reboot', 'ptrace', 'init_module', 'settimeofday', 'chown', 'setpriority', 'bpf']
/** System calls that a service needs. */
export const NEEDED_CALLS = ['read', 'openat', 'execve', 'futex', 'socket', 'mprotect']

/** The settings of these names in the output of `systemctl show`. Words of a list, and lines of one setting, are sorted. */
export function settingsOf(shown: string, names: readonly string[]): Settings {
  const lines = shown.split('\n').map((line) => /^(\w+)=(.*)$/.exec(line) ?? [])
  const valueOf = (name: string): string =>
    lines
      .flatMap(([, found, value = '']) => (found === name ? [value.split(' ').sort().join(' ')] : []))
      .sort()
      .join(', ')
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]))
}
