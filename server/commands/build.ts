// npm run build -- FOLDER [--install]: makes the folder of a production server (dist if absent);
// with `--install` its packages too.
import path from 'node:path'
import { buildProduction, installProduction } from '../install/production-folder.ts'
import { runCommand } from './terminal.ts'

await runCommand(async () => {
  const given = process.argv.slice(2)
  const [folder = 'dist'] = given.filter((argument) => !argument.startsWith('--'))
  const target = path.resolve(folder)
  const packages = await buildProduction(target)
  if (given.includes('--install')) await installProduction(target)
  console.log(`${target}: the server, with ${packages.length} packages`)
})
