import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { generateKeyPairSync } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigError } from '../config-error.ts'
import { readEnvironment } from './environment.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'stevedore-pem-'))
afterAll(() => rm(folder, { recursive: true }))
const at = (name: string) => path.join(folder, name)
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

beforeAll(async () => {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
  })
  const encryption = { cipher: 'aes-256-cbc', passphrase: 'secret' }
  const pem = { type: 'pkcs8', format: 'pem' } as const
  const files = {
    'cert.pem': made.cert,
    'key.pem': made.private,
    'other-key.pem': privateKey.export(pem),
    'encrypted-key.pem': privateKey.export({ ...pem, ...encryption }),
    'text.pem': 'not PEM',
    'broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text)
})

const read = (cert: string, key: string, more: Record<string, string> = {}) =>
  readEnvironment({ DROP_TLS_CERT: at(cert), DROP_TLS_KEY: at(key), ...more })

function problemsOf(work: () => unknown): string[] {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message.split('\n  - ').slice(1)
  }
  throw new Error('Nothing was refused')
}

test('a certificate and its key are read', () => {
  const { certificate } = read('cert.pem', 'key.pem').drop
  expect(certificate?.cert).toContain('BEGIN CERTIFICATE')
  expect(certificate?.key).toContain('PRIVATE KEY')
})

test.each([
  [
    'none.pem',
    'none.pem',
    [/^DROP_TLS_CERT: .*none.pem can’t be read \(ENOENT\)$/, /^DROP_TLS_KEY: .*\(ENOENT\)$/],
  ],
  ['', 'key.pem', [/^DROP_TLS_CERT: .* can’t be read \(EISDIR\)$/]],
  ['cert.pem', 'text.pem', [/^DROP_TLS_KEY: .*text.pem is not a PEM file$/]],
  [
    'cert.pem',
    'other-key.pem',
    [/^DROP_TLS_KEY: .* is not the key of the certificate in DROP_TLS_CERT$/],
  ],
  [
    'cert.pem',
    'encrypted-key.pem',
    [/^DROP_TLS_KEY: .* is encrypted: set a key without a password$/],
  ],
  [
    'key.pem',
    'cert.pem',
    [
      /^DROP_TLS_CERT: .* contains no valid certificate$/,
      /^DROP_TLS_KEY: .* contains no valid private key$/,
    ],
  ],
  ['broken.pem', 'key.pem', [/^DROP_TLS_CERT: .* contains no valid certificate$/]],
])('the certificate “%s” with the key “%s” is refused', (cert, key, expected) => {
  const problems = problemsOf(() => read(cert, key))
  expect(problems).toHaveLength(expected.length)
  expected.forEach((pattern, index) => expect(problems[index]).toMatch(pattern))
})

test('they are named together with every other problem, and without the role not read', () => {
  const problems = problemsOf(() => read('none.pem', 'key.pem', { DATABASE_URL: 'postgres://a/b' }))
  expect(problems.join('\n')).toMatch(/APP_SECRET[^]*none\.pem/)
  expect(read('none.pem', 'none.pem', { ROLE: 'web,worker' }).drop.certificate).toBeNull()
})

test('ports that collide are refused, except where the process does not listen on them', () => {
  const ports = { SFTP_PORT: '2222', FTP_PORT: '2222', PORT: '2222' }
  expect(problemsOf(() => readEnvironment(ports))).toEqual([
    'SFTP_PORT and FTP_PORT: set two different ports, both are 2222',
    'SFTP_PORT and PORT: set two different ports, both are 2222',
    'FTP_PORT and PORT: set two different ports, both are 2222',
  ])
  expect(problemsOf(() => readEnvironment({ FTP_PASSIVE_PORTS: '2000-3000' }))).toEqual([
    'FTP_PASSIVE_PORTS: set a range that does not contain SFTP_PORT',
    'FTP_PASSIVE_PORTS: set a range that does not contain FTP_PORT',
    'FTP_PASSIVE_PORTS: set a range that does not contain PORT',
  ])
  expect(readEnvironment({ SFTP_PORT: '0', FTP_PORT: '0' }).drop).toMatchObject({ sftpPort: 0 })
  expect(readEnvironment({ ...ports, ROLE: 'web' }).drop.sftpPort).toBe(2222)
})
