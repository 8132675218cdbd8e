// Saves a report: what is counted, by what, of which period, as CSV or JSON.
import { useState } from 'react'
import { useMutation } from '@tanstack/react-query'
import { toast } from '../../shell/client/bridge.ts'
import { callForBytes, toQuery } from '../../shell/client/client.ts'
import { type Query } from '../../shell/client/endpoints.ts'
import { saveBytes } from '../../shell/client/save.ts'
import { Dialog } from '../../shell/components/dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, ChoiceList, FormLayout, Hint, Select, TextField } from '../../shell/ui/index.ts'

export type Report = 'downloads' | 'deliveries' | 'refusals' | 'activations'
type Group = 'month' | 'product' | 'file' | 'buyer'
type Format = 'csv' | 'json'

const REPORTS: Readonly<Record<Report, { title: string; about: string }>> = {
  downloads: {
    title: t('Downloads'),
    about: t(
      'Kept for 13 months. Buyers are known for files with tracking: all other downloads are a line without a buyer.',
    ),
  },
  deliveries: {
    title: t('Deliveries'),
    about: t('Counted when they were made. A delivery counts for each of its files and products.'),
  },
  refusals: {
    title: t('Refused downloads'),
    about: t('The last attempts of each link, kept for 13 months.'),
  },
  activations: {
    title: t('Licence activations'),
    about: t('Activations that have not ended, counted when they began.'),
  },
}

const GROUPS: Readonly<Record<Group, string>> = {
  month: t('Month'),
  product: t('Product'),
  file: t('File'),
  buyer: t('Buyer'),
}
const GROUP_NAMES = Object.keys(GROUPS) as Group[]

interface Props {
  /** The first one is chosen. */
  reports: readonly [Report, ...Report[]]
  /** What the list shows, as parameters of the report; none: all. */
  filters?: Partial<Record<Report, Query>>
  onClose: () => void
}

interface Wanted {
  report: Report
  first: Group
  second: Group | ''
  from: string
  to: string
  format: Format
}

export function ReportDialog({ reports, filters = {}, onClose }: Props) {
  const [wanted, setWanted] = useState<Wanted>({
    report: reports[0],
    first: 'month',
    second: '',
    from: '',
    to: '',
    format: 'csv',
  })
  const filter = filters[wanted.report] ?? {}
  const save = useMutation({ mutationFn: () => saveReport(wanted, filter) })
  const set = clearing(save, (change: Partial<Wanted>) => setWanted({ ...wanted, ...change }))
  const submit = () =>
    save.mutate(undefined, {
      onSuccess: (saved) => {
        if (!saved) return
        toast(t('The report was saved'))
        onClose()
      },
    })
  const problems = problemsOf(objectionsIn(save.error))
  const isNamed = ['from', 'to'].some((field) => problems.at(field) !== undefined)
  return (
    <Dialog
      title={t('Report')}
      onClose={onClose}
      onEnter={submit}
      primaryAction={{ content: t('Download'), onAction: submit, loading: save.isPending }}
    >
      {save.error && !isNamed && (
        <Problem error={save.error} what={t('The report could not be made')} />
      )}
      {save.data === false && (
        <Banner tone="info">
          <p>{t('There is nothing to count: choose another period.')}</p>
        </Banner>
      )}
      <What reports={reports} wanted={wanted} set={set} />
      <GroupFields wanted={wanted} set={set} />
      <PeriodFields wanted={wanted} set={set} problems={problems} />
      <FormatField wanted={wanted} set={set} />
      {Object.values(filter).some((value) => (value ?? '') !== '') && (
        <Hint>{t('Limited to what the list shows now.')}</Hint>
      )}
    </Dialog>
  )
}

interface PartProps {
  wanted: Wanted
  set: (change: Partial<Wanted>) => void
}

function What({ reports, wanted, set }: PartProps & Pick<Props, 'reports'>) {
  const { title, about } = REPORTS[wanted.report]
  return (
    <Select
      label={t('What is counted')}
      helpText={about}
      options={
        reports.length > 1
          ? reports.map((value) => ({ value, label: REPORTS[value].title }))
          : [{ value: wanted.report, label: title }]
      }
      value={wanted.report}
      onChange={(report) => set({ report: report as Report })}
    />
  )
}

const GroupFields = ({ wanted: { first, second }, set }: PartProps) => (
  <FormLayout>
    <FormLayout.Group condensed>
      <Select
        label={t('Count by')}
        options={GROUP_NAMES.map((value) => ({ value, label: GROUPS[value] }))}
        value={first}
        onChange={(chosen) =>
          set({ first: chosen as Group, ...(chosen === second ? { second: '' } : {}) })
        }
      />
      <Select
        label={t('Then by')}
        options={[
          { value: '', label: t('Nothing else') },
          ...GROUP_NAMES.filter((group) => group !== first).map((value) => ({
            value,
            label: GROUPS[value],
          })),
        ]}
        value={second}
        onChange={(chosen) => set({ second: chosen as Group | '' })}
      />
    </FormLayout.Group>
  </FormLayout>
)

const PeriodFields = ({
  wanted: { from, to },
  set,
  problems,
}: PartProps & { problems: ReturnType<typeof problemsOf> }) => (
  <FormLayout>
    <FormLayout.Group condensed>
      <TextField
        type="date"
        label={t('First day')}
        value={from}
        error={problems.at('from')}
        onChange={(day) => set({ from: day })}
      />
      <TextField
        type="date"
        label={t('Last day')}
        value={to}
        error={problems.at('to')}
        onChange={(day) => set({ to: day })}
      />
    </FormLayout.Group>
  </FormLayout>
)

const FormatField = ({ wanted, set }: PartProps) => (
  <ChoiceList
    title={t('Format')}
    selected={[wanted.format]}
    choices={[
      { label: t('CSV, for spreadsheets'), value: 'csv' },
      { label: t('JSON, for programs'), value: 'json' },
    ]}
    onChange={([format]) => set({ format: format as Format })}
  />
)

/** False: there is nothing to save. Throws `ApiError`. */
async function saveReport(wanted: Wanted, filter: Query): Promise<boolean> {
  const { report, first, second, from, to, format } = wanted
  const by = [first, second].filter((group) => group !== '')
  const query = toQuery({ ...filter, by, from, to })
  const bytes = await callForBytes(`/api/reports/${report}.${format}${query}`)
  if (await isEmpty(bytes)) return false
  saveBytes(bytes, `${report}-by-${by.join('-')}.${format}`)
  return true
}

/** A report without lines: only the columns, or an empty list. */
const MOST_OF_EMPTY = 200
async function isEmpty(bytes: Blob): Promise<boolean> {
  if (bytes.size > MOST_OF_EMPTY) return false
  const text = (await bytes.text()).trim()
  return text.startsWith('{') ? /"rows":\[\s*\]/.test(text) : !text.includes('\n')
}
