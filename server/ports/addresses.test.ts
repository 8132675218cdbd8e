import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { PortError } from '../../plugins/contract/index.ts'
import {
  addressRules,
  guardedLookup,
  isLoopback,
  isPublic,
  addressTargetOf,
  type Resolver,
} from './addresses.ts'

const NOT_PUBLIC = [
  [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.254',
    '127.0.0.1',
    '127.9.9.9',
  ],
  [
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
  ],
  [
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
  [
    '168.63.129.16',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
  ],
  [
    '::ffff:168.63.129.16',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
  ],
  [
    '2001::1',
    '2001:db8::1',
    '2001:10::1',
    '2001:20::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '3fff::1',
    '5f00::1',
  ],
  [
    'fc00::1',
    'fd00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '4000::1',
    '1::1',
  ],
  ['', 'localhost', '1.2.3', '0x7f.1', 'not an address'],
].flat()
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.128.0.1',
  '172.32.0.1',
  '::ffff:8.8.8.8',
  '2606:4700::1111',
]

describe('addresses', () => {
  it.each(NOT_PUBLIC)('%s is not public', (address) => expect(isPublic(address)).toBe(false))
  it.each(PUBLIC)('%s is public', (address) => expect(isPublic(address)).toBe(true))
  it('only loopback addresses are loopback', () => {
    for (const address of ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1'])
      expect(isLoopback(address)).toBe(true)
    for (const address of [
      '0.0.0.0',
      '::',
      '10.0.0.1',
      '8.8.8.8',
      '2002:7f00:1::',
      '64:ff9b::7f00:1',
    ])
      expect(isLoopback(address)).toBe(false)
  })
})

const REFUSED = [
  [
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://127.1/',
    'http://0/',
  ],
  [
    'http://127.0.0.1./',
    'http://１２７.0.0.1/',
    'http://%31%32%37.0.0.1/',
    'http://[::1]/',
    'http://[::]/',
  ],
  [
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
  ],
  [
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://[fd00::1]/',
    'http://168.63.129.16/',
  ],
  ['http://10.0.0.1/', 'https://192.168.0.1/', 'http://0.0.0.0/', 'http://[fe80::1]/'],
  [
    'http://example.com:8080/',
    'http://example.com:22/',
    'https://example.com:6379/',
    'http://8.8.8.8:53/',
  ],
  [
    'ftp://example.com/a',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,x',
    'javascript:alert(1)',
  ],
  ['http://user@example.com/', 'http://user:secret@example.com/', 'http://:secret@example.com/'],
  [
    '',
    'example.com/a',
    '//example.com/a',
    'http://',
    'http://exa mple.com/',
    'http://256.256.256.256/',
    'http://[::1',
  ],
].flat()

describe('a target', () => {
  it.each(REFUSED)('%s is refused with the one common error', (url) => {
    expect(failureOf(() => addressTargetOf(url, addressRules(false)))).toEqual(THE_ONE_FAILURE)
  })
  it.each([
    'http://example.com/a?b',
    'https://example.com:443/',
    'http://example.com:443/',
    'https://example.com:80/',
    'http://8.8.8.8/',
  ])('%s is accepted', (url) =>
    expect(addressTargetOf(url, addressRules(false)).url.href).toBe(new URL(url).href),
  )
  it('opens only loopback, on any port, if that is allowed', () => {
    const rules = addressRules(true)
    for (const url of [
      'http://127.0.0.1:3001/',
      'http://[::1]:9/',
      'http://127.0.0.1/',
      'http://localhost:3001/',
    ])
      expect(addressTargetOf(url, rules).rule('127.0.0.1')).toBe(true)
    for (const url of [
      'http://10.0.0.1:3001/',
      'http://8.8.8.8:3001/',
      'http://0.0.0.0:3001/',
      'http://10.0.0.1/',
    ])
      expect(
        failureOf(() => addressTargetOf(url, rules)),
        url,
      ).toEqual(THE_ONE_FAILURE)
    const { rule } = addressTargetOf('http://example.com:3001/', rules)
    expect([rule('8.8.8.8'), rule('10.0.0.1'), rule('127.0.0.1')]).toEqual([false, false, true])
  })
})

describe('a look-up', () => {
  const addressed =
    (addresses: readonly string[]): Resolver =>
    (_, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
  const unknown: Resolver = (_, done) =>
    done(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), [])
  /** A resolver that answers after this many milliseconds of the fake clock. */
  const after =
    (ms: number, resolve: Resolver): Resolver =>
    (name, done) =>
      void setTimeout(() => resolve(name, done), ms)
  const lookUp = (resolve: Resolver, all = true) => {
    const { promise, resolve: done } = Promise.withResolvers<unknown>()
    guardedLookup(resolve, isPublic)('name', { all }, (error, found) => done(error ?? found))
    return promise
  }
  /** The error of a refused look-up, and its time by the fake clock. */
  const refusalOf = async (resolve: Resolver) => {
    const since = performance.now()
    const answered = lookUp(resolve).then((error) => ({
      ...(error as PortError),
      ms: Math.round(performance.now() - since),
    }))
    await vi.advanceTimersByTimeAsync(10_000)
    const { code, detail, retryable, ms } = await answered
    return { code, detail, retryable, ms }
  }
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('returns the addresses that it checked', async () => {
    expect(await lookUp(addressed(['8.8.8.8', '1.1.1.1']))).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '1.1.1.1', family: 4 },
    ])
    expect(await lookUp(addressed(['8.8.8.8']), false)).toBe('8.8.8.8')
  })
  it.each([[['10.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['8.8.8.8', '::1']], [[]]])(
    'refuses %j like an unknown name, after the same time',
    async (addresses) => {
      const detail = 'The address could not be reached'
      const refusal = { code: 'url_not_accessible', detail, retryable: true, ms: 1000 }
      expect(await refusalOf(unknown)).toEqual(refusal)
      expect(await refusalOf(addressed(addresses))).toEqual(refusal)
    },
  )
  it('reveals nothing by the time of a resolver that is slow for one of them', async () => {
    const blocked = addressed(['10.0.0.1'])
    expect(await refusalOf(after(5, blocked))).toEqual(await refusalOf(after(800, unknown)))
    expect(await refusalOf(after(1005, blocked))).toEqual(await refusalOf(after(1990, unknown)))
  })
})

const THE_ONE_FAILURE = {
  code: 'url_not_accessible',
  message: 'File URL not accessible',
  detail: 'The address could not be reached',
  retryable: false,
}
function failureOf(work: () => unknown) {
  try {
    return work()
  } catch (error) {
    const { code, message, detail, retryable } = error as Record<string, unknown>
    return { code, message, detail, retryable }
  }
}
