// What happened in the last days: totals with their change, a graph that can be read as a table and
// saved, and the lists that explain them.
import { lazy, Suspense, useMemo, useState } from 'react'
import { saveBytes } from '../../shell/client/save.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { numberText } from '../../shell/labels/size.ts'
import { dayText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { BlockStack, Button, InlineStack, Select, SmallPrint } from '../../shell/ui/index.ts'
import { type Figures, type Period, PERIODS, useFigures } from './calls.ts'
import { FigureLists } from './figure-lists.tsx'
import { type DaysProps } from './chart.tsx'
import { changeText, FIGURE_NAMES, figuresCsv, shownFigures } from './labels.ts'

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }))

export function FiguresSection() {
  const [period, setPeriod] = useState<Period>('30')
  const [asTable, setAsTable] = useState(false)
  const figures = useFigures(period)
  const { data } = figures
  const names = useMemo(() => (data ? shownFigures(data.totals) : []), [data])
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
          <Totals totals={data.totals} />
          {asTable ? (
            <DaysTable days={data.days} names={names} />
          ) : (
            <Suspense fallback={<div className="chart" />}>
              <Chart days={data.days} names={names} />
            </Suspense>
          )}
          <InlineStack gap="200" align="end">
            <Button onClick={() => setAsTable(!asTable)}>
              {asTable ? t('Show as a graph') : t('Show as a table')}
            </Button>
            <Button onClick={() => save(data.days, names)}>{t('Save as CSV')}</Button>
          </InlineStack>
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

const Totals = ({ totals: { now, before } }: Pick<Figures, 'totals'>) => (
  <dl className="figures totals">
    {shownFigures({ now, before }).map((name) => {
      const change = changeText(now[name], before[name])
      return (
        <div key={name}>
          <dt>{FIGURE_NAMES[name]}</dt>
          <dd>
            {numberText(now[name])}
            {change && (
              <SmallPrint> {t('{change} compared with the period before', { change })}</SmallPrint>
            )}
          </dd>
        </div>
      )
    })}
  </dl>
)

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
