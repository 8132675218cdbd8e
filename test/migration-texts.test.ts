// Migrations hold the locks of large tables only briefly (docs/decisions/0091-migrations-in-steps.md):
// an inline check is compared with each row, and a plain index is built, while nobody can write.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = path.join(import.meta.dirname, '../migrations')
/** The first that changes tables of an installation: earlier ones create them. */
const FIRST = '0008'
const LARGE = 'files|links|blobs|mappings'

/** The locks that this migration holds while all rows of a large table are read. */
function longLocks(code: string): string[] {
  const sql = code.replaceAll(/--.*|^\s*\/\/.*/gm, '')
  const alterations = sql.match(new RegExp(`alter table (?:${LARGE})\\b[^;]*`, 'g')) ?? []
  const checks = alterations.flatMap((text) =>
    text
      .split(/\badd (?=column|constraint|check)/)
      .filter((added) => /\b(?:check|references)\b/.test(added) && !/\bnot valid\b/.test(added)),
  )
  const indexes = sql.match(
    new RegExp(
      `create (?:unique )?index (?:if not exists )?(?:\\S+ )?on (?:\\$\\{|(?:${LARGE})\\b)`,
      'g',
    ),
  )
  return [...checks, ...(indexes ?? [])].map((text) => text.replaceAll(/\s+/g, ' ').trim())
}

test('finds inline checks and plain indexes of large tables', () => {
  expect(
    longLocks(`alter table files
      add column a integer check (a > 0),
      add column b integer, -- a check
      add constraint c check (b > 0),
      add constraint d check (b > 0) not valid;
      create index on small (a); create unique index e on links (id);
      create index \${name} on \${what};
      alter table small add column a integer check (a > 0)`),
  ).toEqual([
    'column a integer check (a > 0),',
    'constraint c check (b > 0),',
    'create unique index e on links',
    'create index ${name} on ${',
  ])
})

test('no migration reads all rows of a large table under its lock', () => {
  const long = readdirSync(FOLDER)
    .filter((name) => name >= FIRST)
    .flatMap((name) =>
      longLocks(readFileSync(path.join(FOLDER, name), 'utf8')).map((text) => `${name}: ${text}`),
    )
  expect(long).toEqual([])
})
