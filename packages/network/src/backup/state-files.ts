/** A file of the state folder that a backup can hold. */
export interface StateFile {
  /** Path in the state folder, with `/`; `N` is a number. */
  readonly path: string
  /** Part of the device's identity: saved only with `--identity`. */
  readonly identity: boolean
  /** The widest permissions that the file may get. */
  readonly widestMode: number
  /** One sentence for people. */
  readonly about: string
}

const PUBLIC = 0o644
const OWNER_ONLY = 0o600

/** All files that a backup can hold. Other files are neither saved nor touched by a restore. */
export const STATE_FILES: readonly StateFile[] = [
  { path: 'settings.yaml', identity: false, widestMode: PUBLIC, about: 'the settings' },
  { path: 'tokens.json', identity: false, widestMode: OWNER_ONLY, about: 'the tokens, hashed' },
  { path: 'token-use.json', identity: false, widestMode: OWNER_ONLY, about: 'when each token was last used' },
  { path: 'discovery.json', identity: false, widestMode: OWNER_ONLY, about: 'the last host name announced' },
  { path: 'twin/slot-N.json', identity: false, widestMode: OWNER_ONLY, about: 'the saved state of a virtual module' },
  { path: 'tls/imported.pem', identity: false, widestMode: OWNER_ONLY, about: 'an imported company certificate, with its key' },
  { path: 'machine-id', identity: true, widestMode: PUBLIC, about: 'the machine id' },
  {
    path: 'tls/authority.key',
    identity: true,
    widestMode: OWNER_ONLY,
    about: 'the key of the device’s authority, and its certificate',
  },
  { path: 'tls/authority.pem', identity: true, widestMode: PUBLIC, about: 'the authority’s certificate, readable by all' },
  { path: 'tls/server.pem', identity: true, widestMode: OWNER_ONLY, about: 'the server’s certificate, with its key' },
]

/** Folders with state files, besides the state folder itself. */
export const STATE_FOLDERS: readonly string[] = ['twin', 'tls']

/** The declaration of the file at a path; undefined if it is not a state file. */
export function stateFileOf(path: string): StateFile | undefined {
  const general = path.replace(/^twin\/slot-\d{1,3}\.json$/, 'twin/slot-N.json')
  return path === 'twin/slot-N.json' ? undefined : STATE_FILES.find((file) => file.path === general)
}
