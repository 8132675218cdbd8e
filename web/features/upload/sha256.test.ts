import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { contentOf } from '../../../test/fakes/content.ts'
import { sha256Of } from './sha256.ts'

const SLICE = 4 * 1024 ** 2

test.each([0, 1, 63, 64, SLICE - 1, SLICE, SLICE + 1, 3 * SLICE + 7])(
  'the digest of %i bytes is that of the whole file',
  async (size) => {
    const bytes = contentOf(size, 'digest')
    expect(await sha256Of(new Blob([new Uint8Array(bytes)]))).toBe(
      createHash('sha256').update(bytes).digest('hex'),
    )
  },
)

test('no more than a slice of the file is read at once', async () => {
  const slices: [number, number][] = []
  let open = 0
  const size = 5 * SLICE + 1
  await sha256Of({
    size,
    slice: (from = 0, to = 0) => {
      slices.push([from, to])
      open += 1
      expect(open).toBe(1)
      const blob = new Blob([new Uint8Array(8)])
      blob.arrayBuffer = () => {
        open -= 1
        return new Response(new Uint8Array(8)).arrayBuffer()
      }
      return blob
    },
  })
  expect(slices).toHaveLength(6)
  expect(slices.every(([from, to]) => to - from <= SLICE)).toBe(true)
})

test('a file that cannot be read has no digest', async () => {
  const file = { size: 1, slice: () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }) }
  await expect(sha256Of(file as unknown as Blob)).rejects.toThrow('gone')
})
