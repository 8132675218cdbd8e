// Places of connections that have not signed in, when they are short.
import { expect, it } from 'vitest'
import { createUnsignedPlaces } from './unsigned-places.ts'

function placesFor(unsigned: number, unsignedPerNetwork: number) {
  const closed: string[] = []
  let counted = 0
  const places = createUnsignedPlaces({ unsigned, unsignedPerNetwork }, { count: () => counted++ })
  const open = (address: string, name = address) =>
    places.take(address, () => void closed.push(name))
  return { open, closed, counted: () => counted }
}

it('closes the oldest connection of the network that has most', () => {
  const { open, closed, counted } = placesFor(300, 60)
  for (let network = 1; network <= 5; network++)
    for (let host = 1; host <= 60; host++) open(`192.0.${network}.${host}`)
  open('198.51.100.1')
  expect(closed).toEqual(['192.0.1.1'])
  // The first network has one fewer than the others now.
  open('203.0.113.1')
  expect(closed).toEqual(['192.0.1.1', '192.0.2.1'])
  expect(counted()).toBe(2)
})

it('closes the oldest of a network whose own places are taken', () => {
  const { open, closed } = placesFor(300, 2)
  for (const host of [1, 2, 3]) open(`2001:db8::${host}`)
  expect(closed).toEqual(['2001:db8::1'])
})

it('closes the oldest of all if no network has more than the others', () => {
  const { open, closed } = placesFor(3, 60)
  for (const network of [1, 2, 3, 4]) open(`192.0.${network}.1`)
  expect(closed).toEqual(['192.0.1.1'])
})

it('closes no connection that has signed in or ended, and frees its place once', () => {
  const { open, closed, counted } = placesFor(2, 60)
  const free = open('192.0.2.1')
  open('192.0.2.2')
  free()
  free()
  open('192.0.2.3')
  expect([closed, counted()]).toEqual([[], 0])
  open('192.0.2.4')
  expect(closed).toEqual(['192.0.2.2'])
})
