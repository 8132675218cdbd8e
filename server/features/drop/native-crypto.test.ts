import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { abortsOnCollection } from './native-crypto.ts'

const CRYPTO = createRequire(import.meta.url).resolve('ssh2/lib/protocol/crypto.js')

/** Makes ciphers as connections do, until they have been collected many times. */
const PROGRAM = `
  const { CIPHER_INFO, createCipher, init } = require(${JSON.stringify(CRYPTO)})
  const cipherInfo = CIPHER_INFO['aes128-gcm@openssh.com']
  const outbound = {
    ...{ cipherInfo, seqno: 0, onWrite() {} },
    ...{ cipherKey: Buffer.alloc(cipherInfo.keyLen), cipherIV: Buffer.alloc(cipherInfo.ivLen) },
  }
  init.then(() => {
    for (let n = 0; n < 10_000; n++) createCipher({ outbound })
    console.log('alive')
  })`

test('collecting a cipher does not end the process', async () => {
  expect(abortsOnCollection()).toBe(false)
  const args = ['--max-semi-space-size=1', '--eval', PROGRAM]
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('alive\n')
})
