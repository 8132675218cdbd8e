// A merchant's own public key, in the format of OpenSSH's .pub files.
import { createHash } from 'node:crypto'
import ssh2, { type ParsedKey } from 'ssh2'
import type { PublicKey } from './accounts.ts'

/** Parses a public key. Null if the text is none, or one of a kind that is too weak. */
export function publicKey(name: string, text: string): PublicKey | null {
  const parsed = ssh2.utils.parseKey(text.trim())
  if (parsed instanceof Error || parsed.isPrivateKey() || parsed.type === 'ssh-dss') return null
  const blob = parsed.getPublicSSH()
  const fingerprint = fingerprintOf(parsed)
  return { name, type: parsed.type, fingerprint, blob: blob.toString('base64') }
}

/** The fingerprint in the form of ssh-keygen: `SHA256:…`. */
export const fingerprintOf = (key: Pick<ParsedKey, 'getPublicSSH'>): string =>
  `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`
