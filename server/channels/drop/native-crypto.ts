// Detects whether ssh2 uses its compiled ciphers: without them AES-GCM takes about nine times as
// long.
import { createRequire } from 'node:module'
import path from 'node:path'

const require = createRequire(import.meta.url)

/** The path of the compiled ciphers in ssh2's package. */
export const NATIVE_CRYPTO = path.join(
  path.dirname(require.resolve('ssh2/package.json')),
  'lib/protocol/crypto/build/Release/sshcrypto.node',
)

export function hasNativeCrypto(): boolean {
  try {
    require(NATIVE_CRYPTO)
    return true
  } catch {
    return false
  }
}
