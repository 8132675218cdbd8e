// The last part of `npm run messages`: how many texts each language lacks, and in which catalogs.
import { TRANSLATED } from '../web/shell/messages/locale.ts'
import { missingTexts } from './texts.ts'

for (const language of TRANSLATED) {
  const missing = Object.entries(missingTexts(language))
  const count = missing.reduce((sum, [, texts]) => sum + texts.length, 0)
  process.stdout.write(
    `${language}: ${count === 0 ? 'no text is' : `${count} texts are`} missing\n`,
  )
  for (const [catalog, texts] of missing)
    process.stdout.write(`  web/${catalog}: ${texts.length}\n`)
}
