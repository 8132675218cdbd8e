// Detects whether ssh2 uses its compiled ciphers: without them an upload over SFTP is about
// two thirds as fast.
import { readFileSync } from 'node:fs'
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

/**
 * In ciphers that were compiled against Node 24.19 or newer, `node::ObjectWrap` calls this from the
 * garbage collector. No context is entered there, so Node aborts
 * (https://github.com/nodejs/node/issues/65446).
 */
const ABORTING_CALL = 'RemoveEnvironmentCleanupHook'

/** Do the compiled ciphers end the process some time after a client disconnects? */
export function abortsOnCollection(): boolean {
  try {
    return readFileSync(NATIVE_CRYPTO).includes(ABORTING_CALL)
  } catch {
    return false
  }
}
