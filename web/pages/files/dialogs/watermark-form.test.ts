import { expect, test } from 'vitest'
import { readWatermark, type WatermarkForm } from './watermark-form.ts'

const EMPTY: WatermarkForm = {
  ...{ kind: 'text', text: '', picture: null, position: 'diagonal', opacity: '30', font_size: '', password: '' },
}
const read = (part: Partial<WatermarkForm>) => readWatermark({ ...EMPTY, ...part })

test('a text, as large as it fits or as said', () => {
  expect(read({ text: ' Draft ' })).toEqual({ options: { text: 'Draft', position: 'diagonal', opacity: 0.3 } })
  expect(read({ text: 'Draft', font_size: '48', password: 'open' })).toEqual({
    options: { text: 'Draft', font_size: 48, position: 'diagonal', opacity: 0.3, password: 'open' },
  })
})

test('a picture of the shop, and nothing of the text that stood there before', () => {
  const picture = { id: 'file_1', filename: 'logo.png' }
  expect(
    read({ kind: 'picture', picture, text: 'Draft', font_size: 'x', position: 'top-left', opacity: '100' }),
  ).toEqual({ options: { picture: 'file_1', position: 'top-left', opacity: 1 } })
})

test('every field that makes no sense is named at once', () => {
  const errors = { text: expect.any(String), font_size: expect.any(String), opacity: expect.any(String) }
  expect(read({ font_size: '3', opacity: '0' })).toEqual({ errors })
  expect(read({ kind: 'picture' })).toEqual({ errors: { picture: 'Choose a picture' } })
})
