import { expect, test } from 'vitest'
import { mayReload } from './upgraded.ts'

const memory = () => {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
}

test('a page reloads once, and again only for another upgrade', () => {
  const storage = memory()
  expect(mayReload(storage, 1_000_000)).toBe(true)
  expect(mayReload(storage, 1_030_000)).toBe(false)
  expect(mayReload(storage, 1_060_000)).toBe(true)
})

test('a browser without storage does not reload', () => {
  const refuses = () => {
    throw new Error('denied')
  }
  expect(mayReload({ getItem: refuses, setItem: refuses }, 1)).toBe(false)
})
