// The keys of a list that buyers have: whose each one is, its status, and where it is activated.
import { useMemo } from 'react'
import { type LicenceKey } from './calls.ts'
import { type CardLayout, type Columns } from '../../shell/components/record-columns.ts'
import { RecordTable } from '../../shell/components/record-table.tsx'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Badge, BlockStack, Button, Link, SmallPrint, Text } from '../../shell/ui/index.ts'
import { KeyActions, type KeyDialog } from './key-actions.tsx'
import { activationsText, keyName, keyStatus, keyStatusNote } from './labels.ts'

interface Props {
  keys: readonly LicenceKey[]
  /** Opens a dialog about a key; the same function in every render. */
  onOpen: (dialog: KeyDialog) => void
}

export function KeysTable({ keys, onOpen }: Props) {
  const columns = useMemo(() => columnsOf(onOpen), [onOpen])
  return (
    <RecordTable
      names={{ singular: t('key'), plural: t('keys') }}
      columns={columns}
      card={CARD}
      rows={keys}
      idOf={({ id }) => id}
    />
  )
}

type ColumnId = 'key' | 'order' | 'status' | 'assigned' | 'expires' | 'activations' | 'actions'

const CARD: CardLayout<ColumnId> = {
  gap: '100',
  lines: [
    { start: 'key', end: 'status', align: 'start' },
    'order',
    { facts: ['assigned', 'expires'] },
    { start: 'activations', end: 'actions' },
  ],
}

const columnsOf = (onOpen: Props['onOpen']): Columns<ColumnId, LicenceKey> => ({
  key: {
    title: t('Key'),
    cut: {
      width: '190px',
      whole: ({ key, filename }) => [key, filename].filter(Boolean).join(' · '),
    },
    cell: (licence) => <Key licence={licence} />,
  },
  order: {
    title: t('Order', {}, 'purchase'),
    cut: { width: '200px', whole: ({ email }) => email ?? undefined },
    cell: (licence) => <Order licence={licence} />,
  },
  status: { title: t('Status'), cell: (licence) => <Status licence={licence} /> },
  assigned: {
    title: t('Given'),
    cell: (licence) => <Times licence={licence} />,
    inCard: ({ assigned_at }) => t('Given {when}', { when: momentText(assigned_at) }),
  },
  expires: { cell: expiryText },
  activations: {
    title: t('Activations'),
    tabular: true,
    cell: (licence) => (
      <Activations licence={licence} text={activationsText(licence)} onOpen={onOpen} />
    ),
    inCard: (licence) => (
      <Activations
        licence={licence}
        text={t('Activations: {count}', { count: activationsText(licence) })}
        onOpen={onOpen}
      />
    ),
  },
  actions: {
    title: t('Actions'),
    titleHidden: true,
    cell: (licence) => <KeyActions licence={licence} onOpen={onOpen} />,
  },
})

interface RowProps {
  licence: LicenceKey
}

const Key = ({ licence: { key, filename } }: RowProps) => (
  <BlockStack gap="050">
    {key === null ? (
      <Text as="span" tone="subdued">
        {t('Not shown yet')}
      </Text>
    ) : (
      <code className="long-text">{key}</code>
    )}
    <Text as="span" variant="bodySm" tone="subdued" breakWord>
      {filename ?? t('Deleted file')}
    </Text>
  </BlockStack>
)

const Order = ({ licence: { order_name, delivery_id, email } }: RowProps) => (
  <BlockStack gap="050">
    {order_name === null ? (
      t('Deleted order')
    ) : (
      <Link url={`/deliveries/${delivery_id}`} monochrome removeUnderline>
        <Text as="span" fontWeight="medium">
          {order_name}
        </Text>
      </Link>
    )}
    {email !== null && (
      <Text as="span" variant="bodySm" tone="subdued" breakWord>
        {email}
      </Text>
    )}
  </BlockStack>
)

const expiryText = ({ expires_at }: LicenceKey): string | null =>
  expires_at === null ? null : t('Expires {when}', { when: momentText(expires_at) })

/** Below each other: beside each other they push the activations out of the window. */
function Times({ licence }: RowProps) {
  const expiry = expiryText(licence)
  return (
    <BlockStack gap="050">
      <span>{momentText(licence.assigned_at)}</span>
      {expiry !== null && <SmallPrint>{expiry}</SmallPrint>}
    </BlockStack>
  )
}

function Status({ licence }: RowProps) {
  const { text, tone } = keyStatus(licence.status)
  const note = keyStatusNote(licence)
  return (
    <BlockStack gap="050" inlineAlign="start">
      <Badge tone={tone}>{text}</Badge>
      {note !== null && <SmallPrint>{note}</SmallPrint>}
    </BlockStack>
  )
}

function Activations({
  licence,
  text,
  onOpen,
}: RowProps & Pick<Props, 'onOpen'> & { text: string }) {
  if (licence.activations === 0)
    return (
      <Text as="span" tone="subdued">
        {text}
      </Text>
    )
  return (
    <Button
      variant="plain"
      accessibilityLabel={t('Activations of {key}: {count}', {
        key: keyName(licence),
        count: activationsText(licence),
      })}
      onClick={() => onOpen({ kind: 'instances', licence })}
    >
      {text}
    </Button>
  )
}
