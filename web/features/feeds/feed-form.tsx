// The fields of a feed: where its table is, which columns it has, what happens to rows that vanish,
// and when it runs.
import { Problem } from '../../shell/components/problem.tsx'
import { fieldId, type Problems } from '../../shell/components/problems.ts'
import { Titled } from '../../shell/components/titled.tsx'
import { numberText } from '../../shell/labels/size.ts'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Button,
  Checkbox,
  InlineStack,
  Select,
  Text,
  TextField,
} from '../../shell/ui/index.ts'
import { CSV_FIELDS } from '../csv/calls.ts'
import { CSV_FIELDS_TEXT } from '../csv/labels.ts'
import { EVERY, type Recurrence, whenOf } from '../schedules/labels.ts'
import { type Feed, type FeedTable, useReadTable } from './calls.ts'
import { type FeedDraft, headersFor, headersOf, mappingAfter } from './draft.ts'
import { VANISHED } from './labels.ts'
import '../../shell/components/form.css'

export interface FormProps {
  draft: FeedDraft
  problems: Problems
  /** Absent: a new one. */
  feed?: Feed
  table: FeedTable | undefined
  onTable: (table: FeedTable) => void
  onChange: (change: Partial<FeedDraft>) => void
}

export const FeedForm = (props: FormProps) => (
  <>
    <AddressCard {...props} />
    {(props.table ?? props.feed) && (
      <>
        <ColumnsCard {...props} />
        <RulesCard {...props} />
        <WhenCard {...props} />
      </>
    )}
  </>
)

const EXAMPLE = 'Authorization: Bearer …'

const AddressCard = (props: FormProps) => (
  <Titled
    title={t('Table')}
    help={t(
      'The address of a CSV, XLSX or JSON file, or of a Google Sheet that everyone with the link can read.',
    )}
  >
    <BlockStack gap="400">
      <AddressFields {...props} />
      <ReadTable {...props} />
      {props.table && <Sample table={props.table} />}
    </BlockStack>
  </Titled>
)

const AddressFields = ({ draft, problems, feed, onChange }: FormProps) => (
  <>
    <TextField
      label={t('Name')}
      id={fieldId('name')}
      requiredIndicator
      maxLength={100}
      error={problems.at('name')}
      value={draft.name}
      onChange={(name) => onChange({ name })}
    />
    <TextField
      label={t('Address')}
      id={fieldId('url')}
      type="url"
      requiredIndicator={!feed}
      placeholder={feed?.url}
      helpText={feed ? t('Leave empty to keep the one that is saved') : undefined}
      error={problems.at('url')}
      value={draft.url}
      onChange={(url) => onChange({ url })}
    />
    <TextField
      label={t('Headers of the request')}
      id={fieldId('headers')}
      multiline={2}
      monospaced
      placeholder={EXAMPLE}
      helpText={
        feed && feed.headers.length > 0
          ? t('Saved: {names}. Leave empty to keep them.', { names: feed.headers.join(', ') })
          : t(
              'One in each line. They are stored encrypted, never shown again, and sent to no other host.',
            )
      }
      error={problems.within('headers')}
      value={draft.headers}
      onChange={(headers) => onChange({ headers })}
    />
  </>
)

function ReadTable({ draft, feed, table, onTable, onChange }: FormProps) {
  const read = useReadTable()
  const start = () =>
    read.mutate(
      {
        ...(draft.url === '' ? {} : { url: draft.url.trim() }),
        ...(draft.headers.trim() === '' ? {} : { headers: headersOf(draft.headers) }),
        ...(feed ? { feed_id: feed.id } : {}),
      },
      {
        onSuccess: (found) => {
          onTable(found)
          onChange({ mapping: mappingAfter(draft.mapping, found) })
        },
      },
    )
  return (
    <>
      {read.error && <Problem error={read.error} what={t('The table could not be read')} />}
      <InlineStack gap="300" blockAlign="center">
        <Button
          variant={(feed ?? table) ? undefined : 'primary'}
          disabled={!feed && draft.url.trim() === ''}
          loading={read.isPending}
          onClick={start}
        >
          {t('Read the table')}
        </Button>
        {table && (
          <Text as="span" tone="subdued">
            <span role="status">
              {t(
                '{rows, plural, one {# row} other {# rows}}, {columns, plural, one {# column} other {# columns}}',
                { rows: table.rows, columns: table.headers.length },
              )}
            </span>
          </Text>
        )}
      </InlineStack>
    </>
  )
}

const SHOWN_ROWS = 3
const SHOWN_COLUMNS = 8

