import fc from 'fast-check'
import { expect, test } from 'vitest'
import { colourCss, contrast, READABLE, readableOn, reportColours, textOn } from './buyer-page.ts'

const hex = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('contrast is computed as in WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21)
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2)
})

test('every text is readable, with any colours that a shop may choose', () => {
  fc.assert(
    fc.property(hex, fc.option(hex), (accent, background) => {
      const css = colourCss({ accent, background })
      for (const block of css.match(/:root:root\{[^}]*\}/g)!) {
        const colours = Object.fromEntries(
          [...block.matchAll(/--([\w-]+):(#\w{6})/g)].map(([, name, value]) => [name, value!]),
        )
        const card =
          colours.card ?? (block === css.match(/:root:root[^}]*\}/)![0] ? '#ffffff' : '#1f2124')
        for (const [text, ground] of [
          [colours['on-ground'], colours.ground],
          [colours['ground-link'], colours.ground],
          [colours.link, card],
          [colours['on-action'], colours.action],
          [colours.text ?? colours.link, card],
          [colours.quiet ?? colours.link, card],
        ])
          expect(contrast(text!, ground!)).toBeGreaterThanOrEqual(READABLE)
      }
    }),
  )
})

test('a readable colour is kept, and another is changed as little as possible', () => {
  expect(readableOn('#ffffff', '#0a55ad')).toBe('#0a55ad')
  const moved = readableOn('#ffffff', '#ffd400')
  expect(contrast(moved, '#ffffff')).toBeGreaterThanOrEqual(READABLE)
  expect(contrast(moved, '#ffffff')).toBeLessThan(6)
  expect(textOn('#ffd400')).toBe('#000000')
})

test('the report names the changed colours', () => {
  expect(reportColours({ accent: '#0a55ad', background: null })).toMatchObject({
    adjusted: false,
    link_colour: '#0a55ad',
  })
  expect(reportColours({ accent: '#ffd400', background: null }).adjusted).toBe(true)
  expect(colourCss({ accent: null, background: null })).toBe('')
})
