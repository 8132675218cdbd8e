import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildProduction } from './production-folder.ts'

test('a folder with something else in it is refused, and keeps it', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-folder-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // The data folder of a server that was started here without DATA_DIR.
  await mkdir(path.join(folder, 'data'))
  await writeFile(path.join(folder, 'package.json'), '{}')
  await expect(buildProduction(folder)).rejects.toThrow(
    `${folder} has more than this command makes, and would lose it: data. Name a new`,
  )
  expect((await readdir(folder)).toSorted()).toEqual(['data', 'package.json'])
})
