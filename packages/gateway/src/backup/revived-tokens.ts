import { parseTokens, type StoredToken } from '../tokens/token-document.ts'
import { TokenError } from '../tokens/token-error.ts'
import { textOf } from './backup-content.ts'
import type { Backup } from './backup-document.ts'
import { readStateFile } from './collect-state.ts'

const TOKENS_FILE = 'tokens.json'

/** Names of the tokens that restoring a backup would bring back: they are in it, and not in the state folder now. Throws the system's error. */
export function revivedTokens(backup: Backup, folder: string): readonly string[] {
  const saved = backup.files.find(({ path }) => path === TOKENS_FILE)
  if (saved === undefined) return []
  const present = readStateFile(folder, TOKENS_FILE)
  // The id may be the same by chance or by hand: the secret is what lets in.
  const known = new Set(tokensIn(present === undefined ? '' : textOf(present)).map(({ sha256 }) => sha256))
  return tokensIn(textOf(saved)).flatMap(({ name, sha256 }) => (known.has(sha256) ? [] : [name]))
}

/** None where the text is no list of tokens: what is there now may be why a backup is restored, and of what is in that, the restore itself tells. */
function tokensIn(text: string): readonly StoredToken[] {
  try {
    return parseTokens(text)
  } catch (error) {
    if (error instanceof TokenError) return []
    throw error
  }
}
