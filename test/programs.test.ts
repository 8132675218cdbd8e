import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { whereIs } from './programs.ts'

test("a script of npm's packages is not the program of its name", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'stevedore-programs-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const before = process.env.PATH
  onTestFinished(() => void (process.env.PATH = before))
  const [bin, real] = [path.join(folder, 'node_modules/.bin'), path.join(folder, 'bin')]
  for (const place of [bin, real]) {
    await mkdir(place, { recursive: true })
    process.env.PATH = `${bin}${path.delimiter}${real}`
    if (place === real) expect(whereIs('only-a-test')).toBeNull()
    await writeFile(path.join(place, 'only-a-test'), '#!/bin/sh\n')
    await chmod(path.join(place, 'only-a-test'), 0o755)
  }
  expect(whereIs('only-a-test')).toBe(path.join(real, 'only-a-test'))
})
