import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listRemoteFiles } from './listing.ts'

/** A program that lists as rclone 1.70 and newer do: an error in the log, and exit code 0. */
async function programThatLogs(level: string, message: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-rclone-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'rclone')
  const line = JSON.stringify({ level, msg: message, object: 'manuals' })
  const entry = JSON.stringify({ Path: 'a.pdf', Name: 'a.pdf', Size: 1, IsDir: false })
  await writeFile(file, `#!/bin/sh\necho '[' \necho '${entry}'\necho ']'\necho '${line}' >&2\n`)
  await chmod(file, 0o755)
  return file
}

const list = async (program: string): Promise<string[]> => {
  const paths: string[] = []
  await listRemoteFiles(
    program,
    {
      settings: { TYPE: 's3' },
      root: 'bucket',
      hash: null,
      listing: [],
      fetching: {},
      bandwidth: null,
    },
    {
      environment: {},
      signal: new AbortController().signal,
      page: 10,
      onPage: async (files) => void paths.push(...files.map((file) => file.path)),
    },
  )
  return paths
}

test('a listing whose log has an error is incomplete, although it ends with 0', async () => {
  const program = await programThatLogs('error', 'error listing: AccessDenied: 403 Forbidden')
  await expect(list(program)).rejects.toMatchObject({ code: 'cloud_access_denied' })
})

test('a notice leaves a listing complete', async () => {
  const program = await programThatLogs('notice', 'Not following a symbolic link')
  expect(await list(program)).toEqual(['a.pdf'])
})
