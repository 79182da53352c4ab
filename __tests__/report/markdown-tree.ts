import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTable } from 'micromark-extension-gfm-table'

/** Markdown as GitHub reads it, tables included. */
export function treeOf(markdown: string): Root {
  return fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] })
}

/** A node and all below it. */
export function nodesIn(node: Nodes): Nodes[] {
  return [node, ...('children' in node ? node.children.flatMap(nodesIn) : [])]
}

export function valuesOf(root: Root, type: 'text' | 'inlineCode' | 'code' | 'html'): string[] {
  return nodesIn(root).flatMap((node) => (node.type === type ? [node.value] : []))
}

/** The cells of the rows below the headers of all tables, as words. */
export function rowsOf(root: Root): string[][] {
  const words = (node: Nodes): string => {
    if ('value' in node) return node.value
    return 'children' in node ? node.children.map(words).join('') : ''
  }
  return nodesIn(root).flatMap((node) =>
    node.type === 'table' ? node.children.slice(1).map((row) => row.children.map(words)) : [],
  )
}
