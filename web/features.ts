// Every feature of the page, in the order of the navigation.
import { type PageFeature } from './shell/feature.ts'
import { buyerPage } from './features/buyer-page/feature.ts'
import { buyers } from './features/buyers/feature.ts'
import { changeLog } from './features/change-log/feature.ts'
import { cloud } from './features/cloud/feature.ts'
import { compliance } from './features/compliance/feature.ts'
import { csv } from './features/csv/feature.ts'
import { drop } from './features/drop/feature.ts'
import { feeds } from './features/feeds/feature.ts'
import { files } from './features/files/feature.ts'
import { home } from './features/home/feature.ts'
import { imports } from './features/imports/feature.ts'
import { links } from './features/links/feature.ts'
import { mail } from './features/mail/feature.ts'
import { mapping } from './features/mapping/feature.ts'
import { move } from './features/move/feature.ts'
import { notices } from './features/notices/feature.ts'
import { operations } from './features/operations/feature.ts'
import { orders } from './features/orders/feature.ts'
import { packs } from './features/packs/feature.ts'
import { preparation } from './features/preparation/feature.ts'
import { schedules } from './features/schedules/feature.ts'
import { settings } from './features/settings/feature.ts'
import { upload } from './features/upload/feature.ts'
import { webhooks } from './features/webhooks/feature.ts'
import { workflows } from './features/workflows/feature.ts'

export const FEATURES: readonly PageFeature[] = checked([
  home,
  files,
  mapping,
  packs,
  imports,
  upload,
  csv,
  move,
  drop,
  cloud,
  feeds,
  orders,
  preparation,
  links,
  buyers,
  workflows,
  schedules,
  operations,
  notices,
  webhooks,
  compliance,
  changeLog,
  buyerPage,
  mail,
  settings,
])

/** Throws if a name or a path is listed twice. */
function checked(features: readonly PageFeature[]): readonly PageFeature[] {
  const names = [
    ...features.map(({ name }) => `feature ${name}`),
    ...features.flatMap(({ routes }) => routes.map(({ path }) => `page ${path}`)),
  ]
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) throw new Error(`The ${twice} is listed twice`)
  return features
}
