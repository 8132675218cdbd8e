// A merchant's own public key.
import { createHash } from 'node:crypto'
import ssh2, { type ParsedKey } from 'ssh2'
import { readPublicKeys, type KeyTextProblem } from '../../../plugins/_page/public-key-text.ts'
import { firstOf } from '../../core/lazy.ts'
import type { PublicKey } from './accounts.ts'

/** Parses the public key in the text; else says why it has none that can be used, or several. */
export function publicKey(name: string, text: string): PublicKey | KeyTextProblem | 'several' {
  const found = readPublicKeys(text)
  if (typeof found === 'string') return found
  const keys = [...new Set(found.map(({ key }) => key))]
  if (keys.length > 1) return 'several'
  const parsed = ssh2.utils.parseKey(firstOf(keys))
  if (parsed instanceof Error) return 'none'
  const blob = parsed.getPublicSSH()
  const fingerprint = fingerprintOf(parsed)
  return { name, type: parsed.type, fingerprint, blob: blob.toString('base64') }
}

/** The fingerprint in the form of ssh-keygen: `SHA256:…`. */
export const fingerprintOf = (key: Pick<ParsedKey, 'getPublicSSH'>): string =>
  `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`
