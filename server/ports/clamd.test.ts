import { createServer, type AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EICAR, startFakeClamd, type FakeClamdOptions } from '../../test/fakes/clamd.ts'
import { contentOf } from '../../test/fakes/content.ts'
import { scanBytes, ScannerError } from './clamd.ts'

const { signal } = new AbortController()

async function* piecesOf(...pieces: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

async function clamd(options?: FakeClamdOptions) {
  const fake = await startFakeClamd(options)
  onTestFinished(() => fake.close())
  return fake
}

test('the bytes arrive whole, and what is found in them has a name', async () => {
  const { address, streams } = await clamd()
  const large = contentOf(3_000_000, 'large')
  expect(await scanBytes(address, piecesOf(large, '', 'end'), signal)).toBeNull()
  expect(streams[0]!.equals(Buffer.concat([large, Buffer.from('end')]))).toBe(true)
  expect(await scanBytes(address, piecesOf('a ', EICAR), signal)).toBe('Eicar-Test-Signature')
  expect(await scanBytes(address, piecesOf(), signal)).toBeNull()
})

test('a stream that the daemon refuses is no failure that another attempt could help', async () => {
  const { address } = await clamd({ most: 100_000 })
  const endless = async function* () {
    for (let at = 0; at < 2000; at++) yield contentOf(64 * 1024, 'much')
  }
  await expect(scanBytes(address, endless(), signal)).rejects.toMatchObject({
    name: 'ScannerError',
    message: 'INSTREAM size limit exceeded. ERROR',
    retryable: false,
  })
})

test.each([
  [{ says: 'stream: Some error ERROR' }, 'stream: Some error ERROR'],
  [{ says: '' }, ''],
  [{ says: null }, 'it closed the connection'],
])('an answer that is no verdict is a failure: %j', async (options, message) => {
  const { address } = await clamd(options)
  const failure = await scanBytes(address, piecesOf('bytes'), signal).catch((error) => error)
  expect(failure).toBeInstanceOf(ScannerError)
  expect(failure).toMatchObject({ retryable: true, message: expect.stringContaining(message) })
})

test('a daemon that is not there, hangs, or has no socket is a failure', async () => {
  const { address, close } = await startFakeClamd()
  await close()
  await expect(scanBytes(address, piecesOf('a'), signal)).rejects.toThrow(/ECONNREFUSED/)
  await expect(scanBytes({ path: '/no/socket' }, piecesOf('a'), signal)).rejects.toThrow(/ENOENT/)
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const at = { host: '127.0.0.1', port: (silent.address() as AddressInfo).port }
  await expect(scanBytes(at, piecesOf('a'), signal, 50)).rejects.toThrow('in time')
})

test('a socket of the machine is asked too', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-clamd-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const server = createServer((socket) => socket.on('data', () => socket.end('stream: OK\0')))
  const place = path.join(folder, 'clamd.ctl')
  await new Promise<void>((resolve) => server.listen(place, resolve))
  onTestFinished(() => void server.close())
  expect(await scanBytes({ path: place }, piecesOf('a'), signal)).toBeNull()
})

test('errors of the bytes, and a pause, end the scan with their own reasons', async () => {
  const { address } = await clamd()
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a')
    throw new Error('the disk is gone')
  }
  await expect(scanBytes(address, broken(), signal)).rejects.toThrow('the disk is gone')
  const stop = new AbortController()
  const paused = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a')
    stop.abort(new Error('paused'))
  }
  await expect(scanBytes(address, paused(), stop.signal)).rejects.toThrow('paused')
})
