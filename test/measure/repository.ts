// What the figures are read from: the files of the product, and the history of the repository.
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Source } from './product.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PRODUCT = ['server', 'plugins', 'workflows', 'web', 'app.config.ts']
/** How many of the last commits are read. */
const COMMITS = 1400

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 100_000_000 })

export async function productFiles(): Promise<Source[]> {
  const files = git('ls-files', ...PRODUCT)
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.gen\.ts$|\.d\.ts$/.test(file))
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(ROOT, file), 'utf8')
      return { file, text, lines: text.split('\n').length - 1 }
    }),
  )
}

export const countMigrations = (): number =>
  git('ls-files', 'migrations/*.ts').trim().split('\n').length

/** The files that each commit changed, the last one first. */
export const readHistory = (): string[][] =>
  git('log', `-${COMMITS}`, '--no-merges', '--name-only', '--format=%x00')
    .split('\0')
    .slice(1)
    .map((commit) => commit.split('\n').filter((file) => file !== ''))
