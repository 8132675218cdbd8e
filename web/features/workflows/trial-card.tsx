// Tries the workflow as it is in the form on a few files. Nothing is changed or sent.
import { useState, useEffect } from 'react'
import { Titled } from '../../shell/components/titled.tsx'
import type { File, TriedFile } from '../../shell/client/types.ts'
import type { WorkflowBody } from '../../shell/client/workflows.ts'
import { LoadingRows } from '../../shell/components/lists.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { objectionsIn } from '../../shell/components/problems.ts'
import { messageText } from '../../shell/messages/server-text.ts'
import { t, translationOf } from '../../shell/messages/t.ts'
import {
  Badge,
  Button,
  InlineStack,
  Text,
  BlockStack,
  Checkbox,
  Hint,
  Tag,
  TextField,
} from '../../shell/ui/index.ts'
import { useFile, useFileBytes, useFiles } from '../../shell/client/queries.ts'
import { LoadProblem } from '../../shell/components/load-problem.tsx'
import { sizeText } from '../../shell/labels/size.ts'
import { useDebounced } from '../../shell/url-state/use-debounced.ts'
import { Changes } from '../operations/changes.tsx'
import { changesOf } from '../operations/change.ts'
import { useTrial, MOST_TRIED } from './trial-calls.ts'

interface Props {
  workflow: WorkflowBody
  titleOf: (plugin: string) => string
  /** Why it cannot be tried now; null: it can. */
  why: string | null
}

export function TrialCard({ workflow, titleOf, why }: Props) {
  const trial = useTrial()
  const [chosen, setChosen] = useState<readonly File[]>([])
  const titles = workflow.steps.map(({ plugin }) => titleOf(plugin))
  const tried = trial.variables && !trial.error ? trial.data : undefined
  const stale =
    tried !== undefined &&
    trial.variables?.workflow !== undefined &&
    !isSame(trial.variables.workflow, workflow)
  const run = () => trial.mutate({ workflow, file_ids: chosen.map(({ id }) => id) })
  return (
    <Titled
      title={t('Try it')}
      help={t(
        'Runs these steps on up to ten files and shows the results. Nothing is changed, sent or saved.',
      )}
    >
      <ChosenFiles chosen={chosen} onChange={setChosen} />
      <InlineStack gap="300" blockAlign="center">
        <Button onClick={run} loading={trial.isPending} disabled={why !== null}>
          {chosen.length === 0
            ? t('Try it on the newest files')
            : t('Try it on {count, plural, one {# file} other {# files}}', {
                count: chosen.length,
              })}
        </Button>
        {why !== null && (
          <Text as="span" tone="subdued">
            {why}
          </Text>
        )}
      </InlineStack>
      <div role="status" className="trial-status">
        {trial.isPending && <LoadingRows rows={3} what={t('the results')} />}
        {stale && (
          <Text as="p" tone="caution">
            {t('You have changed the steps since: these results are of the earlier ones.')}
          </Text>
        )}
        {tried?.data.length === 0 && <Text as="p">{t('There are no files yet.')}</Text>}
      </div>
      {trial.error && !trial.isPending && <TrialProblem error={trial.error} />}
      {tried && !trial.isPending && tried.data.length > 0 && (
        <ul className="trial">
          {tried.data.map((file) => (
            <Tried key={file.file_id} file={file} titles={titles} />
          ))}
        </ul>
      )}
    </Titled>
  )
}

const isSame = (a: WorkflowBody, b: WorkflowBody) => JSON.stringify(a) === JSON.stringify(b)

/** Problems of steps are shown in the steps. */
function TrialProblem({ error }: { error: Error }) {
  const [first] = objectionsIn(error)
  return (
    <Problem
      error={first ? new Error(translationOf(first.message)) : error}
      what={t('The workflow could not be tried')}
    />
  )
}

function Tried({ file, titles }: { file: TriedFile; titles: readonly string[] }) {
  const { filename, problem, before, after, warnings } = file
  const changes = changesOf(before, after)
  const worth = file.steps.filter(
    ({ result, message }) => WORTH_SAYING.has(result) && (problem === null || message !== problem),
  )
  return (
    <li>
      <InlineStack gap="200" blockAlign="center">
        <Text as="h3" variant="headingSm" breakWord>
          {filename || t('This file no longer exists')}
        </Text>
        {problem === null && changes.length === 0 && <Badge>{t('No change')}</Badge>}
      </InlineStack>
      {problem !== null && (
        <Text as="p" tone="critical" breakWord>
          {failedStep(file, titles)}
          {messageText({ message: problem, message_text: file.problem_text })}
        </Text>
      )}
      <div className="tried">
        <Changes changes={changes} />
        <TriedPictures file={file} />
      </div>
      {worth.map(({ step, result, message, message_text }) => (
        <Text
          key={step}
          as="p"
          variant="bodySm"
          tone={result === 'kept' ? 'caution' : 'subdued'}
          breakWord
        >
          {t('{step}: {message}', {
            step: titles[step] ?? '',
            message: message === null ? RESULTS[result] : messageText({ message, message_text }),
          })}
        </Text>
      ))}
      {warnings.map(({ code, ...warning }, at) => (
        <Text key={`${code} ${at}`} as="p" variant="bodySm" tone="caution" breakWord>
          {messageText(warning)}
        </Text>
      ))}
    </li>
  )
}

