// All problems that the check found, by row; rows with errors are not imported, rows with warnings
// are.
import { useState } from 'react'
import {
  type CsvCheck,
  type CsvProblem,
  type CsvUpload,
  saveErrorRows,
  useCsvProblems,
} from './calls.ts'
import { LoadingRows, PageTurner } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import {
  Badge,
  BlockStack,
  Box,
  Button,
  Card,
  InlineStack,
  Tabs,
  Text,
} from '../../shell/ui/index.ts'
import { problemPlace } from './labels.ts'
import { numberText } from '../../shell/labels/size.ts'
import { serverText } from '../../shell/messages/server-templates.ts'
import { t } from '../../shell/messages/t.ts'

const SHOWN = 50

interface Props {
  upload: CsvUpload
  check: CsvCheck
}

export function Problems({ upload, check }: Props) {
  const [tab, setTab] = useState(check.errors > 0 ? 0 : 1)
  // The cursors of the visited pages; the last one is the current page's.
  const [cursors, setCursors] = useState<string[]>([])
  const severity = tab === 0 ? 'error' : 'warning'
  const query = { severity, limit: SHOWN, cursor: cursors.at(-1) ?? null }
  const problems = useCsvProblems(upload.id, query, true)
  const list = problems.data?.data
  const next = problems.data?.next_cursor ?? null
  const count = tab === 0 ? check.errors : check.warnings
  return (
    <Card padding="0">
      <Tabs
        tabs={[
          {
            id: 'errors',
            content: t('Errors'),
            badge: numberText(check.errors),
            accessibilityLabel: `${t('Errors')}, ${numberText(check.errors)}`,
          },
          {
            id: 'warnings',
            content: t('Warnings'),
            badge: numberText(check.warnings),
            accessibilityLabel: `${t('Warnings')}, ${numberText(check.warnings)}`,
          },
        ]}
        selected={tab}
        onSelect={(chosen) => {
          setTab(chosen)
          setCursors([])
        }}
      >
        {problems.error && !list && (
          <Box padding="400">
            <Problem
              error={problems.error}
              what={t('The problems could not be loaded')}
              onRetry={() => void problems.refetch()}
            />
          </Box>
        )}
        {tab === 0 && check.errors > 0 && <ErrorRows upload={upload} rows={check.error_rows} />}
        {problems.isPending && <LoadingRows rows={4} what={t('problems')} />}
        {list?.length === 0 && (
          <Box padding="400">
            <Text as="p" tone="subdued">
              {tab === 0 ? t('No errors') : t('No warnings')}
            </Text>
          </Box>
        )}
        {list && list.length > 0 && (
          <ul className="problems">
            {list.map((problem) => (
              <Line key={`${problem.row} ${problem.column} ${problem.code}`} problem={problem} />
            ))}
          </ul>
        )}
        {list && list.length > 0 && (
          <PageTurner
            label={
              tab === 0
                ? t('{count, plural, one {# error} other {# errors}}', { count })
                : t('{count, plural, one {# warning} other {# warnings}}', { count })
            }
            what={t('problems')}
            pages={{
              hasNext: next !== null,
              hasPrevious: cursors.length > 0,
              onNext: () => next !== null && setCursors([...cursors, next]),
              onPrevious: () => setCursors(cursors.slice(0, -1)),
            }}
          />
        )}
      </Tabs>
    </Card>
  )
}

function Line({ problem }: { problem: CsvProblem }) {
  return (
    <li>
      <InlineStack gap="200" blockAlign="start">
        <Text as="span" fontWeight="medium">
          {problemPlace(problem)}
        </Text>
      </InlineStack>
      <BlockStack gap="050">
        <span>
          <Badge tone={problem.severity === 'error' ? 'critical' : 'warning'}>
            {serverText(problem.message)}
          </Badge>
        </span>
        {problem.detail && <Text as="span">{serverText(problem.detail)}</Text>}
        {problem.value && (
          <Text as="span" variant="bodySm" tone="subdued" breakWord>
            {problem.value}
          </Text>
        )}
      </BlockStack>
    </li>
  )
}

function ErrorRows({ upload, rows }: { upload: CsvUpload; rows: number }) {
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const save = () => {
    setSaving(true)
    setError(null)
    saveErrorRows(upload)
      .catch((failure: unknown) => setError(failure as Error))
      .finally(() => setSaving(false))
  }
  return (
    <Box padding="400">
      <BlockStack gap="300">
        {error && <Problem error={error} what={t('The rows could not be downloaded')} />}
        <InlineStack gap="300" blockAlign="center">
          <Button loading={saving} onClick={save}>
            {t('Download {rows, plural, one {# row with errors} other {# rows with errors}}', {
              rows,
            })}
          </Button>
          <Text as="span" tone="subdued">
            {t('Correct the errors in that file, then import it.')}
          </Text>
        </InlineStack>
      </BlockStack>
    </Box>
  )
}
