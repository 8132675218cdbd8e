// What happened in the last days: totals with their change, graphs that can be read as a table and
// saved, and the lists that explain them.
import { useMemo, useState, type ReactNode } from 'react'
import { lazyPart } from '../../shell/components/lazy-part.tsx'
import { saveBytes } from '../../shell/client/save.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { numberText, sizeText } from '../../shell/labels/size.ts'
import { dayText } from '../../shell/labels/time.ts'
import { t, translated } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Button,
  InlineStack,
  Select,
  SmallPrint,
  Hint,
  Link,
  Text,
} from '../../shell/ui/index.ts'
import { FileName } from '../../shell/files/name.tsx'
import { useChannels } from '../imports/channel-calls.ts'
import { channelText } from '../imports/labels.ts'
import { type Figures, type Period, PERIODS, useFigures } from './calls.ts'
import type { DaysProps } from './chart.tsx'
import { changeText, FIGURE_NAMES, figuresCsv, shownFigures } from './labels.ts'

const Chart = lazyPart(async () => (await import('./chart.tsx')).Chart, {
  fallback: <div className="chart" />,
})

export function FiguresSection() {
  const [period, setPeriod] = useState<Period>('30')
  const [asTable, setAsTable] = useState(false)
  const figures = useFigures(period)
  const { data } = figures
  const names = useMemo(() => (data ? shownFigures(data.totals) : []), [data])
  // A figure that was 0 on all days has no graph; a new shop has none at all.
  const drawn = names.filter((name) => data?.days.some((day) => day[name] > 0))
  const isEmpty = drawn.length === 0
  return (
    <Titled
      title={t('What happened')}
      action={
        <Select
          label={t('Period')}
          labelHidden
          options={PERIODS.map((days) => ({
            value: days,
            label: t('Last {days} days', { days: Number(days) }),
          }))}
          value={period}
          onChange={(days) => setPeriod(days as Period)}
        />
      }
    >
      <LoadProblem query={figures} what={t('The figures could not be loaded')} />
      {figures.isPending && <LoadingRows rows={5} what={t('the figures')} />}
      {data && (
        <BlockStack gap="400">
          <Totals totals={data.totals} names={names} period={period} />
          {isEmpty ? (
            <Hint>{t('A graph is shown here after the first sale.')}</Hint>
          ) : asTable ? (
            <DaysTable days={data.days} names={names} />
          ) : (
            <div className="charts">
              {drawn.map((name) => (
                <Chart key={name} days={data.days} name={name} />
              ))}
            </div>
          )}
          {!isEmpty && (
            <InlineStack gap="200" align="end">
              <Button onClick={() => setAsTable(!asTable)}>
                {asTable ? t('Show as a graph') : t('Show as a table')}
              </Button>
              <Button onClick={() => save(data.days, names)}>{t('Save as CSV')}</Button>
            </InlineStack>
          )}
          <FigureLists figures={data} />
        </BlockStack>
      )}
    </Titled>
  )
}

/** Saves the days as CSV with a byte order mark, by which spreadsheets recognise the encoding. */
const save = (days: Figures['days'], names: DaysProps['names']) =>
  saveBytes(
    new Blob([`\u{feff}${figuresCsv(days, names)}`], { type: 'text/csv' }),
    `figures-${days.at(-1)!.day}.csv`,
  )

interface TotalsProps extends Pick<Figures, 'totals'>, Pick<DaysProps, 'names'> {
  period: Period
}

function Totals({ totals: { now, before }, names, period }: TotalsProps) {
  const changes = names.map((name) => changeText(now[name], before[name]))
  return (
    <BlockStack gap="200">
      <dl className="figures totals">
        {names.map((name, at) => (
          <div key={name}>
            <dt>{FIGURE_NAMES[name]}</dt>
            <dd>
              {numberText(now[name])} {changes[at] && <SmallPrint>{changes[at]}</SmallPrint>}
            </dd>
          </div>
        ))}
      </dl>
      {changes.some((change) => change !== null) && (
        <SmallPrint>
          {t('Compared with the {days} days before.', { days: Number(period) })}
        </SmallPrint>
      )}
    </BlockStack>
  )
}

/** Newest first: of a long period, the latest days matter. */
const DaysTable = ({ days, names }: DaysProps) => (
  <div className="days" tabIndex={0} role="region" aria-label={t('Figures by day')}>
    <table>
      <thead>
        <tr>
          <th scope="col">{t('Day')}</th>
          {names.map((name) => (
            <th key={name} scope="col">
              {FIGURE_NAMES[name]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((one) => (
          <tr key={one.day}>
            <th scope="row">{dayText(one.day)}</th>
            {names.map((name) => (
              <td key={name}>{numberText(one[name])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

// Top files and products, storage by type, imports by channel, and failures by cause.

function FigureLists({ figures }: { figures: Figures }) {
  const channels = useChannels()
  const { top_files, top_products, storage, imports, failures, totals } = figures
  return (
    <div className="figure-lists">
      <Ranking
        title={t('Most downloaded files')}
        none={t('No downloads in this period')}
        rows={top_files.map(fileRow)}
      />
      <Ranking
        title={t('Most downloaded products')}
        none={t('No downloads of products in this period')}
        rows={top_products.map(productRow)}
      />
      <Ranking
        title={t('Storage by type')}
        none={t('No files yet')}
        rows={storage.map(storageRow)}
      />
      <Ranking
        title={t('Imports by channel')}
        none={t('No imports in this period')}
        rows={imports.map(({ channel, files }) => ({
          key: channel,
          name: channelText(channels, channel),
          value: t('{files, plural, one {# file} other {# files}}', { files }),
        }))}
      />
      <Ranking
        title={t('Why files failed')}
        none={t('No file failed in this period')}
        rows={failures.map(({ code, message, files }) => ({
          key: code,
          name: translated(message),
          value: numberText(files),
        }))}
      />
      {totals.now.bounced_mails > 0 && (
        <Ranking
          title={t('Email')}
          none=""
          rows={[
            {
              key: 'bounced',
              name: <Link url="/settings/mail">{t('Did not arrive')}</Link>,
              value: numberText(totals.now.bounced_mails),
            },
          ]}
        />
      )}
    </div>
  )
}

interface Row {
  key: string
  name: ReactNode
  value: string
}

const fileRow = ({ file_id, filename, downloads }: Figures['top_files'][number]): Row => ({
  key: file_id,
  name: (
    <Link url={`/files/${file_id}`} removeUnderline>
      <FileName filename={filename} />
    </Link>
  ),
  value: numberText(downloads),
})

const productRow = ({ product_id, title, downloads }: Figures['top_products'][number]): Row => ({
  key: product_id,
  name: (
    <Link url={`/files?product=${encodeURIComponent(product_id)}`} removeUnderline>
      {title}
    </Link>
  ),
  value: numberText(downloads),
})

const storageRow = ({ extension, files, bytes }: Figures['storage'][number]): Row => ({
  key: extension,
  name: t('{type}, {files, plural, one {# file} other {# files}}', {
    type: extension === '' ? t('Without extension') : extension.toUpperCase(),
    files,
  }),
  value: sizeText(bytes),
})

const Ranking = ({ title, none, rows }: { title: string; none: string; rows: readonly Row[] }) => (
  <section>
    <Text as="h3" variant="headingSm">
      {title}
    </Text>
    {rows.length === 0 ? (
      <Hint>{none}</Hint>
    ) : (
      <ol>
        {rows.map(({ key, name, value }) => (
          <li key={key}>
            <span className="name">{name}</span>
            <span className="tabular">{value}</span>
          </li>
        ))}
      </ol>
    )}
  </section>
)
