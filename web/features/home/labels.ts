// Texts of the home page: what needs the merchant, and comparisons of figures.
import { pageLocale } from '../../shell/messages/locale.ts'
import { t } from '../../shell/messages/t.ts'
import { type Figures, type Home, type Need } from './calls.ts'

/** What the button of a need says. */
export const NEED_ACTIONS: Readonly<Record<Need, string>> = {
  held: t('Decide'),
  asked_runs: t('Decide'),
  asked: t('Answer'),
  blocked: t('Show deliveries'),
  unreachable: t('Copy links'),
  bounced: t('Show deliveries'),
  quarantined: t('Delete or release'),
  damaged: t('Read the notices'),
  connections: t('Repair'),
  licence_lists: t('Add keys'),
  failed_imports: t('See why'),
  stopped_imports: t('See why'),
  reviews: t('Choose products'),
  unfiled_products: t('Add files'),
  new_files: t('Decide'),
  unmapped: t('Map files'),
}

/** The path within the page. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}

export interface Step {
  id: keyof Home['first_steps']
  done: boolean
  title: string
  about: string
  action: string
  /** The page of the step; null: it is done in the store. */
  url: string | null
  /** It is a page outside of the app. */
  external?: boolean
}

/** Where buyers of the demo shop buy. */
const DEMO_SHOP = '/demo/shop'

/** @param demo is it the demo, whose shop front is on this server? */
export const firstSteps = (done: Home['first_steps'], demo: boolean): Step[] => [
  {
    id: 'imported',
    done: done.imported,
    url: '/import',
    title: t('Import a file'),
    about: t('From this computer, a table of addresses, a folder in the cloud, or FTP.'),
    action: t('Import'),
  },
  {
    id: 'mapped',
    done: done.mapped,
    url: '/files?mapped=false',
    title: t('Map it to a product'),
    about: t('Files whose names contain the SKU of a product are mapped automatically.'),
    action: t('Map files'),
  },
  {
    id: 'ordered',
    done: done.ordered,
    url: demo ? DEMO_SHOP : null,
    external: demo,
    title: t('Place a test order'),
    about: t('Buy the product in your store: its buyer gets an email with the files.'),
    action: demo ? t('Open the demo shop') : '',
  },
  {
    id: 'downloaded',
    done: done.downloaded,
    url: '/deliveries',
    title: t('Download it as the buyer'),
    about: t('Open the page of the buyer from the delivery, and download the file.'),
    action: t('Open deliveries'),
  },
  {
    id: 'branded',
    done: done.branded,
    url: '/settings/buyer-page',
    title: t('Brand the buyer’s page'),
    about: t('Your logo, colours and texts on the pages that customers open.'),
    action: t('Design the page'),
  },
]

/** `+12 %` against the period before; null: there is nothing to compare with. */
export function changeText(now: number, before: number): string | null {
  if (before === 0) return null
  const format = new Intl.NumberFormat(pageLocale(), {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  return format.format((now - before) / before)
}

export const FIGURE_NAMES = {
  downloads: t('Downloads'),
  orders: t('Orders with files'),
  deliveries: t('Deliveries'),
  imported_files: t('Imported files'),
  bounced_mails: t('Emails that did not arrive'),
} as const
export type FigureName = keyof typeof FIGURE_NAMES

/** The figures that the page shows: mails that did not arrive only if there are some. */
export const shownFigures = ({ now, before }: Figures['totals']): FigureName[] =>
  (Object.keys(FIGURE_NAMES) as FigureName[]).filter(
    (name) => name !== 'bounced_mails' || now[name] + before[name] > 0,
  )

const quoted = (cell: string | number) => `"${String(cell).replaceAll('"', '""')}"`

/** The days as CSV, with the headers of the table. */
export const figuresCsv = (days: Figures['days'], names: readonly FigureName[]): string =>
  [
    [t('Day'), ...names.map((name) => FIGURE_NAMES[name])],
    ...days.map((one) => [one.day, ...names.map((name) => one[name])]),
  ]
    .map((row) => row.map(quoted).join(','))
    .join('\r\n')
