// Acts on the page as a person does who has only a mouse, or only a keyboard.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export const MODES = ['mouse', 'keyboard'] as const

export const handOf = (mode: (typeof MODES)[number], page: Page): Hand =>
  mode === 'mouse' ? mouse() : keyboard(page)

/** Acts on the page with the mouse, or with the keyboard alone. */
export interface Hand {
  press(target: Locator): Promise<void>
  /** A radio button or a checkbox. */
  choose(box: Locator): Promise<void>
  pick(select: Locator, option: string): Promise<void>
  type(target: Locator, text: string): Promise<void>
}

const mouse = (): Hand => ({
  press: (target) => target.click(),
  choose: (box) => box.click(),
  pick: async (select, label) => void (await select.selectOption({ label })),
  type: (target, text) => target.fill(text),
})

const TAB_STOPS = 'a[href], button:not(:disabled), input:not(:disabled), select, [tabindex="0"]'
const MOST_TURNS = 100
const EXACT_AFTER = 5

function keyboard(page: Page): Hand {
  const reach = async (target: Locator) => {
    await target.waitFor()
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const steps = await target.evaluate((element, selector) => {
        const { activeElement } = element.ownerDocument
        const all = [...element.ownerDocument.querySelectorAll(selector)]
        const stops = all.filter((one) => one.checkVisibility({ visibilityProperty: true }))
        // An element that only scripts focus, such as a menu, is before its own stops.
        const isBefore = (one: typeof element) =>
          one === activeElement ||
          (activeElement !== null &&
            (activeElement.compareDocumentPosition(one) & element.DOCUMENT_POSITION_PRECEDING) !==
              0)
        return stops.indexOf(element) - stops.findLastIndex(isBefore)
      }, TAB_STOPS)
      if (steps === 0) return
      // Radio buttons are one stop together: the estimate is corrected by the next turns.
      const presses = turn < EXACT_AFTER ? Math.abs(steps) : 1
      for (let at = 0; at < presses; at++)
        await page.keyboard.press(steps < 0 ? 'Shift+Tab' : 'Tab')
    }
    expect.fail(`${String(target)} is not reached with Tab`)
  }
  return {
    press: async (target) => {
      await reach(target)
      await page.keyboard.press('Enter')
    },
    choose: async (box) => {
      await reach(box)
      await page.keyboard.press('Space')
    },
    pick: async (select, option) => {
      await reach(select)
      await page.keyboard.type(option)
    },
    type: async (target, text) => {
      await reach(target)
      await page.keyboard.press('Control+A')
      if (text === '') await page.keyboard.press('Delete')
      else await page.keyboard.insertText(text)
    },
  }
}
