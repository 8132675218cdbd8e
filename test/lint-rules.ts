// Runs the repository's own lint rules as vitest tests.
import { RuleTester } from 'oxlint/plugins-dev'
import { describe, it } from 'vitest'

RuleTester.describe = describe
RuleTester.it = it

export const ruleTester = new RuleTester({ languageOptions: { parserOptions: { lang: 'tsx' } } })
