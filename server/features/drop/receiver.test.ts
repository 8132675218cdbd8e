import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { hashOf } from '../../../test/fakes/content.ts'
import { createReceiver } from './receiver.ts'

let staging: string
beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-receiver-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  staging = path.join(folder, 'file')
})

describe('a receiver', () => {
  it('keeps small files in memory, and hashes large ones as they arrive', async () => {
    const small = createReceiver(staging)
    await small.write(0, Buffer.from('small'))
    expect(await small.finish()).toEqual({
      size: 5,
      whole: true,
      bytes: Buffer.from('small'),
      hash: null,
    })
    const bytes = randomBytes(2_000_000)
    const large = createReceiver(staging)
    for (let at = 0; at < bytes.length; at += 100_000)
      await large.write(at, bytes.subarray(at, at + 100_000))
    expect(await large.finish()).toEqual({
      size: 2_000_000,
      whole: true,
      bytes: null,
      hash: hashOf(bytes),
    })
    expect((await readFile(staging)).equals(bytes)).toBe(true)
  })
  it('accepts chunks in any order', async () => {
    const bytes = randomBytes(900_000)
    const receiver = createReceiver(staging)
    for (const at of [300_000, 0, 600_000])
      await receiver.write(at, bytes.subarray(at, at + 300_000))
    expect(await receiver.finish()).toMatchObject({ size: 900_000, whole: true })
    expect((await readFile(staging)).equals(bytes)).toBe(true)
  })
  it('keeps only the bytes before a gap', async () => {
    const bytes = randomBytes(900_000)
    const receiver = createReceiver(staging)
    for (const at of [600_000, 0]) await receiver.write(at, bytes.subarray(at, at + 300_000))
    expect(receiver.size()).toBe(900_000)
    expect(await receiver.finish()).toMatchObject({ size: 300_000, whole: false })
    expect((await readFile(staging)).equals(bytes.subarray(0, 300_000))).toBe(true)
  })
  it('refuses a client that leaves a thousand gaps', async () => {
    const receiver = createReceiver(staging)
    const byte = Buffer.from('x')
    for (let part = 1; part <= 1001; part++) await receiver.write(part * 2, byte)
    await expect(receiver.write(0, byte)).rejects.toMatchObject({ code: 'denied' })
    await receiver.discard()
  })
  it('reports a full disk for every later write', async () => {
    await symlink('/dev/full', staging)
    const receiver = createReceiver(staging)
    await receiver.write(0, randomBytes(600_000))
    await expect(receiver.finish()).rejects.toMatchObject({ code: 'full' })
    await expect(receiver.write(600_000, randomBytes(10))).rejects.toMatchObject({ code: 'full' })
    await receiver.discard()
  })
})
