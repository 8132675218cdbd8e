// The lint rule that keeps the imports between folders, with the zones of this repository.
import boundaries from '../lint/boundaries.js'
import config from '../oxlint.config.ts'
import { ruleTester } from './lint-rules.ts'

const [, zones] = config.rules['house/boundaries']
type Code = (file: string) => string
const imported: Code = (file) => `import { a } from '${file}'`
const exported: Code = (file) => `export { a } from '${file}'`
const allExported: Code = (file) => `export * from '${file}'`
const loaded: Code = (file) => `const a = import('${file}')`
const typed: Code = (file) => `type A = import('${file}').A`

const allowed = (filename: string, file: string) => ({
  filename,
  code: imported(file),
  options: [zones],
})
const refused = (filename: string, file: string, code: Code, ...reasons: RegExp[]) => ({
  filename,
  code: code(file),
  options: [zones],
  errors: reasons.map((message) => ({ message })),
})

ruleTester.run('boundaries', boundaries, {
  valid: [
    allowed('server/features/drop/import/take.ts', '../../../engine/engine.ts'),
    allowed('server/storefront/mirror/mirror.ts', '../../core/queue/background.ts'),
    allowed('server/features/files/replace.ts', '../upload/start.ts'),
    allowed('workflows/tag.ts', '../plugins/contract/index.ts'),
    allowed('plugins/tag-files/plugin.ts', './form.ts'),
    allowed('plugins/tag-files/plugin.ts', '../contract/index.ts'),
    allowed('plugins/stamp-pdf/plugin.ts', '../_pdf/parts.ts'),
    allowed('server/engine/engine.ts', 'node:fs/promises'),
    allowed('server/engines/other.ts', '../http/app.ts'),
  ],
  invalid: [
    refused('server/engine/engine.ts', '../features/packs/routes.ts', imported, /no feature/),
    refused('server/http/endpoint.ts', '../engine/chain.ts', allExported, /public files/),
    refused('server/features/home/routes.ts', '../drop/vfs.ts', typed, /lint\/offers/),
    refused('web/features/home/home.tsx', '../cloud/labels.ts', imported, /lint\/offers/),
    refused('server/features/csv/start.ts', '../../engine/planned.ts', loaded, /public files/),
    refused('server/features/csv/start.ts', '../../engine/planned.ts', typed, /public files/),
    refused(
      'server/features/packs/routes.ts',
      '../drop/vfs.ts',
      imported,
      /lint\/offers/,
      /channel/,
    ),
    refused('server/features/downloads/zip.ts', '../orders/record.ts', imported, /hot path/),
    refused(
      'web/shell/components/page.tsx',
      '../../features/packs/calls.ts',
      imported,
      /no feature/,
    ),
    refused('web/app.tsx', '../server/startup/config.ts', imported, /over HTTP alone/),
    refused('plugins/tag-files/plugin.ts', '../fetch/plugin.ts', exported, /another plugin/),
    refused('plugins/tag-files/plugin.ts', '../_pdf/parts.ts', typed, /another plugin/),
    refused('plugins/tag/plugin.ts', '../../server/ids.ts', exported, /imports the contract/),
  ],
})
