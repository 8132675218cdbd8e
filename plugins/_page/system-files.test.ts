import { expect, it } from 'vitest'
import { isSystemFile } from './system-files.ts'

it.each([
  '.DS_Store',
  'a/.DS_Store',
  '._guide.pdf',
  'Thumbs.db',
  'a/b/desktop.ini',
  'Icon\r',
  '~$offer.docx',
  '.~lock.list.ods#',
  'sync.ffs_db',
  '.sync.ffs_lock',
  'sync.Del.ffs_lock',
  '__MACOSX/guide.pdf',
  'shop/.git/config',
  'Photos/@eaDir/a.jpg/SYNOFILE_THUMB_M.jpg',
  '#recycle/old.pdf',
  '$RECYCLE.BIN/a.pdf',
  'a/.dropbox.cache/b.pdf',
  '.Trash-1000/files/a.pdf',
])('%j is left by a system or a program', (path) => {
  expect(isSystemFile(path)).toBe(true)
})

it.each([
  'guide.pdf',
  '.htaccess',
  'Icon.png',
  'desktop.ini.pdf',
  'sync.pdf',
  'Thumbs.db.zip',
  'git/config',
  'my.git/a.pdf',
  'recycle/a.pdf',
  '.gitignore',
  'lost and found/a.pdf',
])('%j is content', (path) => {
  expect(isSystemFile(path)).toBe(false)
})
