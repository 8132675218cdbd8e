// Besides the usual, this forbids the imports that the house forbids, each with its reason.
import importX from 'eslint-plugin-import-x'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'
import plainEnglish from './lint/plain-english.js'
import translatedTexts from './lint/translated-texts.js'

/** `target` may not import from `from`, except from what `except` lists (relative to `from`). */
const zone = (target, from, message, except = []) => ({ target, from, message, except })

/**
 * Shared by plugins: the contract, and what scripts in the sandbox need. `more` allows further
 * paths.
 */
const ownFolder = (more) => ({
  regex: `^\\.\\./(?!(contract|sandbox|sharp)\\.ts$${more})`,
  message: 'A plugin never imports another plugin; plugins/_pdf/ is for the PDF plugins alone.',
})

/** Folders of the engine that may not import from `folder`, because it is built on them. */
const below = (folder, lower) =>
  lower.map((each) =>
    zone(
      `./server/engine/${each}`,
      `./server/engine/${folder}`,
      'The engine is built in layers: worker, operations, batches, finalization.',
    ),
  )

const ENGINE_PUBLIC = ['./engine.ts', './background.ts']
const house = [
  zone(
    './plugins',
    './server',
    'A plugin gets what it needs from its context: it imports the contract and libraries, never server/.',
  ),
  zone('./plugins', './web', 'A plugin imports the contract and libraries alone.'),
  zone('./plugins', './workflows', 'A plugin does not know the workflows that use it.'),
  zone('./workflows', './server', 'A workflow is plain data: steps of plugins with options.'),
  zone(
    './workflows',
    './plugins',
    'A workflow names plugins by id; only the contract’s types are imported.',
    ['./contract.ts'],
  ),
  zone('./web', './server', 'The page talks to the server over HTTP alone.'),
  zone('./web', './plugins', 'The page talks to the server over HTTP alone.'),
  zone('./server', './web', 'The server serves the built page; it does not import it.'),
  zone('./server', './test', 'Product code never imports test code.'),
  zone('./plugins', './test', 'Product code never imports test code.'),
  zone('./server/engine', './server/http', 'The engine knows no route.'),
  zone('./server/engine', './server/channels', 'The engine knows no channel: channels call it.'),
  zone('./server/engine', './server/notify', 'The engine is given its messages: EngineParts.'),
  zone('./server/engine', './server/ports', 'The engine is given its ports: EngineParts.'),
  zone('./server/engine', './server/delivery', 'The engine knows nothing of delivery.'),
  zone(
    './server/engine',
    './server/storefront',
    'The engine knows no product: plugins reach the catalog through a port.',
  ),
  ...below('operations', ['worker']),
  ...below('batches', ['worker', 'operations']),
  ...below('finalization', ['worker', 'operations', 'batches']),
  zone(
    './server/delivery',
    './server/engine',
    'Delivery is the hot path: it reads what the engine left.',
  ),
  zone(
    './server/delivery',
    './server/channels',
    'Delivery is the hot path: files and store alone.',
  ),
  zone(
    './server/delivery',
    './server/storefront',
    'Delivery is the hot path: files and store alone.',
  ),
  zone('./server/files', './server/engine', 'The domain does not know the engine that changes it.'),
  zone('./server/files', './server/http', 'The domain knows no route.'),
  zone('./server/files', './server/notify', 'The domain sends no messages.'),
  zone('./server/files', './server/channels', 'The domain knows no channel.'),
  zone('./server/store', './server/files', 'The store holds bytes: no domain words.'),
  zone('./server/store', './server/engine', 'The store holds bytes: no domain words.'),
  zone('./server/store', './server/http', 'The store holds bytes: no domain words.'),
  zone(
    './server/ports',
    './server/engine',
    'A port is what plugins may touch; it does not know who calls it.',
  ),
  zone('./server/ports', './server/http', 'A port knows no route.'),
  zone('./server/ports', './server/channels', 'A channel brings its own port, if it has one.'),
  zone(
    './server/storefront',
    './server/engine',
    'The storefront knows the platform alone, and background tasks.',
    ['./background.ts'],
  ),
  zone('./server/storefront', './server/http', 'The storefront knows the platform alone.'),
  zone('./server/workflows', './server/http', 'Workflows are data: they know no route.'),
  zone(
    './server/workflows',
    './server/channels',
    'Channels ask for workflows, not the other way round.',
  ),
  zone(
    './server/workflows',
    './server/engine',
    'Workflows are data: the engine asks about them, not the other way round.',
  ),
  zone(
    './server/matching',
    './server/engine',
    'Matching judges names and titles: it knows no operation.',
  ),
  zone('./server/matching', './server/http', 'Matching knows no route.'),
  zone(
    './server/notify',
    './server/http',
    'Messages are told to whoever asks for them; they know no route.',
  ),
  zone('./server/notify', './server/channels', 'Messages know no channel.'),
  zone(
    './server/channels',
    './server/http/routes',
    'Routes call channels, not the other way round.',
  ),
  zone(
    './server/compliance',
    './server/engine',
    'Compliance knows the engine through engine.ts alone.',
    ENGINE_PUBLIC,
  ),
  zone('./server/compliance', './server/http', 'Compliance knows no route.'),
  zone(
    './server/channels',
    './server/engine',
    'A channel starts operations through engine.ts alone.',
    ENGINE_PUBLIC,
  ),
  zone(
    './server/http',
    './server/engine',
    'Routes talk to the engine through engine.ts alone.',
    ENGINE_PUBLIC,
  ),
]

