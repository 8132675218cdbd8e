// Findings of axe, tab names and target sizes included.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface AxeResults {
  violations: { id: string; help: string; nodes: { target: string[]; html: string }[] }[]
}

/** Each as a line: the rule, and the first element that breaks it. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(SCRIPT)
  const results = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} })`,
  )) as AxeResults
  return results.violations.map(({ id, help, nodes }) => {
    const [{ target, html } = { target: [], html: '' }] = nodes
    return `${id} (${nodes.length} ×): ${help}: ${target.join(' ')} ${html.slice(0, 160)}`
  })
}
