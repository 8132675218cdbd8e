import { onTestFinished, expect, test } from 'vitest'
import { z } from 'zod'
import { createLogger } from '../core/log.ts'
import { createSandboxes } from './sandbox.ts'

const script = new URL('../../test/children/odd-child.ts', import.meta.url)
const limits = {
  memoryBytes: 400 * 1024 ** 2,
  wallMs: 20_000,
  parallel: 1,
  uses: 10,
  idleMs: 100,
}

/** What a script's deed adds to the log. */
async function loggedBy(deed: string): Promise<object[]> {
  const lines: string[] = []
  const sandboxes = createSandboxes(createLogger('debug', (line) => lines.push(line)))
  onTestFinished(() => sandboxes.close())
  const signal = new AbortController().signal
  const asked = sandboxes
    .of(7)
    .run(script, { input: { deed }, answer: z.unknown(), limits, signal })
  await expect(asked).rejects.toMatchObject({ name: 'PortError' })
  return lines.map((line) => JSON.parse(line) as object)
}

test('an unexpected failure of a script is logged with its stack', async () => {
  expect(await loggedBy('fail')).toMatchObject([
    {
      level: 'error',
      shop: 7,
      script: 'children/odd-child.ts',
      error: expect.stringContaining('a secret of the inside'),
      stack: expect.stringMatching(/odd-child\.ts:\d+/),
    },
  ])
})

test('a script that ends is logged with its last words', async () => {
  expect(await loggedBy('exit')).toMatchObject([{ message: 'a script failed on a file' }])
})

test('the refusal of a file is not logged: the merchant reads it', async () => {
  expect(await loggedBy('refuse')).toEqual([])
})
