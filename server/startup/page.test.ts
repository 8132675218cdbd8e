import { mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildEnvironment, buildIn, commandIn, newestSource, runBuild } from './page.ts'
import { sized } from '../../test/scale.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'stevedore-page-'))))
afterAll(() => rm(folder, { recursive: true }))

test('another user than the one who built the page can read it', async () => {
  // Vite takes seconds of a processor; it creates files in the same way.
  const written = async (into: string) => {
    await mkdir(path.join(into, 'assets'))
    await writeFile(path.join(into, 'index.html'), '')
  }
  const built = await buildIn(path.join(folder, 'dist'), sized(written, undefined))
  for (const name of ['', 'assets']) {
    const { mode } = await stat(path.join(built, name))
    expect(mode & 0o555).toBe(0o555)
  }
})

test('the newest source counts, in any folder, except tests and builds', async () => {
  const web = path.join(folder, 'web')
  const write = async (name: string, seconds: number) => {
    const file = path.join(web, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, '')
    await utimes(file, seconds, seconds)
  }
  await write('page.tsx', 1000)
  await write('ui/deep/button.tsx', 2000)
  await write('ui/button.test.ts', 3000)
  await write('dist/index.html', 4000)
  await write('dist-x1/index.html', 5000)
  await write('node_modules/.cache/compiled/module', 6000)
  await write('.cache/module', 7000)
  expect(await newestSource(web)).toBe(2_000_000)
})

test('the cache of compiled modules is the same folder for the build, which runs elsewhere', () => {
  const before = process.env.NODE_COMPILE_CACHE
  onTestFinished(() => {
    if (before === undefined) delete process.env.NODE_COMPILE_CACHE
    else process.env.NODE_COMPILE_CACHE = before
  })
  process.env.NODE_COMPILE_CACHE = 'node_modules/.cache/compiled'
  expect(buildEnvironment().NODE_COMPILE_CACHE).toBe(path.resolve('node_modules/.cache/compiled'))
})

test('a failed build says why, without a stack', async () => {
  const failing = `console.error('error during build:\\n' + new Error('Unexpected token').stack)
    process.exitCode = 1`
  await expect(runBuild(['-e', failing], 'The admin page')).rejects.toThrow(
    /^The admin page could not be built:\nerror during build:\nError: Unexpected token$/,
  )
  const file = path.join(folder, 'a-file')
  await writeFile(file, '')
  await expect(commandIn(file)()).rejects.toThrow(
    /^The command could not be built:\nENOTDIR: [^\n]+$/,
  )
})
