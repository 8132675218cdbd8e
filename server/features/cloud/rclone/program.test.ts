import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findRclone } from './program.ts'

/** A program that prints this text for `rclone version`. */
async function programSaying(text: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-rclone-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'rclone')
  await writeFile(file, `#!/bin/sh\necho '${text}'\n`)
  await chmod(file, 0o755)
  return file
}

test('a missing program is not used, and the message says what to install', async () => {
  const found = await findRclone('/no/such/rclone')
  expect(found).toMatchObject({ path: null, version: null })
  expect(found.message).toContain('RCLONE_EXECUTABLE is no program. Install rclone 1.60 or newer')
})

test.each([
  ['rclone v1.59.2', '1.59.2', 'rclone 1.59.2 is too old'],
  ['something else', null, 'rclone does not start'],
])('%s is not used', async (text, version, message) => {
  const found = await findRclone(await programSaying(text))
  expect(found).toMatchObject({ path: null, version })
  expect(found.message).toContain(`${message}. Install rclone 1.60 or newer`)
})

test('a program that does not run is passed over for one that does', async () => {
  const broken = await programSaying('no binary')
  const works = await programSaying('rclone v1.60.1')
  expect(await findRclone(null, [broken, works])).toMatchObject({ path: works })
  expect((await findRclone(null, [broken])).message).toContain('rclone does not start')
})

test.each([
  ['rclone v1.60.1-DEV', '1.60.1'],
  ['rclone v1.71.0', '1.71.0'],
  ['rclone v2.0', '2.0'],
])('%s is used', async (text, version) => {
  const program = await programSaying(text)
  expect(await findRclone(program)).toEqual({ path: program, version, message: null })
})
