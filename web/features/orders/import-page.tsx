// Imports orders from before the installation: what the storefront shows, a preview, and the progress
// of the import.
import { useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { type Operation } from '../../shell/client/types.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Page } from '../../shell/components/page.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { clearing, objectionsIn, problemsOf } from '../../shell/components/problems.ts'
import { Question } from '../../shell/components/question.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { dayText } from '../../shell/labels/time.ts'
import { messageText, shownText } from '../../shell/messages/server-text.ts'
import { t } from '../../shell/messages/t.ts'
import {
  Banner,
  BlockStack,
  Button,
  Card,
  Checkbox,
  InlineStack,
  Link,
  Text,
  TextField,
} from '../../shell/ui/index.ts'
import { hasEnded, isMoving, useAct, useOperation } from '../operations/calls.ts'
import { isPreview } from '../operations/operation-status.ts'
import { Progress } from '../operations/status.tsx'
import { type PastOrdersAccess, useImportOrders, usePastOrders } from './calls.ts'

export function ImportOrdersPage() {
  const access = usePastOrders()
  return (
    <Page
      title={t('Import past orders')}
      subtitle={t('Deliveries for orders from before the installation')}
      backAction={{ content: t('Deliveries'), url: '/deliveries' }}
    >
      <BlockStack gap="400">
        <LoadProblem query={access} what={t('The past orders could not be read')} />
        {access.isPending && (
          <Card padding="0">
            <LoadingRows rows={3} what={t('the past orders')} />
          </Card>
        )}
        {access.data && <Whole access={access.data} />}
      </BlockStack>
    </Page>
  )
}

function Whole({ access }: { access: PastOrdersAccess }) {
  const { data: last } = useOperation(access.operation_id)
  const open = last && !hasEnded(last) ? last : null
  return (
    <>
      {!access.all_orders && <MissingOrders earliest={access.earliest} />}
      {open ? <Open operation={open} /> : <Form access={access} />}
      {last && hasEnded(last) && last.status !== 'cancelled' && <Ended operation={last} />}
    </>
  )
}

const MissingOrders = ({ earliest }: Pick<PastOrdersAccess, 'earliest'>) => (
  <Banner tone="warning" title={t('The storefront shows only the orders of the last 60 days')}>
    <BlockStack gap="200">
      {earliest && (
        <p>
          {t('Orders before {day} cannot be imported yet.', {
            day: dayText(earliest.slice(0, 10)),
          })}
        </p>
      )}
      <p>
        {t(
          'Older orders need a permission that the operator of this app requests from the platform. Once it is there, open the app again from the admin of your store, and accept its permissions.',
        )}
      </p>
    </BlockStack>
  </Banner>
)

function Form({ access }: { access: PastOrdersAccess }) {
  const [since, setSince] = useState('')
  const [mail, setMail] = useState(false)
  const start = useImportOrders()
  const problems = problemsOf(objectionsIn(start.error))
  return (
    <Titled title={t('Which orders')}>
      <BlockStack gap="400">
        {start.error && problems.all.length === 0 && (
          <Problem error={start.error} what={t('This could not be started')} />
        )}
        <TextField
          label={t('Placed since')}
          helpText={
            access.all_orders
              ? t('Empty: all orders of the store.')
              : t('Empty: all orders that the storefront shows.')
          }
          type="date"
          error={problems.at('since')}
          value={since}
          onChange={clearing(start, setSince)}
        />
        <Checkbox
          label={t('Email the buyers')}
          helpText={t(
            'Each buyer gets the email about the files of the order. Without it, the deliveries are ready and nobody is told.',
          )}
          checked={mail}
          onChange={setMail}
        />
        <InlineStack>
          <Button
            variant="primary"
            loading={start.isPending}
            onClick={() =>
              start.mutate({ ...(since === '' ? {} : { since }), mail, dry_run: true })
            }
          >
            {t('Preview')}
          </Button>
        </InlineStack>
      </BlockStack>
    </Titled>
  )
}

/** A preview that waits, or an import that has not ended. */
function Open({ operation }: { operation: Operation }) {
  const act = useAct()
  const { status } = operation
  const preview = isPreview(operation)
  return (
    <Titled title={preview ? t('Preview') : t('Importing past orders')}>
      <BlockStack gap="400">
        {act.error && <Problem error={act.error} what={t('This could not be done')} />}
        {status === 'previewing' && (
          <Text as="p">{t('Reading the orders. Nothing is changed. This can take a while.')}</Text>
        )}
        {status === 'previewed' && (
          <ul className="bullets">
            {operation.intention_texts.map(shownText).map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        )}
        {!preview && <Progress operation={operation} wide />}
        <Actions operation={operation} act={act} />
        {isMoving(operation) && (
          <Text as="p" tone="subdued" variant="bodySm">
            {t('It continues when you close this page.')}
          </Text>
        )}
      </BlockStack>
    </Titled>
  )
}

function Actions({ operation, act }: { operation: Operation; act: ReturnType<typeof useAct> }) {
  const [asking, setAsking] = useState(false)
  const { id, actions } = operation
  const preview = isPreview(operation)
  const move = (action: 'confirm' | 'pause' | 'resume') => () => act.mutate({ id, action })
  const cancel = () => {
    setAsking(false)
    act.mutate({ id, action: 'cancel' }, { onSuccess: () => toast(t('Nothing more is imported')) })
  }
  return (
    <InlineStack gap="200" blockAlign="center">
      {actions.includes('confirm') && (
        <Button variant="primary" loading={act.isPending} onClick={move('confirm')}>
          {t('Import the orders')}
        </Button>
      )}
      {actions.includes('pause') && (
        <Button disabled={act.isPending} onClick={move('pause')}>
          {t('Pause')}
        </Button>
      )}
      {actions.includes('resume') && (
        <Button disabled={act.isPending} onClick={move('resume')}>
          {t('Resume')}
        </Button>
      )}
      {actions.includes('cancel') && (
        <Button disabled={act.isPending} onClick={preview ? cancel : () => setAsking(true)}>
          {preview ? t('Discard preview') : t('Cancel')}
        </Button>
      )}
      <Link url={`/operations/${id}`}>{t('Show the operation')}</Link>
      {asking && <CancelQuestion onCancel={cancel} onClose={() => setAsking(false)} />}
    </InlineStack>
  )
}

const CancelQuestion = ({ onCancel, onClose }: { onCancel: () => void; onClose: () => void }) => (
  <Question
    title={t('Cancel the import?')}
    onClose={onClose}
    action={{ content: t('Cancel the import'), destructive: true, onAction: onCancel }}
    back={t('Keep importing')}
  >
    <Text as="p">{t('Orders that were imported stay. The others are not imported.')}</Text>
  </Question>
)

function Ended({ operation }: { operation: Operation }) {
  const act = useAct()
  const failed = operation.status === 'failed'
  return (
    <Titled title={t('The last import')}>
      <BlockStack gap="300">
        {act.error && <Problem error={act.error} what={t('This could not be done')} />}
        <Progress operation={operation} wide />
        {operation.stopped && <Text as="p">{messageText(operation.stopped)}</Text>}
        {operation.warnings.map((warning) => (
          <Text key={warning.message} as="p" tone="caution">
            {messageText(warning)}
          </Text>
        ))}
        <InlineStack gap="200" blockAlign="center">
          {failed && operation.actions.includes('retry') && (
            <Button
              loading={act.isPending}
              onClick={() => act.mutate({ id: operation.id, action: 'retry' })}
            >
              {t('Continue')}
            </Button>
          )}
          <Link url={`/operations/${operation.id}`}>{t('Show the operation')}</Link>
          <Link url="/deliveries">{t('Show deliveries')}</Link>
        </InlineStack>
      </BlockStack>
    </Titled>
  )
}
