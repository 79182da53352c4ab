import { expect, test } from '@jest/globals'
import { judge } from '../harness'
import { configMap } from '../source/objects'

type Files = Readonly<Record<string, string>>

const ingress = (covered: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec:
  tls: [{hosts: [${covered}], secretName: web}]
  rules: [{host: web.example.com}, {host: old.example.com}]
`
const faulty = ingress('old.example.com')
const sound = ingress('old.example.com, web.example.com')
/** Two folders that repeat each other, and are taken for clusters. */
const both = (file: string, text: string): Files => ({ [`east/${file}`]: text, [`west/${file}`]: text })
const shared = {
  ...both('a.yaml', configMap('a')),
  ...both('b.yaml', configMap('b')),
  ...both('c.yaml', configMap('c')),
}

async function statuses(base: Files, head: Files, guard = ''): Promise<string[]> {
  const { findings } = await judge({
    base: { ...shared, ...base },
    head: { ...shared, ...head },
    guard: `format: 1\npolicies: [{use: ingress-tls@1.0.0}]\n${guard}`,
  })
  return findings
    .filter(({ rule }) => rule === 'ingress-tls/host-covered')
    .map(({ status, location: { path } }) => `${status} ${path}`)
}

test('a fault of an object that moves to another folder is no news', async () => {
  expect(await statuses({ 'east/web.yaml': faulty }, { 'west/old/web.yaml': faulty })).toEqual([
    'existing west/old/web.yaml',
  ])
})

test('a fault of an object that moves away is no news where another file takes its place', async () => {
  expect(await statuses({ 'east/web.yaml': faulty }, { 'west/old/web.yaml': faulty, 'east/new.yaml': sound })).toEqual([
    'existing west/old/web.yaml',
  ])
  expect(
    await statuses({ 'east/web.yaml': faulty }, { 'west/web.yaml': `${faulty}status: {}\n`, 'east/new.yaml': sound }),
  ).toEqual(['resolved east/web.yaml', 'introduced west/web.yaml'])
})

test('a fault is news where the object was there without it, and where the one that had it stays', async () => {
  expect(await statuses({ 'east/web.yaml': faulty, 'west/web.yaml': sound }, { 'west/web.yaml': faulty })).toEqual([
    'resolved east/web.yaml',
    'introduced west/web.yaml',
  ])
  expect(await statuses({ 'east/web.yaml': faulty }, { 'east/web.yaml': sound, 'west/web.yaml': faulty })).toEqual([
    'resolved east/web.yaml',
    'introduced west/web.yaml',
  ])
})

test('a fault is news in a cluster that the config declares', async () => {
  const declared = 'clusters: {east: {paths: [east/**]}, west: {paths: [west/**]}}\n'
  expect(await statuses({ 'east/web.yaml': faulty }, { 'west/web.yaml': faulty }, declared)).toEqual([
    'resolved east/web.yaml',
    'introduced west/web.yaml',
  ])
})
