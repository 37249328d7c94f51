/** A file of the state folder that belongs into a backup. */
export interface StateFile {
  /** In the folder, with `/`; `N` stands for a number. */
  readonly path: string
  /** Who the device is to others: only with `--identity`. */
  readonly identity: boolean
  /** Nobody gets more rights than these. */
  readonly widestMode: number
  /** One sentence for people. */
  readonly about: string
}

const PUBLIC = 0o644
const OWNER_ONLY = 0o600

/** All files that a backup can hold. What is not among them is neither saved, nor touched by a restore. */
export const STATE_FILES: readonly StateFile[] = [
  { path: 'settings.yaml', identity: false, widestMode: PUBLIC, about: 'the settings' },
  { path: 'tokens.json', identity: false, widestMode: OWNER_ONLY, about: 'the tokens, hashed' },
  { path: 'token-use.json', identity: false, widestMode: OWNER_ONLY, about: 'when each token was used last' },
  { path: 'discovery.json', identity: false, widestMode: OWNER_ONLY, about: 'the host name that was free at last' },
  { path: 'twin/slot-N.json', identity: false, widestMode: OWNER_ONLY, about: 'what a virtual module has saved' },
  { path: 'tls/imported.pem', identity: false, widestMode: OWNER_ONLY, about: 'a company’s own certificate, with its key' },
  { path: 'machine-id', identity: true, widestMode: PUBLIC, about: 'the machine id' },
  {
    path: 'tls/authority.key',
    identity: true,
    widestMode: OWNER_ONLY,
    about: 'the key of the device’s authority, and its certificate',
  },
  { path: 'tls/authority.pem', identity: true, widestMode: PUBLIC, about: 'the authority’s certificate, for everybody' },
  { path: 'tls/server.pem', identity: true, widestMode: OWNER_ONLY, about: 'the server’s certificate, with its key' },
]

/** Folders that state files lie in, besides the state folder itself. */
export const STATE_FOLDERS: readonly string[] = ['twin', 'tls']

/** The declaration of a file by its path; undefined: no state file. */
export function stateFileOf(path: string): StateFile | undefined {
  const general = path.replace(/^twin\/slot-\d{1,3}\.json$/, 'twin/slot-N.json')
  return path === 'twin/slot-N.json' ? undefined : STATE_FILES.find((file) => file.path === general)
}
