import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Works in a folder with a go.mod of its own, and removes it. */
export async function inGoModule<T>(text: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'go-module-'))
  try {
    writeFileSync(path.join(folder, 'go.mod'), text)
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