type Result = TriedFile['steps'][number]['result']

const WORTH_SAYING: ReadonlySet<Result> = new Set(['unchanged', 'other_files', 'not_tried', 'kept'])

const RESULTS: Record<Result, string> = {
  done: t('Done'),
  unchanged: t('No change'),
  other_files: t('not for this file'),
  not_tried: t('not tried'),
  kept: t('failed, and the file continues unchanged'),
  skipped: t('Skipped'),
  failed: t('Failed'),
}

/** `Rename files: `, the step that ended the file. */
function failedStep({ steps }: TriedFile, titles: readonly string[]): string {
  const last = steps.at(-1)
  return last && (last.result === 'failed' || last.result === 'skipped')
    ? `${t('{step}:', { step: titles[last.step] ?? '' })} `
    : ''
}

// The picture of a file before and after a trial.

/** Larger images are not fetched for a small picture. */
const LARGEST = 2 * 1024 ** 2

/** The pictures before and after, if the trial made an image. */
function TriedPictures({ file: { file_id, picture } }: { file: TriedFile }) {
  if (!picture) return null
  return (
    <div className="tried-pictures">
      <Before id={file_id} />
      <figure>
        {/* An <img> never runs scripts, even from hostile bytes. */}
        <img src={`data:${picture.content_type};base64,${picture.base64}`} alt="" />
        <figcaption>{t('After', {}, 'picture')}</figcaption>
      </figure>
    </div>
  )
}

function Before({ id }: { id: string }) {
  const { data: file } = useFile(id)
  const fits =
    file !== undefined && file.size_bytes <= LARGEST && file.content_type.startsWith('image/')
  const { data: bytes } = useFileBytes(id, file?.version ?? 0, fits)
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!bytes) return
    const made = URL.createObjectURL(bytes)
    // oxlint-disable-next-line react/set-state-in-effect -- the URL lives until clean-up
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  if (url === null) return null
  return (
    <figure>
      <img src={url} alt="" />
      <figcaption>{t('Before', {}, 'picture')}</figcaption>
    </figure>
  )
}

// Up to ten files to try a workflow on; without a choice the newest ones are tried.

interface ChosenFilesProps {
  chosen: readonly File[]
  onChange: (chosen: readonly File[]) => void
}

function ChosenFiles({ chosen, onChange }: ChosenFilesProps) {
  const [open, setOpen] = useState(false)
  const without = (id: string) => chosen.filter((one) => one.id !== id)
  return (
    <BlockStack gap="300">
      {chosen.length > 0 && (
        <div className="tags">
          {chosen.map(({ id, filename }) => (
            <Tag key={id} onRemove={() => onChange(without(id))}>
              {filename}
            </Tag>
          ))}
        </div>
      )}
      <div>
        <Button
          variant="plain"
          disclosure={open ? 'up' : 'down'}
          ariaExpanded={open}
          ariaControls="trial-files"
          onClick={() => setOpen(!open)}
        >
          {t('Choose files')}
        </Button>
      </div>
      <div id="trial-files" hidden={!open}>
        {open && (
          <Choices
            chosen={chosen}
            onTick={(file, ticked) => onChange(ticked ? [...chosen, file] : without(file.id))}
          />
        )}
      </div>
    </BlockStack>
  )
}

interface ChoicesProps {
  chosen: readonly File[]
  onTick: (file: File, ticked: boolean) => void
}

function Choices({ chosen, onTick }: ChoicesProps) {
  const [search, setSearch] = useState('')
  const files = useFiles({ search: useDebounced(search.trim()), limit: 8 }, false)
  const ids = new Set(chosen.map(({ id }) => id))
  const list = files.data?.data
  return (
    <BlockStack gap="200">
      <TextField
        label={t('Search files by name')}
        clearButton
        onClearButtonClick={() => setSearch('')}
        value={search}
        onChange={setSearch}
      />
      <LoadProblem query={files} what={t('The files could not be loaded')} />
      {files.isPending && <LoadingRows rows={3} what={t('the files')} />}
      {list?.length === 0 && <Hint>{t('No file matches.')}</Hint>}
      {chosen.length >= MOST_TRIED && (
        <Hint>{t('No more files can be tried at a time. Remove one to choose another.')}</Hint>
      )}
      <BlockStack>
        {list?.map((file) => (
          <Checkbox
            key={file.id}
            label={t('{filename}, {size}', {
              filename: file.filename,
              size: sizeText(file.size_bytes),
            })}
            checked={ids.has(file.id)}
            disabled={!ids.has(file.id) && chosen.length >= MOST_TRIED}
            onChange={(ticked) => onTick(file, ticked)}
          />
        ))}
      </BlockStack>
    </BlockStack>
  )
}
