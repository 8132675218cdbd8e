// Layers (optional content): which exist, which are hidden, and how they are listed.
import { ownValue } from '../contract/sandbox.ts'
import {
  isDictionary,
  isList,
  isReference,
  without,
  type Dictionary,
  type Objects,
  type Value,
} from './objects.ts'

/** The lists of a configuration: of layers, and of lists or uses of layers. */
const LISTS = ['/ON', '/OFF', '/Order', '/RBGroups', '/Locked', '/AS'] as const
const MAX_DEPTH = 20

/**
 * The layers of a document with all lists written out; the layers themselves stay objects. Null:
 * there are none.
 */
export function layersOf(catalog: Dictionary, { resolve }: Objects): Dictionary | null {
  const own = resolve(catalog['/OCProperties'])
  if (!isDictionary(own)) return null
  const layers = resolve(own['/OCGs'])
  const known = new Set(isList(layers) ? layers.filter(isReference) : [])
  const expanded = (value: Value, deep = 0): Value => {
    if (deep > MAX_DEPTH || (isReference(value) && isLayer(value))) return value
    const found = resolve(value)
    if (isList(found)) return found.map((one) => expanded(one, deep + 1))
    if (!isDictionary(found)) return found
    return Object.fromEntries(
      Object.entries(found).map(([name, one]) => [name, expanded(one, deep + 1)]),
    )
  }
  const isLayer = (reference: string) => {
    const found = resolve(reference)
    return known.has(reference) || (isDictionary(found) && resolve(found['/Type']) === '/OCG')
  }
  return {
    '/OCGs': [...known],
    '/D': expanded(own['/D'] ?? {}),
    ...(own['/Configs'] === undefined ? {} : { '/Configs': expanded(own['/Configs']) }),
  }
}

/** The layers of several documents in one. Those of one document stay as they are. */
export function combinedLayers(all: readonly Dictionary[]): Dictionary | null {
  const [first, ...others] = all
  if (first === undefined || others.length === 0) return first ?? null
  const configurations = all.map((one) => withoutBase(one['/D'] ?? {}, one))
  const more = all.flatMap((one) => listIn(one, '/Configs').map((own) => withoutBase(own, one)))
  return {
    '/OCGs': all.flatMap((one) => listIn(one, '/OCGs')),
    '/D': {
      ...configurations[0],
      ...Object.fromEntries(
        LISTS.flatMap((name) => {
          const list = configurations.flatMap((one) => listIn(one, name))
          return list.length === 0 ? [] : [[name, list]]
        }),
      ),
    },
    ...(more.length === 0 ? {} : { '/Configs': more }),
  }
}

/**
 * A configuration that names each hidden layer: one that hides all layers except some would hide
 * those of the other documents too.
 */
function withoutBase(configuration: Value, layers: Dictionary): Dictionary {
  if (!isDictionary(configuration)) return {}
  const rest = without(configuration, ['/BaseState'])
  if (configuration['/BaseState'] !== '/OFF') return rest
  const shown = new Set(listIn(configuration, '/ON'))
  return { ...rest, '/OFF': listIn(layers, '/OCGs').filter((layer) => !shown.has(layer)) }
}

function listIn(own: Dictionary, name: string): readonly Value[] {
  const list = ownValue(own, name)
  return isList(list) ? list : []
}
