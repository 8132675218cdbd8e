import { expect, test } from 'vitest'
import { filesOf } from './page.ts'

const FILES = {
  '/': ['home.js'],
  '/files': ['list.js'],
  '/files/:id': ['file.js'],
  '/files/new': ['new.js'],
}

test.each([
  ['/', ['home.js']],
  ['/files?search=a#b', ['list.js']],
  ['/files/file_1', ['file.js']],
  ['/files/new', ['new.js']],
  ['/files/', []],
  ['/files/a/b', []],
  ['/constructor', []],
])('the page at %s needs %j', (url, files) => expect(filesOf(url, FILES)).toEqual(files))
