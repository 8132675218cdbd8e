// The rows with one problem: what fixes all of them, and the rows themselves with cells to edit.
import { useId, useState } from 'react'
import { type CsvUpload } from './calls.ts'
import { type Fix, type ProblemGroup, useFixGroup } from './correction-calls.ts'
import { EditableRows } from './editable-rows.tsx'
import { FixDialog, type FixQuestion } from './fix-dialog.tsx'
import { toast } from '../../shell/client/bridge.ts'
import { Problem } from '../../shell/components/problem.tsx'
import { detailText, messageText } from '../../shell/messages/server-text.ts'
import {
  Badge,
  BlockStack,
  Box,
  Button,
  Card,
  ChevronDownIcon,
  InlineStack,
  Text,
} from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'

interface Props {
  upload: CsvUpload
  group: ProblemGroup
  startsOpen: boolean
}

export function ProblemGroupCard({ upload, group, startsOpen }: Props) {
  const { fixes } = group
  const [open, setOpen] = useState(startsOpen)
  const [question, setQuestion] = useState<FixQuestion | null>(null)
  const fix = useFixGroup(upload.id)
  const content = useId()
  const [fixed, setFixed] = useState(false)
  if (fixed && upload.recheck === null) setFixed(false)
  // An error of the buttons is none of the dialog's.
  const ask = (about: FixQuestion | null) => {
    fix.reset()
    setQuestion(about)
  }
  const apply = (how: Fix, value?: string, then?: () => void) =>
    fix.mutate(
      { group: group.id, fix: how, ...(value === undefined ? {} : { value }) },
      {
        onSuccess: ({ rows: changed }) => {
          // Until its rows are checked again, the group shows them as they were: once is enough.
          if (value === undefined) setFixed(true)
          toast(t('{changed, plural, one {# row} other {# rows}} corrected', { changed }))
          then?.()
        },
      },
    )
  return (
    <Card padding="0">
      <section className="problem-group">
        <Box padding="400">
          <BlockStack gap="300">
            <Toggle group={group} open={open} content={content} onToggle={() => setOpen(!open)} />
            <GroupText group={group} />
            {fix.error && !question && (
              <Problem error={fix.error} what={t('The rows could not be corrected')} />
            )}
            {fixes.length > 0 && (
              <FixButtons group={group} busy={fix.isPending || fixed} onFix={apply} onAsk={ask} />
            )}
          </BlockStack>
        </Box>
        <div id={content} hidden={!open}>
          {open && fixes.length > 0 && <EditableRows upload={upload} group={group} />}
        </div>
      </section>
      {question && (
        <FixDialog
          group={group}
          question={question}
          error={fix.error}
          saving={fix.isPending}
          onFix={(how, value) => apply(how, value, () => setQuestion(null))}
          onClose={() => ask(null)}
        />
      )}
    </Card>
  )
}

interface FixButtonsProps {
  group: ProblemGroup
  busy: boolean
  onFix: (how: Fix) => void
  onAsk: (question: FixQuestion) => void
}

const FixButtons = ({ group, busy, onFix, onAsk }: FixButtonsProps) => (
  <InlineStack gap="200">
    {fixButtons(group).map(({ label, fix, ask }) => (
      <Button key={label} disabled={busy} onClick={() => (fix ? onFix(fix) : ask && onAsk(ask))}>
        {label}
      </Button>
    ))}
  </InlineStack>
)

interface ToggleProps {
  group: ProblemGroup
  open: boolean
  /** The id of what it opens. */
  content: string
  onToggle: () => void
}

function Toggle({ group, open, content, onToggle }: ToggleProps) {
  return (
    <h3>
      <button
        type="button"
        className="toggle"
        aria-expanded={open}
        aria-controls={content}
        onClick={onToggle}
      >
        <ChevronDownIcon aria-hidden="true" />
        <span>
          {t('{rows, plural, one {# row} other {# rows}}: {problem}', {
            rows: group.rows,
            problem: messageText(group),
          })}
        </span>
      </button>
    </h3>
  )
}

/** What is wrong with the rows, and the most frequent texts if there are few. */
function GroupText({ group }: { group: ProblemGroup }) {
  const { rows, column, severity, values, different } = group
  const detail = detailText(group)
  return (
    <>
      <InlineStack gap="200" blockAlign="center">
        <Badge tone={severity === 'error' ? 'critical' : 'warning'}>
          {severity === 'error' ? t('Error') : t('Warning')}
        </Badge>
        {column !== null && (
          <Text as="span" tone="subdued" breakWord>
            {t('Column {column}', { column })}
          </Text>
        )}
        {detail !== null && <Text as="span">{detail}</Text>}
      </InlineStack>
      {different > 0 && different <= SHOWN_VALUES && different < rows && (
        <Text as="p" tone="subdued" breakWord>
          {values.map(valueText).join(', ')}
        </Text>
      )}
    </>
  )
}

const valueText = ({ value, rows, did_you_mean: meant }: ProblemGroup['values'][number]): string =>
  meant === null ? `${value} (${rows})` : `${value} → ${meant} (${rows})`

const SHOWN_VALUES = 5
const SCHEME = 'https://'
const HTTPS: Fix = { type: 'prefix', text: SCHEME }

interface FixButton {
  label: string
  /** Applied immediately; absent: a question is asked first. */
  fix?: Fix
  ask?: FixQuestion
}

/** What fixes all rows of a group, the most specific first. */
function fixButtons({ fixes, field }: ProblemGroup): FixButton[] {
  const buttons: Record<ProblemGroup['fixes'][number], FixButton[]> = {
    number: [{ label: t('Number the names'), fix: { type: 'number' } }],
    decode: [{ label: t('Correct the letters'), fix: { type: 'decode' } }],
    extension: [{ label: t('Add the endings of their URLs'), fix: { type: 'extension' } }],
    from_address: [{ label: t('Name them after their URLs'), fix: { type: 'from_address' } }],
    prefix: [{ label: t('Put https:// in front'), fix: HTTPS }],
    set: setButtons(field),
    replace: [{ label: t('Replace a part'), ask: 'replace' }],
    meant: [{ label: t('Correct the SKUs'), fix: { type: 'meant' } }],
    leave_out: [{ label: t('Leave out these rows'), fix: { type: 'leave_out' } }],
  }
  return fixes.flatMap((type) => buttons[type])
}

function setButtons(field: ProblemGroup['field']): FixButton[] {
  const empty = { type: 'set', text: '' } as const
  if (field === 'product_sku')
    return [
      { label: t('Choose a product…'), ask: 'product' },
      { label: t('Import without a product'), fix: empty },
    ]
  if (field === 'id') return [{ label: t('Import them as new files'), fix: empty }]
  const value: FixButton = { label: t('Set one value'), ask: 'value' }
  return field === 'expiry_days' || field === 'download_limit'
    ? [value, { label: t('Use the shop’s setting'), fix: empty }]
    : [value]
}
