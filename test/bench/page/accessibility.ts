// Findings of axe, tab names and target sizes included.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface AxeResults {
  violations: { id: string; help: string; nodes: { target: string[]; html: string }[] }[]
}

/**
 * Each as a line: the rule, and the first element that breaks it. `within`: of this part alone, which
 * takes a fraction of the time on a page with a long list.
 */
export async function findViolations(page: Page, within?: string): Promise<string[]> {
  await page.evaluate(SCRIPT)
  const context = within === undefined ? 'document' : JSON.stringify(within)
  const results = (await page.evaluate(
    `axe.run(${context}, { runOnly: ${JSON.stringify(TAGS)} })`,
  )) as AxeResults
  return results.violations.map(({ id, help, nodes }) => {
    const [{ target, html } = { target: [], html: '' }] = nodes
    return `${id} (${nodes.length} ×): ${help}: ${target.join(' ')} ${html.slice(0, 160)}`
  })
}
