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
    expect(await small.finish()).toEqual({ size: 5, bytes: Buffer.from('small'), hash: null })
    const bytes = randomBytes(2_000_000)
    const large = createReceiver(staging)
    for (let at = 0; at < bytes.length; at += 100_000)
      await large.write(at, bytes.subarray(at, at + 100_000))
    expect(await large.finish()).toEqual({ size: 2_000_000, bytes: null, hash: hashOf(bytes) })
    expect((await readFile(staging)).equals(bytes)).toBe(true)
  })
  it('accepts chunks in any order', async () => {
    const bytes = randomBytes(900_000)
    const receiver = createReceiver(staging)
    for (const at of [300_000, 0, 600_000])
      await receiver.write(at, bytes.subarray(at, at + 300_000))
    expect(await receiver.finish()).toMatchObject({ size: 900_000 })
    expect((await readFile(staging)).equals(bytes)).toBe(true)
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
