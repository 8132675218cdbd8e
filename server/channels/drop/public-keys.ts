// A merchant's own public key, as OpenSSH writes it into a .pub file.
import { createHash } from 'node:crypto'
import ssh2 from 'ssh2'
import type { PublicKey } from './accounts.ts'

/** Null where the text is no public key, or one of a kind that is too weak. */
export function publicKey(name: string, text: string): PublicKey | null {
  const parsed = ssh2.utils.parseKey(text.trim())
  if (parsed instanceof Error || parsed.isPrivateKey() || parsed.type === 'ssh-dss') return null
  const blob = parsed.getPublicSSH()
  const fingerprint = `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
  return { name, type: parsed.type, fingerprint, blob: blob.toString('base64') }
}
