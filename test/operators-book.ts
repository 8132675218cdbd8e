// The shell commands of docs/operators.md: test/soak/operators.soak.ts runs them in their order, and
// test/operators-book.test.ts checks that nothing keeps them from it.
import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface BookBlock {
  /** Where it begins in the page. */
  line: number
  /** Without the indentation of a list. */
  text: string
  /** Why it is not run; null: it is. */
  notRun: string | null
}

const PAGE = path.resolve(import.meta.dirname, '../docs/operators.md')
const NOT_RUN = /^# Not run by the test of this page: (.+)\n/

export const readBook = (): string => readFileSync(PAGE, 'utf8')

/** The blocks of this language. */
export function bookBlocks(language: 'sh' | 'ini', page = readBook()): BookBlock[] {
  const fences = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm')
  return [...page.matchAll(fences)].map(({ index, 1: indent, 2: text }) => {
    const plain = text!.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const line = page.slice(0, index).split('\n').length
    return { line, text: plain, notRun: NOT_RUN.exec(plain)?.[1] ?? null }
  })
}

/** The folders that commands of the page may name. */
const PLACES = /(?<=^|[\s'"=])\/(?=(opt|etc|var\/lib|mnt)\/)/gm

/** The same commands in a folder instead of the system's. */
export const movedInto = (root: string, text: string): string => text.replaceAll(PLACES, `${root}/`)

/** The placeholders of addresses, from the most special one. */
export const ADDRESSES = {
  restored: 'postgres://stevedore:PASSWORD@127.0.0.1:5432/stevedore_new',
  database: 'postgres://stevedore:PASSWORD@127.0.0.1:5432/stevedore',
  monitoring: '9464',
} as const
