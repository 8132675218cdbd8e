import { expect, onTestFinished, test } from 'vitest'
import { keepOverReload, mayReload, restoreKept, storeKept, takeKept } from './kept-over-reload.ts'

function memory() {
  const values = new Map<string, string>()
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  }
}

const keep = (name: string, value: unknown) => onTestFinished(keepOverReload(name, () => value))

test('a page has its drafts again after it reloaded itself, once', () => {
  const storage = memory()
  keep('draft', { name: 'Nightly' })
  keep('constructor', ['a name that objects have'])
  keep('nothing', undefined)
  expect(storeKept(() => storage, '/workflows/1')).toBe(true)
  restoreKept(() => storage, '/workflows/1')
  expect(takeKept('draft')).toEqual({ name: 'Nightly' })
  expect(takeKept('draft')).toBeUndefined()
  expect(takeKept('constructor')).toEqual(['a name that objects have'])
  expect(takeKept('nothing')).toBeUndefined()
  expect(takeKept('toString')).toBeUndefined()
})

test('another page, another reload and damaged storage restore nothing', () => {
  const storage = memory()
  keep('draft', 1)
  storeKept(() => storage, '/workflows/1')
  restoreKept(() => storage, '/workflows/2')
  expect(takeKept('draft')).toBeUndefined()
  restoreKept(() => storage, '/workflows/1')
  expect(takeKept('draft')).toBeUndefined()
  storage.setItem('stevedore-kept-over-reload', '{')
  restoreKept(() => storage, '/workflows/1')
  expect(takeKept('draft')).toBeUndefined()
})

test('what cannot be stored is reported, so that the page is not reloaded', () => {
  const setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  keep('draft', 1)
  expect(storeKept(() => ({ setItem }), '/')).toBe(false)
})

test('a page reloads once, and again only for another upgrade', () => {
  const storage = memory()
  expect(mayReload(() => storage, 1_000_000)).toBe(true)
  expect(mayReload(() => storage, 1_030_000)).toBe(false)
  expect(mayReload(() => storage, 1_060_000)).toBe(true)
})

test('a browser without storage does not reload', () => {
  const refuses = () => {
    throw new Error('denied')
  }
  expect(mayReload(() => ({ getItem: refuses, setItem: refuses }), 1)).toBe(false)
  // In a frame of another site, reading `window.sessionStorage` throws.
  expect(mayReload(refuses, 1)).toBe(false)
  expect(storeKept(refuses, '/')).toBe(false)
  expect(() => restoreKept(refuses, '/')).not.toThrow()
})