export default tseslint.config(
  { ignores: ['node_modules', 'data', 'web/dist*', '.test'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [
        importX.createNodeResolver({ extensions: ['.ts', '.tsx', '.js'] }),
      ],
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones: house }],
      'import-x/no-duplicates': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'Keys and names come from node:crypto.',
        },
      ],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    // Not plugins/contract.ts and what it exports, which every plugin imports, and not a plugin's
    // own test.
    files: ['plugins/*/**/*.ts'],
    ignores: ['plugins/**/*.test.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [ownFolder('')] }] },
  },
  {
    files: ['optimize', 'watermark', 'split', 'merge', 'stamp'].map(
      (verb) => `plugins/${verb}-pdf/*.ts`,
    ),
    ignores: ['plugins/**/*.test.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [ownFolder('|_pdf/')] }] },
  },
  {
    // forShop is the only way to a shop's rows. Those named here work across shops, each for the
    // reason its first line gives.
    files: ['server/**/*.ts'],
    ignores: ['server/db/**', 'server/delivery/**', 'server/**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'pg',
              message: 'Only server/db talks to PostgreSQL; get a ShopScope from forShop.',
            },
            {
              name: 'knex',
              message: 'Only server/db talks to PostgreSQL; get a ShopScope from forShop.',
            },
            { name: 'graphile-worker', message: 'Only the engine queues jobs.' },
          ],
        },
      ],
    },
  },
  {
    files: ['server/engine/**/*.ts', 'server/notify/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'knex', message: 'Get a ShopScope from forShop.' }] },
      ],
    },
  },
  {
    files: ['web/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: reactHooks.configs.recommended.rules,
  },
  {
    files: ['web/**/*.{ts,tsx}'],
    ignores: ['web/ui/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@shopify/polaris', '@shopify/polaris/*'],
              message: 'Import components from web/ui, so that each can be replaced in one place.',
            },
          ],
        },
      ],
    },
  },
  {
    files: [
      'server/{main,migrate,api-key}.ts',
      'server/startup/**/*.ts',
      'test/run.ts',
      'test/bench/**/*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['web/**/*.{ts,tsx}'],
    ignores: ['web/client/**', '**/*.test.ts', 'web/**/*.gen.ts'],
    plugins: { texts: { rules: { translated: translatedTexts } } },
    rules: { 'texts/translated': 'error' },
  },
  {
    // A test lies beside the code, and reaches for the database, the fakes and the shared suites.
    files: ['**/*.test.ts'],
    rules: { 'import-x/no-restricted-paths': 'off', 'no-restricted-imports': 'off' },
  },
  {
    files: ['{migrations,plugins,server,test,web,workflows}/**/*.{ts,tsx}', '*.ts'],
    // It contains the old words as examples.
    ignores: ['test/plain-english.test.ts'],
    plugins: { house: { rules: { 'plain-english': plainEnglish } } },
    rules: { 'house/plain-english': 'error' },
  },
  {
    files: ['web/**/*.{ts,tsx}'],
    ignores: ['web/**/*.test.ts', 'web/**/*.gen.ts'],
    rules: { 'house/plain-english': ['error', { texts: true }] },
  },
)