const Sample = ({ table: { headers, sample } }: { table: FeedTable }) => (
  <div className="feed-sample">
    <table>
      <caption>{t('The first rows')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('Row')}</th>
          {headers.slice(0, SHOWN_COLUMNS).map((header) => (
            <th key={header} scope="col">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sample.slice(0, SHOWN_ROWS).map(({ row, cells }) => (
          <tr key={row}>
            <td>{numberText(row)}</td>
            {headers.slice(0, SHOWN_COLUMNS).map((header, at) => (
              <td key={header}>{cells[at] ?? ''}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

function ColumnsCard({ draft, problems, table, onChange }: FormProps) {
  const options = [
    { value: '', label: t('None') },
    ...headersFor(draft, table).map((header) => ({ value: `=${header}`, label: header })),
  ]
  const valueOf = (header: string | null) => (header === null ? '' : `=${header}`)
  const headerOf = (value: string) => (value === '' ? null : value.slice(1))
  return (
    <Titled
      title={t('Columns')}
      help={t('Change the suggestions where needed. Columns that you don’t choose are ignored.')}
    >
      <div className="fields">
        {CSV_FIELDS.map((field) => (
          <Select
            key={field}
            label={CSV_FIELDS_TEXT[field].label}
            id={fieldId(`mapping.${field}`)}
            helpText={CSV_FIELDS_TEXT[field].help}
            error={problems.at(`mapping.${field}`)}
            options={options}
            value={valueOf(draft.mapping[field])}
            onChange={(value) =>
              onChange({ mapping: { ...draft.mapping, [field]: headerOf(value) } })
            }
          />
        ))}
        <Select
          label={t('Key of a row')}
          id={fieldId('key_column')}
          helpText={t(
            'A column whose value stays the same when the filename changes, such as an article number. None: the ID, or the filename.',
          )}
          error={problems.at('key_column')}
          options={options}
          value={valueOf(draft.key_column)}
          onChange={(value) => onChange({ key_column: headerOf(value) })}
        />
      </div>
    </Titled>
  )
}

const RulesCard = ({ draft, problems, onChange }: FormProps) => (
  <Titled title={t('Rules')}>
    <BlockStack gap="400">
      <div className="fields">
        <Select
          label={t('When a row vanishes from the table')}
          helpText={t(
            'Nothing happens if the table cannot be read. More than 20 % of the files, or more than 100, go to the trash only after you confirm it.',
          )}
          options={VANISHED.map(({ value, label }) => ({ value, label }))}
          value={draft.vanished}
          onChange={(value) => onChange({ vanished: value as Feed['vanished'] })}
        />
        {draft.vanished === 'tag' && (
          <TextField
            label={t('Tag')}
            id={fieldId('vanished_tag')}
            requiredIndicator
            error={problems.at('vanished_tag')}
            value={draft.vanished_tag}
            onChange={(vanished_tag) => onChange({ vanished_tag })}
          />
        )}
        <Select
          label={t('Tags of existing files')}
          options={[
            { value: 'replace', label: t('The row’s tags replace them') },
            { value: 'add', label: t('The row’s tags are added') },
          ]}
          value={draft.tags}
          onChange={(value) => onChange({ tags: value as Feed['tags'] })}
        />
        <Select
          label={t('Products of existing files')}
          options={[
            { value: 'add', label: t('The row’s products are added') },
            { value: 'replace', label: t('The row’s products replace them') },
          ]}
          value={draft.products}
          onChange={(value) => onChange({ products: value as Feed['products'] })}
        />
      </div>
      <Checkbox
        label={t('Find products of new files by their names')}
        checked={draft.auto_map}
        onChange={(auto_map) => onChange({ auto_map })}
      />
      <Checkbox
        label={t('Email when a run has changed something')}
        helpText={t('To the recipients in the settings.')}
        checked={draft.notify}
        onChange={(notify) => onChange({ notify })}
      />
    </BlockStack>
  </Titled>
)

const TIMES: readonly Recurrence[] = ['hour', 'day', 'cron']

function WhenCard({ draft: { when }, problems, onChange }: FormProps) {
  const error = problems.at('cron')
  return (
    <Titled title={t('When')}>
      <div className="fields">
        <Select
          label={t('Runs')}
          options={[
            { value: '', label: t('By hand') },
            ...TIMES.map((value) => ({ value, label: EVERY[value] })),
          ]}
          value={when === null ? '' : TIMES.includes(when.every) ? when.every : 'cron'}
          onChange={(every) =>
            onChange({
              when:
                every === ''
                  ? null
                  : { ...(when ?? whenOf('0 3 * * *')), every: every as Recurrence },
            })
          }
        />
        {when?.every === 'day' && (
          <TextField
            label={t('At')}
            id={fieldId('cron')}
            type="time"
            error={error}
            value={when.time}
            onChange={(time) => onChange({ when: { ...when, time: time.slice(0, 5) } })}
          />
        )}
        {when !== null && when.every !== 'day' && when.every !== 'hour' && (
          <TextField
            label={t('Cron expression')}
            id={fieldId('cron')}
            helpText={t('Minute, hour, day of the month, month, day of the week.')}
            monospaced
            error={error}
            value={when.cron}
            onChange={(cron) => onChange({ when: { ...when, every: 'cron', cron } })}
          />
        )}
      </div>
    </Titled>
  )
}
