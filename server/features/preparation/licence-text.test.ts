import { expect, test } from 'vitest'
import { readLicenceKeys } from './licence-text.ts'

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

test('a line end that is split between two pieces counts once', async () => {
  expect(await readLicenceKeys(pieces('key\r', '\nA-1\r', 'A-2\n', 'A-3\r'), 1000)).toEqual([
    'A-1',
    'A-2',
    'A-3',
  ])
  const wrong = readLicenceKeys(pieces('A-1\r', '\nA\u0007\r', '\n'), 1000)
  await expect(wrong).rejects.toMatchObject({ details: [{ index: 1 }] })
})
