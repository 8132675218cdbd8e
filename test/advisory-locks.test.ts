// A row lock or a lease (server/core/queue/lease.ts) is visible in the data that it protects; an
// advisory lock is not. Each says why it is one, in a comment before it.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const TAKES_LOCK =
  /pg_(?:try_)?advisory_(?:xact_)?lock|await lockUntilCommit\(|=>\s*lockUntilCommit\(/
/** The reason is a sentence with the words, and more than them. */
const REASON = /advisory lock\b.{20}/
/** How far above the statement its comment may be: a query with its function around it. */
const LINES_ABOVE = 14

/** The places in the code that take an advisory lock without a comment about it, as line numbers. */
function withoutReason(code: string): number[] {
  const lines = code.split('\n')
  return lines.flatMap((line, at) => {
    if (!TAKES_LOCK.test(line) && !/^\s*lockUntilCommit\(/.test(line)) return []
    const comments = lines
      .slice(Math.max(0, at - LINES_ABOVE), at)
      .filter((above) => /^\s*(?:\/\/|\/?\*)/.test(above))
      .map((above) => above.replace(/^\s*(?:\/\/|\/?\*+)/, ''))
    const text = comments.join(' ').replaceAll(/\s+/g, ' ')
    return REASON.test(text) ? [] : [at + 1]
  })
}

test('finds an advisory lock without a reason', () => {
  const sql = "tx.query('select pg_advisory_xact_lock(1)')"
  expect(withoutReason(sql)).toEqual([1])
  expect(withoutReason(`// An advisory lock.\n${sql}`)).toEqual([2])
  expect(withoutReason(`// An advisory lock: the rows\n// do not exist yet.\n${sql}`)).toEqual([])
  expect(withoutReason("  await lockUntilCommit(tx, 'a')")).toEqual([1])
})

test('every advisory lock says why it is one', () => {
  const files = ['server', 'plugins', 'migrations'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.test|\.soak)\.ts$/.test(name))
      .map((name) => path.join(folder, name)),
  )
  const found = files.map((file) => ({ file, code: readFileSync(path.join(ROOT, file), 'utf8') }))
  const taking = found.filter(({ code }) => TAKES_LOCK.test(code))
  expect(taking.length).toBeGreaterThan(8)
  expect(
    taking.flatMap(({ file, code }) => withoutReason(code).map((line) => `${file}:${line}`)),
  ).toEqual([])
})
