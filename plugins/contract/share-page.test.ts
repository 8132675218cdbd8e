import { expect, test } from 'vitest'
import { directAddress, pageAdvice } from './share-page.ts'
import { english } from './text.ts'

const ID = '1A_b-c2D3e4F5g6H7'
const DRIVE = `https://drive.usercontent.google.com/download?id=${ID}&export=download&confirm=t`

test.each([
  [`https://drive.google.com/file/d/${ID}/view?usp=sharing`, DRIVE],
  [`https://drive.google.com/file/d/${ID}/edit`, DRIVE],
  [`https://drive.google.com/a/example.com/file/d/${ID}/view`, DRIVE],
  [`https://drive.google.com/open?id=${ID}&authuser=0`, DRIVE],
  [`https://drive.google.com/uc?export=download&id=${ID}`, DRIVE],
  [`https://docs.google.com/uc?id=${ID}`, DRIVE],
  [`https://drive.google.com/file/d/${ID}/view?resourcekey=0-xY`, `${DRIVE}&resourcekey=0-xY`],
  ['https://www.dropbox.com/s/abc/guide.pdf?dl=0', 'https://www.dropbox.com/s/abc/guide.pdf?dl=1'],
  [
    'https://www.dropbox.com/scl/fi/x/guide.pdf?rlkey=k&dl=0',
    'https://www.dropbox.com/scl/fi/x/guide.pdf?rlkey=k&dl=1',
  ],
  [
    'https://shop-my.sharepoint.com/:b:/g/personal/a_shop_com/EabcX?e=4xYz',
    'https://shop-my.sharepoint.com/:b:/g/personal/a_shop_com/EabcX?e=4xYz&download=1',
  ],
  ['https://github.com/a/b/blob/main/x y.pdf', 'https://github.com/a/b/raw/main/x%20y.pdf'],
  ['https://example.com/x.php?id=1&amp;key=2', 'https://example.com/x.php?id=1&key=2'],
  ['https://gitlab.com/g/s/p/-/blob/main/x.pdf', 'https://gitlab.com/g/s/p/-/raw/main/x.pdf'],
])('%s leads to the file itself', (address, direct) => {
  expect(directAddress(address)).toBe(direct)
})

test.each([
  `https://drive.google.com/drive/folders/${ID}`,
  `https://docs.google.com/document/d/${ID}/edit`,
  'https://shop.sharepoint.com/:f:/s/files/EabcX',
  'https://shop.sharepoint.com/sites/x/guide.pdf',
  'https://example.com/a/b/blob/main/x.pdf',
  `https://example.com/file/d/${ID}/view`,
  'not an address',
])('%s is fetched as it is', (address) => {
  expect(directAddress(address)).toBe(address)
})

test('a private link is shared or connected; other hosts need another address', () => {
  const advice = (url: string) => english(pageAdvice(url))
  expect(advice(`https://drive.google.com/file/d/${ID}/view`)).toBe(
    'Share it with anyone who has the link, or connect the folder under Import, Cloud connections (Google Drive)',
  )
  expect(advice(`https://docs.google.com/document/d/${ID}/edit?usp=sharing`)).toContain(
    '/export?format=pdf instead of /edit',
  )
  for (const page of [
    'https://c.example.com/s/aBcDeF123456789',
    'https://x.example/nc/index.php/s/aBcDeF123456789',
  ])
    expect(advice(page)).toContain('end its address with /download')
  expect(advice('https://example.com/s/guide')).not.toContain('/download')
  expect(advice('https://1drv.ms/b/s!x')).toMatch(/^Connect the folder .*\(OneDrive\)/)
  expect(advice('https://we.tl/t-x')).toContain('WeTransfer')
})
