// Tags put right in many files at once: one in the place of another, one spelling for all, and tags by rule.
import { useState } from 'react'
import { useTags } from '../../../client/queries.ts'
import { useStartOperation } from '../../../client/operations.ts'
import { usePlugins } from '../../../client/workflows.ts'
import { LoadingRows } from '../../../components/lists.tsx'
import { checkOptions } from '../../../components/option-form/check.ts'
import { OptionForm } from '../../../components/option-form/option-form.tsx'
import { objectionsIn, problemsOf } from '../../../components/problems.ts'
import { Problem } from '../../../components/problem.tsx'
import { Checkbox, Text, TextField } from '../../../ui/index.ts'
import { countText } from '../../../labels/size.ts'
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx'
import { useForm, type Errors, type Reading } from './use-form.ts'

interface FindForm {
  find: string
  replace: string
  any_case: boolean
}

function readFindTag({ find, replace, any_case }: FindForm): Reading {
  const errors: Errors = {}
  const [from, to] = [find.trim(), replace.trim()]
  if (from === '') errors.find = 'Name the tag to look for'
  if (to === '') errors.replace = 'Name the tag to put in its place'
  else if (to.includes(',')) errors.replace = 'A tag has no comma'
  else if (to === from && !any_case) errors.replace = 'This is the same tag'
  return Object.keys(errors).length > 0
    ? { errors }
    : { options: { find: from, replace: to, case_sensitive: !any_case } }
}

export function FindTagDialog(props: BulkProps) {
  const { form, change, errors, bulk } = useForm<FindForm>({
    initial: { find: '', replace: '', any_case: false },
    read: readFindTag,
  })
  const inUse = useTags().data?.data ?? []
  const known = inUse.find(({ tag }) => tag === form.find.trim())
  return (
    <BulkDialog
      {...props}
      {...bulk('replace-tag')}
      title={`Replace a tag in ${countText(props.chosen.count, 'file', 'files')}`}
      run="Replace tag"
    >
      <div className="pairs">
        <TextField
          label="Tag to look for"
          autoComplete="off"
          autoFocus
          value={form.find}
          error={errors.find}
          helpText={known ? `${countText(known.files, 'file has', 'files have')} it in all` : undefined}
          onChange={(find) => change({ find })}
        />
        <TextField
          label="Tag in its place"
          autoComplete="off"
          value={form.replace}
          error={errors.replace}
          onChange={(replace) => change({ replace })}
        />
      </div>
      <Checkbox
        label="In other capitals too"
        helpText="Summer, SUMMER and summer are all replaced."
        checked={form.any_case}
        onChange={(any_case) => change({ any_case })}
      />
      <Text as="p" tone="subdued">
        Files that don’t have the first tag stay as they are. A file that has both keeps the second one.
      </Text>
    </BulkDialog>
  )
}

const SHOWN_SPELLINGS = 6

export function TagCaseDialog(props: BulkProps) {
  const start = useStartOperation()
  const { files, known } = props.chosen
  const capitals = [...new Set(files.flatMap(({ tags }) => tags))].filter((tag) => tag !== tag.toLowerCase())
  return (
    <BulkDialog
      {...props}
      title={`Merge tags in ${countText(props.chosen.count, 'file', 'files')}`}
      run="Merge tags"
      start={start}
      error={start.error}
      work={() => ({ action: 'merge-tag-case', options: {} })}
    >
      <Text as="p">
        Every tag that has capitals becomes the same tag in small letters: “Summer”, “SUMMER” and “summer” become one
        tag, “summer”, once a file.
      </Text>
      {capitals.length > 0 && (
        <Text as="p" breakWord>
          {`${known ? 'These change' : 'Among them'}: ${capitals
            .slice(0, SHOWN_SPELLINGS)
            .map((tag) => `${tag} → ${tag.toLowerCase()}`)
            .join(', ')}${capitals.length > SHOWN_SPELLINGS ? ' …' : ''}`}
        </Text>
      )}
    </BulkDialog>
  )
}

type Options = Record<string, unknown>

/** Its rules are drawn from what the plugin says of its options, as in a workflow. */
export function TagRulesDialog(props: BulkProps) {
  const start = useStartOperation()
  const plugins = usePlugins()
  const plugin = plugins.data?.data.find(({ id }) => id === 'tag-by-rule')
  const [options, setOptions] = useState<Options | null>(null)
  const [tried, setTried] = useState(false)
  const value = options ?? defaultsOf(plugin?.options.properties)
  const wrong = plugin ? checkOptions(plugin.options, value, 'options') : []
  const problems = problemsOf(tried ? wrong : [], objectionsIn(start.error))
  return (
    <BulkDialog
      {...props}
      title={`Tag ${countText(props.chosen.count, 'file', 'files')} by rule`}
      run="Tag by rule"
      size="large"
      start={start}
      error={objectionsIn(start.error).length > 0 ? null : start.error}
      work={() => {
        setTried(true)
        return plugin && wrong.length === 0 ? { action: 'tag-by-rule', options: value } : null
      }}
    >
      {plugins.isPending && <LoadingRows rows={4} what="the rules" />}
      {plugins.error && (
        <Problem
          error={plugins.error}
          what="The rules could not be loaded"
          onRetry={() => void plugins.refetch()}
          retrying={plugins.isFetching}
        />
      )}
      {plugin && (
        <OptionForm
          schema={plugin.options}
          value={value}
          path="options"
          problems={problems}
          onChange={(next) => {
            setOptions(next)
            if (start.error) start.reset()
          }}
        />
      )}
    </BulkDialog>
  )
}

const defaultsOf = (properties: Record<string, { default?: unknown }> = {}): Options =>
  Object.fromEntries(
    Object.entries(properties).flatMap(([name, part]) => (part.default === undefined ? [] : [[name, part.default]])),
  )
