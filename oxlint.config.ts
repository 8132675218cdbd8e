// In addition to oxlint's own rules against errors, this forbids the imports that the layout of the
// code forbids, each with its reason.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'oxlint'
import { SERVER_OFFERS, WEB_OFFERS } from './lint/offers.ts'

/** `target` may not import from `from`, except from what `except` lists (relative to `from`). */
const zone = (target: string, from: string, reason: string, except: string[] = []) => ({
  target,
  from,
  reason,
  except,
})

/** Shared by plugins: the contract, and what scripts in the sandbox need. */
const SHARED = ['contract']
const PDF = /^(optimize|watermark|split|merge|stamp)-pdf$/
const plugins = readdirSync(path.join(import.meta.dirname, 'plugins'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'contract')
  .map(({ name }) =>
    zone(
      `plugins/${name}`,
      'plugins',
      'A plugin never imports another plugin; plugins/_pdf/ is for the PDF plugins alone.',
      [...SHARED, name, ...(PDF.test(name) ? ['_pdf'] : [])],
    ),
  )

/** What everything above the engine may import of it (docs/decisions/0122). */
const ENGINE_PUBLIC = [
  'context.ts',
  'created-files.ts',
  'dry-run.ts',
  'effect.ts',
  'engine.ts',
  'event-files.ts',
  'failure.ts',
  'freeze.ts',
  'grow.ts',
  'item-work.ts',
  'items.ts',
  'lifecycle.ts',
  'moves.ts',
  'parts.ts',
  'read.ts',
  'retention.ts',
  'run-steps.ts',
  'sealed.ts',
  'start.ts',
  'steps.ts',
  'trial.ts',
  'types.ts',
  'work-item.ts',
  'worker.ts',
]
/** The folders of a folder of the server without these. */
const othersOf = (folder: string, ...names: string[]) =>
  readdirSync(path.join(import.meta.dirname, 'server', folder), { withFileTypes: true }).flatMap(
    (entry) => (entry.isDirectory() && !names.includes(entry.name) ? [entry.name] : []),
  )
const othersThan = (...names: string[]) => othersOf('.', ...names)
const foldersIn = (folder: string) =>
  readdirSync(path.join(import.meta.dirname, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
/** Features that bring files in. The channel of the API is in `imports`, which all others use. */
const CHANNELS = [
  'api',
  ...foldersIn('server/features').filter((name) =>
    existsSync(path.join(import.meta.dirname, 'server/features', name, 'channel.ts')),
  ),
].filter((name) => name !== 'workflows')
/** A feature's files are its own, except those that it offers. */
const ownFiles = (folder: string, offers: Readonly<Record<string, readonly string[]>>) =>
  foldersIn(folder).flatMap((target) =>
    foldersIn(folder)
      .filter((other) => other !== target)
      .map((other) =>
        zone(
          `${folder}/${target}`,
          `${folder}/${other}`,
          'A feature imports of another one what lint/offers.ts lists: the other files may change with their feature.',
          [...(offers[other] ?? [])],
        ),
      ),
  )
/** `folder` is lower than these: it imports none of them. */
const upward = (folder: string, higher: string[], reason: string) =>
  higher.map((each) => zone(`server/${folder}`, `server/${each}`, reason))

const ZONES = [
  ...ownFiles('server/features', SERVER_OFFERS),
  ...ownFiles('web/features', WEB_OFFERS),
  ...plugins,
  zone(
    'plugins',
    'server',
    'A plugin gets what it needs from its context: it imports the contract and libraries, never server/.',
  ),
  zone('plugins/contract', 'plugins', 'The contract knows no plugin.', ['contract', '_page']),
  zone('plugins', 'web', 'A plugin imports the contract and libraries alone.'),
  zone('plugins', 'workflows', 'A plugin does not know the workflows that use it.'),
  zone('workflows', 'server', 'A workflow is plain data: steps of plugins with options.'),
  zone(
    'workflows',
    'plugins',
    'A workflow names plugins by id; only the contract’s types are imported.',
    ['contract'],
  ),
  zone('web', 'server', 'The page talks to the server over HTTP alone.'),
  zone('web/shell', 'web/features', 'The shell knows no feature: it is given their list.'),
  zone('web/features', 'web/features.ts', 'A feature is in the list; it does not know the list.'),
  zone(
    'web',
    'plugins',
    'The page talks to the server over HTTP alone; plugins/_page/ has rules that it shows while something is typed.',
    ['_page'],
  ),
  ...['server', 'workflows', 'web'].map((folder) =>
    zone('plugins/_page', folder, 'The page and the server run these rules: they import nothing.'),
  ),
  zone('server', 'web', 'The server serves the built page; it does not import it.'),
  ...othersThan('core').map((folder) =>
    zone('server/core', `server/${folder}`, 'The core is what everything else is built on.'),
  ),
  ...othersThan('demo', 'startup').map((folder) =>
    zone(
      `server/${folder}`,
      'server/demo',
      'The stand-in speaks the platform’s protocol over a socket: only the start imports it.',
    ),
  ),
  zone('server', 'test', 'Product code never imports test code.'),
  zone('plugins', 'test', 'Product code never imports test code.'),
  zone('server/core/store', 'server/core/outbox', 'The store holds bytes: no domain words.'),
  ...upward(
    'files',
    ['storefront', 'matching', 'ports', 'engine', 'http', 'features'],
    'The model of files does not know what changes it: the engine writes it, features use it.',
  ),
  ...upward(
    'storefront',
    ['matching', 'ports', 'engine', 'http', 'features'],
    'The storefront knows the platform alone.',
  ),
  ...upward(
    'matching',
    ['ports', 'engine', 'http', 'features'],
    'Matching judges names and titles: it knows no operation.',
  ),
  ...upward(
    'ports',
    ['engine', 'http', 'features'],
    'A port is what plugins may touch; it does not know who calls it.',
  ),
  ...upward(
    'engine',
    ['storefront', 'matching', 'ports', 'http', 'features'],
    'The engine knows no feature: it is given ports, effects and messages (server/engine/parts.ts).',
  ),
  ...upward(
    'http',
    ['features'],
    'The HTTP kernel knows no route: features bring their endpoints.',
  ),
  ...upward(
    'features',
    ['startup', 'install', 'commands'],
    'Features are composed by the start; they do not know it.',
  ),
  ...['features', 'http', 'startup'].map((folder) =>
    zone(
      `server/${folder}`,
      'server/engine',
      'Everything above the engine talks to it through its public files alone.',
      ENGINE_PUBLIC,
    ),
  ),
  zone(
    'server/features/downloads',
    'server/engine',
    'Downloads are the hot path: they read what the engine left.',
  ),
  ...othersOf('features', 'downloads', 'links', 'flow').map((feature) =>
    zone(
      'server/features/downloads',
      `server/features/${feature}`,
      'Downloads are the hot path: files, links and the store alone.',
    ),
  ),
  ...CHANNELS.flatMap((channel) =>
    ['files', 'packs', 'links', 'mapping', 'orders', 'schedules', 'settings'].map((feature) =>
      zone(
        `server/features/${feature}`,
        `server/features/${channel}`,
        'A channel brings files in; what is done with them does not depend on the channel.',
        // Replacing a file is an import of its next version.
        feature === 'files' ? ['start.ts', 'routes.ts', 'rows.ts'] : [],
      ),
    ),
  ),
]

const TESTS = '**/*.test.ts'
const GENERATED = 'web/**/*.gen.ts'

/** Modules that only some folders may import. */
const KNEX = { name: 'knex', message: 'Get a ShopScope from forShop.' }
const DATABASE = 'Only server/core/db talks to PostgreSQL; get a ShopScope from forShop.'

export default defineConfig({
  plugins: ['typescript', 'import', 'react', 'oxc', 'unicorn'],
  jsPlugins: ['./lint/house.js'],
  categories: { correctness: 'error' },
  options: { typeAware: true },
  // Sample features are checked in their place, in a copy of the product.
  ignorePatterns: ['data', 'web/dist*', '.test', 'test/features'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    'typescript/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: true },
    ],
    'typescript/no-explicit-any': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    'import/no-duplicates': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    'no-unused-expressions': 'error',
    'prefer-const': 'error',
    'no-var': 'error',
    eqeqeq: 'error',
    'no-console': 'error',
    'no-restricted-properties': [
      'error',
      { object: 'Math', property: 'random', message: 'Keys and names come from node:crypto.' },
    ],
    'house/boundaries': ['error', ZONES],

    // Characters are iterated on purpose, and control characters are refused by patterns.
    'typescript/no-misused-spread': 'off',
    'no-control-regex': 'off',
    // Methods are passed on only where they do not use `this`.
    'typescript/unbound-method': 'off',
    // Values of unknown types are converted to text where a wrong type may become a wrong text.
    'typescript/no-base-to-string': 'off',
    'typescript/restrict-template-expressions': 'off',
    // Sorted values are strings, also where their type is wider.
    'typescript/require-array-sort-compare': 'off',
    // Lists of work may contain values that are ready.
    'typescript/await-thenable': 'off',
    // They name the usual values for the reader.
    'typescript/no-redundant-type-constituents': 'off',
    // Generators that fail or end immediately.
    'require-yield': 'off',
    // Ages of files and keys are shown as of the last render.
    'react/purity': 'off',
  },
  overrides: [
    {
      files: ['web/**/*.{ts,tsx}'],
      rules: { 'react/rules-of-hooks': 'error', 'react/exhaustive-deps': 'error' },
    },
    {
      // A longer function has parts that can have a name, also where it is markup.
      files: ['{plugins,server,web,workflows}/**/*.{ts,tsx}', 'app.config.ts'],
      excludeFiles: [TESTS],
      rules: { 'max-lines-per-function': ['error', { max: 60 }] },
    },
    {
      // A value that must be there is named by server/core/lazy.ts, or its type says so. Inner
      // loops over typed arrays are excluded.
      files: ['{plugins,server}/**/*.ts'],
      excludeFiles: [TESTS, 'server/matching/title-index.ts', 'plugins/_pdf/*.ts'],
      rules: { 'typescript/no-non-null-assertion': 'error' },
    },
    {
      // forShop is the only way to a shop's rows. Those named here work across shops, each for the
      // reason its first line gives.
      files: ['server/**/*.ts'],
      excludeFiles: ['server/{core/db,engine,features/downloads}/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: [
              { name: 'pg', message: DATABASE },
              { name: 'knex', message: DATABASE },
              { name: 'graphile-worker', message: 'Only the engine queues jobs.' },
            ],
          },
        ],
      },
    },
    {
      files: ['server/{engine,features/downloads}/**/*.ts'],
      rules: { 'no-restricted-imports': ['error', { paths: [KNEX] }] },
    },
    {
      files: ['web/**/*.{ts,tsx}'],
      excludeFiles: ['web/shell/ui/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                group: ['@shopify/polaris', '@shopify/polaris/*'],
                message:
                  'Import components from web/shell/ui, so that each can be replaced in one place.',
              },
            ],
          },
        ],
      },
    },
    {
      files: [
        'server/main.ts',
        'server/{commands,startup}/**/*.ts',
        'test/{measure,run}.ts',
        'test/bench/**/*.ts',
      ],
      rules: { 'no-console': 'off' },
    },
    {
      files: ['web/**/*.{ts,tsx}'],
      // The command writes to terminals and logs, in English, as the API does.
      excludeFiles: ['web/shell/client/**', 'web/command/**', TESTS, GENERATED],
      rules: { 'house/translated-texts': 'error' },
    },
    {
      files: ['{migrations,plugins,server,test,web,workflows}/**/*.{ts,tsx}', '*.ts'],
      // It contains the old words as examples.
      excludeFiles: ['test/plain-english.test.ts'],
      rules: { 'house/plain-english': 'error' },
    },
    {
      files: ['web/**/*.{ts,tsx}'],
      excludeFiles: ['web/**/*.test.ts', GENERATED],
      rules: { 'house/plain-english': ['error', { texts: true }] },
    },
    {
      // A test is next to the code, and uses the database, the fakes and the shared suites.
      files: [TESTS],
      rules: { 'house/boundaries': 'off', 'no-restricted-imports': 'off' },
    },
    {
      // Scripts that browsers run, and declarations for the linter.
      files: ['**/*.js'],
      rules: { 'typescript/no-misused-promises': 'off' },
    },
  ],
})
