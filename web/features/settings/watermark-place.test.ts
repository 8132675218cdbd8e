import { expect, test } from 'vitest'
import { PAGE, placeMark, ratioOf } from './watermark-place.ts'

const rounded = ({ x, y, width, height, turn }: ReturnType<typeof placeMark>) =>
  [x, y, width, height, turn].map(Math.round)

test('a text fills its place, and a chosen size stays within the page', () => {
  expect(rounded(placeMark({ position: 'center' }, 10))).toEqual([298, 421, 357, 36, 0])
  expect(rounded(placeMark({ position: 'diagonal' }, 4))).toEqual([298, 421, 595, 149, -55])
  expect(rounded(placeMark({ position: 'bottom-right', font_size: 10 }, 5))).toEqual([
    546, 813, 50, 10, 0,
  ])
  const large = placeMark({ position: 'top-left', font_size: 500 }, 20)
  expect(large.width).toBeLessThan(PAGE.width)
})

test('an image keeps its proportions', () => {
  const { width, height } = placeMark({ position: 'top-right', picture: 'file_1' }, 0.5)
  expect([Math.round(width), Math.round(height)]).toEqual([84, 168])
})

test('a longer text is wider', () => {
  expect(ratioOf('Sample copy')).toBeGreaterThan(ratioOf('Draft'))
  expect(ratioOf('')).toBeGreaterThan(0)
})
