// A plugin as the API returns it, for tests: fields that a test does not give have the simplest
// values.
import { type ActionLabels, type Plugin, type PluginAction } from './plugins.ts'

type ActionPart = Partial<Omit<PluginAction, 'labels'>> & { labels?: Partial<ActionLabels> }

const FILES = '{count, plural, one {# file} other {# files}}'

function actionOf(id: string, { labels, ...part }: ActionPart = {}): PluginAction {
  return {
    id,
    group: 'automate',
    labels: {
      action: id,
      menu: id,
      title: id,
      button: id,
      result: 'done',
      intro: null,
      note: null,
      running: `${id}: ${FILES}`,
      done: `${id}: ${FILES} done`,
      preview: '{count, plural, one {# file would be changed} other {# files would be changed}}',
      skipped: '{count, plural, one {# file is left alone} other {# files are left alone}}',
      ...labels,
    },
    promoted: false,
    fits: { places: ['files'], rules: [], noun: null },
    preview: 'exact',
    preview_required: null,
    destructive: false,
    warning: null,
    fields: null,
    required: [],
    preset: {},
    body: null,
    ...part,
  }
}

/** Exported for tests: a plugin without actions, unless they are given. */
export const pluginOf = (
  id: string,
  actions: readonly ActionPart[] = [],
  part: Partial<Plugin> = {},
): Plugin => ({
  id,
  kind: 'act',
  title: id,
  works_on: null,
  scope: 'items',
  waits: false,
  undo: 'fields',
  permission: null,
  options: { type: 'object', properties: {} },
  touches_bytes: false,
  alternatives: [],
  makes_files: false,
  advice: {},
  actions: actions.map((action, at) => actionOf(at === 0 ? id : `${id}-${at}`, action)),
  ...part,
})
