import { expect, test } from 'vitest'
import { pageRouteOf } from './page.ts'

const FILES = {
  '/': ['home.js'],
  '/files': ['list.js'],
  '/files/:id': ['file.js'],
  '/files/new': ['new.js'],
}

test.each([
  ['/', '/'],
  ['/files?search=a#b', '/files'],
  ['/files/file_1', '/files/:id'],
  ['/files/new', '/files/new'],
  ['/files/', undefined],
  ['/files/a/b', undefined],
  ['/constructor', undefined],
])('the page at %s has the route %s', (url, route) => expect(pageRouteOf(url, FILES)).toBe(route))
