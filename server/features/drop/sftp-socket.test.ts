import { expect, test } from 'vitest'
import { offersGcm } from './sftp-socket.ts'

const list = (...names: string[]): Buffer => {
  const text = Buffer.from(names.join(','))
  const size = Buffer.alloc(4)
  size.writeUInt32BE(text.length)
  return Buffer.concat([size, text])
}

/** The first bytes of a client: its identification, then its algorithm lists (RFC 4253, 7.1). */
function hello(...ciphers: string[]): Buffer {
  const lists = [list('curve25519-sha256'), list('ssh-ed25519'), list(...ciphers)]
  const payload = Buffer.concat([Buffer.from([20]), Buffer.alloc(16), ...lists])
  const head = Buffer.alloc(5)
  head.writeUInt32BE(payload.length + 1)
  return Buffer.concat([Buffer.from('SSH-2.0-Test\r\n'), head, payload])
}

test('a client that lists AES-GCM in any position gets it', () => {
  expect(offersGcm(hello('aes128-ctr', 'aes256-gcm@openssh.com'))).toBe(true)
  expect(offersGcm(hello('aes128-ctr', 'chacha20-poly1305@openssh.com'))).toBe(false)
})

test('incomplete data is buffered, at every length', () => {
  const whole = hello('aes128-gcm@openssh.com')
  for (let length = 0; length < whole.length; length++)
    expect(offersGcm(whole.subarray(0, length))).toBeNull()
})

test('data that is not a list of ciphers is passed to ssh2', () => {
  const name = Buffer.from('SSH-2.0-Test\r\n')
  expect(offersGcm(Buffer.concat([name, Buffer.alloc(100, 255)]))).toBe(false)
  expect(offersGcm(Buffer.alloc(40_000, 65))).toBe(false)
})
